import type { Change } from '../../core/change.ts'
import type { Customer } from '../../core/customer.ts'
import type { Invoice } from '../../core/invoice.ts'
import { applyBalance } from '../../core/invoice-balance.ts'
import { type InvoiceLine, NO_ID } from '../../core/invoice-line.ts'
import { isDraft } from '../../core/invoice-status.ts'
import { compareJobs, type Job } from '../../core/jobs.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { jobBeforeInvoice } from './next-invoice-job.ts'
import { finalizePlanned } from './planned-invoice.ts'

export type RunJob = (unit: UnitOfWork, job: Job) => void

/** The functions that run and decide jobs. They are a parameter, because jobs themselves need the next invoice. */
type Jobs = {
  readonly run: RunJob
  /** Decides a job that begins a period, and writes nothing; undefined for other jobs. */
  readonly decidePeriod: (unit: UnitOfWork, job: Job) => Change | undefined
}

/** The maximum number of drafts that are finalized before a previewed invoice. */
const MAX_DRAFTS = 10

/** Returns the newest invoice of a subscription. */
export const newestInvoice = ({ store, owner }: UnitOfWork, subscription: string): Invoice | undefined =>
  store.objects.list('invoice', owner, [{ field: 'subscription', is: subscription }], { limit: 1 })[0]

/**
 * Returns the newest invoice of a subscription if it is another one than before. A draft has the customer's balance applied, as
 * when it is finalized.
 * @param drafts - the maximum number of drafts that are finalized before
 */
export function newInvoice(
  unit: UnitOfWork,
  subscription: string,
  before: string | undefined,
  drafts: number = MAX_DRAFTS,
): Invoice | undefined {
  const newest = newestInvoice(unit, subscription)
  return newest && newest.id !== before ? withBalance(unit, newest, subscription, drafts) : undefined
}

/**
 * Applies the customer's balance to a draft, after the drafts of its subscription that are finalized before it. Invoices that
 * are finalized have theirs applied.
 */
function withBalance(unit: UnitOfWork, invoice: Invoice, subscription: string, drafts: number): Invoice {
  if (!isDraft(invoice)) return invoice
  const former = drafts > 0 ? unit.store.objects.nextFinalization(subscription) : undefined
  if (former && former.object !== invoice.id)
    return afterFinalization(unit, former, (rehearsal) =>
      withBalance(rehearsal, invoice, subscription, drafts - 1),
    )
  return applied(invoice, unit.need('customer', invoice.customer))
}

const applied = (draft: Invoice, { balances }: Customer): Invoice => ({
  ...draft,
  ...applyBalance(draft.total, balances[draft.currency] ?? 0),
})

/** Rehearses a planned finalization, which uses the customer's balance and adds late usage, and then other work. */
const afterFinalization = <T>(unit: UnitOfWork, job: Job, work: (rehearsal: UnitOfWork) => T): T =>
  unit.rehearse(
    (rehearsal) => {
      finalizePlanned(rehearsal, job.object)
      return work(rehearsal)
    },
    { at: instantOf(unit, job, unit.need('invoice', job.object)) },
  )

/** Returns when a job runs, in Unix seconds. */
const instantOf = (unit: UnitOfWork, { due }: Job, { test_clock }: { test_clock: string | null }): number =>
  Math.max(due, unit.clockOf(test_clock).instant)

/**
 * Returns the next invoice of a subscription if nothing else changes; undefined for none. If the next job makes it, it is
 * only decided, which takes a fraction of the time. Otherwise the jobs are rehearsed, up to the one that makes it.
 * @param drafts - the maximum number of drafts that are finalized before
 */
export function findNextInvoice(
  unit: UnitOfWork,
  id: string,
  jobs: Jobs,
  drafts: number = MAX_DRAFTS,
): Invoice | undefined {
  const subscription = unit.need('subscription', id)
  const job = jobBeforeInvoice(unit, subscription)
  if (!job) return undefined
  const draft = unit.store.objects.nextFinalization(id)
  if (draft && drafts > 0 && compareJobs(draft, job) < 0)
    return afterFinalization(unit, draft, (rehearsal) => findNextInvoice(rehearsal, id, jobs, drafts - 1))
  const at = instantOf(unit, job, subscription)
  const decided = draft
    ? undefined
    : unit.imagine((imagined) => newestOf(imagined, jobs.decidePeriod(imagined, job), id), at)
  if (decided) return decided
  const before = newestInvoice(unit, id)?.id
  return unit.rehearse(
    (rehearsal) => {
      jobs.run(rehearsal, job)
      return newInvoice(rehearsal, id, before, drafts) ?? findNextInvoice(rehearsal, id, jobs, drafts)
    },
    { at },
  )
}

/** Returns the newest invoice that a change creates for a subscription without drafts, as newInvoice does. */
function newestOf(unit: UnitOfWork, change: Change | undefined, subscription: string): Invoice | undefined {
  const created = change?.steps.findLast(
    (step) => step.kind === 'invoice' && step.before === null && step.after.subscription === subscription,
  )
  const invoice = created && change?.pending('invoice', created.after.id)
  if (!change || !invoice) return undefined
  const customer = change.latest('customer', unit.need('customer', invoice.customer))
  return isDraft(invoice) ? applied(invoice, customer) : invoice
}

/** Converts an invoice to its state before the collection. Objects that were rolled back have no id. */
export function asPreview(unit: UnitOfWork, invoice: Invoice, isNew: boolean): Invoice {
  const items = new Set(
    (invoice.subscription === null || isNew
      ? undefined
      : unit.need('subscription', invoice.subscription)
    )?.items.map(({ id }) => id),
  )
  const discountOf = discountNames(unit)
  const line = (made: InvoiceLine): InvoiceLine => {
    const { subscription_item, invoice_item, discounts, discount_amounts } = made
    const shown = { ...made, id: 'il_preview' }
    if (subscription_item !== null && !items.has(subscription_item)) shown.subscription_item = NO_ID
    if (invoice_item !== undefined && !unit.get('invoice_item', invoice_item)) shown.invoice_item = NO_ID
    if (discounts) shown.discounts = discounts.map(discountOf)
    if (discount_amounts)
      shown.discount_amounts = discount_amounts.map(({ discount, amount }) => ({
        discount: discountOf(discount),
        amount,
      }))
    return shown
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
