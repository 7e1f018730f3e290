import { describe, expect, test } from 'vitest'
import type { InvoiceStatus } from '../../src/core/invoice-status.ts'
import { invoiceJobs, JOB_KINDS, type Job, subscriptionJobs } from '../../src/core/jobs.ts'
import type { SubscriptionStatus } from '../../src/core/subscription-status.ts'
import { table } from '../table.ts'
import { anOpenInvoice, aSubscription } from './objects.ts'

const written = (jobs: readonly Job[]): string =>
  jobs.map(({ kind, due }) => `${kind}@${due}`).join(' ') || '-'
const numberOf = (cell: string): number | null => (cell === '-' ? null : Number(cell))

test('jobs of one subscription in one second run in the order of the contract', () => {
  const order = [
    'payment_retry',
    'invoice_due',
    'cancellation',
    'incomplete_expiry',
    'pause_end',
    'trial_end',
    'renewal',
  ]
  expect(JOB_KINDS.filter((kind) => order.includes(kind))).toEqual(order)
})

describe('a subscription whose period ends at 1000', () => {
  test.each(
    table(
      ['status', 'at_end', 'cancel_at', 'resumes_at', 'jobs'],
      `
      active              no   -     -    renewal@1000
      past_due            no   -     -    renewal@1000
      unpaid              no   -     -    renewal@1000
      trialing            no   -     -    trial_end@1000
      incomplete          no   -     -    incomplete_expiry@1000
      paused              no   -     -    -
      canceled            no   -     -    -
      incomplete_expired  no   -     -    -
      active              yes  1000  -    cancellation@1000
      past_due            yes  1000  -    cancellation@1000
      unpaid              yes  1000  -    cancellation@1000
      trialing            yes  1000  -    cancellation@1000
      canceled            yes  1000  -    -
      active              no   500   -    cancellation@500
      trialing            no   500   -    cancellation@500
      active              yes  500   -    cancellation@500
      active              no   1000  -    cancellation@1000
      active              no   2500  -    cancellation@2500 renewal@1000
      trialing            no   2500  -    cancellation@2500 trial_end@1000
      active              no   -     700  pause_end@700 renewal@1000
      canceled            no   -     700  -
      paused              no   -     700  pause_end@700
      paused              no   500   700  pause_end@700
      `,
    ),
  )(
    '$status, canceled at its end $at_end or at $cancel_at, resuming at $resumes_at: $jobs',
    ({ status, at_end, cancel_at, resumes_at, jobs }) => {
      const resumes = numberOf(resumes_at)
      const subscription = aSubscription({
        status: status as SubscriptionStatus,
        current_period_end: 1000,
        trial_end: status === 'trialing' ? 1000 : null,
        cancel_at_period_end: at_end === 'yes',
        cancel_at: numberOf(cancel_at),
        pause_collection: resumes === null ? null : { behavior: 'void', resumes_at: resumes },
      })
      expect(written(subscriptionJobs(subscription))).toBe(jobs)
    },
  )

  test('its jobs name it as object and subscription', () => {
    const [job] = subscriptionJobs(aSubscription({ current_period_end: 1000 }))
    expect(job).toEqual({ due: 1000, kind: 'renewal', subscription: 'sub_1', object: 'sub_1' })
  })
})

describe('an invoice', () => {
  test.each(
    table(
      ['status', 'next', 'due_date', 'overdue', 'jobs'],
      `
      open           300  -    no   payment_retry@300
      open           -    -    no   -
      open           -    400  no   invoice_due@400
      open           -    400  yes  -
      draft          -    -    no   -
      paid           -    400  no   -
      void           -    400  no   -
      uncollectible  -    400  no   -
      `,
    ),
  )('$status, next attempt at $next, due at $due_date, overdue $overdue: $jobs', (row) => {
    const invoice = anOpenInvoice({
      status: row.status as InvoiceStatus,
      next_payment_attempt: numberOf(row.next),
      due_date: numberOf(row.due_date),
      overdue: row.overdue === 'yes',
    })
    expect(written(invoiceJobs(invoice))).toBe(row.jobs)
  })

  test.each(['sub_1', null])('of subscription %s follows the order of that subscription', (subscription) => {
    expect(invoiceJobs(anOpenInvoice({ subscription, next_payment_attempt: 300 }))).toEqual([
      { due: 300, kind: 'payment_retry', subscription, object: 'in_1' },
    ])
  })
})
