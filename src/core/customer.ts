import type { Contact } from './contact.ts'
import type { Balances } from './customer-balance.ts'
import type { Metadata } from './metadata.ts'

/** A customer. See docs/contract/customers.md#customers. */
export type Customer = {
  readonly id: string
  readonly created: number
  readonly email: string | null
  readonly name: string | null
  readonly description: string | null
  readonly metadata: Metadata
  readonly default_payment_method: string | null
  /** The 8 characters that begin the numbers of its invoices. */
  readonly invoice_prefix: string
  /** The sequence number of its next finalized invoice. Not part of the API's object. */
  readonly next_invoice_number: number
  /** Whether one of its invoices is outstanding: open and charged automatically, or past its due date. */
  readonly delinquent: boolean
  /**
   * The balance in each currency, which the next invoices add: negative for a credit. Currencies without a balance are absent.
   */
  readonly balances: Balances
  /** Its discount, which applies to invoices without discounts of their own. */
  readonly discount: string | null
  /** The test clock of the customer and its objects; null for the merchant's main clock. */
  readonly test_clock: string | null
  readonly deleted: boolean
  /** null if none was given. Only Stripe's API has it. */
  readonly contact: Contact | null
}
