import type { Change } from '../../core/change.ts'
import { type Coupon, redeemedCoupon, termsOf, whyNotRedeemable } from '../../core/coupon.ts'
import type { Customer } from '../../core/customer.ts'
import { type Discount, endOfDiscount } from '../../core/discount.ts'
import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import { formatAmount } from '../../core/money.ts'
import { type PromotionCode, redeemedCode } from '../../core/promotion-code.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { findCoupon } from './coupon.ts'
import { MAX_ACTIVE_CODES } from './promotion-code.ts'

/** A discount to create or to keep. Exactly one field is given. */
export type DiscountParam = {
  coupon?: string | undefined
  promotion_code?: string | undefined
  /** The id of a discount that the object already has. */
  discount?: string | undefined
  /** A coupon or promotion code that the caller has checked and counts as redeemed. */
  redeemed?: Redeemable | undefined
}

/** The purchase for which a coupon is redeemed. */
export type Purchase = {
  readonly customer: Customer
  /** The object that gets the discount; a customer without another object. */
  readonly holder: Partial<Pick<Discount, 'subscription' | 'subscription_item' | 'invoice' | 'invoice_item'>>
  /** null for a customer, whose invoices can have any currency. */
  readonly currency: string | null
  /** The amount of the purchase, in the smallest unit of the currency; null for a customer. */
  readonly amount: number | null
}

/**
 * Returns the discounts of a list, and creates those that are new.
 * @param given.current - the discounts that the object has
 * @param given.name - the name of the list in errors, such as `items[0][discounts]`
 * @throws ApiError parameter_invalid, resource_missing with the place in the list as param
 * See docs/contract/discounts.md#redeeming.
 */
export function redeemList(
  unit: UnitOfWork,
  change: Change,
  purchase: Purchase,
  {
    params,
    current = [],
    name = 'discounts',
  }: { params: readonly DiscountParam[]; current?: readonly string[] | undefined; name?: string },
): readonly string[] {
  const coupons = new Set<string>()
  return params.map((param, index) => {
    const field = param.coupon ? 'coupon' : param.promotion_code ? 'promotion_code' : 'discount'
    const at = `${name}[${index}][${field}]`
    const discount = param.redeemed
      ? newDiscount(unit, change, param.redeemed, { purchase, event: 'customer.discount.created' })
      : param.discount
        ? existing(unit, change, param.discount, { current, at })
        : redeem(unit, change, purchase, { ...param, at })
    if (coupons.has(discount.coupon)) throw parameterInvalid(at, 'The coupon is already in the list')
    coupons.add(discount.coupon)
    return discount.id
  })
}

function existing(
  unit: UnitOfWork,
  change: Change,
  id: string,
  { current, at }: { readonly current: readonly string[]; readonly at: string },
): Discount {
  const discount = change.pending('discount', id) ?? unit.get('discount', id)
  if (!discount || discount.deleted) throw resourceMissing('discount', id, at)
  if (!current.includes(id)) throw parameterInvalid(at, `The discount '${id}' belongs to another object`)
  return discount
}

/**
 * Redeems a coupon or a promotion code: counts the redemption, and creates the discount.
 * @param given.at - the name of the parameter in errors
 * @param given.event - the event that reports the discount
 * @throws ApiError resource_missing; parameter_invalid when it cannot be redeemed
 * See docs/contract/discounts.md#redeeming.
 */
export function redeem(
  unit: UnitOfWork,
  change: Change,
  purchase: Purchase,
  {
    coupon: couponId = '',
    promotion_code,
    at,
    event = 'customer.discount.created',
  }: Omit<DiscountParam, 'discount'> & {
    at: string
    event?: 'customer.discount.created' | 'customer.discount.updated'
  },
): Discount {
  const now = unit.clockOf(purchase.customer.test_clock).instant
  const refuse = (why: string) => parameterInvalid(at, why)
  const code = promotion_code === undefined ? null : findCode(unit, change, promotion_code, at)
  const obstacle = code && obstacleOfCode(unit, code, purchase, now)
  if (obstacle) throw refuse(obstacle)
  const found = code ? unit.need('coupon', code.coupon) : findCoupon(unit, couponId, at)
  const coupon = change.latest('coupon', found)
  const why = obstacleOfCoupon(coupon, purchase, now)
  if (why) throw refuse(why)
  if (endsTooManyCodes(unit, change, coupon))
    throw refuse(
      `The request would make more than ${MAX_ACTIVE_CODES} promotion codes inactive, because it redeems several coupons for the last time. Redeem this one in a request of its own`,
    )
  return createDiscount(unit, change, { coupon, code }, { purchase, event })
}

/** Whether this redemption is a coupon's last one, and would make inactive more codes than a request can, which has ended other coupons. */
function endsTooManyCodes(unit: UnitOfWork, change: Change, coupon: Coupon): boolean {
  if (redeemedCoupon(coupon).valid) return false
  const ended = change.steps
    .filter(({ kind, after }) => kind === 'coupon' && !(after as Coupon).valid)
    .map(({ after }) => after.id)
  if (ended.length === 0) return false
  return unit.store.totals.activeCodes([...ended, coupon.id], MAX_ACTIVE_CODES + 1) > MAX_ACTIVE_CODES
}

/** The coupon to redeem, and its promotion code; null without one. */
export type Redeemable = { readonly coupon: Coupon; readonly code: PromotionCode | null }

/**
 * Returns why a coupon or a promotion code cannot be redeemed now, as a sentence; null if it can.
 * See docs/contract/discounts.md#redeeming.
 */
export function obstacleToRedeem(
  unit: UnitOfWork,
  { coupon, code }: Redeemable,
  purchase: Purchase,
): string | null {
  const now = unit.clockOf(purchase.customer.test_clock).instant
  return (code && obstacleOfCode(unit, code, purchase, now)) ?? obstacleOfCoupon(coupon, purchase, now)
}

/** Counts a redemption. */
export function countRedemption(change: Change, { coupon, code }: Redeemable): void {
  change.update('coupon', coupon, redeemedCoupon)
  if (code) change.update('promotion_code', code, redeemedCode)
}

/** Counts a redemption, and creates its discount. */
export function createDiscount(
  unit: UnitOfWork,
  change: Change,
  redeemable: Redeemable,
  given: Parameters<typeof newDiscount>[3],
): Discount {
  countRedemption(change, redeemable)
  return newDiscount(unit, change, redeemable, given)
}

/** Creates a discount without counting its redemption. */
function newDiscount(
  unit: UnitOfWork,
  change: Change,
  { coupon, code }: Redeemable,
  {
    purchase: { customer, holder },
    event,
  }: { purchase: Purchase; event: 'customer.discount.created' | 'customer.discount.updated' },
): Discount {
  const now = unit.clockOf(customer.test_clock).instant
  const isForOneInvoice = (holder.invoice ?? holder.invoice_item ?? null) !== null
  return change.create(
    'discount',
    {
      id: unit.idFor('discount'),
      created: now,
      customer: customer.id,
      subscription: holder.subscription ?? null,
      subscription_item: holder.subscription_item ?? null,
      invoice: holder.invoice ?? null,
      invoice_item: holder.invoice_item ?? null,
      coupon: coupon.id,
      promotion_code: code?.id ?? null,
      terms: termsOf(coupon),
      start: now,
      end: isForOneInvoice ? null : endOfDiscount(now, coupon.duration_in_months),
      used_by: null,
      deleted: false,
      test_clock: customer.test_clock,
    },
    event,
  )
}

function findCode(unit: UnitOfWork, change: Change, id: string, at: string): PromotionCode {
  return change.latest('promotion_code', unit.find('promotion_code', id, at))
}

/** Returns why a coupon cannot be redeemed, as a sentence; null if it can. */
function obstacleOfCoupon(coupon: Coupon, { currency }: Purchase, now: number): string | null {
  const because = (why: string) => `The coupon '${coupon.public_id}' ${why}`
  const why = whyNotRedeemable(coupon, coupon.redeem_by, now)
  if (why) return because(why)
  if (!coupon.valid) return because(coupon.deleted ? 'was deleted' : 'has expired')
  return coupon.currency !== null && currency !== null && coupon.currency !== currency
    ? because(`takes off an amount in ${coupon.currency}, not in ${currency}`)
    : null
}

/** Returns why a promotion code cannot be redeemed, as a sentence; null if it can. */
function obstacleOfCode(
  unit: UnitOfWork,
  code: PromotionCode,
  { customer, currency, amount }: Purchase,
  now: number,
): string | null {
  const because = (why: string) => `The promotion code '${code.code}' ${why}`
  if (code.customer !== null && code.customer !== customer.id) return because('belongs to another customer')
  const why = whyNotRedeemable(code, code.expires_at, now)
  if (why) return because(why)
  if (!code.active) return because('is not active')
  const { first_time_transaction, minimum_amount, minimum_amount_currency } = code.restrictions
  if (minimum_amount !== null && minimum_amount_currency !== null) {
    const needs = `needs a purchase of at least ${formatAmount(minimum_amount, minimum_amount_currency)}`
    if (amount === null) return because(`${needs}; apply it to a subscription or an invoice`)
    if (currency !== minimum_amount_currency || amount < minimum_amount) return because(needs)
  }
  return first_time_transaction && unit.store.objects.hasPaid(customer.id)
    ? because('is for the first payment of a customer; this one has paid before')
    : null
}
