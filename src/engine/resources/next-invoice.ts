import type { Change } from '../../core/change.ts'
import type { Customer } from '../../core/customer.ts'
import type { Invoice } from '../../core/invoice.ts'
import { applyBalance, balanceLeftBy } from '../../core/invoice-balance.ts'
import type { InvoiceLine } from '../../core/invoice-line.ts'
import { isDraft } from '../../core/invoice-status.ts'
import { compareJobs, isNotice, type Job, scheduleJobs, subscriptionJobs } from '../../core/jobs.ts'
import type { UnitOfWork } from '../machine/unit.ts'

export type RunJob = (unit: UnitOfWork, job: Job) => void

/** The functions that run and decide jobs. They are a parameter, because jobs themselves need the next invoice. */
type Jobs = {
  readonly run: RunJob
  /** Decides a job that begins a period, and writes nothing; undefined for other jobs. */
  readonly decidePeriod: (unit: UnitOfWork, job: Job) => Change | undefined
}

/** Returns the newest invoice of a subscription. */
export const newestInvoice = (unit: UnitOfWork, subscription: string): Invoice | undefined =>
  newestInvoices(unit, subscription, 1)[0]

const newestInvoices = ({ store, owner }: UnitOfWork, subscription: string, limit: number): Invoice[] =>
  store.objects.list('invoice', owner, [{ field: 'subscription', is: subscription }], { limit })

/**
 * Returns the newest invoice of a subscription if it is another one than before. A draft has the customer's balance applied, as
 * when it is finalized.
 */
export function newInvoice(
  unit: UnitOfWork,
  subscription: string,
  before: string | undefined,
): Invoice | undefined {
  const [newest, former] = newestInvoices(unit, subscription, 2)
  if (!newest || newest.id === before) return undefined
  return withBalance(newest, former, unit.need('customer', newest.customer))
}

/**
 * Applies the customer's balance to a draft. Invoices that are finalized have theirs applied.
 * @param former - the subscription's invoice before it, which uses the balance first if it is a draft that advances
 */
function withBalance(invoice: Invoice, former: Invoice | undefined, { balances }: Customer): Invoice {
  if (!isDraft(invoice)) return invoice
  const balance = balances[invoice.currency] ?? 0
  const isUsed = former !== undefined && isDraft(former) && former.next_payment_attempt !== null
  return {
    ...invoice,
    ...applyBalance(invoice.total, isUsed ? balanceLeftBy(former.total, balance) : balance),
  }
}

/**
 * Returns the next invoice of a subscription if nothing else changes; undefined for none. If the next job makes it, it is
 * only decided, which takes a fraction of the time. Otherwise the jobs are rehearsed, up to the one that makes it.
 */
export function findNextInvoice(unit: UnitOfWork, id: string, jobs: Jobs): Invoice | undefined {
  const subscription = unit.need('subscription', id)
  const { schedule } = subscription
  const [job] = [
    ...subscriptionJobs(subscription).filter((each) => !isNotice(each)),
    ...(schedule === null ? [] : scheduleJobs(unit.need('subscription_schedule', schedule))),
  ].toSorted(compareJobs)
  if (!job) return undefined
  const at = Math.max(job.due, unit.clockOf(subscription.test_clock).instant)
  const decided = unit.imagine((imagined) => newestOf(imagined, jobs.decidePeriod(imagined, job), id), at)
  if (decided) return decided
  const before = newestInvoice(unit, id)?.id
  return unit.rehearse(
    (rehearsal) => {
      jobs.run(rehearsal, job)
      return newInvoice(rehearsal, id, before) ?? findNextInvoice(rehearsal, id, jobs)
    },
    { at },
  )
}

/** Returns the newest invoice of a subscription that a change creates, as newInvoice does. */
function newestOf(unit: UnitOfWork, change: Change | undefined, subscription: string): Invoice | undefined {
  const created = change?.steps.findLast(
    (step) => step.kind === 'invoice' && step.before === null && step.after.subscription === subscription,
  )
  const invoice = created && change?.pending('invoice', created.after.id)
  if (!change || !invoice) return undefined
  const customer = change.latest('customer', unit.need('customer', invoice.customer))
  return withBalance(invoice, newestInvoice(unit, subscription), customer)
}

/** Converts an invoice to its state before the collection, without the ids of objects that were rolled back. */
export function asPreview(unit: UnitOfWork, invoice: Invoice, isNew: boolean): Invoice {
  const items = new Set(
    (invoice.subscription === null || isNew
      ? undefined
      : unit.need('subscription', invoice.subscription)
    )?.items.map(({ id }) => id),
  )
  const discountOf = discountNames(unit)
  const line = (made: InvoiceLine): InvoiceLine => {
    const { subscription_item: item, discounts, discount_amounts } = made
    const ofItem = item !== null && items.has(item) ? item : null
    const shown = { ...made, id: 'il_preview', subscription_item: ofItem }
    if (discounts) shown.discounts = discounts.map(discountOf)
    if (discount_amounts)
      shown.discount_amounts = discount_amounts.map(({ discount, amount }) => ({
        discount: discountOf(discount),
        amount,
      }))
    if (made.invoice_item === undefined || unit.get('invoice_item', made.invoice_item)) return shown
    const { invoice_item: _, ...withoutItem } = shown
    return withoutItem
  }
  return {
    ...invoice,
    id: 'in_preview',
    subscription: isNew ? null : invoice.subscription,
    lines: invoice.lines.map(line),
    discounts: invoice.discounts.map(discountOf),
    status: 'draft',
    number: null,
    amount_paid: 0,
    attempt_count: 0,
    attempted: false,
    next_payment_attempt: null,
    payment_intent: null,
    charge: null,
    due_date: null,
    overdue: false,
    finalized_at: null,
    paid_at: null,
    voided_at: null,
    marked_uncollectible_at: null,
  }
}

/** Returns a function that names discounts: those that were rolled back are `di_preview_1` and so on. */
function discountNames(unit: UnitOfWork): (id: string) => string {
  const names = new Map<string, string>()
  return (id) => {
    if (unit.get('discount', id)) return id
    const name = names.get(id) ?? `di_preview_${names.size + 1}`
    names.set(id, name)
    return name
  }
}
