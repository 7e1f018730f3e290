import type { Account } from '../core/billing/account.ts'
import { cancel, expire } from '../core/billing/cancel.ts'
import { endPause, endTrial, renew } from '../core/billing/renew.ts'
import { passDueDate, retry } from '../core/billing/retry.ts'
import { Change } from '../core/change.ts'
import type { Invoice } from '../core/invoice.ts'
import type { JobKind } from '../core/jobs.ts'
import type { PaymentMethod } from '../core/payment-method.ts'
import type { Subscription } from '../core/subscription.ts'
import type { QueuedJob } from '../store/jobs.ts'
import { apply } from './apply.ts'
import { faultAhead } from './charge-fault.ts'
import { failRefund } from './refund.ts'
import type { Unit } from './unit.ts'
import { sendAgain } from './webhook-delivery.ts'

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

type SubscriptionRule = (change: Change, account: Account, subscription: Subscription) => void
type InvoiceRule = (
  change: Change,
  account: Account,
  invoice: Invoice,
  subscription: Subscription | null,
) => void

const onSubscription = (rule: SubscriptionRule) => (unit: Unit, job: QueuedJob) => {
  const subscription = unit.need('subscription', job.object)
  const account = loadAccount(unit, subscription)
  const change = new Change()
  rule(change, account, subscription)
  apply(unit, change, unit.clockOf(subscription.test_clock))
}

const onInvoice = (rule: InvoiceRule) => (unit: Unit, job: QueuedJob) => {
  const invoice = unit.need('invoice', job.object)
  const subscription = subscriptionOf(unit, invoice)
  const account = loadCustomerAccount(unit, invoice.customer, subscription)
  const change = new Change()
  rule(change, account, invoice, subscription)
  apply(unit, change, unit.clockOf(invoice.test_clock))
}

/** What each kind of job does. */
const JOBS: Readonly<Record<JobKind, (unit: Unit, job: QueuedJob) => void>> = {
  payment_retry: onInvoice(retry),
  invoice_due: onInvoice(passDueDate),
  cancellation: onSubscription((change, account, subscription) =>
    cancel(change, account, subscription, 'cancellation_requested'),
  ),
  incomplete_expiry: onSubscription(expire),
  pause_end: onSubscription((change, _, subscription) => endPause(change, subscription)),
  trial_end: onSubscription((change, account, subscription) => endTrial(change, account, subscription)),
  renewal: onSubscription(renew),
  refund_settlement: (unit, job) => failRefund(unit, job.object),
  webhook_retry: (unit, job) => sendAgain(unit, job.object),
}

/** Runs a job that is due; its clock stands at the job's instant. */
export const runJob = (unit: Unit, job: QueuedJob): void => JOBS[job.kind](unit, job)
