import { describe, expect, test } from 'vitest'
import { linesOf as rows } from '../table.ts'
import { type Body, makePrice, type Twin } from '../twin.ts'
import {
  adjust,
  balanceOf,
  begin,
  END,
  invoicesOf,
  linesOf,
  MIDDLE,
  newestInvoice,
  pendingAmounts,
} from './plan-story.ts'
import { at, bytesOf, historyOf, listAll, PACES, timelineOf } from './story.ts'
import { makeMeter, makeMetered } from './usage-story.ts'

const DECLINES = { afterwards: 'decline:insufficient_funds', outcomes: ['succeed'] }
const CONDITIONAL = { payment_behavior: 'pending_if_incomplete' }
const LATER = '2026-04-16T23:00:00Z'

/** A subscription to Basic whose card declines in the middle of April, and how to change it if it is paid. */
async function beginDeclining(given: Body = DECLINES) {
  const begun = await begin(given)
  await begun.twin.advance({ to: MIDDLE })
  return {
    ...begun,
    upgrade: (params: Body = {}) =>
      begun.change(
        { items: [{ id: begun.item, price: begun.prices.pro }], ...CONDITIONAL, ...params },
        'always_invoice',
      ),
  }
}

const pay = (twin: Twin, { id }: Body, payment_method = 'pm_card_visa') =>
  twin.post(`/v1/invoices/${id}/pay`, { payment_method })

const typesSince = async (twin: Twin, count: number) =>
  (await listAll(twin, '/v1/events')).slice(count).map(({ type }) => type)
const countOf = async (twin: Twin) => (await listAll(twin, '/v1/events')).length

describe('an update with pending_if_incomplete', () => {
  test('is applied at once if it is paid, and as without it', async () => {
    const histories = await Promise.all(
      [CONDITIONAL, {}].map(async (params) => {
        const { twin, change, item, prices } = await begin()
        await twin.advance({ to: MIDDLE })
        await change({ items: [{ id: item, price: prices.pro }], ...params }, 'always_invoice')
        return bytesOf(await historyOf(twin))
      }),
    )
    expect(histories[0]).toEqual(histories[1])
  })

  test.each(['void', 'mark_uncollectible'])(
    'does not reduce later credits of the period, after %s in its first second',
    async (action) => {
      const { twin, change, item, prices } = await begin(DECLINES)
      await change({ billing_cycle_anchor: 'now', ...CONDITIONAL }, 'none')
      await twin.post(`/v1/invoices/${(await newestInvoice(twin)).id}/${action}`)
      await twin.advance({ to: MIDDLE })
      await change({ items: [{ id: item, price: prices.pro }] })
      // Half of the paid 20.00 is unused, and half of 50.00 remains.
      expect(await pendingAmounts(twin)).toEqual([-1000, 2500])
    },
  )

  test('leaves what the period billed to later credits, after a metered period was dropped in its first second', async () => {
    const { twin, change, item, prices } = await begin(DECLINES)
    const metered = await makeMetered(twin, (await makeMeter(twin)).id)
    await change({ items: [{ id: item, quantity: 2 }] })
    const items = [{ id: item, price: metered.id }]
    await change({ items, billing_cycle_anchor: 'now', ...CONDITIONAL }, 'none')
    const { id, status, total } = await newestInvoice(twin)
    expect([status, total]).toEqual(['open', 2000])
    await twin.post(`/v1/invoices/${id}/void`)
    await twin.advance({ to: MIDDLE })
    await change({ items: [{ id: item, price: prices.pro }] })
    // Half of 2 × 20.00 is unused, and half of 2 × 50.00 remains.
    expect(await pendingAmounts(twin)).toEqual([-2000, 4000, -2000, 5000])
  })

  test('that expires leaves the subscription active if nothing else is outstanding, in one update', async () => {
    const outcomes = ['succeed', 'decline:insufficient_funds', 'decline:insufficient_funds', 'succeed']
    const { twin, change } = await begin({ outcomes, afterwards: 'succeed' })
    await twin.advance({ to: END })
    await change({ billing_cycle_anchor: 'now', ...CONDITIONAL }, 'none')
    // Half a day before the retry of the renewal
    await twin.advance({ to: '2026-05-01T12:00:00Z' })
    const count = await countOf(twin)
    await twin.post(`/v1/invoices/${(await listAll(twin, '/v1/invoices'))[1]?.id}/pay`)
    await twin.advance({ to: '2026-05-02T00:00:00Z' })
    const events = (await listAll(twin, '/v1/events')).slice(count)
    expect(events.map(({ type }) => type)).toEqual([
      ...['invoice.paid', 'payment_intent.succeeded', 'charge.succeeded'],
      ...['invoice.voided', 'subscription.updated', 'subscription.pending_update_expired'],
    ])
    expect(events.at(-2)?.data.previous_attributes).toMatchObject({ status: 'past_due' })
    expect(events.at(-1)?.data.object.status).toBe('active')
  })

  test('is dropped by a cancellation, which credits items that were pending before', async () => {
    const { twin, change, item, path, upgrade } = await beginDeclining()
    await change({ items: [{ id: item, quantity: 2 }] })
    await upgrade()
    await twin.delete(path, { prorate: true, invoice_now: true })
    const invoice = await newestInvoice(twin)
    // Half of the paid 20.00 is unused, and so are all the 20.00 for the rest of the period.
    expect(linesOf(invoice).map((line) => Number.parseInt(line, 10))).toEqual([-1000, 2000, -2000])
    expect(invoice).toMatchObject({ status: 'paid', total: -1000 })
  })

  test('waits if its payment fails; the subscription stays as it was', async () => {
    const { twin, path, upgrade, basic, prices, item } = await beginDeclining()
    const before = await twin.get(path)
    const count = await countOf(twin)
    const after = await upgrade()
    const invoice = await newestInvoice(twin)
    expect(await typesSince(twin, count)).toEqual([
      'invoice.created',
      'invoice.finalized',
      'invoice.payment_failed',
      'payment_intent.payment_failed',
      'charge.failed',
      'subscription.updated',
    ])
    expect(invoice).toMatchObject({ status: 'open', amount_due: 1500, next_payment_attempt: null })
    expect(after.pending_update).toMatchObject({
      billing_cycle_anchor: null,
      expires_at: at(LATER),
      trial_end: null,
    })
    expect(after.pending_update.subscription_items).toMatchObject([{ id: item, price: { id: prices.pro } }])
    expect(after).toEqual({ ...before, pending_update: after.pending_update, latest_invoice: invoice.id })
    expect(after.items.data[0].price.id).toBe(basic)
  })

  test('is applied when its invoice is paid', async () => {
    const { twin, path, upgrade, prices } = await beginDeclining()
    await upgrade()
    await twin.advance({ by: '3h' })
    const count = await countOf(twin)
    await pay(twin, await newestInvoice(twin))
    expect(await typesSince(twin, count)).toEqual([
      'payment_method.attached',
      'invoice.paid',
      'payment_intent.succeeded',
      'charge.succeeded',
      'subscription.updated',
      'subscription.pending_update_applied',
    ])
    const [applied] = (await twin.get('/v1/events?type=subscription.updated&limit=1')).data
    expect(Object.keys(applied.data.previous_attributes)).toEqual(['pending_update', 'items'])
    expect(await twin.get(path)).toMatchObject({
      pending_update: null,
      status: 'active',
      items: { data: [{ price: { id: prices.pro } }] },
    })
    await twin.post(path, { default_payment_method: 'pm_card_visa' })
    await twin.advance({ to: END })
    expect(linesOf(await newestInvoice(twin))).toEqual(['5000 1 × 50.00 USD'])
  })

  test('ends the discounts of an item that it removes when it is applied, not before', async () => {
    const { twin, change, item, path, prices } = await begin(DECLINES)
    await twin.post('/v1/coupons', { id: 'HALF', percent_off: 50, duration: 'forever' })
    await twin.post(path, { items: [{ price: prices.free, discounts: [{ coupon: 'HALF' }] }] })
    const removed = (await twin.get(path)).items.data.find(({ id }: Body) => id !== item)
    await twin.advance({ to: MIDDLE })
    const items = [
      { id: item, price: prices.pro },
      { id: removed.id, deleted: true },
    ]
    const { latest_invoice } = await change({ items, ...CONDITIONAL }, 'always_invoice')
    const ended = async () =>
      (await twin.events('&type=customer.discount.deleted')).map(({ data }) => data.object.id)
    expect(await ended()).toEqual([])
    expect((await twin.get(path)).items.data).toHaveLength(2)
    await pay(twin, { id: latest_invoice })
    expect((await twin.get(path)).items.data).toHaveLength(1)
    expect(await ended()).toEqual(removed.discounts)
    expect((await twin.events()).map(({ type }) => type).slice(-3)).toEqual([
      'customer.discount.deleted',
      'subscription.updated',
      'subscription.pending_update_applied',
    ])
  })

  test('expires after 23 hours, and its invoice is voided: a jump is the same as steps', async () => {
    const histories = []
    for (const pace of Object.values(PACES)) {
      const { twin, upgrade, path } = await beginDeclining()
      const { id } = await upgrade()
      await pace(twin, at('2026-04-20T00:00:00Z'))
      expect(await twin.get(path)).toMatchObject({ pending_update: null, status: 'active' })
      expect(await twin.get('/v1/customers')).toMatchObject({ data: [{ delinquent: false }] })
      expect(await pendingAmounts(twin)).toEqual([])
      const history = await historyOf(twin)
      expect(timelineOf(history.events).filter((line) => line.startsWith(LATER))).toEqual(
        rows(`
        2026-04-16T23:00:00Z invoice.voided void
        2026-04-16T23:00:00Z subscription.updated active Δ pending_update
        2026-04-16T23:00:00Z subscription.pending_update_expired active
        `),
      )
      expect(id).toBe(history.subscriptions[0]?.id)
      histories.push(bytesOf(history))
    }
    expect(histories[1]).toEqual(histories[0])
    expect(histories[2]).toEqual(histories[0])
  })

  test('expires at the end of the period if that is earlier, before the renewal', async () => {
    const histories = []
    for (const pace of Object.values(PACES)) {
      const { twin, change, item, prices, path } = await begin(DECLINES)
      await twin.advance({ to: '2026-04-30T12:00:00Z' })
      const items = [{ id: item, price: prices.pro }]
      const { pending_update } = await change({ items, ...CONDITIONAL }, 'always_invoice')
      expect(pending_update.expires_at).toBe(at(END))
      await twin.post(path, { default_payment_method: 'pm_card_visa' })
      await pace(twin, at('2026-05-02T00:00:00Z'))
      const history = await historyOf(twin)
      expect(timelineOf(history.events).filter((line) => line.startsWith(END))).toEqual(
        rows(`
        2026-05-01T00:00:00Z invoice.voided void
        2026-05-01T00:00:00Z subscription.updated active Δ pending_update
        2026-05-01T00:00:00Z subscription.pending_update_expired active
        2026-05-01T00:00:00Z invoice.created draft
        2026-05-01T00:00:00Z invoice.finalized open
        2026-05-01T00:00:00Z invoice.paid paid #1
        2026-05-01T00:00:00Z payment_intent.succeeded succeeded
        2026-05-01T00:00:00Z charge.succeeded succeeded
        2026-05-01T00:00:00Z subscription.updated active Δ latest_invoice current_period_start current_period_end
        `),
      )
      histories.push(bytesOf(history))
    }
    expect(histories[1]).toEqual(histories[0])
    expect(histories[2]).toEqual(histories[0])
  })

  test('that begins a new period keeps the old one until it is paid', async () => {
    const { twin, change, item, prices, path } = await beginDeclining()
    const held = await change({ items: [{ id: item, price: prices.yearly }], ...CONDITIONAL })
    expect(held.pending_update.billing_cycle_anchor).toBe(at(MIDDLE))
    expect(held.current_period_end).toBe(at(END))
    // 200.00 for the year, and half of 20.00 back.
    expect(await newestInvoice(twin)).toMatchObject({ total: 19_000, status: 'open' })
    await twin.advance({ by: '22h' })
    await pay(twin, await newestInvoice(twin))
    expect(await twin.get(path)).toMatchObject({
      billing_cycle_anchor: at(MIDDLE),
      current_period_start: at(MIDDLE),
      current_period_end: at('2027-04-16T00:00:00Z'),
      pending_update: null,
    })
  })

  test('makes items pending again that were pending before, when it expires', async () => {
    const { twin, upgrade, customer, subscription } = await beginDeclining()
    const waiting = { customer: customer.id, subscription: subscription.id, amount: 300, currency: 'usd' }
    await twin.post('/v1/invoiceitems', waiting)
    await upgrade()
    expect(await newestInvoice(twin)).toMatchObject({ total: 1800 })
    expect(await pendingAmounts(twin)).toEqual([])
    await twin.advance({ by: '1d' })
    expect(await pendingAmounts(twin)).toEqual([300])
    await twin.post(`/v1/subscriptions/${subscription.id}`, { default_payment_method: 'pm_card_visa' })
    await twin.advance({ to: END })
    expect(await newestInvoice(twin)).toMatchObject({ total: 2300, status: 'paid' })
    expect(await pendingAmounts(twin)).toEqual([])
  })

  test.each([
    ['void', ['invoice.voided']],
    ['mark_uncollectible', ['invoice.marked_uncollectible', 'invoice.voided']],
  ])('is dropped when its invoice is closed with %s', async (how, closing) => {
    const { twin, upgrade, path } = await beginDeclining()
    await upgrade()
    const count = await countOf(twin)
    const closed = await twin.post(`/v1/invoices/${(await newestInvoice(twin)).id}/${how}`)
    expect(closed.status).toBe('void')
    expect(await typesSince(twin, count)).toEqual([...closing, 'subscription.updated'])
    expect(await twin.get(path)).toMatchObject({ pending_update: null, status: 'active' })
    await twin.advance({ to: '2026-04-20T00:00:00Z' })
    expect(await twin.get('/v1/events?type=subscription.pending_update_*')).toMatchObject({ data: [] })
  })

  test.each(['void', 'mark_uncollectible'])(
    'cannot be paid after %s, and what it billed is billed once',
    async (how) => {
      const { twin, change, item, path, prices, customer, subscription } = await beginDeclining()
      const meter = await makeMeter(twin)
      const metered = await makeMetered(twin, meter.id)
      const { items } = await change({ items: [{ id: item }, { price: metered.id }] })
      const payload = { stripe_customer_id: customer.id, value: '100' }
      await twin.post('/v1/billing/meter_events', { event_name: meter.event_name, payload })
      await twin.advance({ by: '1h' })
      const waiting = { customer: customer.id, subscription: subscription.id, amount: 300, currency: 'usd' }
      await twin.post('/v1/invoiceitems', waiting)
      await adjust(twin, customer, -100)
      await change({
        items: [{ id: item, price: prices.pro }, { id: items.data[1].id }],
        billing_cycle_anchor: 'now',
        ...CONDITIONAL,
      })
      const invoice = await newestInvoice(twin)
      expect(linesOf(invoice)).toContain('500 100 × Calls')
      expect(invoice.amount_due).toBe(invoice.total - 100)
      await twin.post(`/v1/invoices/${invoice.id}/${how}`)
      expect(await balanceOf(twin, customer)).toBe(-100)

      const card = { payment_method: 'pm_card_visa' }
      const refused = [
        await twin.request('POST', `/v1/invoices/${invoice.id}/pay`, card),
        await twin.request('POST', `/v1/payment_intents/${invoice.payment_intent}/confirm`, card),
      ]
      expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual([
        [400, 'invalid_state_transition'],
        [400, 'payment_intent_unexpected_state'],
      ])

      await twin.post(path, { default_payment_method: 'pm_card_visa' })
      await twin.advance({ to: END })
      const renewal = await newestInvoice(twin)
      expect(linesOf(renewal).map((line) => Number.parseInt(line, 10))).toEqual([300, 500, 2000])
      expect(renewal).toMatchObject({ status: 'paid', amount_due: 2700 })
    },
  )

  test('is replaced by a further update, which credits only billed amounts', async () => {
    const { twin, upgrade, change, item, prices, path } = await beginDeclining()
    await upgrade()
    await change({ items: [{ id: item, price: prices.max }] })
    expect(await invoicesOf(twin)).toEqual(['paid 2000 due 2000', 'void 1500 due 1500'])
    // Half of 20.00 back, and half of 90.00.
    expect(await pendingAmounts(twin)).toEqual([-1000, 4500])
    expect(await twin.get(path)).toMatchObject({ pending_update: null })
  })

  test('survives a change of other fields', async () => {
    const { twin, upgrade, path } = await beginDeclining()
    const { pending_update } = await upgrade()
    await twin.post(path, { description: 'Gold', default_payment_method: 'pm_card_visa' })
    expect(await twin.get(path)).toMatchObject({ pending_update, description: 'Gold' })
  })

  test('ends with its subscription: the invoice is voided, and the rest of the period is credited', async () => {
    const { twin, upgrade, customer, subscription, path } = await beginDeclining()
    await twin.post('/v1/invoiceitems', {
      ...{ customer: customer.id, subscription: subscription.id, amount: 300, currency: 'usd' },
    })
    await upgrade()
    await twin.delete(`${path}?prorate=true&invoice_now=true`)
    expect(await twin.get(path)).toMatchObject({ status: 'canceled', pending_update: null })
    // 3.00 that waited, and half of 20.00 back.
    expect(await invoicesOf(twin)).toEqual(['paid 2000 due 2000', 'void 1800 due 1800', 'paid -700 due 0'])
    await twin.advance({ to: '2026-04-20T00:00:00Z' })
  })

  test('is applied at once if it bills nothing now', async () => {
    const { twin, upgrade, path, prices } = await beginDeclining()
    await upgrade({ proration_behavior: 'create_prorations' })
    expect(await twin.get(path)).toMatchObject({
      pending_update: null,
      items: { data: [{ price: { id: prices.pro } }] },
    })
  })

  test('can be paid by authenticating its intent', async () => {
    const { twin, item, prices, change, path } = await begin()
    await twin.post(path, { default_payment_method: 'pm_card_authenticationRequired' })
    await change({ items: [{ id: item, price: prices.pro }], ...CONDITIONAL }, 'always_invoice')
    const { payment_intent } = await newestInvoice(twin)
    await twin.post(`/v1/payment_intents/${payment_intent}/confirm`, { payment_method: 'pm_card_visa' })
    expect(await twin.get(path)).toMatchObject({
      pending_update: null,
      items: { data: [{ price: { id: prices.pro } }] },
    })
  })

  test.each([
    ['metadata', { metadata: { a: 'b' } }],
    ['description', { description: 'Gold' }],
    ['trial_end', { trial_end: 'now' }],
    ['cancel_at_period_end', { cancel_at_period_end: true }],
    ['default_payment_method', { default_payment_method: 'pm_card_visa' }],
    ['collection_method', { collection_method: 'send_invoice' }],
    ['pause_collection', { pause_collection: { behavior: 'void' } }],
  ])('refuses %s beside it', async (param, params) => {
    const { twin, item, path } = await begin()
    const body = { items: [{ id: item, quantity: 2 }], ...CONDITIONAL, ...params }
    const { status, body: answer } = await twin.request('POST', path, body)
    expect([status, answer.error.code, answer.error.param]).toEqual([400, 'parameter_invalid', param])
  })

  test('leaves waiting items in their order, if some of them did not fit on its invoice', async () => {
    const { twin, customer, subscription, change, item } = await begin(DECLINES)
    const price = await makePrice(twin, { unit_amount: 99_999_900 })
    await twin.advance({ to: '2026-04-30T12:00:00Z' })
    for (const amount of [50_000, 50])
      await twin.post('/v1/invoiceitems', {
        customer: customer.id,
        subscription: subscription.id,
        currency: 'usd',
        amount,
      })
    const items = [{ id: item, price: price.id }]
    await change({ items, billing_cycle_anchor: 'now', ...CONDITIONAL }, 'always_invoice')
    const amounts = async () => (await newestInvoice(twin)).lines.data.map(({ amount }: Body) => amount)
    expect(await amounts()).toEqual([50, -33, 99_999_900])
    await twin.advance({ to: END })
    expect(await amounts()).toEqual([50_000, 50, 2000])
  })

  test('refuses a subscription whose invoices are sent', async () => {
    const { twin, item, path } = await begin({ collection_method: 'send_invoice' })
    const body = { items: [{ id: item, quantity: 2 }], ...CONDITIONAL }
    const { status, body: answer } = await twin.request('POST', path, body)
    expect([status, answer.error.param]).toEqual([400, 'payment_behavior'])
  })
})

test('upcoming jobs show when a pending update expires', async () => {
  const { twin, upgrade } = await beginDeclining()
  await upgrade()
  const { data } = await twin.get('/v1/test_helpers/upcoming?limit=1')
  expect(data).toMatchObject([{ kind: 'pending_update_expiry', due: at(LATER) }])
})
