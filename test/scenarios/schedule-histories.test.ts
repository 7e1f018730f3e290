import { describe, expect, test } from 'vitest'
import { type Body, makePrice, type Twin } from '../twin.ts'
import { makeSchedule, phase, schedulePath } from './schedule-story.ts'
import { at, openTwin, subscribe } from './story.ts'
import { begin, invoicesOf, makeMetered } from './usage-story.ts'

const NOW = '2026-04-01T00:00:00Z'
const MIDDLE = at('2026-04-16T00:00:00Z')
const MAY = at('2026-05-01T00:00:00Z')

/** The types of the events after a number of them. */
const typesAfter = async (twin: Twin, count: number): Promise<string[]> =>
  (await twin.events()).slice(count).map(({ type }) => type)

const takeOver = (twin: Twin, subscription: string): Promise<Body> =>
  twin.post('/v1/subscription_schedules', { from_subscription: subscription })

// See docs/contract/usage.md#changing-a-plan.
test.each([
  ['none', ['paid 0', 'paid 0 | 0 0 × Calls']],
  ['create_prorations', ['paid 0', 'paid 50 | 50 10 × Calls | 0 0 × Calls']],
])(
  'a phase within a period bills the usage of the replaced price as %s',
  async (proration_behavior, bills) => {
    const { twin, report, meter, subscription, metered } = await begin()
    const { id: pro } = await makeMetered(twin, meter, { unit_amount: 3 })
    const schedule = await takeOver(twin, subscription.id)
    const [{ start_date }] = schedule.phases
    await twin.post(schedulePath(schedule), {
      phases: [
        phase(metered.id, { start_date, end_date: MIDDLE }),
        phase(pro, { iterations: 1, proration_behavior }),
      ],
    })
    await report(10)
    await twin.advance({ to: MAY })
    expect(await invoicesOf(twin)).toEqual(bills)
  },
)

describe('the end of a schedule that cancels', () => {
  test('an incomplete subscription is reported after that of the subscription', async () => {
    const twin = await openTwin({ now: NOW })
    const { id: price } = await makePrice(twin)
    const { id: customer } = await twin.post('/v1/customers', {})
    const phases = [phase(price, { end_date: at('2026-04-03T00:00:00Z') })]
    await twin.post('/v1/subscription_schedules', { customer, phases, end_behavior: 'cancel' })
    await twin.advance({ to: at('2026-04-02T12:00:00Z') })
    const { length } = await twin.events()
    await twin.advance({ to: MAY })
    expect(await typesAfter(twin, length)).toEqual([
      'invoice.voided',
      'subscription.deleted',
      'subscription_schedule.completed',
    ])
  })
})

describe('an update that changes nothing emits no event', () => {
  const repeat = async (twin: Twin, schedule: Body): Promise<string[]> => {
    const { length } = await twin.events()
    const [{ start_date, end_date, items, trial_end }] = schedule.phases
    const given = items.map(({ price, quantity }: Body) => ({
      price,
      ...(quantity !== null && { quantity }),
    }))
    const phases = [{ start_date, end_date, items: given, ...(trial_end && { trial_end }) }]
    await twin.post(schedulePath(schedule), { phases })
    return typesAfter(twin, length)
  }

  test('if it repeats the phase of a subscription that was taken over', async () => {
    const twin = await openTwin({ now: NOW })
    const { subscription } = await subscribe(twin)
    expect(await repeat(twin, await takeOver(twin, subscription.id))).toEqual([])
  })

  test('of the subscription if only the phase changes, also after a discount and a metered price', async () => {
    const { twin, meter, subscription, path, item, method } = await begin()
    const { id: coupon } = await twin.post('/v1/coupons', { percent_off: 10, duration: 'forever' })
    await twin.post(path, { items: [{ id: item, discounts: [{ coupon }] }] })
    const { id: price } = await makeMetered(twin, meter, { unit_amount: 3 })
    await twin.post(path, { items: [{ id: item, price }] })
    const schedule = await takeOver(twin, subscription.id)
    const { length } = await twin.events()
    const [{ start_date, end_date }] = schedule.phases
    const phases = [phase(price, { start_date, end_date, default_payment_method: method.id })]
    await twin.post(schedulePath(schedule), { phases })
    expect(await typesAfter(twin, length)).toEqual(['subscription_schedule.updated'])
  })
})

test('a subscription that is canceled within its trial stays in it when its schedule is updated', async () => {
  const twin = await openTwin({ now: NOW })
  const { subscription } = await subscribe(twin, { trial_end: at('2026-06-01T00:00:00Z') })
  await twin.post(`/v1/subscriptions/${subscription.id}`, { cancel_at: MAY })
  const schedule = await takeOver(twin, subscription.id)
  expect(schedule.phases).toMatchObject([{ end_date: MAY, trial_end: MAY }])
  const [{ start_date, end_date, items, trial_end }] = schedule.phases
  const phases = [{ start_date, end_date, trial_end, items: [{ price: items[0].price, quantity: 2 }] }]
  await twin.post(schedulePath(schedule), { phases })
  expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
    ...{ status: 'trialing', cancel_at: MAY, trial_end: MAY },
  })
})

test('the coming phase of a schedule that is started earlier is a job of its subscription', async () => {
  // The former start is the end of the first phase after the update.
  const { twin, prices, schedule } = await makeSchedule(await openTwin({ now: NOW }), ({ basic }) => ({
    ...{ start_date: MAY, phases: [phase(basic)] },
  }))
  const { subscription } = await twin.post(schedulePath(schedule), {
    phases: [phase(prices.basic, { start_date: 'now' }), phase(prices.pro)],
  })
  const { data } = await twin.get('/v1/test_helpers/upcoming?limit=1')
  expect(data).toMatchObject([{ kind: 'schedule_phase', due: MAY, subscription }])
})

test.each([
  ['end_behavior', { end_behavior: 'cancel' }, 'canceled'],
  ['metadata', { metadata: { a: 'b' } }, 'active'],
])(
  'an update of %s in the second in which a phase ends does not begin or end a phase',
  async (_, update, status) => {
    const twin = await openTwin({ now: NOW })
    // Its renewal runs before the jobs of the schedule.
    await subscribe(twin)
    const { schedule, read } = await makeSchedule(twin, ({ basic }) => ({ phases: [phase(basic)] }))
    await twin.advance({ to: MAY, stop_on: ['invoice.paid'] })
    await twin.post(schedulePath(schedule), update)
    expect(await read()).toMatchObject({ status: 'active', current_phase: { end_date: MAY } })
    await twin.advance({ to: MAY + 1 })
    expect((await twin.get(`/v1/subscriptions/${schedule.subscription}`)).status).toBe(status)
  },
)
