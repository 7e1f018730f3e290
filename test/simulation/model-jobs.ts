import { DAY, MINUTE } from './model-calendar.ts'
import type { Job } from './model-clock.ts'
import { type Code, type Coupon, type Discount, endDiscount } from './model-discount.ts'
import type { Dispute } from './model-dispute.ts'
import { Operation } from './model-events.ts'
import { invalidate } from './model-redeem.ts'
import { type Charge, type Fault, type Merchant, named, type Refund } from './model-state.ts'

/** See docs/contract/payments.md#failing-refunds. */
export function refundJob(merchant: Merchant, faults: Fault[], refund: Refund, index: number): Job[] {
  if (refund.status !== 'pending') return []
  const run = (at: number) => {
    const operation = new Operation(merchant, faults, { at })
    named<Charge>(merchant.charges, refund.charge).refunded -= refund.amount
    refund.status = 'failed'
    operation.tellOfRefund('refund.failed', refund)
    return operation.end()
  }
  return [{ kind: 'refund', subscription: null, due: refund.created + MINUTE, place: [0, 0, index], run }]
}

/** See docs/contract/disputes.md#due-date. */
export function disputeJob(merchant: Merchant, faults: Fault[], dispute: Dispute, index: number): Job[] {
  if (dispute.status !== 'needs_response') return []
  const run = (at: number) => {
    const operation = new Operation(merchant, faults, { at })
    dispute.status = 'lost'
    operation.tellOfDispute('closed', dispute)
    return operation.end()
  }
  // Refunds fail within a minute, so the order of the two kinds rarely matters.
  return [{ kind: 'dispute', subscription: null, due: dispute.created + 7 * DAY, place: [0, 1, index], run }]
}

/** The ends of coupons and promotion codes, which emit nothing. */
export function validityJobs({ coupons, codes, ...rest }: Merchant): Job[] {
  const job = (due: number, index: number, run: () => void): Job => ({
    ...{ kind: 'end of discount', subscription: null, due, place: [0, 2, index] },
    run: () => {
      run()
      return []
    },
  })
  const ofCoupon = (coupon: Coupon, index: number): Job[] =>
    coupon.valid && coupon.redeemBy !== null
      ? [job(coupon.redeemBy, index, () => invalidate({ coupons, codes, ...rest }, coupon))]
      : []
  const ofCode = (code: Code, index: number): Job[] =>
    code.active && code.expiresAt !== null
      ? [job(code.expiresAt, coupons.length + index, () => void Object.assign(code, { active: false }))]
      : []
  return [...coupons.flatMap(ofCoupon), ...codes.flatMap(ofCode)]
}

/** The end of a customer's discount. See docs/contract/discounts.md#durations. */
export function discountJob(merchant: Merchant, faults: Fault[], discount: Discount, index: number): Job[] {
  if (discount.end === null || discount.isOver) return []
  const run = (at: number) => {
    const operation = new Operation(merchant, faults, { at })
    endDiscount(operation, discount)
    return operation.end()
  }
  return [{ kind: 'end of discount', subscription: null, due: discount.end, place: [0, 3, index], run }]
}
