import type { Account } from '../core/billing/account.ts'
import type { Invoice } from '../core/invoice.ts'
import type { PaymentMethod } from '../core/payment-method.ts'
import type { Subscription } from '../core/subscription.ts'
import { faultAhead } from './charge-fault.ts'
import type { Unit } from './unit.ts'

/** Loads all that a billing decision on a subscription reads. */
export function loadAccount(unit: Unit, subscription: Subscription): Account {
  return loadCustomerAccount(unit, subscription.customer, subscription)
}

/** Loads all that a billing decision on a customer reads; without a subscription its own default pays. */
export function loadCustomerAccount(
  unit: Unit,
  customerId: string,
  subscription: Subscription | null,
): Account {
  const customer = unit.need('customer', customerId)
  // A method that was detached since it was chosen is none.
  const usable = (id: string | null = null): PaymentMethod | null => {
    const method = id === null ? null : unit.need('payment_method', id)
    return method?.customer === customer.id ? method : null
  }
  const openInvoices = unit.store.objects.openInvoices(customer.id)
  return {
    now: unit.clockOf(customer.test_clock).instant,
    newId: unit.newId,
    final_action: unit.merchant.settings.dunning_final_action,
    customer,
    paymentMethod: usable(subscription?.default_payment_method) ?? usable(customer.default_payment_method),
    fault: faultAhead(unit),
    prices: new Map((subscription?.items ?? []).map(({ price }) => [price, unit.need('price', price)])),
    openInvoices,
    intents: intentsOf(unit, openInvoices),
  }
}

/** The subscription that an invoice bills; null for a manual one. */
export const subscriptionOf = (unit: Unit, { subscription }: Invoice): Subscription | null =>
  subscription === null ? null : unit.need('subscription', subscription)

/** The intents of some invoices, by the invoice's id. */
export const intentsOf = (unit: Unit, invoices: readonly Invoice[]): Account['intents'] =>
  new Map(
    invoices.flatMap((invoice) =>
      invoice.payment_intent === null
        ? []
        : [[invoice.id, unit.need('payment_intent', invoice.payment_intent)]],
    ),
  )
