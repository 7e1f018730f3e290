import { SECONDS_PER_DAY } from '../../../core/calendar.ts'
import { discountOf, pendingAmountOf, subtotalOf } from '../../../core/checkout-amounts.ts'
import type { CheckoutLine, CheckoutSession } from '../../../core/checkout-session.ts'
import { trialEndOf } from '../../../core/checkout-trial.ts'
import type { Coupon } from '../../../core/coupon.ts'
import type { WithoutMetadata } from '../../../core/metadata.ts'
import { type BilledPrice, meterOf } from '../../../core/price.ts'
import { priceAmount } from '../../../core/price-amount.ts'
import type { View } from '../../../engine/history/view.ts'
import { savesMethod } from '../../../engine/resources/checkout-submission.ts'
import type { Totals } from '../../../engine/resources/checkout-totals.ts'
import { checkoutPath } from '../../checkout-session.ts'
import { amountText } from './amount.ts'
import type { CheckoutContent } from './checkout-page.tsx'
import { askedOf } from './checkout-state.ts'
import type { CheckoutSummary, SummaryLine } from './checkout-summary.tsx'
import { dateText } from './date-text.ts'
import { formToken } from './form-token.tsx'
import type { PageOf } from './frame.tsx'
import { intervalText, quantityText, unitText } from './price-text.ts'

/** A line with its price. */
type Sold = { readonly line: CheckoutLine; readonly price: BilledPrice }

/** Describes an open session for its customer. @param totals - its current totals */
export function contentOf(view: View, of: PageOf, totals: Totals): CheckoutContent {
  const { session, due } = totals
  const { settings } = session
  const isSold = session.mode !== 'setup'
  const summary = summaryOf(view, of, totals)
  const knownEmail = knownEmailOf(view, session)
  return {
    of,
    path: checkoutPath(session.id),
    summary,
    knownEmail,
    asksMethod: asksMethod(totals),
    methods: settings.payment_method_types,
    asked: askedOf(session),
    terms:
      settings.terms_of_service === 'required'
        ? (settings.custom_text.terms_of_service_acceptance ??
          `I agree to the terms of service and the privacy policy of ${of.merchant}`)
        : null,
    submitText: settings.custom_text.submit,
    button: isSold ? buttonOf(totals, amountText(due, currencyOf(session))) : 'Save card',
    token: formToken(view, [
      'checkout',
      session.id,
      summary,
      pricesOf(session),
      session.discounts,
      knownEmail,
    ]),
  }
}

/** Reports whether the page asks for a payment method: something is due, or one is saved for later. */
export const asksMethod = ({ session, due }: Totals): boolean => due > 0 || savesMethod(session)

/** Returns the email address that the customer cannot change; null if the page asks for it. */
export function knownEmailOf(
  view: View,
  { customer, customer_email, settings }: CheckoutSession,
): string | null {
  if (customer_email !== null) return customer_email
  const given = settings.has_given_customer && customer !== null ? view.get('customer', customer) : undefined
  return given?.email ?? null
}

const VERBS: Readonly<Record<string, string>> = { book: 'Book', donate: 'Donate' }

function buttonOf({ session }: Totals, amount: string): string {
  if (session.mode === 'subscription') return hasTrial(session) ? 'Start trial' : 'Subscribe'
  return `${VERBS[session.settings.submit_type ?? ''] ?? 'Pay'} ${amount}`
}

const pricesOf = ({ lines }: CheckoutSession): string[] => lines.map(({ price }) => price)

const currencyOf = ({ currency }: CheckoutSession): string => currency ?? 'usd'

const hasTrial = ({ outcomes: { subscription } }: CheckoutSession): boolean =>
  subscription.trial_end !== null || subscription.trial_period_days !== null

function summaryOf(view: View, of: PageOf, totals: Totals): CheckoutSummary {
  const { session, due } = totals
  const { mode, lines, settings } = session
  const cancel_url = settings.cancel_url
  const nothing = { rows: [], total: null, appliedCode: null, takesCode: false, cancel_url }
  if (mode === 'setup') {
    const notes = [`${of.merchant} saves it for later payments. Nothing is charged now.`]
    return { ...nothing, heading: 'Save your card', headline: null, notes, lines: [] }
  }
  const sold = lines.flatMap((line) => {
    const price = view.withoutMetadata('price', line.price)
    return price ? [{ line, price }] : []
  })
  const text = (amount: number) => amountText(amount, currencyOf(session))
  const shown = sold.map((each) => shownLine(view, each, text))
  return {
    heading: headingOf(of, session, sold, shown),
    ...(mode === 'payment' ? { headline: text(due), notes: [] } : recurringTexts(of, session, sold)),
    lines: shown,
    rows: rowsOf(view, totals, text),
    total: [mode === 'payment' ? 'Total due' : 'Total due today', text(due)],
    appliedCode: appliedCodeOf(view, session),
    takesCode: settings.allow_promotion_codes === true,
    cancel_url,
  }
}

function shownLine(view: View, { line, price }: Sold, text: (amount: number) => string): SummaryLine {
  const product = price.product === null ? undefined : view.withoutMetadata('product', price.product)
  return {
    id: line.id,
    name: product?.name ?? price.nickname ?? price.id,
    description: product?.description ?? null,
    price: line.adjustable === null ? quantityText(price, line.quantity) : unitText(price),
    quantity: line.quantity,
    adjustable: line.adjustable,
    amount: text(line.amount_subtotal),
  }
}

/** Makes the heading of the page. That of a subscription has the name of the first recurring line. */
function headingOf(
  { merchant }: PageOf,
  session: CheckoutSession,
  sold: readonly Sold[],
  shown: readonly SummaryLine[],
) {
  if (session.mode === 'payment') return `Pay ${merchant}`
  const first = shown[sold.findIndex(({ price }) => price.recurring !== null)]?.name ?? merchant
  return hasTrial(session) ? `Try ${first}` : `Subscribe to ${first}`
}

/** Formats the price of a subscription for each period, and the end of its trial. */
function recurringTexts({ now }: PageOf, session: CheckoutSession, sold: readonly Sold[]) {
  const recurring = sold.flatMap(({ line, price }) =>
    price.recurring ? [{ line, price, interval: price.recurring }] : [],
  )
  const intervals = new Set(recurring.map(({ interval }) => intervalText(interval)))
  const fixed = recurring.filter(({ price }) => meterOf(price) === undefined)
  const amount = fixed.reduce((sum, { line, price }) => sum + priceAmount(price, line.quantity ?? 0), 0)
  const parts = [
    ...(fixed.length > 0 ? [amountText(amount, currencyOf(session))] : []),
    ...(fixed.length < recurring.length ? ['usage'] : []),
  ]
  const each = `${parts.join(' plus ')} ${[...intervals].join(', ')}`
  const trial = trialOf(session, now)
  const anchor = session.outcomes.subscription.billing_cycle_anchor
  if (!trial)
    return {
      headline: each,
      notes: anchor === null ? [] : [`The first period is shorter. It ends on ${dateText(anchor)}.`],
    }
  const price = session.discounts.length > 0 ? `${each} before discounts` : each
  return {
    headline: `${trial.days} ${trial.days === 1 ? 'day' : 'days'} free`,
    notes: [`Then ${price}, from ${dateText(trial.end)}.`],
  }
}

/** Returns the trial that begins if the session is completed now. */
function trialOf(session: CheckoutSession, now: number): { days: number; end: number } | undefined {
  const end = trialEndOf(session, now)
  return end === null ? undefined : { days: Math.ceil((end - now) / SECONDS_PER_DAY), end }
}

/** Returns the rows between the lines and the total: the customer's pending items, the subtotal, the discounts, and the balance. */
function rowsOf(view: View, { session, due }: Totals, text: (amount: number) => string): [string, string][] {
  const discount = discountOf(session)
  const total = session.amount_total ?? due
  const balance = due - total
  const pending = pendingAmountOf(session)
  const rows: [string, string][] = []
  if (pending !== 0) rows.push(['Open items of your account', text(pending)])
  if (session.discounts.length > 0 || balance !== 0) rows.push(['Subtotal', text(subtotalOf(session))])
  if (session.discounts.length > 0) rows.push([discountLabel(view, session), text(-discount)])
  if (balance !== 0) rows.push([balanceLabel(total, due), text(balance)])
  return rows
}

function balanceLabel(total: number, due: number): string {
  if (due < total) return 'Credit on your account'
  return total < 0 && due === 0 ? 'Credited to your account' : 'Open balance of your account'
}

function discountLabel(view: View, { discounts, mode }: CheckoutSession): string {
  const [coupon] = discounts.map((discount) => view.withoutMetadata('coupon', discount.coupon))
  if (discounts.length > 1 || !coupon) return 'Discounts'
  const text = couponText(coupon, mode === 'subscription')
  return coupon.name === null ? `Discount: ${text}` : `${coupon.name} (${text})`
}

/** Formats the discount of a coupon: `20% off for 3 months`. */
function couponText(coupon: WithoutMetadata<Coupon>, isRecurring: boolean): string {
  const { percent_off, amount_off, currency, duration, duration_in_months: months } = coupon
  const off = percent_off === null ? amountText(amount_off ?? 0, currency ?? 'usd') : `${percent_off}%`
  if (!isRecurring || duration === 'forever') return `${off} off`
  return duration === 'once'
    ? `${off} off once`
    : `${off} off for ${months} ${months === 1 ? 'month' : 'months'}`
}

function appliedCodeOf(view: View, { discounts }: CheckoutSession): string | null {
  const code = discounts.find(({ promotion_code }) => promotion_code !== null)?.promotion_code
  return code ? (view.get('promotion_code', code)?.code ?? null) : null
}
