import type { Account, EndingAccount } from '../../core/billing/account.ts'
import { discountIdsOf } from '../../core/billing/discounting.ts'
import type { Change } from '../../core/change.ts'
import { type Discounts, NO_DISCOUNTS } from '../../core/discount.ts'
import { type Invoice, MAX_LINES } from '../../core/invoice.ts'
import { type InvoiceItem, itemsOfOneInvoice } from '../../core/invoice-item.ts'
import type { PaymentMethod } from '../../core/payment-method.ts'
import type { Prices, Subscription } from '../../core/subscription.ts'
import { factsOf } from '../../core/subscription-status.ts'
import { nextChargeFault } from '../machine/charge-fault.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { loadDiscounts, pricesToDiscount } from './discount.ts'
import { usageOf } from './usage.ts'
import { looseItemsOf } from './waiting-items.ts'

/**
 * Loads the state that a billing decision on a subscription reads.
 * @param change - the steps of the same decision, which may create discounts
 */
export const loadAccount = (unit: UnitOfWork, subscription: Subscription, change?: Change): Account =>
  accountOf(unit, subscription.customer, subscription, { change })

/**
 * Loads the account of a subscription that is not stored yet.
 * @param given.method - its payment method, which may not be stored either; null for the customer's default
 * @param given.added - the items that its first invoice bills too, which are not stored yet
 * @param given.change - the steps that create its discounts
 */
export function accountOfNew(
  unit: UnitOfWork,
  subscription: Subscription,
  { method, ...given }: NewlyGiven,
): Account {
  const { customer } = subscription
  const account = accountOf(unit, customer, { ...subscription, default_payment_method: null }, given)
  return { ...account, paymentMethod: method ?? account.paymentMethod }
}

type NewlyGiven = {
  readonly method: Account['paymentMethod']
  readonly change: Change
  readonly added?: readonly InvoiceItem[]
}

/**
 * Loads the state that a decision reads if it may end a subscription.
 * @param change - the steps of the same decision, which may create discounts
 */
export const loadEndingAccount = (
  unit: UnitOfWork,
  subscription: Subscription,
  change?: Change,
): EndingAccount => endingAccountOf(unit, subscription.customer, subscription, { change })

/**
 * Loads the state that a decision on an invoice reads.
 * @param subscription - that of the invoice; null for a manual invoice, which is paid with the customer's default
 */
export const loadInvoiceAccount = (
  unit: UnitOfWork,
  invoice: Invoice,
  subscription: Subscription | null,
): EndingAccount =>
  endingAccountOf(unit, invoice.customer, subscription, {
    invoices: [invoice],
    chosen: invoice.default_payment_method,
  })

/**
 * The invoices that a decision may pay or void, its steps so far, a payment method that takes precedence, and pending items that
 * are not stored yet.
 */
type Given = {
  readonly invoices?: readonly Invoice[]
  readonly change?: Change | undefined
  readonly chosen?: string | null
  readonly added?: readonly InvoiceItem[]
}

function endingAccountOf(
  unit: UnitOfWork,
  customerId: string,
  subscription: Subscription | null,
  { invoices = [], change, chosen = null }: Given,
): EndingAccount {
  const isIncomplete = subscription !== null && factsOf(subscription).awaitsFirstPayment
  const unpaidInvoices = () => (isIncomplete ? invoicesOf(unit, subscription) : [])
  // A rehearsal shows a new invoice, and none of those that are there.
  const invoicePlans = () =>
    subscription === null || unit.request?.isRehearsal ? [] : unit.store.objects.invoicePlans(subscription.id)
  const account = accountOf(unit, customerId, subscription, {
    invoices: [...invoices, ...unpaidInvoices()],
    change,
    chosen,
  })
  const managing = subscription?.schedule ?? null
  const schedule = managing === null ? null : unit.need('subscription_schedule', managing)
  // A copy would read the payment method, which is a getter, and takes V8 ten times as long.
  return Object.assign(account, { unpaidInvoices, invoicePlans, schedule })
}

function accountOf(
  unit: UnitOfWork,
  customerId: string,
  subscription: Subscription | null,
  { invoices = [], change, chosen = null, added = [] }: Given,
): Account {
  const customer = unit.need('customer', customerId)
  const pendingUpdate = pendingUpdateOf(unit, subscription)
  const affected = pendingUpdate ? [...invoices, pendingUpdate.invoice] : invoices
  // A method that was detached since it was chosen cannot be charged.
  const usable = (id: string | null = null): PaymentMethod | null => {
    const method = id === null ? null : unit.need('payment_method', id)
    return method?.customer === customer.id ? method : null
  }
  const stored = subscription?.has_pending_items ? pendingItemsOf(unit, subscription) : []
  const pendingItems = added.length > 0 ? [...stored, ...added] : stored
  // The items of a pending update become pending again if it is discarded.
  const mayBill = pendingUpdate ? [...pendingItems, ...pendingUpdate.items] : pendingItems
  const discounts = subscription
    ? loadDiscounts(unit, discountsToLoad(subscription, customer.discount, mayBill), change)
    : NO_DISCOUNTS
  return {
    now: unit.clockOf(customer.test_clock).instant,
    newId: unit.newId,
    final_action: unit.merchant.settings.dunning_final_action,
    retries: unit.merchant.settings.retry_schedule,
    notices: unit.merchant.settings.notices,
    rules: unit.rules,
    customer,
    // Read only by decisions that charge.
    get paymentMethod() {
      return (
        usable(chosen) ??
        usable(subscription?.default_payment_method) ??
        usable(customer.default_payment_method)
      )
    },
    fault: nextChargeFault(unit),
    prices: pricesOf(unit, subscription, discounts, mayBill),
    usage: usageOf(unit, customerId),
    discounts,
    pendingItems,
    looseItems:
      subscription && unit.rules.billsLooseItems ? () => looseItemsOf(unit, subscription, change) : undefined,
    pendingUpdate,
    outstanding: outstandingOf(unit, customerId, subscription, affected.length + 1),
    intents: intentsOf(unit, affected),
  }
}

/** Returns the payment that the customer made before the invoice, for an account; nothing without one. */
export function prepaidBy(unit: UnitOfWork, id: string | undefined): Pick<Account, 'prepaid'> {
  if (id === undefined) return {}
  const intent = unit.need('payment_intent', id)
  return { prepaid: { intent, charge: unit.need('charge', intent.latest_charge ?? '') } }
}

function discountsToLoad(
  subscription: Subscription,
  ofCustomer: string | null,
  items: readonly InvoiceItem[],
): readonly string[] {
  const own = discountIdsOf(subscription)
  if (ofCustomer === null && !items.some(({ discounts }) => discounts.length > 0)) return own
  return [...own, ...(ofCustomer === null ? [] : [ofCustomer]), ...items.flatMap((item) => item.discounts)]
}

/** Returns the prices of the items of a subscription, and those that its discounts need for the invoice items that may be billed. */
function pricesOf(
  unit: UnitOfWork,
  subscription: Subscription | null,
  discounts: Discounts,
  mayBill: readonly InvoiceItem[],
): Prices {
  const items = subscription?.items ?? []
  const own = new Map(items.map(({ price }) => [price, unit.needWithoutMetadata('price', price)]))
  const others = pricesToDiscount(unit, discounts, mayBill)
  return others.size === 0 ? own : new Map([...own, ...others])
}

/** Loads the invoice of a subscription's pending update, with the items on it and those that exceed it. */
function pendingUpdateOf(unit: UnitOfWork, subscription: Subscription | null): Account['pendingUpdate'] {
  if (!subscription?.pending_update) return null
  const invoice = unit.need('invoice', subscription.pending_update.invoice)
  const onInvoice = [
    { field: 'invoice', is: invoice.id },
    { field: 'deleted', is: 0 },
  ]
  const page = { before: 0, limit: Number.MAX_SAFE_INTEGER }
  const exceeding = subscription.pending_update.prorations
    .map((id) => unit.need('invoice_item', id))
    .filter(({ billed_with }) => billed_with === subscription.id)
  return { invoice, items: unit.store.objects.list('invoice_item', unit.owner, onInvoice, page), exceeding }
}

/** Lists the invoice items that a subscription's next invoice bills, oldest first, up to the limits of an invoice. */
const pendingItemsOf = (unit: UnitOfWork, { id }: Subscription): readonly InvoiceItem[] =>
  itemsOfOneInvoice(
    unit.store.objects.itemsReadAhead(id) ??
      unit.store.objects.list('invoice_item', unit.owner, [{ field: 'billed_with', is: id }], {
        before: 0,
        limit: MAX_LINES,
      }),
  )

function outstandingOf(
  { store, rules }: UnitOfWork,
  customer: string,
  subscription: Subscription | null,
  limit: number,
): Account['outstanding'] {
  const ofCustomer = store.objects.countOutstanding({ customer }, limit)
  const isAny = ofCustomer > 0 && subscription !== null
  return {
    customer:
      ofCustomer === 0 || rules.owesBeforeAttempt
        ? ofCustomer
        : store.objects.countDefaulted(customer, limit),
    subscription: isAny
      ? store.objects.countOutstanding({ customer, subscription: subscription.id }, limit)
      : 0,
  }
}

/** Lists the invoices of a subscription, oldest first. An incomplete one has only its first invoice. */
const invoicesOf = ({ store, owner }: UnitOfWork, { id }: Subscription): Invoice[] =>
  store.objects
    .list('invoice', owner, [{ field: 'subscription', is: id }], { limit: Number.MAX_SAFE_INTEGER })
    .reverse()

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
