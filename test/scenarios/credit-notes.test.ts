import { describe, expect, test } from 'vitest'
import { typesOf } from '../http/support.ts'
import { type Body, makeCustomer, type Twin } from '../twin.ts'
import { at, bytesOf, historyOf, listAll, openTwin, PACES, QUICK_PACES, subscribe } from './story.ts'

const credit = (twin: Twin, body: Body) => twin.post('/v1/credit_notes', body)
const newestInvoice = async (twin: Twin): Promise<Body> => (await listAll(twin, '/v1/invoices')).at(-1) ?? {}
const newestCharge = async (twin: Twin): Promise<Body> => (await listAll(twin, '/v1/charges')).at(-1) ?? {}
const balanceOf = async (twin: Twin, { id }: Body): Promise<Body[]> =>
  (await twin.get(`/v1/customers/${id}/balance_transactions`)).data

/** A finalized manual invoice of 20.00 USD: two units of 10.00. */
async function bill(twin: Twin, customer: Body, amount = 1000): Promise<Body> {
  await twin.post('/v1/invoiceitems', { customer: customer.id, amount, quantity: 2, currency: 'usd' })
  const { id } = await twin.post('/v1/invoices', { customer: customer.id })
  return twin.post(`/v1/invoices/${id}/finalize`)
}

/** A paid invoice of 20.00 USD with its customer. */
async function paid(twin: Twin, card = 'pm_card_visa') {
  const { customer, method } = await makeCustomer(twin, { card })
  const { id } = await bill(twin, customer)
  const invoice = await twin.post(`/v1/invoices/${id}/pay`, { payment_method: method.id })
  return { customer, invoice }
}

describe.each(QUICK_PACES)('in dunning, in %s:', (_, pace) => {
  const go = (twin: Twin, until: string) => pace(twin, at(until))

  test('a credit of 5.00 reduces what the next retry charges from 20.00 to 15.00', async () => {
    const twin = await openTwin()
    // The renewal of 28 February fails, and so does its first retry.
    await subscribe(twin, { outcomes: ['succeed', 'decline:card_declined', 'decline:card_declined'] })
    await go(twin, '2026-03-02T00:00:00Z')
    const open = await newestInvoice(twin)
    const note = await credit(twin, { invoice: open.id, amount: 500 })
    expect(note).toMatchObject({
      number: `${open.number}-CN-01`,
      type: 'pre_payment',
      pre_payment_amount: 500,
      post_payment_amount: 0,
    })
    expect(await newestInvoice(twin)).toMatchObject({
      status: 'open',
      total: 2000,
      amount_due: 1500,
      amount_remaining: 1500,
      pre_payment_credit_notes_amount: 500,
      next_payment_attempt: at('2026-03-03T10:00:00Z'),
    })
    await go(twin, '2026-03-04T00:00:00Z')
    expect(await newestInvoice(twin)).toMatchObject({ status: 'paid', amount_paid: 1500, total: 2000 })
    expect(await newestCharge(twin)).toMatchObject({ status: 'succeeded', amount: 1500 })
  })

  test('a credit in full pays the invoice without a charge, and no retry follows', async () => {
    const twin = await openTwin()
    const { customer, subscription } = await subscribe(twin, {
      outcomes: ['succeed'],
      afterwards: 'decline:card_declined',
    })
    await go(twin, '2026-03-02T00:00:00Z')
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({ status: 'past_due' })
    const open = await newestInvoice(twin)
    await credit(twin, { invoice: open.id, amount: 2000 })
    expect(typesOf(await twin.events()).slice(-3)).toEqual([
      'credit_note.created',
      'invoice.paid',
      'subscription.updated',
    ])
    expect(await newestInvoice(twin)).toMatchObject({
      status: 'paid',
      amount_due: 0,
      amount_paid: 0,
      pre_payment_credit_notes_amount: 2000,
      next_payment_attempt: null,
      charge: open.charge,
    })
    expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({ status: 'active' })
    expect(await twin.get(`/v1/customers/${customer.id}`)).toMatchObject({ delinquent: false })
    expect(await twin.get(`/v1/payment_intents/${open.payment_intent}`)).toMatchObject({ status: 'canceled' })
    const charges = (await listAll(twin, '/v1/charges')).length
    await go(twin, '2026-03-27T00:00:00Z')
    expect(await listAll(twin, '/v1/charges')).toHaveLength(charges)
  })

  test('a credit that is voided is charged again by the next retry', async () => {
    const twin = await openTwin()
    await subscribe(twin, { outcomes: ['succeed', 'decline:card_declined'] })
    await go(twin, '2026-02-28T12:00:00Z')
    const open = await newestInvoice(twin)
    const note = await credit(twin, { invoice: open.id, amount: 500 })
    const second = await credit(twin, { invoice: open.id, amount: 300 })
    expect(await newestInvoice(twin)).toMatchObject({ amount_due: 1200 })
    expect(await twin.post(`/v1/credit_notes/${note.id}/void`)).toMatchObject({ status: 'void' })
    expect(await newestInvoice(twin)).toMatchObject({
      amount_due: 1700,
      pre_payment_credit_notes_amount: 300,
    })
    await go(twin, '2026-03-02T00:00:00Z')
    expect(await newestCharge(twin)).toMatchObject({ amount: 1700 })
    const refused = await twin.request('POST', `/v1/credit_notes/${second.id}/void`)
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_state_transition' } } })
  })

  test('a credit to the balance reduces the next renewal', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin)
    const { latest_invoice } = await twin.get(`/v1/subscriptions/${subscription.id}`)
    await credit(twin, { invoice: latest_invoice, amount: 750, credit_amount: 750 })
    await go(twin, '2026-03-30T00:00:00Z')
    expect(await newestInvoice(twin)).toMatchObject({ total: 2000, amount_paid: 1250, applied_balance: -750 })
    await go(twin, '2026-04-01T00:00:00Z')
    expect(await newestInvoice(twin)).toMatchObject({ total: 2000, amount_paid: 2000, applied_balance: 0 })
  })
})

test('credits in dunning give the same history in one jump and in steps', async () => {
  const histories = []
  for (const pace of Object.values(PACES)) {
    const twin = await openTwin()
    await subscribe(twin, { outcomes: ['succeed', 'decline:card_declined'] })
    await pace(twin, at('2026-02-28T12:00:00Z'))
    await credit(twin, { invoice: (await newestInvoice(twin)).id, amount: 500 })
    await pace(twin, at('2026-04-15T00:00:00Z'))
    const notes = (await twin.get('/v1/credit_notes')).data.map((note: Body) => JSON.stringify(note))
    histories.push([...bytesOf(await historyOf(twin)), ...notes])
  }
  expect(histories[1]).toEqual(histories[0])
  expect(histories[2]).toEqual(histories[0])
})

describe('of a paid invoice', () => {
  test('5.00 are refunded', async () => {
    const twin = await openTwin()
    const { invoice } = await paid(twin)
    const note = await credit(twin, {
      invoice: invoice.id,
      amount: 500,
      refund_amount: 500,
      reason: 'duplicate',
    })
    expect(typesOf(await twin.events()).slice(-3)).toEqual([
      'credit_note.created',
      'refund.created',
      'charge.refunded',
    ])
    expect(note).toMatchObject({ type: 'post_payment', post_payment_amount: 500, out_of_band_amount: null })
    expect(await twin.get(`/v1/refunds/${note.refund}`)).toMatchObject({
      amount: 500,
      charge: invoice.charge,
    })
    expect(await newestInvoice(twin)).toMatchObject({
      status: 'paid',
      amount_due: 2000,
      amount_paid: 2000,
      post_payment_credit_notes_amount: 500,
    })
  })

  test('20.00 are refunded, credited to the balance and given back outside: 12.00, 5.00 and 3.00', async () => {
    const twin = await openTwin()
    const { customer, invoice } = await paid(twin)
    const note = await credit(twin, {
      invoice: invoice.id,
      amount: 2000,
      refund_amount: 1200,
      credit_amount: 500,
      out_of_band_amount: 300,
    })
    expect(note).toMatchObject({ post_payment_amount: 2000, out_of_band_amount: 300 })
    expect(await newestCharge(twin)).toMatchObject({ amount_refunded: 1200 })
    expect(await balanceOf(twin, customer)).toMatchObject([
      {
        id: note.customer_balance_transaction,
        type: 'credit_note',
        amount: -500,
        ending_balance: -500,
        invoice: invoice.id,
        credit_note: note.id,
      },
    ])
  })

  test('two credits reach the limit of 20.00, and a third is refused', async () => {
    const twin = await openTwin()
    const { invoice } = await paid(twin)
    const [line] = invoice.lines.data
    const first = { type: 'invoice_line_item', invoice_line_item: line.id, quantity: 1 }
    await credit(twin, { invoice: invoice.id, lines: [first], refund_amount: 1000 })
    const second = await credit(twin, { invoice: invoice.id, amount: 1000, refund_amount: 1000 })
    expect(second.number).toBe(`${invoice.number}-CN-02`)
    const body = { invoice: invoice.id, amount: 1, out_of_band_amount: 1 }
    const refused = await twin.request('POST', '/v1/credit_notes', body)
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'amount_too_large' } } })
  })

  test('parallel credits do not exceed it: of five of 8.00, two succeed', async () => {
    const twin = await openTwin()
    const { invoice } = await paid(twin)
    const body = { invoice: invoice.id, amount: 800, refund_amount: 800 }
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => twin.request('POST', '/v1/credit_notes', body)),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 400, 400, 400])
    expect(await newestInvoice(twin)).toMatchObject({ post_payment_credit_notes_amount: 1600 })
  })

  test('an earlier refund of 6.00 leaves 14.00 to credit, unless it is linked', async () => {
    const twin = await openTwin()
    const { invoice } = await paid(twin)
    const { id } = await twin.post('/v1/refunds', { charge: invoice.charge, amount: 600 })
    const over = { invoice: invoice.id, amount: 1401, out_of_band_amount: 1401 }
    expect(await twin.request('POST', '/v1/credit_notes', over)).toMatchObject({ status: 400 })
    const note = await credit(twin, { invoice: invoice.id, amount: 600, refund: id })
    expect(note).toMatchObject({ refund: id, post_payment_amount: 600 })
    await credit(twin, { invoice: invoice.id, amount: 1400, refund_amount: 1400 })
    expect(await newestCharge(twin)).toMatchObject({ amount_refunded: 2000, refunded: true })
  })

  test('a refund that fails stays on its credit note', async () => {
    const twin = await openTwin()
    const { invoice } = await paid(twin, 'pm_card_refundFail')
    const note = await credit(twin, { invoice: invoice.id, amount: 600, refund_amount: 600 })
    await twin.advance({ by: '120s' })
    expect(await twin.get(`/v1/refunds/${note.refund}`)).toMatchObject({ status: 'failed' })
    expect(await newestInvoice(twin)).toMatchObject({ post_payment_credit_notes_amount: 600 })
    expect(await newestCharge(twin)).toMatchObject({ amount_refunded: 0 })
  })
})

describe('of an invoice that a balance of 5.00 covers in part', () => {
  async function covered(twin: Twin) {
    const { customer } = await makeCustomer(twin)
    await twin.post(`/v1/customers/${customer.id}/balance_transactions`, { amount: -500, currency: 'usd' })
    return { customer, invoice: await bill(twin, customer) }
  }

  test('20.00 take the 15.00 off that are due, and return the 5.00 to the balance', async () => {
    const twin = await openTwin()
    const { customer, invoice } = await covered(twin)
    expect(invoice).toMatchObject({ amount_due: 1500, applied_balance: -500 })
    const note = await credit(twin, { invoice: invoice.id, amount: 2000, credit_amount: 500 })
    expect(note).toMatchObject({ type: 'mixed', pre_payment_amount: 1500, post_payment_amount: 500 })
    expect(await newestInvoice(twin)).toMatchObject({
      status: 'paid',
      amount_due: 0,
      starting_balance: -500,
      ending_balance: 0,
      applied_balance: -500,
      pre_payment_credit_notes_amount: 1500,
      post_payment_credit_notes_amount: 500,
    })
    expect((await balanceOf(twin, customer))[0]).toMatchObject({ ending_balance: -500 })
  })

  test('voiding it after a credit of 4.00 returns the 5.00 to the balance', async () => {
    const twin = await openTwin()
    const { customer, invoice } = await covered(twin)
    await credit(twin, { invoice: invoice.id, amount: 400 })
    expect(await newestInvoice(twin)).toMatchObject({ amount_due: 1100, applied_balance: -500 })
    await twin.post(`/v1/invoices/${invoice.id}/void`)
    expect((await balanceOf(twin, customer))[0]).toMatchObject({ amount: -500, ending_balance: -500 })
  })

  test('with an amount due of 0, it is paid, and 5.00 can be credited to the balance', async () => {
    const twin = await openTwin()
    const { customer } = await makeCustomer(twin)
    const balance = `/v1/customers/${customer.id}/balance_transactions`
    await twin.post(balance, { amount: -2500, currency: 'usd' })
    const invoice = await bill(twin, customer)
    expect(invoice).toMatchObject({ status: 'paid', amount_due: 0 })
    await credit(twin, { invoice: invoice.id, amount: 500, credit_amount: 500 })
    expect((await balanceOf(twin, customer))[0]).toMatchObject({ ending_balance: -1000 })
    const body = { invoice: invoice.id, amount: 500, refund_amount: 500 }
    expect(await twin.request('POST', '/v1/credit_notes', body)).toMatchObject({
      status: 400,
      body: { error: { param: 'refund_amount' } },
    })
  })
})

test('a credit in full activates an incomplete subscription', async () => {
  const twin = await openTwin()
  const { subscription } = await subscribe(twin, { card: 'pm_card_chargeDeclined' })
  expect(subscription).toMatchObject({ status: 'incomplete', latest_invoice: null })
  const { id } = await newestInvoice(twin)
  await credit(twin, { invoice: id, amount: 2000 })
  expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
    status: 'active',
    latest_invoice: id,
  })
})

test('a credit in full applies the update that waits for the payment', async () => {
  const twin = await openTwin()
  const { subscription } = await subscribe(twin, { outcomes: ['succeed', 'decline:card_declined'] })
  const path = `/v1/subscriptions/${subscription.id}`
  await twin.post(path, {
    items: [{ id: subscription.items.data[0].id, quantity: 2 }],
    payment_behavior: 'pending_if_incomplete',
    proration_behavior: 'always_invoice',
  })
  const open = await newestInvoice(twin)
  expect(open).toMatchObject({ status: 'open', total: 2000 })
  await credit(twin, { invoice: open.id, amount: 2000 })
  expect(typesOf(await twin.events()).slice(-3)).toEqual([
    'invoice.paid',
    'subscription.updated',
    'subscription.pending_update_applied',
  ])
  expect((await twin.get(path)).items.data[0].quantity).toBe(2)
})
