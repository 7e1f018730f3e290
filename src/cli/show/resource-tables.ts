import type {
  Charge,
  Clock,
  Coupon,
  CreditNote,
  Customer,
  Dispute,
  Invoice,
  Meter,
  PaymentIntent,
  PromotionCode,
  Refund,
  Subscription,
  SubscriptionSchedule,
} from '../../client/types.ts'
import { formatAmount } from '../../core/money.ts'
import { costText } from '../../timeline/price-texts.ts'
import { instant } from './format.ts'
import type { Colour, Column, Span } from './output.ts'
import { phaseEndText, scheduleStatusText } from './show-schedule.ts'
import { invoiceStatusText, statusText } from './show-text.ts'

/** An expanded customer. */
type ExpandedCustomer = { readonly id: string; readonly email?: string | null; readonly name?: string | null }
/** An object with an expanded customer. */
export type WithCustomer<Row> = Omit<Row, 'customer'> & {
  readonly customer?: string | ExpandedCustomer | null | undefined
}

export const CUSTOMER_COLUMNS: readonly Column<Customer>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'NAME', cell: ({ name }) => name ?? '–', minWidth: 8 },
  { title: 'EMAIL', cell: ({ email }) => email ?? '–', minWidth: 16 },
  {
    title: 'DELINQUENT',
    cell: ({ delinquent }) => (delinquent ? { text: 'yes', colour: 'red' } : '–'),
    omit: 3,
  },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 2 },
  { title: 'TEST CLOCK', cell: ({ test_clock }) => test_clock ?? '–', omit: 1 },
]

export const SUBSCRIPTION_COLUMNS: readonly Column<WithCustomer<Subscription>>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'STATUS', cell: ({ status }) => statusText(status) },
  { title: 'CUSTOMER', cell: customerName, minWidth: 12 },
  { title: 'AMOUNT', cell: costText, minWidth: 12 },
  { title: 'PERIOD END', cell: ({ current_period_end }) => instant(current_period_end), omit: 3 },
  { title: 'CUSTOMER ID', cell: customerId, omit: 2 },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 1 },
]

export const SCHEDULE_COLUMNS: readonly Column<WithCustomer<SubscriptionSchedule>>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'STATUS', cell: ({ status }) => scheduleStatusText(status) },
  { title: 'CUSTOMER', cell: customerName, minWidth: 12 },
  { title: 'PHASES', cell: ({ phases }) => String(phases.length) },
  { title: 'PHASE END', cell: phaseEndText },
  { title: 'SUBSCRIPTION', cell: ({ subscription }) => subscription ?? '–', omit: 3 },
  { title: 'CUSTOMER ID', cell: customerId, omit: 2 },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 1 },
]

export const INVOICE_COLUMNS: readonly Column<WithCustomer<Invoice>>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'NUMBER', cell: ({ number }) => number ?? '–', omit: 4 },
  { title: 'STATUS', cell: ({ status }) => invoiceStatusText(status) },
  { title: 'CUSTOMER', cell: customerName, minWidth: 12 },
  { title: 'TOTAL', cell: ({ total, currency }) => formatAmount(total, currency) },
  { title: 'NEXT ATTEMPT', cell: ({ next_payment_attempt }) => instant(next_payment_attempt), omit: 3 },
  { title: 'SUBSCRIPTION', cell: ({ subscription }) => subscription ?? '–', omit: 2 },
  { title: 'CUSTOMER ID', cell: customerId, omit: 2 },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 1 },
]

export const CREDIT_NOTE_COLUMNS: readonly Column<WithCustomer<CreditNote>>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'NUMBER', cell: ({ number }) => number, omit: 5 },
  { title: 'STATUS', cell: ({ status }) => ({ text: status, colour: status === 'void' ? 'dim' : 'green' }) },
  { title: 'AMOUNT', cell: ({ amount, currency }) => formatAmount(amount, currency) },
  { title: 'CUSTOMER', cell: customerName, minWidth: 12 },
  { title: 'INVOICE', cell: ({ invoice }) => invoice, omit: 4 },
  { title: 'REASON', cell: ({ reason }) => reason ?? '–', omit: 3 },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 2 },
  { title: 'CUSTOMER ID', cell: customerId, omit: 1 },
]

export const COUPON_COLUMNS: readonly Column<Coupon>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'NAME', cell: ({ name }) => name ?? '–', omit: 3 },
  { title: 'OFF', cell: offText },
  {
    title: 'DURATION',
    cell: ({ duration, duration_in_months: months }) => (months ? `${months} months` : duration),
  },
  { title: 'REDEEMED', cell: ({ times_redeemed }) => String(times_redeemed) },
  { title: 'VALID', cell: ({ valid }) => (valid ? 'yes' : 'no') },
  { title: 'REDEEM BY', cell: ({ redeem_by }) => instant(redeem_by), omit: 2 },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 1 },
]

export const PROMOTION_CODE_COLUMNS: readonly Column<WithCustomer<PromotionCode>>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'CODE', cell: ({ code }) => code },
  { title: 'COUPON', cell: ({ coupon }) => coupon.id },
  { title: 'OFF', cell: ({ coupon }) => offText(coupon) },
  { title: 'ACTIVE', cell: ({ active }) => (active ? 'yes' : 'no') },
  { title: 'REDEEMED', cell: ({ times_redeemed }) => String(times_redeemed) },
  { title: 'CUSTOMER', cell: customerName, minWidth: 12, omit: 4 },
  { title: 'EXPIRES', cell: ({ expires_at }) => instant(expires_at), omit: 3 },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 2 },
  { title: 'CUSTOMER ID', cell: customerId, omit: 1 },
]

/** Formats the discount of a coupon: `25 %` or `5.00 USD`. */
function offText({ percent_off, amount_off, currency }: Coupon): string {
  return percent_off === null ? formatAmount(amount_off ?? 0, currency ?? '') : `${percent_off} %`
}

export const METER_COLUMNS: readonly Column<Meter>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'NAME', cell: ({ display_name }) => display_name, minWidth: 8 },
  { title: 'EVENT NAME', cell: ({ event_name }) => event_name },
  { title: 'FORMULA', cell: ({ default_aggregation }) => default_aggregation.formula },
  { title: 'STATUS', cell: ({ status }) => status },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 1 },
]

export const PAYMENT_INTENT_COLUMNS: readonly Column<WithCustomer<PaymentIntent>>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'STATUS', cell: ({ status }) => paymentStatus(status) },
  { title: 'AMOUNT', cell: ({ amount, currency }) => formatAmount(amount, currency) },
  { title: 'CUSTOMER', cell: customerName, minWidth: 12 },
  {
    title: 'ERROR',
    cell: ({ last_payment_error: error }) => error?.decline_code ?? error?.code ?? '–',
    omit: 3,
  },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 4 },
  { title: 'INVOICE', cell: ({ invoice }) => invoice ?? '–', omit: 2 },
  { title: 'CUSTOMER ID', cell: customerId, omit: 1 },
]

export const CHARGE_COLUMNS: readonly Column<WithCustomer<Charge>>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'STATUS', cell: ({ status }) => paymentStatus(status) },
  { title: 'AMOUNT', cell: ({ amount, currency }) => formatAmount(amount, currency) },
  {
    title: 'REFUNDED',
    cell: ({ amount_refunded, currency }) =>
      amount_refunded === 0 ? '–' : formatAmount(amount_refunded, currency),
    omit: 3,
  },
  { title: 'CUSTOMER', cell: customerName, minWidth: 12 },
  {
    title: 'FAILURE',
    cell: ({ outcome, failure_code }) => (failure_code === null ? '–' : (outcome.reason ?? failure_code)),
    omit: 4,
  },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 5 },
  { title: 'INVOICE', cell: ({ invoice }) => invoice ?? '–', omit: 2 },
  { title: 'PAYMENT INTENT', cell: ({ payment_intent }) => payment_intent, omit: 1 },
  { title: 'CUSTOMER ID', cell: customerId, omit: 1 },
]

export const REFUND_COLUMNS: readonly Column<Refund>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'STATUS', cell: ({ status }) => paymentStatus(status) },
  { title: 'AMOUNT', cell: ({ amount, currency }) => formatAmount(amount, currency) },
  { title: 'CHARGE', cell: ({ charge }) => charge },
  { title: 'REASON', cell: ({ reason, failure_reason }) => failure_reason ?? reason ?? '–', omit: 2 },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 3 },
  { title: 'PAYMENT INTENT', cell: ({ payment_intent }) => payment_intent, omit: 1 },
]

export const DISPUTE_COLUMNS: readonly Column<Dispute>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'STATUS', cell: ({ status }) => ({ text: status, colour: DISPUTE_COLOURS[status] }) },
  { title: 'AMOUNT', cell: ({ amount, currency }) => formatAmount(amount, currency) },
  { title: 'CHARGE', cell: ({ charge }) => charge },
  { title: 'REASON', cell: ({ reason }) => reason, omit: 3 },
  { title: 'DUE', cell: ({ evidence_details }) => instant(evidence_details.due_by), omit: 2 },
  { title: 'CREATED', cell: ({ created }) => instant(created), omit: 1 },
]

/** Names a customer for people: by email address, else by name, else by ID. */
function customerName({ customer }: WithCustomer<object>): string {
  if (typeof customer === 'string') return customer
  return customer?.email || customer?.name || customer?.id || '–'
}

function customerId({ customer }: WithCustomer<object>): string {
  return typeof customer === 'string' ? customer : (customer?.id ?? '–')
}

const DISPUTE_COLOURS: Readonly<Record<Dispute['status'], Colour>> = {
  needs_response: 'red',
  under_review: 'yellow',
  won: 'green',
  lost: 'red',
}

const PAYMENT_COLOURS: Readonly<Record<string, Colour>> = {
  succeeded: 'green',
  failed: 'red',
  canceled: 'dim',
}

const paymentStatus = (status: string): Span => ({
  text: status,
  colour: PAYMENT_COLOURS[status] ?? 'yellow',
})

/** The columns of a clock: its time, mode and status. */
export const clockColumns: readonly Column<Clock>[] = [
  { title: 'CLOCK TIME', cell: ({ now }) => instant(now) },
  { title: 'MODE', cell: ({ mode }) => ({ text: mode, colour: mode === 'frozen' ? 'cyan' : 'green' }) },
  {
    title: 'STATUS',
    cell: ({ status, target }) =>
      status === 'advancing' ? { text: `advancing to ${instant(target)}`, colour: 'yellow' } : status,
  },
]
