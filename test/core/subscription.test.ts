import { describe, expect, test } from 'vitest'
import { formatInstant, parseInstant } from '../../src/core/calendar.ts'
import { linesOf } from '../../src/core/period-lines.ts'
import { canceledAtPeriodEnd, cancellationAt, intervalOf } from '../../src/core/subscription.ts'
import { nextPeriod } from '../../src/core/subscription-period.ts'
import {
  FIRST_STATUS,
  hasEnded,
  SUBSCRIPTION_TRANSITIONS,
  type SubscriptionEvent,
  type SubscriptionStatus,
} from '../../src/core/subscription-status.ts'
import { allows, move } from '../../src/core/transitions.ts'
import { matrix, table } from '../table.ts'
import { aPrice, aSubscription, DAY, NOW, pricesOf } from './objects.ts'

const STATUSES = matrix(`
  from                begin   recover  fail      expire              mark_unpaid  pause   cancel
  incomplete          -       active  -         incomplete_expired  -        -       canceled
  trialing            active  -       past_due  -                   -        paused  canceled
  active              -       -       past_due  -                   -        -       canceled
  past_due            -       active  -         -                   unpaid   -       canceled
  unpaid              -       active  -         -                   -        -       canceled
  paused              active  -       -         -                   -        -       canceled
  canceled            -       -       -         -                   -        -       -
  incomplete_expired  -       -       -         -                   -        -       -
`)

describe('statuses', () => {
  test.each(STATUSES.filter(({ to }) => to !== '-'))(
    '$event leads from $from to $to',
    ({ from, event, to }) => {
      const [status, name] = [from as SubscriptionStatus, event as SubscriptionEvent]
      expect(move(SUBSCRIPTION_TRANSITIONS, status, name)).toBe(to)
    },
  )

  test.each(STATUSES.filter(({ to }) => to === '-'))('$event is refused in $from', ({ from, event }) => {
    const [status, name] = [from as SubscriptionStatus, event as SubscriptionEvent]
    expect(allows(SUBSCRIPTION_TRANSITIONS, status, name)).toBe(false)
    expect(() => move(SUBSCRIPTION_TRANSITIONS, status, name)).toThrow(
      expect.objectContaining({ status: 400, code: 'invalid_state_transition', param: 'status' }),
    )
  })

  test('the table has no other statuses and events than these', () => {
    expect(new Set(STATUSES.map(({ from }) => from))).toEqual(new Set(Object.keys(SUBSCRIPTION_TRANSITIONS)))
    const events = new Set(STATUSES.map(({ event }) => event))
    for (const moves of Object.values(SUBSCRIPTION_TRANSITIONS)) {
      for (const event of Object.keys(moves)) expect(events).toContain(event)
    }
  })

  test('only canceled and incomplete_expired have ended', () => {
    const ended = Object.keys(SUBSCRIPTION_TRANSITIONS).filter((status) =>
      hasEnded(aSubscription({ status: status as SubscriptionStatus })),
    )
    expect(ended.toSorted()).toEqual(['canceled', 'incomplete_expired'])
  })

  test('a new subscription has one of three statuses', () => {
    expect(FIRST_STATUS).toEqual({ trial: 'trialing', paid: 'active', sent: 'active', failed: 'incomplete' })
  })
})

describe('a scheduled cancellation', () => {
  test.each(
    table(
      ['flag', 'cancel_at', 'effect'],
      `
      no   -     -
      no   500   500
      yes  -     1000
      yes  500   500
      yes  1000  1000
      yes  1500  1000
      `,
    ),
  )(
    'with a period end of 1000, cancel_at_period_end $flag and cancel_at $cancel_at it takes effect at $effect',
    ({ flag, cancel_at, effect }) => {
      const subscription = aSubscription({
        current_period_end: 1000,
        cancel_at_period_end: flag === 'yes',
        cancel_at: cancel_at === '-' ? null : Number(cancel_at),
      })
      expect(cancellationAt(subscription)).toBe(effect === '-' ? null : Number(effect))
    },
  )

  test('at the period end it sets cancel_at and canceled_at', () => {
    const subscription = aSubscription({ current_period_end: NOW + 28 * DAY })
    expect(canceledAtPeriodEnd(subscription, NOW + DAY)).toMatchObject({
      status: 'active',
      cancel_at_period_end: true,
      cancel_at: NOW + 28 * DAY,
      canceled_at: NOW + DAY,
      ended_at: null,
    })
  })

  test('at the period end it leaves an earlier cancel_at in force', () => {
    const subscription = aSubscription({ current_period_end: NOW + 28 * DAY, cancel_at: NOW + 9 * DAY })
    expect(canceledAtPeriodEnd(subscription, NOW).cancel_at).toBe(NOW + 9 * DAY)
  })
})

describe('the next period', () => {
  test.each(
    table(
      ['anchor', 'end', 'next_end'],
      `
      2026-01-31T10:00:00Z  2026-01-31T10:00:00Z  2026-02-28T10:00:00Z
      2026-01-31T10:00:00Z  2026-02-28T10:00:00Z  2026-03-31T10:00:00Z
      2026-01-31T10:00:00Z  2026-03-31T10:00:00Z  2026-04-30T10:00:00Z
      2026-01-15T10:00:00Z  2026-12-15T10:00:00Z  2027-01-15T10:00:00Z
      `,
    ),
  )('of a month anchored at $anchor after $end ends at $next_end', ({ anchor, end, next_end }) => {
    const current_period_end = parseInstant(end) ?? 0
    const subscription = aSubscription({
      billing_cycle_anchor: parseInstant(anchor) ?? 0,
      current_period_end,
    })
    const period = nextPeriod(subscription, pricesOf(aPrice()))
    expect(period.start).toBe(current_period_end)
    expect(formatInstant(period.end)).toBe(next_end)
  })
})

describe('items', () => {
  const item = (id: string, price: string, quantity: number) => ({
    id,
    created: NOW,
    price,
    quantity,
    metadata: {},
  })

  test('each becomes a line of its price times its quantity', () => {
    const prices = pricesOf(aPrice(), aPrice({ id: 'price_2', unit_amount: 350 }))
    let number = 0
    const lines = linesOf(
      [item('si_1', 'price_1', 1), item('si_2', 'price_2', 3)],
      prices,
      () => `il_${++number}`,
    )
    expect(lines).toMatchObject([
      {
        id: 'il_1',
        amount: 2000,
        unit_amount: 2000,
        quantity: 1,
        price: 'price_1',
        subscription_item: 'si_1',
      },
      {
        id: 'il_2',
        amount: 1050,
        unit_amount: 350,
        quantity: 3,
        price: 'price_2',
        subscription_item: 'si_2',
      },
    ])
  })

  test('their interval is that of the first item, which must exist', () => {
    const yearly = aPrice({ recurring: { interval: 'year', interval_count: 2 } })
    expect(intervalOf([item('si_1', 'price_1', 1)], pricesOf(yearly))).toEqual(yearly.recurring)
    expect(() => intervalOf([], pricesOf(yearly))).toThrow('Assertion failed')
    const once = pricesOf(aPrice({ recurring: null }))
    expect(() => intervalOf([item('si_1', 'price_1', 1)], once)).toThrow('Assertion failed')
  })
})
