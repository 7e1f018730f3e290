import { DAY, MINUTE } from './model-calendar.ts'
import type { Job } from './model-clock.ts'
import { type Code, type Coupon, type Discount, endDiscount } from './model-discount.ts'
import type { Dispute } from './model-dispute.ts'
import { Operation } from './model-events.ts'
import type { Charge, Refund } from './model-money.ts'
import { startSchedule } from './model-phases.ts'
import { invalidate } from './model-redeem.ts'
import type { Schedule } from './model-schedule.ts'
import { type Fault, type Invoice, type Merchant, named } from './model-state.ts'

/**
 * See docs/contract/clocks.md#order-of-jobs.
 */
export const KINDS = [
  'retry',
  'due date',
  'cancellation',
  'expiry',
  'end of pause',
  'expiring',
  'phase',
  'trial end',
  'renewal',
  'expiry of update',
  'upcoming notice',
  'trial notice',
  'will be due',
  'overdue',
  'discount end',
] as const

/** Jobs of no subscription run in the order in which they were planned. See docs/contract/clocks.md#order-of-jobs. */
const placeOf = ({ plans }: Merchant, { key }: { key: string }): Job['place'] => [0, plans.get(key) ?? 0, 0]

/** See docs/contract/payments.md#failing-refunds. */
export function refundJob(merchant: Merchant, faults: Fault[], refund: Refund): Job[] {
  if (refund.status !== 'pending') return []
  const run = (at: number) => {
    const operation = new Operation(merchant, faults, { at })
    named<Charge>(merchant.charges, refund.charge).refunded -= refund.amount
    refund.status = 'failed'
    operation.tellOfRefund('refund.failed', refund)
    return operation.end()
  }
  return [
    {
      kind: 'refund',
      subscription: null,
      due: refund.created + MINUTE,
      place: placeOf(merchant, refund),
      run,
    },
  ]
}

/** See docs/contract/disputes.md#due-date. */
export function disputeJob(merchant: Merchant, faults: Fault[], dispute: Dispute): Job[] {
  if (dispute.status !== 'needs_response') return []
  const run = (at: number) => {
    const operation = new Operation(merchant, faults, { at })
    dispute.status = 'lost'
    operation.tellOfDispute('closed', dispute)
    return operation.end()
  }
  return [
    {
      kind: 'dispute',
      subscription: null,
      due: dispute.created + 7 * DAY,
      place: placeOf(merchant, dispute),
      run,
    },
  ]
}

/** The ends of coupons and promotion codes, which emit nothing. */
export function validityJobs(merchant: Merchant): Job[] {
  const job = (due: number, of: Coupon | Code, run: () => void): Job => ({
    ...{ kind: 'end of discount', subscription: null, due, place: placeOf(merchant, of) },
    run: () => {
      run()
      return []
    },
  })
  const ofCoupon = (coupon: Coupon): Job[] =>
    coupon.valid && coupon.redeemBy !== null
      ? [job(coupon.redeemBy, coupon, () => invalidate(merchant, coupon))]
      : []
  const ofCode = (code: Code): Job[] =>
    code.active && code.expiresAt !== null
      ? [job(code.expiresAt, code, () => void Object.assign(code, { active: false }))]
      : []
  return [...merchant.coupons.flatMap(ofCoupon), ...merchant.codes.flatMap(ofCode)]
}

/** The end of a customer's discount. See docs/contract/discounts.md#durations. */
export function discountJob(merchant: Merchant, faults: Fault[], discount: Discount): Job[] {
  if (discount.end === null || discount.isOver) return []
  const run = (at: number) => {
    const operation = new Operation(merchant, faults, { at })
    endDiscount(operation, discount)
    return operation.end()
  }
  return [
    {
      kind: 'end of discount',
      subscription: null,
      due: discount.end,
      place: placeOf(merchant, discount),
      run,
    },
  ]
}

/** The start of the first phase of a schedule. */
export function startJob(merchant: Merchant, faults: Fault[], schedule: Schedule): Job[] {
  if (schedule.status !== 'not_started') return []
  const due = schedule.phases[0]?.start ?? Number.NaN
  const run = (at: number) => startSchedule(merchant, faults, { schedule, at }).operation.end()
  return [{ kind: 'start', subscription: null, due, place: placeOf(merchant, schedule), run }]
}

/** The notices of a due date come while the invoice is open, also when its subscription has ended. */
export function dueNotices(merchant: Merchant, faults: Fault[], invoice: Invoice, which: number): Job[] {
  const index = merchant.subscriptions.findIndex(({ key }) => key === invoice.subscription)
  const job = (kind: 'will be due' | 'overdue', field: 'willBeDueAt' | 'overdueAt', type: string): Job[] => {
    const due = invoice[field]
    if (due === null || invoice.status !== 'open') return []
    const run = (at: number) => {
      const operation = new Operation(merchant, faults, { at })
      invoice[field] = null
      operation.tellOfInvoice(type, invoice)
      return operation.end()
    }
    const place: Job['place'] =
      index < 0 ? placeOf(merchant, invoice) : [index + 1, KINDS.indexOf(kind), which]
    return [{ kind, subscription: invoice.subscription, due, place, run }]
  }
  return [
    ...job('will be due', 'willBeDueAt', 'invoice.will_be_due'),
    ...job('overdue', 'overdueAt', 'invoice.overdue'),
  ]
}
