import type { CheckoutLine, CheckoutSession } from '../../core/checkout-session.ts'
import { ApiError, assert } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import { netAmount } from '../../core/invoice-line.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { createCustomer } from './customer.ts'
import { createInvoice } from './invoice.ts'
import { newestInvoice } from './next-invoice.ts'
import type { DiscountParam } from './redemption.ts'
import { createSubscription, type SubscriptionParams } from './subscription.ts'
import { pendingItemIds } from './waiting-items.ts'

/** A session with its current amounts. */
export type Totals = {
  readonly session: CheckoutSession
  /** The amount to charge now, in the smallest currency unit. A customer's balance can reduce it. */
  readonly due: number
}

/**
 * Computes the current amounts of a session: the purchase is made, and rolled back.
 * @throws ApiError those of the purchase, with the names of the session's parameters
 * See docs/contract/checkout-sessions.md#amounts.
 */
export function totalsOf(unit: UnitOfWork, session: CheckoutSession): Totals {
  if (session.mode === 'setup') return { session, due: 0 }
  const invoice = inSession(unit, session, () => rehearsed(unit, session))
  const lines = session.mode === 'payment' ? inPlace(session, invoice) : byPrice(unit, session, invoice)
  const due = session.mode === 'payment' ? invoice.total : invoice.amount_due
  return { session: { ...session, lines, amount_total: invoice.total }, due }
}

/** Makes the invoice of a session, and rolls it back. A session without a customer gets one for that. */
const rehearsed = (unit: UnitOfWork, session: CheckoutSession): Invoice =>
  unit.rehearse((rehearsal) => {
    const customer = session.customer ?? createCustomer(rehearsal, {}).id
    const bought = { customer, discounts: discountsOf(rehearsal, session) }
    if (session.mode === 'payment') return createInvoice(rehearsal, invoiceOf(session, bought))
    const params = subscriptionOf(rehearsal, session, bought)
    const { id } = createSubscription(rehearsal, { ...params, payment_behavior: 'default_incomplete' })
    const invoice = newestInvoice(rehearsal, id)
    assert(invoice, `${id} has a first invoice`)
    return invoice
  })

/** Returns the lines of a session in the mode payment, with the amounts of the invoice's lines at the same places. */
const inPlace = ({ lines }: CheckoutSession, invoice: Invoice): CheckoutLine[] =>
  lines.map((line, index) => withAmounts(line, invoice.lines.slice(index, index + 1)))

/**
 * Returns the lines of a session in the mode subscription, each of which has a price of its own. The invoice also bills items that the
 * customer has from before, which may have the same prices.
 */
function byPrice(unit: UnitOfWork, session: CheckoutSession, invoice: Invoice): CheckoutLine[] {
  const { customer } = session
  const pending = new Set(
    customer === null ? [] : pendingItemIds(unit, { customer, currency: invoice.currency }),
  )
  const sold = invoice.lines.filter(({ invoice_item: item }) => item === undefined || !pending.has(item))
  return session.lines.map((line) =>
    withAmounts(
      line,
      sold.filter(({ price }) => price === line.price),
    ),
  )
}

function withAmounts(line: CheckoutLine, billed: Invoice['lines']): CheckoutLine {
  const amount_subtotal = billed.reduce((sum, { amount }) => sum + amount, 0)
  const net = billed.reduce((sum, each) => sum + netAmount(each), 0)
  return { ...line, amount_subtotal, amount_discount: amount_subtotal - net }
}

/** Who buys what a session sells, and the discounts to redeem or to use. */
type Buying = { readonly customer: string; readonly discounts: readonly DiscountParam[] }

/** Returns the parameters of the invoice of a session in the mode payment. */
export const invoiceOf = (session: CheckoutSession, { customer, discounts }: Buying) => ({
  customer,
  currency: currencyOf(session),
  collection_method: 'charge_automatically' as const,
  bills_pending_items: false,
  items: session.lines.map(({ price, quantity }) => ({ price, quantity: quantity ?? 1 })),
  discounts,
  description: session.outcomes.invoice?.description,
  metadata: session.outcomes.invoice?.metadata,
})

/** Returns the parameters of the subscription of a session. */
export function subscriptionOf(
  unit: UnitOfWork,
  session: CheckoutSession,
  { customer, discounts }: Buying,
): SubscriptionParams {
  const given = session.outcomes.subscription
  const [recurring, oneTime] = partsOf(unit, session)
  return {
    customer,
    currency: currencyOf(session),
    items: recurring.map(({ price, quantity, metadata }) => ({
      price,
      quantity: quantity ?? undefined,
      metadata,
      isChosenBefore: true,
    })),
    add_invoice_items: oneTime.map(({ price, quantity }) => ({ price, quantity: quantity ?? 1 })),
    ...(discounts.length > 0 && { discounts }),
    payment_behavior: 'allow_incomplete',
    collection_method: 'charge_automatically',
    trial_end: given.trial_end ?? undefined,
    trial_period_days: given.trial_period_days ?? undefined,
    missing_payment_method: given.missing_payment_method,
    billing_cycle_anchor: given.billing_cycle_anchor ?? undefined,
    proration_behavior: given.proration_behavior ?? undefined,
    payment_settings: session.settings.automatic_tax ? { automatic_tax: true } : undefined,
    description: given.description,
    metadata: given.metadata,
  }
}

/** Returns the lines with a recurring price, and those with a one-time price. */
function partsOf(unit: UnitOfWork, { lines }: CheckoutSession): [CheckoutLine[], CheckoutLine[]] {
  const isRecurring = ({ price }: CheckoutLine) => unit.needWithoutMetadata('price', price).recurring !== null
  return [lines.filter(isRecurring), lines.filter((line) => !isRecurring(line))]
}

const discountsOf = (unit: UnitOfWork, { discounts }: CheckoutSession): DiscountParam[] =>
  discounts.map(({ coupon, promotion_code }) =>
    promotion_code === null ? { coupon: unit.need('coupon', coupon).public_id } : { promotion_code },
  )

function currencyOf({ id, currency }: CheckoutSession): string {
  assert(currency !== null, `${id} has a currency`)
  return currency
}

/** Runs a use case of a session, with the session's names of parameters in errors. */
export function inSession<T>(unit: UnitOfWork, session: CheckoutSession, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ApiError) || error.param === null) throw error
    const { status, type, code, message, details } = error
    throw new ApiError({ status, type, code, message, details, param: paramOf(unit, session, error.param) })
  }
}

const OF_SUBSCRIPTION = ['billing_cycle_anchor', 'proration_behavior', 'trial_end', 'trial_period_days']

/** Returns the session's name of a parameter: `items[1][price]` is that of its second recurring line. */
function paramOf(unit: UnitOfWork, session: CheckoutSession, param: string): string {
  if (OF_SUBSCRIPTION.includes(param)) return `subscription_data[${param}]`
  const [, list, index, rest = ''] = /^(items|add_invoice_items)\[(\d+)\](.*)$/.exec(param) ?? []
  if (list === undefined) return param
  const [recurring, oneTime] = partsOf(unit, session)
  const line = (list === 'items' ? recurring : oneTime)[Number(index)]
  return `line_items[${session.lines.findIndex(({ id }) => id === line?.id)}]${rest}`
}
