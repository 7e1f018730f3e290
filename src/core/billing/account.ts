import type { Change } from '../change.ts'
import type { Charge } from '../charge.ts'
import type { Customer } from '../customer.ts'
import type { Discounts } from '../discount.ts'
import type { FinalAction, RetrySchedule } from '../dunning.ts'
import { type Invoice, isOutstanding } from '../invoice.ts'
import type { InvoiceItem } from '../invoice-item.ts'
import type { InvoicePlan } from '../invoice-plan.ts'
import type { NoticeDays } from '../notices.ts'
import type { PaymentIntent } from '../payment-intent.ts'
import type { PaymentMethod } from '../payment-method.ts'
import type { ChargeFault } from '../processor.ts'
import type { Rules } from '../rules.ts'
import type { Prices, Subscription } from '../subscription.ts'
import type { SubscriptionSchedule } from '../subscription-schedule.ts'
import type { ReadUsage } from './usage.ts'

/** The state that a billing decision reads, as of the start of the decision. */
export type Account = {
  /** Unix seconds on the customer's clock. */
  readonly now: number
  readonly newId: (prefix: string) => string
  readonly final_action: FinalAction
  readonly retries: RetrySchedule
  /** The merchant's settings for notices. */
  readonly notices: NoticeDays
  readonly rules: Rules
  readonly customer: Customer
  /** The payment method that is charged: the subscription's, or else the customer's default. */
  readonly paymentMethod: PaymentMethod | null
  /** Whether the customer is present and can authenticate a payment; false if absent. */
  readonly isOnSession?: boolean
  /** The payment that the customer made before the decision's invoice; absent for none. Nothing else is charged. */
  readonly prepaid?: { readonly intent: PaymentIntent; readonly charge: Charge }
  /** The fault to apply to a charge attempt of this decision; null for none. */
  readonly fault: ChargeFault | null
  /** The prices of the subscription's items; with discounts for certain products also those of the invoice items it may bill. */
  readonly prices: Prices
  /** Reads the usage of a metered item. Only periods that end need it. */
  readonly usage: ReadUsage
  /** The discounts of the subscription, its items, its pending items and the customer. */
  readonly discounts: Discounts
  /**
   * The numbers of outstanding invoices of the customer and of the subscription. Each count stops at one more than the decision
   * can pay or close, which is enough to know whether any remains. The customer's count has the invoices that make it
   * delinquent.
   */
  readonly outstanding: { readonly customer: number; readonly subscription: number }
  /** The invoice items that the subscription's next invoice bills, oldest first. */
  readonly pendingItems: readonly InvoiceItem[]
  /** Loads the customer's pending items that belong to no subscription; absent where its invoices do not bill them. */
  readonly looseItems?: (() => LooseItems) | undefined
  /** The invoice of the subscription's pending update, and the invoice items on it; null without an update. */
  readonly pendingUpdate: {
    readonly invoice: Invoice
    /** The items on its invoice. */
    readonly items: readonly InvoiceItem[]
    /** The items of the update that exceed the limits of its invoice. */
    readonly exceeding: readonly InvoiceItem[]
  } | null
  /** The intents of the invoices that the decision may pay or void, by invoice id. */
  readonly intents: ReadonlyMap<string, PaymentIntent>
}

/** Pending items in the currency of a subscription, oldest first, with their discounts and prices. */
export type LooseItems = {
  readonly items: readonly InvoiceItem[]
  readonly discounts: Discounts
  readonly prices: Prices
}

/** The state that a decision reads if it can end a subscription. */
export type EndingAccount = Account & {
  /** Loads the invoices of an incomplete subscription, oldest first. Only its end needs them, which voids the open ones. */
  readonly unpaidInvoices: () => readonly Invoice[]
  /** Loads the plans of the subscription's invoices with a planned attempt, oldest first. Only an end needs them, which removes them. */
  readonly invoicePlans: () => readonly InvoicePlan[]
  /** The schedule that manages the subscription; null for none. */
  readonly schedule: SubscriptionSchedule | null
}

/** Reports whether an invoice of the subscription is outstanding after the steps so far. */
export const isOwed = (change: Change, { outstanding }: Account, { id }: Subscription): boolean =>
  outstanding.subscription +
    change.gain('invoice', (invoice) => invoice.subscription === id && isOutstanding(invoice)) >
  0

/** Reports whether a payment failed or is overdue. */
export const isDefaulted = (invoice: Invoice): boolean =>
  isOutstanding(invoice) && (invoice.attempted || invoice.overdue)

/**
 * Updates the customer's `delinquent` flag to the outstanding invoices after the steps so far. Some merchants' rules emit an
 * event.
 * See docs/contract/customers.md#delinquency.
 */
export function updateDelinquency(change: Change, account: Account): void {
  const makesDelinquent = account.rules.owesBeforeAttempt ? isOutstanding : isDefaulted
  const isOwing = account.outstanding.customer + change.gain('invoice', makesDelinquent) > 0
  const { delinquent } = change.latest('customer', account.customer)
  if (delinquent === isOwing) return
  const event = account.rules.reportsDelinquency ? 'customer.updated' : null
  change.update('customer', account.customer, (customer) => ({ ...customer, delinquent: isOwing }), event)
}
