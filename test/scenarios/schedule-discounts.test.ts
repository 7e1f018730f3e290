import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Journal } from '../../src/store/journal.ts'
import type { Body, Twin } from '../twin.ts'
import { begin, linesOf, newestInvoice } from './plan-story.ts'
import { billsOf, makeSchedule, phase, playSchedule, schedulePath } from './schedule-story.ts'
import { at, listAll, openTwin } from './story.ts'

/** April has 30 days: 16 April is its middle. Basic is 20.00 USD a month, Pro 50.00 USD. */
const NOW = '2026-04-01T00:00:00Z'
const MIDDLE = at('2026-04-16T00:00:00Z')
const APRIL = { now: NOW, until: '2026-07-02T00:00:00Z' }

const HALF = { id: 'HALF', percent_off: 50, duration: 'forever' }
const FIFTH = { id: 'FIFTH', percent_off: 20, duration: 'forever' }
const ONCE = { id: 'ONCE', amount_off: 300, currency: 'usd', duration: 'once' }
const use = (...coupons: string[]) => ({ discounts: coupons.map((coupon) => ({ coupon })) })
const month = (count = 1) => ({ iterations: count })

const makeCoupons = async (twin: Twin, ...coupons: Body[]): Promise<void> => {
  for (const coupon of coupons) await twin.post('/v1/coupons', coupon)
}
const redeemed = async (twin: Twin, id: string): Promise<number> =>
  (await twin.get(`/v1/coupons/${id}`)).times_redeemed
const discountEvents = async (twin: Twin): Promise<string[]> =>
  (await twin.events('&type=customer.discount.*')).map(
    ({ type, created, data }) =>
      `${new Date(created * 1000).toISOString().slice(0, 10)} ${type.split('.')[2]} ${data.object.coupon.id}`,
  )
const subscriptionOf = async (twin: Twin, { id }: Body): Promise<Body> => {
  const { subscription, released_subscription } = await twin.get(schedulePath({ id }))
  return twin.get(`/v1/subscriptions/${subscription ?? released_subscription}?expand[]=discounts`)
}

describe('discounts of phases', () => {
  test('begin and end with the phase', async () => {
    const { twin, schedule } = await playSchedule(APRIL, async ({ basic }, fresh) => {
      await makeCoupons(fresh, HALF)
      return { phases: [phase(basic, { ...month(2), ...use('HALF') }), phase(basic, month())] }
    })
    // 20.00 − 50 % = 10.00
    expect(await billsOf(twin)).toEqual([
      '2026-04-01 1000 to 2026-05-01',
      '2026-05-01 1000 to 2026-06-01',
      '2026-06-01 2000 to 2026-07-01',
      '2026-07-01 2000 to 2026-08-01',
    ])
    expect(await discountEvents(twin)).toEqual(['2026-04-01 created HALF', '2026-06-01 deleted HALF'])
    const types = (await twin.events()).map(({ type }) => type)
    const created = types.indexOf('customer.discount.created')
    expect(types[created - 1]).toBe('subscription.created')
    const deleted = types.indexOf('customer.discount.deleted')
    expect(types.slice(deleted, deleted + 2)).toEqual(['customer.discount.deleted', 'subscription.updated'])
    const [first, second] = schedule.phases
    expect(first.discounts).toEqual([{ coupon: 'HALF', promotion_code: null, discount: null }])
    expect([second.discounts, second.items[0].discounts]).toEqual([null, null])
  })

  test('make the codes of used up coupons inactive, each by a change of its own', async () => {
    const append = vi.spyOn(Journal.prototype, 'append')
    onTestFinished(() => append.mockRestore())
    const coupons = ['ONE', 'TWO', 'SIX'].map((id) => ({ ...HALF, id, max_redemptions: 1 }))
    const { twin } = await playSchedule(APRIL, async ({ basic }, fresh) => {
      await makeCoupons(fresh, ...coupons)
      for (const { id } of coupons)
        for (let n = 0; n < 20; n += 1) await fresh.post('/v1/promotion_codes', { coupon: id })
      return {
        start_date: MIDDLE,
        phases: [phase(basic, { ...month(), ...use('ONE', 'TWO', 'SIX') })],
      }
    })
    expect(await listAll(twin, '/v1/promotion_codes?active=true')).toEqual([])
    const codes = await listAll(twin, '/v1/promotion_codes')
    expect(codes.map(({ coupon }) => coupon.valid)).toEqual(Array.from({ length: 60 }, () => false))
    const together = append.mock.calls.map(([{ entries }]) => entries.length)
    expect(Math.max(...together)).toBeLessThan(20)
  })

  test('go on if the next phase lists the same coupon', async () => {
    const { twin } = await playSchedule(APRIL, async ({ basic, pro }, fresh) => {
      await makeCoupons(fresh, HALF, FIFTH)
      return {
        phases: [
          phase(basic, { ...month(), ...use('HALF') }),
          phase(pro, { ...month(), ...use('FIFTH', 'HALF') }),
          phase(basic, { ...month(), discounts: '' }),
        ],
      }
    })
    // 50.00 − 20 % = 40.00, − 50 % = 20.00
    expect(await billsOf(twin)).toEqual([
      '2026-04-01 1000 to 2026-05-01',
      '2026-05-01 2000 to 2026-06-01',
      '2026-06-01 2000 to 2026-07-01',
      '2026-07-01 2000 to 2026-08-01',
    ])
    expect(await redeemed(twin, 'HALF')).toBe(1)
    expect(await discountEvents(twin)).toEqual([
      '2026-04-01 created HALF',
      '2026-05-01 created FIFTH',
      '2026-06-01 deleted FIFTH',
      '2026-06-01 deleted HALF',
    ])
  })

  test('are redeemed again if they end in the second in which the next phase begins', async () => {
    const { twin } = await playSchedule(APRIL, async ({ basic }, fresh) => {
      await makeCoupons(fresh, { ...HALF, duration: 'repeating', duration_in_months: 1 })
      return { phases: [1, 2, 3].map(() => phase(basic, { ...month(), ...use('HALF') })) }
    })
    expect((await billsOf(twin)).map((bill) => bill.split(' ')[1])).toEqual(['1000', '1000', '1000', '2000'])
    expect(await redeemed(twin, 'HALF')).toBe(3)
    expect(await discountEvents(twin)).toEqual([
      '2026-04-01 created HALF',
      '2026-05-01 created HALF',
      '2026-05-01 deleted HALF',
      '2026-06-01 created HALF',
      '2026-06-01 deleted HALF',
      '2026-07-01 deleted HALF',
    ])
  })

  test('of items reduce their lines, and a price that changes takes those of its phase', async () => {
    const { twin } = await playSchedule(APRIL, async ({ basic, pro }, fresh) => {
      await makeCoupons(fresh, HALF, FIFTH)
      return {
        phases: [
          {
            items: [{ price: basic, ...use('HALF') }, { price: pro }],
            ...month(),
            ...use('FIFTH'),
          },
          { items: [{ price: basic }, { price: pro, ...use('HALF') }], ...month() },
        ],
      }
    })
    // 10.00 + 40.00, then 20.00 + 25.00
    expect(await billsOf(twin)).toEqual([
      '2026-04-01 5000 to 2026-05-01',
      '2026-05-01 4500 to 2026-06-01',
      '2026-06-01 4500 to 2026-07-01',
      '2026-07-01 4500 to 2026-08-01',
    ])
  })

  test('are prorated when a phase begins within a period', async () => {
    const { twin } = await playSchedule(
      { ...APRIL, until: '2026-05-02T00:00:00Z' },
      async (prices, fresh) => {
        await makeCoupons(fresh, HALF, FIFTH)
        const { basic, pro } = prices
        return {
          phases: [
            phase(basic, { end_date: MIDDLE, ...use('HALF') }),
            phase(pro, { ...month(), ...use('FIFTH') }),
          ],
        }
      },
    )
    // Unused: half of 10.00. Remaining: half of 50.00 − 20 %. Then a month of 40.00.
    expect(linesOf(await newestInvoice(twin))).toEqual([
      '-500 Unused time on Basic after 2026-04-16',
      '2000 Remaining time on Pro after 2026-04-16',
      '5000 1 × 50.00 USD',
    ])
    expect((await newestInvoice(twin)).total).toBe(5500)
  })

  test('with the duration once reduce the first invoice of their phase', async () => {
    const { twin } = await playSchedule(APRIL, async ({ basic }, fresh) => {
      await makeCoupons(fresh, ONCE)
      return {
        phases: [phase(basic, month()), phase(basic, { ...month(2), ...use('ONCE') })],
      }
    })
    expect((await billsOf(twin)).map((bill) => bill.split(' ')[1])).toEqual(['2000', '1700', '2000', '2000'])
    expect(await discountEvents(twin)).toEqual(['2026-05-01 created ONCE', '2026-05-01 deleted ONCE'])
  })

  test('are left out if they cannot be redeemed any more', async () => {
    const { twin } = await playSchedule(
      APRIL,
      async ({ basic }, fresh) => {
        await makeCoupons(
          fresh,
          { ...HALF, redeem_by: at('2026-04-20T00:00:00Z') },
          { ...FIFTH, max_redemptions: 1 },
          { ...ONCE, id: 'GONE' },
        )
        return {
          phases: [phase(basic, month()), phase(basic, { ...month(2), ...use('HALF', 'FIFTH', 'GONE') })],
        }
      },
      async ({ twin: fresh }) => {
        await fresh.delete('/v1/coupons/GONE')
        await fresh.post('/v1/customers', { coupon: 'FIFTH' })
      },
    )
    expect((await billsOf(twin)).map((bill) => bill.split(' ')[1])).toEqual(['2000', '2000', '2000', '2000'])
    expect(await redeemed(twin, 'FIFTH')).toBe(1)
  })

  test('of a promotion code end in the second in which a trial does', async () => {
    const { twin } = await playSchedule(
      { ...APRIL, until: '2026-05-20T00:00:00Z' },
      async ({ basic }, fresh) => {
        await makeCoupons(fresh, HALF)
        const { id } = await fresh.post('/v1/promotion_codes', { coupon: 'HALF', code: 'SPRING' })
        const discounts = [{ promotion_code: id }]
        const days = (interval_count: number) => ({ duration: { interval: 'day', interval_count } })
        return { phases: [phase(basic, { trial: true, ...days(10), discounts }), phase(basic, month())] }
      },
    )
    expect(await billsOf(twin)).toEqual(['2026-04-11 2000 to 2026-05-11', '2026-05-11 2000 to 2026-06-11'])
    expect(await discountEvents(twin)).toEqual(['2026-04-01 created HALF', '2026-04-11 deleted HALF'])
  })
})

describe('discounts that a subscription has of its own', () => {
  test('stay in phases without discounts, and come to an end with an empty value', async () => {
    const { twin, subscription, basic, path } = await begin()
    await makeCoupons(twin, HALF)
    await twin.post(path, use('HALF'))
    const { id, phases } = await twin.post('/v1/subscription_schedules', {
      from_subscription: subscription.id,
    })
    const [{ start_date, end_date, items }] = phases
    const current = { start_date, end_date, items: [{ price: items[0].price }] }
    await twin.post(schedulePath({ id }), {
      phases: [current, phase(basic, month()), phase(basic, { ...month(), discounts: '' })],
    })
    await twin.advance({ to: '2026-06-02T00:00:00Z' })
    expect((await billsOf(twin)).map((bill) => bill.split(' ')[1])).toEqual(['2000', '1000', '2000'])
    expect((await discountEvents(twin)).at(-1)).toBe('2026-06-01 deleted HALF')
  })

  test('can be given to a phase, with which they end', async () => {
    const { twin, subscription, basic, path } = await begin()
    await makeCoupons(twin, HALF)
    const [discount] = (await twin.post(path, use('HALF'))).discounts
    const { id, phases } = await twin.post('/v1/subscription_schedules', {
      from_subscription: subscription.id,
    })
    const [{ start_date, end_date }] = phases
    const current = { start_date, end_date, items: [{ price: basic }], discounts: [{ discount }] }
    await twin.post(schedulePath({ id }), { phases: [current, phase(basic, month())] })
    expect(await redeemed(twin, 'HALF')).toBe(1)
    await twin.advance({ to: '2026-05-02T00:00:00Z' })
    expect(await discountEvents(twin)).toEqual(['2026-04-01 created HALF', '2026-05-01 deleted HALF'])
  })
})

describe('an update of the current phase', () => {
  async function beginWith(...coupons: string[]) {
    const twin = await openTwin({ now: NOW })
    await makeCoupons(twin, HALF, FIFTH, ONCE)
    const story = await makeSchedule(twin, ({ basic }) => ({
      phases: [phase(basic, { ...month(3), ...use(...coupons) })],
    }))
    const [{ start_date, end_date }] = story.schedule.phases
    const update = (params: Body) =>
      twin.post(schedulePath(story.schedule), {
        phases: [phase(story.prices.basic, { start_date, end_date, ...params })],
      })
    return { ...story, update }
  }

  test('redeems added discounts, ends removed ones, and keeps the rest', async () => {
    const { twin, schedule, update } = await beginWith('HALF')
    const [before] = (await subscriptionOf(twin, schedule)).discounts
    await update(use('HALF', 'FIFTH'))
    const { discounts } = await subscriptionOf(twin, schedule)
    expect(discounts.map(({ coupon }: Body) => coupon.id)).toEqual(['HALF', 'FIFTH'])
    expect(discounts[0].id).toBe(before.id)
    await update(use('FIFTH'))
    await update({ discounts: '' })
    expect(await discountEvents(twin)).toEqual([
      '2026-04-01 created HALF',
      '2026-04-01 created FIFTH',
      '2026-04-01 deleted HALF',
      '2026-04-01 deleted FIFTH',
    ])
  })

  test('does not redeem a discount again that has ended at its time', async () => {
    const { twin, schedule, update } = await beginWith('ONCE')
    await update({
      ...use('ONCE'),
      items: [{ price: (await newestInvoice(twin)).lines.data[0].price, quantity: 2 }],
    })
    expect((await subscriptionOf(twin, schedule)).discounts).toEqual([])
    expect(await redeemed(twin, 'ONCE')).toBe(1)
  })

  test('repeats the phase as it is shown', async () => {
    const { twin, schedule, update, read } = await beginWith('HALF')
    const [{ items, discounts }] = (await read()).phases
    await update({ items, discounts })
    expect(await read()).toEqual(schedule)
    expect(await redeemed(twin, 'HALF')).toBe(1)
  })

  test('repeats a coupon that was deleted in the meantime', async () => {
    const { twin, schedule, update } = await beginWith('HALF')
    await twin.delete('/v1/coupons/HALF')
    await update({ ...use('HALF'), metadata: { plan: 'old' } })
    expect((await subscriptionOf(twin, schedule)).discounts).toHaveLength(1)
  })

  test('follows the removal of the subscription’s discounts', async () => {
    const { twin, schedule, read } = await beginWith('HALF')
    const { id } = await subscriptionOf(twin, schedule)
    await twin.delete(`/v1/subscriptions/${id}/discount`)
    expect((await read()).phases[0].discounts).toEqual([])
    expect((await twin.events()).map(({ type }) => type).slice(-3)).toEqual([
      'customer.discount.deleted',
      'subscription.updated',
      'subscription_schedule.updated',
    ])
  })

  test('follows a direct change of the subscription', async () => {
    const { twin, schedule, read } = await beginWith('HALF')
    const { id } = await subscriptionOf(twin, schedule)
    const { discounts } = await twin.post(`/v1/subscriptions/${id}`, use('FIFTH'))
    expect((await read()).phases[0].discounts).toEqual([
      { coupon: null, promotion_code: null, discount: discounts[0] },
    ])
    await twin.advance({ to: '2026-07-01T00:00:01Z' })
    expect((await billsOf(twin)).map((bill) => bill.split(' ')[1])).toEqual(['1000', '1600', '1600', '1600'])
    expect((await subscriptionOf(twin, schedule)).discounts).toHaveLength(1)
  })
})

describe('discounts of phases are refused, and nothing is written,', () => {
  const FORM = 'phases[0][discounts]'
  test.each<[string, string, (given: { basic: string; other: string }) => Body]>([
    ['of an unknown coupon', `404 ${FORM}[0][coupon]`, ({ basic }) => phase(basic, use('NONE'))],
    ['of a used coupon', `400 ${FORM}[0][coupon]`, ({ basic }) => phase(basic, use('USED'))],
    ['of another currency', `400 ${FORM}[0][coupon]`, ({ basic }) => phase(basic, use('EURO'))],
    ['of a coupon twice', `400 ${FORM}[1][coupon]`, ({ basic }) => phase(basic, use('HALF', 'HALF'))],
    [
      'of another subscription',
      `400 ${FORM}[0][discount]`,
      ({ basic, other }) => phase(basic, { discounts: [{ discount: other }] }),
    ],
    [
      'of an item',
      '400 phases[0][items][0][discounts][0][coupon]',
      ({ basic }) => ({ items: [{ price: basic, ...use('USED') }] }),
    ],
  ])('%s', async (_, refusal, params) => {
    const { twin, basic, path, customer } = await begin()
    await makeCoupons(twin, HALF, { ...FIFTH, id: 'USED', max_redemptions: 1 })
    await makeCoupons(twin, { id: 'EURO', amount_off: 5, currency: 'eur' })
    await twin.post('/v1/customers', { coupon: 'USED' })
    const [other] = (await twin.post(path, use('HALF'))).discounts
    const before = (await twin.events()).length
    const { status, body } = await twin.request('POST', '/v1/subscription_schedules', {
      customer: customer.id,
      phases: [params({ basic, other })],
    })
    expect(`${status} ${body.error?.param}`).toBe(refusal)
    expect(await twin.events()).toHaveLength(before)
  })
})

describe('timelines show what will be billed', () => {
  const operator = ({ sandbox: { adminToken } }: Twin) => ({
    Authorization: `Bearer ${adminToken}`,
    Host: 'localhost',
  })
  const upcomingOf = async (twin: Twin, path: string): Promise<Body[]> =>
    (await twin.request('GET', `/_paytwin/${path}`, undefined, operator(twin))).body.timeline.upcoming.data
  const amountsOf = (jobs: Body[], kind: string) =>
    jobs.filter((job) => job.kind === kind).map(({ amount }) => amount)

  test('by the next phases', async () => {
    const twin = await openTwin({ now: NOW })
    await makeCoupons(twin, HALF, FIFTH, ONCE)
    const { schedule } = await makeSchedule(twin, ({ basic, pro }) => ({
      phases: [
        phase(basic, { ...month(), ...use('HALF') }),
        phase(pro, { ...month(), ...use('ONCE', 'FIFTH') }),
        phase(basic, month()),
      ],
    }))
    const jobs = await upcomingOf(twin, `subscriptions/${schedule.subscription}`)
    // (50.00 − 3.00) − 20 % = 37.60
    expect(amountsOf(jobs, 'schedule_phase')).toEqual([3760, 2000, null])
    expect(amountsOf(jobs, 'renewal')).toEqual([3760, 2000, 2000, 2000])
    await twin.advance({ to: '2026-08-02T00:00:00Z' })
    expect((await listAll(twin, '/v1/invoices')).map(({ total }) => total)).toEqual([
      1000, 3760, 2000, 2000, 2000,
    ])
  })

  test('by a schedule that has not started, with the discount of the customer', async () => {
    const twin = await openTwin({ now: NOW })
    await makeCoupons(twin, HALF, FIFTH)
    const { customer } = await makeSchedule(twin, ({ basic }) => ({
      start_date: MIDDLE,
      phases: [phase(basic, { ...month(), ...use('HALF') }), phase(basic, month())],
    }))
    await twin.post(`/v1/customers/${customer.id}`, { coupon: 'FIFTH' })
    const jobs = await upcomingOf(twin, `customers/${customer.id}`)
    expect(amountsOf(jobs, 'schedule_phase')).toEqual([1000, 1600, null])
  })

  test('by discounts that end, and by items that wait', async () => {
    const { twin, path, customer, subscription } = await begin()
    await makeCoupons(
      twin,
      { id: 'THREE', percent_off: 10, duration: 'repeating', duration_in_months: 3 },
      ONCE,
    )
    await twin.post(path, use('THREE', 'ONCE'))
    await twin.post('/v1/invoiceitems', {
      ...{ customer: customer.id, subscription: subscription.id, amount: 1000, currency: 'usd' },
    })
    const jobs = await upcomingOf(twin, `subscriptions/${subscription.id}`)
    // 30.00 − 10 % − 3.00 = 24.00; 18.00 in June; the discount ends on 1 July.
    expect(amountsOf(jobs, 'renewal')).toEqual([2400, 1800, 2000, 2000])
    await twin.advance({ to: '2026-08-02T00:00:00Z' })
    expect((await listAll(twin, '/v1/invoices')).map(({ total }) => total)).toEqual([
      2000, 2400, 1800, 2000, 2000,
    ])
  })
})
