import type { Account, EndingAccount } from '../core/billing/account.ts'
import type { Invoice } from '../core/invoice.ts'
import type { PaymentMethod } from '../core/payment-method.ts'
import type { Subscription } from '../core/subscription.ts'
import { nextChargeFault } from './charge-fault.ts'
import type { UnitOfWork } from './unit.ts'

/** Loads the state that a billing decision on a subscription reads. */
export const loadAccount = (unit: UnitOfWork, subscription: Subscription): Account =>
  accountOf(unit, subscription.customer, subscription, [])

/** Loads the state that a decision reads if it may end a subscription. */
export const loadEndingAccount = (unit: UnitOfWork, subscription: Subscription): EndingAccount =>
  endingAccountOf(unit, subscription.customer, subscription, [])

/**
 * Loads the state that a decision on an invoice reads.
 * @param subscription - that of the invoice; null for a manual invoice, which is paid with the customer's default
 */
export const loadInvoiceAccount = (
  unit: UnitOfWork,
  invoice: Invoice,
  subscription: Subscription | null,
): EndingAccount => endingAccountOf(unit, invoice.customer, subscription, [invoice])

function endingAccountOf(
  unit: UnitOfWork,
  customerId: string,
  subscription: Subscription | null,
  invoices: readonly Invoice[],
): EndingAccount {
  const endingInvoices = subscription === null ? [] : endingInvoicesOf(unit, subscription)
  const voided = subscription?.status === 'incomplete' ? endingInvoices : []
  return { ...accountOf(unit, customerId, subscription, [...invoices, ...voided]), endingInvoices }
}

/** @param invoices - the invoices that the decision may pay or void */
function accountOf(
  unit: UnitOfWork,
  customerId: string,
  subscription: Subscription | null,
  invoices: readonly Invoice[],
): Account {
  const customer = unit.need('customer', customerId)
  // A method that was detached since it was chosen cannot be charged.
  const usable = (id: string | null = null): PaymentMethod | null => {
    const method = id === null ? null : unit.need('payment_method', id)
    return method?.customer === customer.id ? method : null
  }
  return {
    now: unit.clockOf(customer.test_clock).instant,
    newId: unit.newId,
    final_action: unit.merchant.settings.dunning_final_action,
    customer,
    paymentMethod: usable(subscription?.default_payment_method) ?? usable(customer.default_payment_method),
    fault: nextChargeFault(unit),
    prices: new Map((subscription?.items ?? []).map(({ price }) => [price, unit.need('price', price)])),
    outstanding: outstandingOf(unit, customerId, subscription, invoices.length + 1),
    intents: intentsOf(unit, invoices),
  }
}

function outstandingOf(
  { store }: UnitOfWork,
  customer: string,
  subscription: Subscription | null,
  limit: number,
): Account['outstanding'] {
  const ofCustomer = store.objects.countOutstanding({ customer }, limit)
  const isAny = ofCustomer > 0 && subscription !== null
  return {
    customer: ofCustomer,
    subscription: isAny
      ? store.objects.countOutstanding({ customer, subscription: subscription.id }, limit)
      : 0,
  }
}

/** Lists the open invoices that change when a subscription ends. An incomplete one has only its first invoice. */
const endingInvoicesOf = ({ store, owner }: UnitOfWork, { id, status }: Subscription): Invoice[] =>
  status === 'incomplete'
    ? store.objects
        .list('invoice', owner, [{ field: 'subscription', is: id }], { limit: Number.MAX_SAFE_INTEGER })
        .reverse()
    : store.objects.invoicesToRetry(id)

/** Returns the subscription that an invoice bills; null for a manual one. */
export const subscriptionOf = (unit: UnitOfWork, { subscription }: Invoice): Subscription | null =>
  subscription === null ? null : unit.need('subscription', subscription)

/** Returns the intents of some invoices, by invoice id. */
const intentsOf = (unit: UnitOfWork, invoices: readonly Invoice[]): Account['intents'] =>
  new Map(
    invoices.flatMap((invoice) =>
      invoice.payment_intent === null
        ? []
        : [[invoice.id, unit.need('payment_intent', invoice.payment_intent)]],
    ),
  )
