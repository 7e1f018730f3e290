import { describe, expect, test } from 'vitest'
import { formatInstant, parseInstant } from '../../src/core/calendar.ts'
import type { FinalAction } from '../../src/core/dunning.ts'
import {
  type FutureJob,
  futureJobsOfInvoice,
  futureJobsOfRefund,
  inOrder,
} from '../../src/core/future-job.ts'
import { futureJobsOfSubscription } from '../../src/core/future-subscription.ts'
import type { Subscription } from '../../src/core/subscription.ts'
import { table } from '../table.ts'
import { anOpenInvoice, aPrice, aSubscription, DAY, NOW, pricesOf } from './objects.ts'

/** `02-28 renewal`, with a question mark when it is only projected. */
const written = (jobs: readonly FutureJob[]): string =>
  jobs
    .map(({ due, kind, projected, attempt, uncollected, consequence }) =>
      [
        `${formatInstant(due).slice(5, 10)}${projected ? '?' : ''}`,
        kind,
        attempt === null ? '' : `#${attempt}`,
        uncollected ?? '',
        consequence ?? '',
      ]
        .filter(Boolean)
        .join(' '),
    )
    .join(', ') || '-'

const day = (cell: string): number | null =>
  cell === '-' ? null : (parseInstant(`2026-${cell}T10:00:00Z`) ?? null)

const of = (subscription: Subscription, isPayable = true) =>
  written(futureJobsOfSubscription(subscription, { prices: pricesOf(aPrice()), isPayable, plan: () => null }))

describe('a monthly subscription of 31 January', () => {
  test.each(
    table(
      ['status', 'cancel_at', 'listed'],
      `
      active              -      02-28 renewal, 03-31? renewal, 04-30? renewal, 05-31? renewal
      past_due            -      02-28 renewal, 03-31? renewal, 04-30? renewal, 05-31? renewal
      unpaid              -      02-28 renewal draft, 03-31? renewal draft, 04-30? renewal draft, 05-31? renewal draft
      incomplete          -      02-28 incomplete_expiry
      paused              -      -
      canceled            -      -
      incomplete_expired  -      -
      active              02-28  02-28 cancellation
      active              02-10  02-10 cancellation
      active              04-15  02-28 renewal, 03-31? renewal, 04-15 cancellation
      active              04-30  02-28 renewal, 03-31? renewal, 04-30 cancellation
      canceled            04-30  -
      `,
    ),
  )('$status, to be canceled $cancel_at: $listed', ({ status, cancel_at, listed }) => {
    const subscription = aSubscription({
      status: status as Subscription['status'],
      cancel_at: day(cancel_at),
    })
    expect(of(subscription)).toBe(listed)
  })

  test.each(
    table(
      ['behavior', 'resumes_at', 'listed'],
      `
      void                -      02-28 renewal void, 03-31? renewal void, 04-30? renewal void, 05-31? renewal void
      keep_as_draft       03-31  02-28 renewal draft, 03-31 pause_end, 03-31? renewal, 04-30? renewal, 05-31? renewal
      mark_uncollectible  03-01  02-28 renewal uncollectible, 03-01 pause_end, 03-31? renewal, 04-30? renewal, 05-31? renewal
      `,
    ),
  )(
    'whose collection is paused ($behavior) until $resumes_at: $listed',
    ({ behavior, resumes_at, listed }) => {
      const pause = { behavior, resumes_at: day(resumes_at) } as Subscription['pause_collection']
      expect(of(aSubscription({ pause_collection: pause }))).toBe(listed)
    },
  )

  test('shows the amount of each period', () => {
    const subscription = aSubscription({
      items: [{ id: 'si_1', created: NOW, price: 'price_1', quantity: 3, metadata: {} }],
    })
    const [next] = futureJobsOfSubscription(subscription, {
      prices: pricesOf(aPrice()),
      isPayable: true,
      plan: () => null,
    })
    expect(next).toMatchObject({
      amount: 6000,
      currency: 'usd',
      period: { start: day('02-28'), end: day('03-31') },
    })
  })
})

describe('a trial until 14 February', () => {
  const end = day('02-14') ?? 0
  const trial = (given: Partial<Subscription>) =>
    aSubscription({
      status: 'trialing',
      trial_end: end,
      billing_cycle_anchor: end,
      current_period_end: end,
      ...given,
    })
  const bills = '02-14 trial_end, 03-14? renewal, 04-14? renewal, 05-14? renewal'

  test.each(
    table(
      ['missing', 'collection_method', 'is_payable', 'listed'],
      `
      create_invoice  charge_automatically  yes  ${bills}
      create_invoice  charge_automatically  no   ${bills}
      pause           charge_automatically  yes  ${bills}
      pause           charge_automatically  no   02-14 trial_end pause
      cancel          charge_automatically  no   02-14 trial_end cancel
      cancel          send_invoice          no   ${bills}
      `,
    ),
  )('$missing, $collection_method, payable: $is_payable', (row) => {
    const subscription = trial({
      missing_payment_method: row.missing as Subscription['missing_payment_method'],
      collection_method: row.collection_method as Subscription['collection_method'],
    })
    expect(of(subscription, row.is_payable === 'yes')).toBe(row.listed)
  })
})

describe('an open invoice of 31 January', () => {
  test.each(
    table(
      ['attempts', 'next', 'status', 'final_action', 'listed'],
      `
      1  02-01  past_due    cancel          02-01 payment_retry #2, 02-03? payment_retry #3, 02-05? payment_retry #4, 02-07? payment_retry #5 cancel
      4  02-07  past_due    mark_unpaid     02-07 payment_retry #5 mark_unpaid
      4  02-07  past_due    leave_past_due  02-07 payment_retry #5 leave_past_due
      4  02-07  past_due    -               02-07 payment_retry #5
      4  02-07  incomplete  cancel          02-07 payment_retry #5 expire
      4  02-07  incomplete  -               02-07 payment_retry #5 expire
      5  -      past_due    cancel          -
      `,
    ),
  )('$attempts attempts, $status, in the end $final_action: $listed', (row) => {
    const invoice = anOpenInvoice({
      attempt_count: Number(row.attempts),
      next_payment_attempt: day(row.next),
    })
    const subscription = aSubscription({ status: row.status as Subscription['status'] })
    const final_action = row.final_action === '-' ? null : (row.final_action as FinalAction)
    expect(written(futureJobsOfInvoice(invoice, { subscription, final_action }))).toBe(row.listed)
  })

  test('is not retried once its subscription is canceled', () => {
    const invoice = anOpenInvoice({ attempt_count: 1, next_payment_attempt: day('02-01') })
    const subscription = aSubscription({ status: 'past_due', cancel_at: day('02-03') })
    const listed = written(futureJobsOfInvoice(invoice, { subscription, final_action: 'cancel' }))
    expect(listed).toBe('02-01 payment_retry #2, 02-03? payment_retry #3')
  })

  test('that is sent has a due date until it is overdue', () => {
    const sent = anOpenInvoice({ collection_method: 'send_invoice', due_date: NOW + 10 * DAY })
    const given = { subscription: null, final_action: null }
    expect(written(futureJobsOfInvoice(sent, given))).toBe('02-10 invoice_due')
    expect(futureJobsOfInvoice({ ...sent, overdue: true }, given)).toEqual([])
  })

  test('that is sent is due and overdue also after its subscription is canceled', () => {
    const sent = anOpenInvoice({
      ...{ collection_method: 'send_invoice', due_date: NOW + 10 * DAY },
      notices: { invoice_will_be_due: NOW + 7 * DAY, invoice_overdue: NOW + 11 * DAY },
    })
    const subscription = aSubscription({ cancel_at: day('02-03') })
    const listed = futureJobsOfInvoice(sent, { subscription, final_action: 'cancel' })
    expect(written(inOrder(listed))).toBe(
      '02-07 invoice_will_be_due, 02-10 invoice_due, 02-11 invoice_overdue',
    )
  })
})

test('a refund is settled once', () => {
  const refund = {
    id: 're_1',
    created: NOW,
    status: 'pending',
    amount: 500,
    currency: 'usd',
    charge: 'ch_1',
    payment_intent: 'pi_1',
    reason: null,
    failure_reason: null,
    metadata: {},
    settles_at: NOW + 60,
    test_clock: null,
  } as const
  expect(futureJobsOfRefund(refund)).toMatchObject([
    { due: NOW + 60, kind: 'refund_settlement', amount: 500 },
  ])
  expect(futureJobsOfRefund({ ...refund, settles_at: null })).toEqual([])
})

test('jobs at one instant are listed in the order in which they run', () => {
  const subscription = aSubscription({ status: 'past_due' })
  const retry = anOpenInvoice({ attempt_count: 4, next_payment_attempt: day('02-28') })
  const jobs = inOrder([
    ...futureJobsOfSubscription(subscription, {
      prices: pricesOf(aPrice()),
      isPayable: true,
      plan: () => null,
    }),
    ...futureJobsOfInvoice(retry, { subscription, final_action: 'cancel' }),
  ])
  expect(jobs.slice(0, 2).map(({ kind }) => kind)).toEqual(['payment_retry', 'renewal'])
})
