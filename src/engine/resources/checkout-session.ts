import { Change } from '../../core/change.ts'
import {
  type CheckoutSession,
  type CheckoutSettings,
  checkoutEnd,
  checkoutFactsOf,
  notOpen,
  recoverableUntil,
} from '../../core/checkout-session.ts'
import { ApiError, invalidStateTransition } from '../../core/errors.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { apply } from '../machine/apply.ts'
import type { Clock } from '../machine/clock.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { type CheckoutLineParams, checkLines, currencyOfLines, linesOf } from './checkout-lines.ts'
import { type Totals, totalsOf } from './checkout-totals.ts'
import { findCoupon } from './coupon.ts'
import type { DiscountParam } from './redemption.ts'

export type CheckoutParams = Pick<CheckoutSession, 'mode' | 'settings' | 'outcomes'> & {
  customer?: string | undefined
  customer_email?: string | undefined
  client_reference_id?: string | undefined
  currency?: string | undefined
  line_items: readonly CheckoutLineParams[]
  discounts?: readonly Omit<DiscountParam, 'discount'>[] | undefined
  expires_at?: number | undefined
  metadata?: MetadataParam | undefined
}

/** The number of random characters in an id, after the counter. 32 of 62 possible characters are more than 128 bits. */
const UNGUESSABLE_LENGTH = 32

/**
 * Returns a new id of a session, which cannot be guessed: whoever knows it can open the page. It is computed from the seed, which
 * is random unless it is chosen.
 * See docs/contract/checkout-sessions.md#ids.
 */
function newId(unit: UnitOfWork): string {
  const counted = unit.idFor('checkout_session')
  return `${counted}${unit.ids.derived(`checkout session ${counted}`, UNGUESSABLE_LENGTH)}`
}

/**
 * Creates a session.
 * @throws ApiError resource_missing, parameter_invalid, and those of the purchase
 * See docs/contract/checkout-sessions.md#creating.
 */
export function createCheckoutSession(unit: UnitOfWork, params: CheckoutParams): CheckoutSession {
  const customer = params.customer === undefined ? null : unit.find('customer', params.customer, 'customer')
  const clock = unit.clockOf(customer?.test_clock ?? null)
  const expires_at = checkoutEnd(params.expires_at, clock.instant)
  const lines = linesOf(unit, params.line_items)
  checkLines(unit, params.mode, lines)
  const { session } = totalsOf(unit, {
    id: newId(unit),
    created: clock.instant,
    mode: params.mode,
    status: 'open',
    payment_status: params.mode === 'setup' ? 'no_payment_required' : 'unpaid',
    currency: currencyOfLines(unit, lines, params.currency),
    customer: customer?.id ?? null,
    customer_email: params.customer_email ?? null,
    customer_details: null,
    details_email: params.customer_email ?? customer?.email ?? null,
    accepted_terms: false,
    client_reference_id: params.client_reference_id ?? null,
    lines,
    amount_total: null,
    discounts: (params.discounts ?? []).map((given, index) => chosenDiscount(unit, given, index)),
    settings: params.settings,
    outcomes: params.outcomes,
    payment_intent: null,
    setup_intent: null,
    subscription: null,
    invoice: null,
    recovered_from: null,
    expires_at,
    metadata: mergeMetadata({}, params.metadata),
    test_clock: customer?.test_clock ?? null,
  })
  const change = new Change()
  change.create('checkout_session', session)
  apply(unit, change, clock)
  return session
}

/** Finds the coupon or promotion code of a discount in the request. Whether it can be redeemed is checked with the totals. */
function chosenDiscount(
  unit: UnitOfWork,
  { coupon = '', promotion_code }: Omit<DiscountParam, 'discount'>,
  index: number,
): CheckoutSession['discounts'][number] {
  if (promotion_code === undefined)
    return { coupon: findCoupon(unit, coupon, `discounts[${index}][coupon]`).id, promotion_code: null }
  const code = unit.find('promotion_code', promotion_code, `discounts[${index}][promotion_code]`)
  return { coupon: code.coupon, promotion_code: code.id }
}

/** Updates the metadata of a session. @throws ApiError resource_missing */
export function updateCheckoutSession(
  unit: UnitOfWork,
  id: string,
  { metadata }: { metadata?: MetadataParam | undefined },
): CheckoutSession {
  const session = unit.find('checkout_session', id)
  const after = { ...session, metadata: mergeMetadata(session.metadata, metadata) }
  return written(unit, session, after)
}

/** Writes the next state of a session without an event. */
export function written(unit: UnitOfWork, session: CheckoutSession, after: CheckoutSession): CheckoutSession {
  const change = new Change()
  change.update('checkout_session', session, () => after)
  apply(unit, change, clockOf(unit, session))
  return after
}

/**
 * Opens a new session with the content of an expired one, without a code of the customer that can no longer be redeemed. Each time
 * makes another session.
 * @throws ApiError resource_missing; invalid_state_transition when it cannot be recovered
 * See docs/contract/checkout-sessions.md#recovery.
 */
export function recoverCheckoutSession(unit: UnitOfWork, id: string): CheckoutSession {
  const former = unit.find('checkout_session', id)
  const clock = clockOf(unit, former)
  const end = recoverableUntil(former)
  const { recovery } = former.settings
  if (end === null || !recovery || clock.instant >= end)
    throw invalidStateTransition('This Checkout Session has expired and cannot be opened again', null)
  const settings: CheckoutSettings = {
    ...former.settings,
    allow_promotion_codes: recovery.allow_promotion_codes,
  }
  const { session } = recoveredTotals(
    unit,
    {
      ...former,
      id: newId(unit),
      created: clock.instant,
      status: 'open',
      lines: former.lines.map((line) => ({ ...line, id: unit.newId('li') })),
      settings,
      payment_intent: null,
      setup_intent: null,
      recovered_from: former.id,
      expires_at: checkoutEnd(undefined, clock.instant),
    },
    former.settings.allow_promotion_codes === true,
  )
  const change = new Change()
  change.create('checkout_session', session)
  apply(unit, change, clock)
  return session
}

/**
 * Returns the amounts of a recovered session.
 * @param takesCodes - whether the discounts are a code of the customer, which is left out if it can no longer be redeemed
 */
function recoveredTotals(unit: UnitOfWork, session: CheckoutSession, takesCodes: boolean): Totals {
  try {
    return totalsOf(unit, session)
  } catch (error) {
    const isOfDiscounts = error instanceof ApiError && error.param?.startsWith('discounts')
    if (!takesCodes || !isOfDiscounts) throw error
    return totalsOf(unit, { ...session, discounts: [] })
  }
}

/** Returns the clock of a session, which is that of its customer. */
export const clockOf = (unit: UnitOfWork, { test_clock }: CheckoutSession): Clock => unit.clockOf(test_clock)

/** Finds a session that its customer can submit. @throws ApiError resource_missing, invalid_state_transition */
export function openSession(unit: UnitOfWork, id: string): CheckoutSession {
  const session = unit.find('checkout_session', id)
  if (!checkoutFactsOf(session).isOpen) throw notOpen(session, 'changed')
  return session
}
