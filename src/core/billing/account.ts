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
  /** Every open invoice of the customer, oldest first. */
  readonly openInvoices: readonly Invoice[]
  /** The intents of the open invoices, by the invoice's id. */
  readonly intents: ReadonlyMap<string, PaymentIntent>
}

/** The open invoices of one subscription as the change leaves them, oldest first. */
export const openInvoicesOf = (change: Change, account: Account, subscription: Subscription): Invoice[] =>
  account.openInvoices
    .filter((invoice) => invoice.subscription === subscription.id)
    .map((invoice) => change.latest('invoice', invoice))
    .filter((invoice) => invoice.status === 'open')

/**
 * Notes on the customer whether money is outstanding, once the change has said all it has to say of invoices.
 * Source: decisions.md 3 (`delinquent`); paytwin: no event tells of it, since state-machines.md lists none.
 */
export function noteDelinquency(change: Change, account: Account, invoice: Invoice): void {
  const isOwing = [invoice, ...account.openInvoices].some((open) =>
    isOutstanding(change.latest('invoice', open)),
  )
  change.update('customer', account.customer, (customer) =>
    customer.delinquent === isOwing ? customer : { ...customer, delinquent: isOwing },
  )
}
