import type { Change } from '../change.ts'
import type { Customer } from '../customer.ts'
import type { FinalAction } from '../dunning.ts'
import { type Invoice, isOutstanding } from '../invoice.ts'
import type { PaymentIntent } from '../payment-intent.ts'
import type { PaymentMethod } from '../payment-method.ts'
import type { ChargeFault } from '../processor.ts'
import type { Prices, Subscription } from '../subscription.ts'

/** All that a billing decision reads, as it was when the decision was asked for. */
export type Account = {
  /** Unix seconds on the customer's clock. */
  readonly now: number
  readonly newId: (prefix: string) => string
  readonly final_action: FinalAction
  readonly customer: Customer
  /** What an attempt charges: the subscription's payment method, else the customer's default. */
  readonly paymentMethod: PaymentMethod | null
  /** What strikes the attempt if the decision makes one; null when nothing does. */
  readonly fault: ChargeFault | null
  readonly prices: Prices
  /**
   * How many invoices of the customer, and of the subscription, are outstanding. The count stops at one more than the
   * decision can settle, which is enough to know whether any is left.
   */
  readonly outstanding: { readonly customer: number; readonly subscription: number }
  /** The intents of the invoices that the decision may pay or void, by the invoice's id. */
  readonly intents: ReadonlyMap<string, PaymentIntent>
}

/** What a decision reads that may end a subscription. */
export type EndingAccount = Account & {
  /**
   * The subscription's open invoices that change when it ends, oldest first: all of an incomplete subscription, else those
   * that have a retry ahead.
   */
  readonly endingInvoices: readonly Invoice[]
}

/** The invoices that the subscription's end still changes after the steps so far, oldest first. */
export const endingInvoicesOf = (change: Change, { endingInvoices }: EndingAccount): Invoice[] =>
  endingInvoices
    .map((invoice) => change.latest('invoice', invoice))
    .filter((invoice) => invoice.status === 'open')

/** Whether an invoice of the subscription is outstanding after the steps so far. */
export const isOwed = (change: Change, { outstanding }: Account, { id }: Subscription): boolean =>
  outstanding.subscription +
    change.gain('invoice', (invoice) => invoice.subscription === id && isOutstanding(invoice)) >
  0

/**
 * Notes on the customer whether any invoice is outstanding after the steps so far.
 * No event reports it. See docs/contract/customers.md#delinquency.
 */
export function noteDelinquency(change: Change, account: Account): void {
  const isOwing = account.outstanding.customer + change.gain('invoice', isOutstanding) > 0
  change.update('customer', account.customer, (customer) =>
    customer.delinquent === isOwing ? customer : { ...customer, delinquent: isOwing },
  )
}
