import type Stripe from 'stripe'
import { NO_CONTACT } from '../../../core/contact.ts'
import type { Customer } from '../../../core/customer.ts'
import type { CustomerBalanceTransaction } from '../../../core/customer-balance.ts'
import type { View } from '../../../engine/history/view.ts'
import type { Wire } from '../wire.ts'
import { presentDiscount } from './discount.ts'

export function presentCustomer(view: View, customer: Customer): Wire<Stripe.Customer> {
  const discount = customer.discount === null ? undefined : view.get('discount', customer.discount)
  const [[currency, balance] = [null, 0]] = Object.entries(customer.balances)
  const { address, phone, preferred_locales, shipping, tax_exempt = 'none' } = customer.contact ?? NO_CONTACT
  return {
    id: customer.id,
    object: 'customer',
    address: address && { ...address },
    balance,
    created: customer.created,
    currency,
    customer_account: null,
    default_source: null,
    delinquent: customer.delinquent,
    description: customer.description,
    discount: discount ? presentDiscount(view, discount) : null,
    email: customer.email,
    invoice_credit_balance: { ...customer.balances },
    invoice_prefix: customer.invoice_prefix,
    invoice_settings: {
      custom_fields: null,
      default_payment_method: customer.default_payment_method,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: customer.metadata,
    name: customer.name,
    next_invoice_sequence: customer.next_invoice_number,
    phone,
    preferred_locales: [...preferred_locales],
    shipping: shipping && { ...shipping, address: { ...shipping.address } },
    tax_exempt,
    test_clock: customer.test_clock,
  }
}

/**
 * Presents a customer in an event, without next_invoice_sequence, because the number of its invoices at that time is not
 * recorded.
 */
export function presentCustomerInEvent(view: View, customer: Customer): Wire<Stripe.Customer> {
  const { next_invoice_sequence: _, ...shown } = presentCustomer(view, customer)
  return shown
}

/** Presents a customer; a deleted one as its stub. */
export const presentFoundCustomer = (
  view: View,
  customer: Customer,
): Wire<Stripe.Customer> | Wire<Stripe.DeletedCustomer> =>
  customer.deleted ? { id: customer.id, object: 'customer', deleted: true } : presentCustomer(view, customer)

export const presentBalanceTransaction = (
  _view: View,
  transaction: CustomerBalanceTransaction,
): Wire<Stripe.CustomerBalanceTransaction> => ({
  id: transaction.id,
  object: 'customer_balance_transaction',
  amount: transaction.amount,
  checkout_session: null,
  created: transaction.created,
  credit_note: transaction.credit_note,
  currency: transaction.currency,
  customer: transaction.customer,
  customer_account: null,
  description: transaction.description,
  ending_balance: transaction.ending_balance,
  invoice: transaction.invoice,
  livemode: false,
  metadata: transaction.metadata,
  type: transaction.type,
})
