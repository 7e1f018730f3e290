import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import type { BilledLine } from '../../src/core/proration.ts'
import { hasEnded } from '../../src/core/subscription-status.ts'
import { UnitOfWork } from '../../src/engine/machine/unit.ts'
import { billedLines } from '../../src/engine/resources/billed-lines.ts'
import { assignItem, changeLines } from '../../src/engine/resources/draft-lines.ts'
import { ObjectTable } from '../../src/store/objects.ts'
import { isLong, requested } from '../long.ts'
import { type Body, makeCustomer, makePrice, startTwin } from '../twin.ts'

const BEHAVIORS = ['none', 'create_prorations', 'always_invoice'] as const
const PAYMENTS = ['allow_incomplete', 'pending_if_incomplete'] as const

type Prepared = Awaited<ReturnType<typeof prepare>>

/** A subscription with two items, whose stored sums can be compared with those that are computed anew. */
async function prepare() {
  const twin = await startTwin()
  const { customer, method } = await makeCustomer(twin)
  const prices = [
    await makePrice(twin, { recurring: { interval: 'month' }, unit_amount: 1999 }),
    await makePrice(twin, { recurring: { interval: 'month' }, unit_amount: 301 }),
  ]
  const declining = await twin.post('/v1/payment_methods/pm_card_chargeDeclined/attach', {
    customer: customer.id,
  })
  const subscription = await twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: prices.map(({ id }) => ({ price: id, quantity: 2 })),
  })
  const { engine, merchant } = twin.sandbox
  const compare = () =>
    engine.command(merchant, null, (unit) => {
      const current = unit.need('subscription', subscription.id)
      // Nothing changes the plan of a subscription that has ended, so its sums are not kept up to date.
      if (hasEnded(current)) return 0
      const stored = billedLines(unit, current)
      const anew = unit.rehearse((rehearsal) => {
        rehearsal.store.billedPeriods.delete(subscription.id)
        return billedLines(rehearsal, current)
      })
      expect(inOrder(stored)).toEqual(inOrder(anew))
      return stored.length
    })
  /** Counts the ids that are listed and the objects that are read to preview a change. */
  const readsOfPreview = () =>
    engine.command(merchant, null, (unit) => {
      const current = unit.need('subscription', subscription.id)
      const need = vi.spyOn(UnitOfWork.prototype, 'need')
      const ids = vi.spyOn(ObjectTable.prototype, 'ids')
      unit.rehearse((rehearsal) => billedLines(rehearsal, current))
      return {
        objects: need.mock.calls.length,
        ids: ids.mock.results.reduce((sum, { value }) => sum + value.length, 0),
      }
    })
  /** Puts a pending item on a draft. */
  const assign = (draft: string, item: string) =>
    engine.command(merchant, null, (unit) => {
      changeLines(unit, draft, { lines: [item] }, assignItem)
    })
  return { twin, subscription, compare, readsOfPreview, assign, cards: [method.id, declining.id] }
}

afterEach(() => {
  vi.restoreAllMocks()
})

const inOrder = (lines: readonly BilledLine[]): string[] => lines.map((line) => JSON.stringify(line)).sort()

const CHANGE = fc.record({
  kind: fc.constant('change' as const),
  item: fc.nat(1),
  quantity: fc.integer({ min: 1, max: 9 }),
  behavior: fc.constantFrom(...BEHAVIORS),
  payment: fc.constantFrom(...PAYMENTS),
  card: fc.nat(3).map((number) => (number === 3 ? 1 : 0)),
  restarts: fc.nat(7).map((number) => number === 7),
})

const ACTION = fc.oneof(
  { weight: 4, arbitrary: CHANGE },
  fc.record({
    kind: fc.constantFrom(
      'void' as const,
      'pay' as const,
      'mark_uncollectible' as const,
      'finalize' as const,
    ),
    place: fc.nat(2),
  }),
  fc.record({
    kind: fc.constant('move items' as const),
    places: fc.uniqueArray(fc.nat(3), { minLength: 1 }),
  }),
  fc.record({ kind: fc.constant('delete a draft' as const) }),
  fc.record({ kind: fc.constant('delete an item' as const), place: fc.nat(1) }),
  fc.record({
    kind: fc.constant('replace' as const),
    behavior: fc.constantFrom(...BEHAVIORS),
    payment: fc.constantFrom(...PAYMENTS),
  }),
  fc.record({ kind: fc.constant('bill what waits' as const) }),
  fc.record({ kind: fc.constant('advance' as const), by: fc.constantFrom('1h', '1d', '1d', '1mo') }),
)
type Action = typeof ACTION extends fc.Arbitrary<infer Made> ? Made : never

/** Returns the change that replaces an item by a new one of the same price. */
const replacementOf = ({ id, price }: Body): Body[] => [
  { id, deleted: true },
  { price: price.id, quantity: 3 },
]

/** Does an action. It may be refused, for example because there is no such invoice or the subscription has ended. */
async function act({ twin, subscription, assign, cards }: Prepared, action: Action) {
  const path = `/v1/subscriptions/${subscription.id}`
  const { items } = await twin.get(path)
  const nameOf = ({ data }: Body, place: number): string => data[place]?.id ?? 'none'
  switch (action.kind) {
    case 'change':
      return twin.request('POST', path, {
        items: [{ id: items.data[action.item].id, quantity: action.quantity }],
        proration_behavior: action.behavior,
        payment_behavior: action.payment,
        ...(action.payment === 'allow_incomplete' && { default_payment_method: cards[action.card] }),
        ...(action.restarts && { billing_cycle_anchor: 'now' }),
      })
    case 'replace':
      return twin.request('POST', path, {
        items: replacementOf(items.data[1]),
        proration_behavior: action.behavior,
        payment_behavior: action.payment,
      })
    case 'delete an item': {
      const waiting = await twin.get(`/v1/invoiceitems?customer=${subscription.customer}&pending=true`)
      return twin.request('DELETE', `/v1/invoiceitems/${nameOf(waiting, action.place)}`)
    }
    case 'move items': {
      const { customer } = subscription
      const waiting = await twin.get(`/v1/invoiceitems?customer=${customer}&pending=true`)
      const { id } = await twin.post('/v1/invoices', { customer, currency: 'usd' })
      for (const place of action.places) if (waiting.data[place]) await assign(id, waiting.data[place].id)
      return id
    }
    case 'delete a draft': {
      const drafts = await twin.get(`/v1/invoices?customer=${subscription.customer}&status=draft`)
      return twin.request('DELETE', `/v1/invoices/${nameOf(drafts, 0)}`)
    }
    case 'bill what waits':
      // Of what an update may be, this alone leaves a pending update as it is.
      await twin.request('POST', path, { default_payment_method: cards[0] })
      return twin.request('POST', path, { proration_behavior: 'always_invoice' })
    case 'advance':
      return twin.request('POST', '/v1/test_helpers/clock/advance', { by: action.by })
    default: {
      const invoices = await twin.get(`/v1/invoices?customer=${subscription.customer}`)
      const body = action.kind === 'pay' ? { payment_method: cards[0] } : {}
      return twin.request('POST', `/v1/invoices/${nameOf(invoices, action.place)}/${action.kind}`, body)
    }
  }
}

test('the stored sums of a period equal those that are computed anew, whatever happens', async () => {
  let most = 0
  const story = fc.array(ACTION, { minLength: 8, maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(story, async (actions) => {
      const prepared = await prepare()
      for (const action of actions) {
        await act(prepared, action)
        most = Math.max(most, await prepared.compare())
      }
      await prepared.twin.close()
    }),
    {
      numRuns: requested('rounds', isLong ? 500 : 8),
      seed: requested('seed', isLong ? Date.now() : 1),
      endOnFailure: true,
    },
  )
  expect(most).toBeGreaterThan(3)
})

test('of items that were replaced nothing is kept', async () => {
  const { twin, subscription, compare } = await prepare()
  const path = `/v1/subscriptions/${subscription.id}`
  let { items } = subscription
  for (const proration_behavior of ['create_prorations', 'always_invoice']) {
    for (let n = 0; n < 20; n += 1) {
      const changed = await twin.post(path, { items: replacementOf(items.data[1]), proration_behavior })
      items = changed.items
    }
    // Of the first item for the whole period; of the newest second one from its beginning on.
    expect(await compare()).toBe(2)
  }
  await twin.close()
})

async function readsLittleInTheNextPeriod({ twin, readsOfPreview, compare }: Prepared) {
  await twin.advance({ by: '1mo' })
  const { objects, ids } = await readsOfPreview()
  expect(ids).toBeGreaterThan(0)
  expect(ids).toBeLessThan(100)
  expect(objects).toBeLessThan(100)
  await compare()
  await twin.close()
}

test.each(['create_prorations', 'always_invoice'])(
  'a preview in a new period reads no prorations of earlier ones, but for a few: %s',
  async (proration_behavior) => {
    const prepared = await prepare()
    const { twin, subscription } = prepared
    for (let n = 0; n < 300; n += 1) {
      await twin.post(`/v1/subscriptions/${subscription.id}`, {
        items: [{ id: subscription.items.data[0].id, quantity: 3 + (n % 2) }],
        proration_behavior,
      })
    }
    await readsLittleInTheNextPeriod(prepared)
  },
)

test('the same for usage that waits since an earlier period', async () => {
  const prepared = await prepare()
  const { twin, subscription } = prepared
  const meter = await twin.post('/v1/billing/meters', {
    display_name: 'Calls',
    event_name: 'calls',
    default_aggregation: { formula: 'sum' },
  })
  const metered = () =>
    makePrice(twin, {
      recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
      unit_amount: undefined,
      billing_scheme: 'tiered',
      tiers_mode: 'graduated',
      tiers: [{ up_to: 'inf', unit_amount: 1, flat_amount: 100 }],
    })
  const prices = [await metered(), await metered()]
  const update = (items: Body[]) =>
    twin.post(`/v1/subscriptions/${subscription.id}`, { items, proration_behavior: 'create_prorations' })
  const { items } = await update([{ price: prices[1]?.id }])
  for (let n = 0; n < 400; n += 1) {
    await twin.advance({ by: '1s' })
    await update([{ id: items.data.at(-1).id, price: prices[n % 2]?.id }])
  }
  await readsLittleInTheNextPeriod(prepared)
})

test('invoices that are billed beside a pending update are read once', async () => {
  const { twin, subscription, compare, readsOfPreview, cards } = await prepare()
  const { id, customer, items } = subscription
  const update = (params: Body) => twin.post(`/v1/subscriptions/${id}`, params)
  await update({ default_payment_method: cards[1] })
  const { pending_update } = await update({
    items: [{ id: items.data[0].id, quantity: 5 }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
  })
  expect(pending_update).not.toBeNull()
  await update({ default_payment_method: cards[0] })
  for (let n = 0; n < 20; n += 1) {
    await twin.post('/v1/invoiceitems', { customer, subscription: id, amount: 10, currency: 'usd' })
    await update({ proration_behavior: 'always_invoice' })
  }
  expect((await twin.get(`/v1/invoices?subscription=${id}&limit=100`)).data).toHaveLength(22)
  expect((await twin.get(`/v1/subscriptions/${id}`)).pending_update).not.toBeNull()
  // The newest one is read by the next change.
  expect((await readsOfPreview()).objects).toBeLessThanOrEqual(1)
  await compare()
  const [updating] = (await twin.get(`/v1/invoices?subscription=${id}&status=open`)).data
  await twin.post(`/v1/invoices/${updating.id}/pay`, { payment_method: cards[0] })
  expect((await twin.get(`/v1/subscriptions/${id}`)).pending_update).toBeNull()
  await compare()
  await twin.close()
})
