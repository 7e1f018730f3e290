import { describe, expect, test } from 'vitest'
import { asOperator, badState, idsOf, invalid, type Refusal, rows, unknown } from '../http/support.ts'
import { openTwin } from '../scenarios/story.ts'
import { type Body, makeCustomer, makePrice, type Twin } from '../twin.ts'
import { amountInvalid, amountTooLarge, DAY, emitted, makeDraft, NOW, newestOf, refuses } from './support.ts'

/** A customer with a card as default, and a draft without lines. */
async function emptyDraft(twin: Twin): Promise<{ customer: string; invoice: string }> {
  const { customer, method } = await makeCustomer(twin)
  await twin.post(`/v1/customers/${customer.id}`, { invoice_settings: { default_payment_method: method.id } })
  const draft = await twin.post('/v1/invoices', { customer: customer.id, currency: 'usd' })
  expect(draft).toMatchObject({ total: 0, lines: { data: [] } })
  return { customer: customer.id, invoice: draft.id }
}

/** Adds an item of an amount in US dollars to a draft. */
const addTo = (
  twin: Twin,
  { customer, invoice }: { customer: string; invoice: string },
  amount: number,
  more: Body = {},
): Promise<Body> => twin.post('/v1/invoiceitems', { customer, invoice, amount, currency: 'usd', ...more })

const amounts = ({ subtotal, total, amount_due, amount_remaining }: Body) => [
  subtotal,
  total,
  amount_due,
  amount_remaining,
]
const all = (amount: number) => [amount, amount, amount, amount]

/** A draft of a subscription whose collection is paused. */
async function subscriptionDraft(twin: Twin): Promise<Body> {
  const { customer, method } = await makeCustomer(twin)
  const { id: price } = await makePrice(twin)
  const subscription = await twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price }],
  })
  const pause_collection = { behavior: 'keep_as_draft' }
  await twin.post(`/v1/subscriptions/${subscription.id}`, { pause_collection })
  await twin.advance({ by: '1mo' })
  return newestOf(twin, subscription)
}

describe('an item that names a draft', () => {
  test('is added to it at once, and no event is emitted', async () => {
    const twin = await openTwin()
    const draft = await emptyDraft(twin)
    const price = await makePrice(twin, { recurring: undefined, unit_amount: 300 })
    const events = await emitted(twin, async () => {
      const { status, body } = await twin.request('POST', '/v1/invoiceitems', {
        ...draft,
        amount: 700,
        currency: 'usd',
        quantity: 2,
        description: 'Setup',
        metadata: { a: 'b' },
        expand: ['invoice'],
      })
      expect(status).toBe(201)
      expect(body).toMatchObject({ amount: 1400, customer: draft.customer, metadata: { a: 'b' } })
      expect(amounts(body.invoice)).toEqual(all(1400))
      await twin.post('/v1/invoiceitems', { ...draft, price: price.id, quantity: 3 })
    })
    expect(events).toBe('')
    const invoice = await twin.get(`/v1/invoices/${draft.invoice}`)
    expect(amounts(invoice)).toEqual(all(2300))
    const items = (await twin.get(`/v1/invoiceitems?invoice=${draft.invoice}`)).data
    expect(invoice.lines.data).toMatchObject([
      { invoice_item: items[1].id, amount: 1400, unit_amount: 700, quantity: 2, description: 'Setup' },
      { invoice_item: items[0].id, amount: 900, unit_amount: 300, quantity: 3, price: price.id },
    ])
    expect((await twin.get(`/v1/invoices/${draft.invoice}/lines`)).data).toEqual(invoice.lines.data)
  })

  test('is charged when the draft is paid', async () => {
    const twin = await openTwin()
    const draft = await emptyDraft(twin)
    await addTo(twin, draft, 1500)
    const open = await twin.post(`/v1/invoices/${draft.invoice}/finalize`)
    expect(open).toMatchObject({ status: 'open', total: 1500 })
    expect((await twin.get(`/v1/payment_intents/${open.payment_intent}`)).amount).toBe(1500)
    const paid = await twin.post(`/v1/invoices/${draft.invoice}/pay`)
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 1500, amount_remaining: 0 })
    expect((await twin.get(`/v1/charges/${paid.charge}`)).amount).toBe(1500)
  })

  test('leaves pending items waiting, and is not billed again', async () => {
    const twin = await openTwin()
    const draft = await emptyDraft(twin)
    const { customer } = draft
    const pending = await twin.post('/v1/invoiceitems', { customer, amount: 5, currency: 'usd' })
    await addTo(twin, draft, 1500)
    const next = await twin.post('/v1/invoices', { customer })
    expect(next.lines.data).toMatchObject([{ invoice_item: pending.id }])
    expect(next.total).toBe(5)
    expect((await twin.get(`/v1/invoices/${draft.invoice}`)).total).toBe(1500)
  })

  test('can be added to a draft of a subscription', async () => {
    const twin = await openTwin()
    const draft = await subscriptionDraft(twin)
    expect(draft).toMatchObject({ status: 'draft', total: 2000 })
    await addTo(twin, { customer: draft.customer, invoice: draft.id }, 500)
    const paid = await twin.post(`/v1/invoices/${draft.id}/pay`)
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 2500, subscription: draft.subscription })
    expect(paid.lines.data).toMatchObject([
      { amount: 2000, subscription_item: expect.any(String), invoice_item: null },
      { amount: 500, subscription_item: null, invoice_item: expect.any(String) },
    ])
  })

  test('is refused when the invoice cannot take it', async () => {
    const twin = await openTwin()
    const draft = await emptyDraft(twin)
    const other = await emptyDraft(twin)
    const { id: open } = (await makeDraft(twin)).draft
    const { customer: owner } = await twin.post(`/v1/invoices/${open}/finalize`)
    const euros = await twin.post('/v1/invoices', { customer: draft.customer, currency: 'eur' })
    const deleted = await emptyDraft(twin)
    await twin.delete(`/v1/invoices/${deleted.invoice}`)
    await addTo(twin, draft, 99_999_998)
    const base = { ...draft, amount: 1, currency: 'usd' }
    for (const [[body, refusal]] of rows<[Body, Refusal]>(
      [{ ...base, invoice: 'in_unknown' }, unknown('invoice')],
      [{ ...base, ...deleted }, unknown('invoice')],
      [{ ...base, invoice: other.invoice }, invalid('invoice')],
      [{ ...base, invoice: euros.id }, invalid('invoice')],
      [{ ...base, currency: 'eur' }, invalid('invoice')],
      [{ ...base, customer: owner, invoice: open }, invalid('invoice')],
      [{ ...base, amount: 2 }, amountTooLarge],
      [{ ...base, amount: -1 }, amountInvalid],
    )) {
      await refuses(twin, ['POST', '/v1/invoiceitems', body], refusal)
    }
    await addTo(twin, draft, 1)
  })

  test('is refused when the draft has 250 lines', async () => {
    const twin = await openTwin()
    const draft = await emptyDraft(twin)
    for (let count = 0; count < 250; count += 1) await addTo(twin, draft, 1)
    const body = { ...draft, amount: 1, currency: 'usd' }
    await refuses(twin, ['POST', '/v1/invoiceitems', body], invalid('invoice'))
  })
})

test('items are listed by whether they are pending', async () => {
  const twin = await openTwin()
  const draft = await emptyDraft(twin)
  const { customer } = draft
  const pending = await twin.post('/v1/invoiceitems', { customer, amount: 5, currency: 'usd' })
  const added = await addTo(twin, draft, 7)
  const listed = async (query: string) => idsOf((await twin.get(`/v1/invoiceitems?${query}`)).data)
  expect(await listed('pending=true')).toEqual([pending.id])
  expect(await listed('pending=false')).toEqual([added.id])
  expect(await listed(`pending=true&customer=${customer}`)).toEqual([pending.id])
  expect(await listed(`pending=true&invoice=${draft.invoice}`)).toEqual([])
  await refuses(twin, ['GET', '/v1/invoiceitems?pending=maybe'], invalid('pending'))
})

describe('updating an item', () => {
  test('updates the draft that it is on', async () => {
    const twin = await openTwin()
    const draft = await emptyDraft(twin)
    const first = await addTo(twin, draft, 100, { description: 'Setup', metadata: { a: 'b' } })
    await addTo(twin, draft, 50)
    const before = await twin.get(`/v1/invoices/${draft.invoice}`)
    const update = { amount: 300, quantity: 2, description: 'Training', metadata: { c: 'd' } }
    const events = await emitted(twin, async () => {
      expect(await twin.post(`/v1/invoiceitems/${first.id}`, update)).toEqual({
        ...first,
        amount: 600,
        unit_amount: 300,
        quantity: 2,
        description: 'Training',
        metadata: { a: 'b', c: 'd' },
      })
    })
    expect(events).toBe('')
    const after = await twin.get(`/v1/invoices/${draft.invoice}`)
    expect(amounts(after)).toEqual(all(650))
    const [line, other] = before.lines.data
    expect(after.lines.data).toEqual([
      { ...line, amount: 600, unit_amount: 300, quantity: 2, quantity_decimal: '2', description: 'Training' },
      other,
    ])
    const cleared = await twin.post(`/v1/invoiceitems/${first.id}`, { description: null })
    expect(cleared.description).toBeNull()
    await refuses(twin, ['POST', `/v1/invoiceitems/${first.id}`, { amount: 99_999_999 }], amountTooLarge)
  })

  test('updates a pending item, and the invoice that bills it later', async () => {
    const twin = await openTwin()
    const { customer } = await makeCustomer(twin)
    const item = await twin.post('/v1/invoiceitems', { customer: customer.id, amount: 5, currency: 'usd' })
    expect(await twin.post(`/v1/invoiceitems/${item.id}`, { amount: 8 })).toMatchObject({ amount: 8 })
    const swept = await twin.post('/v1/invoices', { customer: customer.id })
    expect(swept.total).toBe(8)
    await twin.post(`/v1/invoiceitems/${item.id}`, { amount: 9 })
    expect((await twin.get(`/v1/invoices/${swept.id}`)).total).toBe(9)
  })

  test('is refused when it cannot be', async () => {
    const twin = await openTwin()
    const draft = await emptyDraft(twin)
    const price = await makePrice(twin, { recurring: undefined, unit_amount: 300 })
    const priced = await twin.post('/v1/invoiceitems', { ...draft, price: price.id })
    const path = `/v1/invoiceitems/${priced.id}`
    await refuses(twin, ['POST', path, { amount: 5 }], invalid('amount'))
    await refuses(twin, ['POST', path, { quantity: -1 }], invalid('quantity'))
    await refuses(twin, ['POST', path, { quantity: 999_999 }], amountTooLarge)
    expect(await twin.post(path, { quantity: 2 })).toMatchObject({ amount: 600, quantity: 2 })
    const item = await addTo(twin, draft, 5)
    await refuses(twin, ['POST', `/v1/invoiceitems/${item.id}`, { amount: 0 }], amountInvalid)
    await refuses(twin, ['POST', '/v1/invoiceitems/ii_unknown', { amount: 5 }], unknown())
    await twin.post(`/v1/invoices/${draft.invoice}/finalize`)
    await refuses(twin, ['POST', path, { description: 'Late' }], badState(null))
    await refuses(twin, ['POST', path, {}], badState(null))
    await refuses(twin, ['DELETE', path], badState(null))
  })
})

describe('deleting', () => {
  test('an item takes its line off the draft', async () => {
    const twin = await openTwin()
    const draft = await emptyDraft(twin)
    const first = await addTo(twin, draft, 100)
    const second = await addTo(twin, draft, 50)
    expect(await emitted(twin, () => twin.delete(`/v1/invoiceitems/${first.id}`))).toBe('')
    const invoice = await twin.get(`/v1/invoices/${draft.invoice}`)
    expect(amounts(invoice)).toEqual(all(50))
    expect(invoice.lines.data).toMatchObject([{ invoice_item: second.id }])
    await refuses(twin, ['GET', `/v1/invoiceitems/${first.id}`], unknown())
    await twin.delete(`/v1/invoiceitems/${second.id}`)
    const finalizing = () => twin.post(`/v1/invoices/${draft.invoice}/finalize`)
    expect(await emitted(twin, finalizing)).toBe('invoice.finalized invoice.paid')
  })

  test('a draft deletes the items created on it; those pending before are pending again', async () => {
    const twin = await openTwin()
    const { customer, draft } = await makeDraft(twin)
    const [line] = draft.lines.data
    const own = await addTo(twin, { customer: customer.id, invoice: draft.id }, 700)
    await twin.post(`/v1/invoiceitems/${own.id}`, { amount: 800 })
    expect((await twin.get(`/v1/invoices/${draft.id}`)).total).toBe(2800)
    await twin.delete(`/v1/invoices/${draft.id}`)
    await refuses(twin, ['GET', `/v1/invoiceitems/${own.id}`], unknown())
    const { data } = await twin.get(`/v1/invoiceitems?customer=${customer.id}`)
    expect(data).toMatchObject([{ id: line.invoice_item, invoice: null }])
    expect(await twin.post('/v1/invoices', { customer: customer.id })).toMatchObject({ total: 2000 })
  })
})

describe('the history of a draft', () => {
  test('shows the amounts of each moment', async () => {
    const twin = await openTwin()
    const draft = await emptyDraft(twin)
    const item = await addTo(twin, draft, 100)
    await twin.advance({ by: '1d' })
    await twin.post(`/v1/invoiceitems/${item.id}`, { amount: 250 })
    await addTo(twin, draft, 50)
    await twin.advance({ by: '1d' })
    await twin.post(`/v1/invoices/${draft.invoice}/pay`)
    const { data } = await twin.get('/v1/events?types[]=invoice.*')
    const totals = data.map(({ type, data: { object } }: Body) => [
      type,
      object.total,
      object.lines.data.length,
    ])
    expect(totals).toEqual([
      ['invoice.paid', 300, 2],
      ['invoice.finalized', 300, 2],
      ['invoice.created', 0, 0],
    ])
    const show = async (at: number) => {
      const { body } = await asOperator(twin)('GET', `invoices/${draft.invoice}?at=${at}`)
      return [body.status, ...amounts(body)]
    }
    expect(await show(NOW + DAY - 1)).toEqual(['draft', ...all(100)])
    expect(await show(NOW + DAY)).toEqual(['draft', ...all(300)])
    expect(await show(NOW + 2 * DAY)).toEqual(['paid', 300, 300, 300, 0])
  })

  test('is the same after a snapshot was restored', async () => {
    const twin = await openTwin()
    const operator = asOperator(twin)
    const draft = await emptyDraft(twin)
    await addTo(twin, draft, 100)
    await operator('POST', 'snapshots', { name: 'before' })
    await addTo(twin, draft, 50)
    await operator('POST', 'snapshots/before/restore')
    expect(amounts(await twin.get(`/v1/invoices/${draft.invoice}`))).toEqual(all(100))
    await addTo(twin, draft, 7)
    expect(amounts(await twin.get(`/v1/invoices/${draft.invoice}`))).toEqual(all(107))
  })
})
