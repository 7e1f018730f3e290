import type { Customer } from '../../core/customer.ts'
import { type Invoice, waitsAsDraft } from '../../core/invoice.ts'
import { isOpen } from '../../core/invoice-status.ts'
import type { Kind, Objects } from '../../core/kinds.ts'
import { RULES } from '../../core/rules.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { Owed } from '../../store/next-due.ts'
import type { Cut } from '../../store/statements.ts'
import type { Engine } from '../machine/engine.ts'
import type { MerchantState } from '../machine/merchant-state.ts'
import { firstWithin } from './first-within.ts'
import type { View } from './view.ts'

/** A subject that was found, with the view of its moment. */
export type Found = {
  readonly engine: Engine
  readonly merchant: MerchantState
  readonly view: View
  readonly customer: Customer
  readonly as_of: number
  readonly isPast: boolean
}

/** The maximum number of related objects of a kind that are shown. */
export const MAX_RELATED = 100

/** Invoices of a customer or a subscription, up to the length of a page. */
export type RelatedInvoices = {
  /** The waiting drafts and open invoices, and the latest of a subscription, newest first. */
  readonly shown: readonly Invoice[]
  readonly isCut: boolean
  /** The waiting drafts and open invoices with the next due dates. */
  readonly nextDue: readonly Invoice[]
  /** The sums that are owed for all open invoices. */
  readonly owed: readonly Owed[]
}

/** Reads the invoices of a customer or a subscription. */
export function invoicesOf(found: Found, kind: Kind, subject: Objects[Kind]): RelatedInvoices {
  const isOfCustomer = kind === 'customer'
  const subscription = isOfCustomer ? undefined : subject.id
  const drafts = firstWithin(waitingDrafts(found, subscription), MAX_RELATED + 1)
  const { owed, ...open } = found.isPast ? pastOpen(found, subscription) : presentOpen(found, subscription)
  const latest = isOfCustomer ? null : (subject as Subscription).latest_invoice
  const named = latest === null ? undefined : found.view.get('invoice', latest)
  const all = [...drafts.rows, ...open.rows]
  const isListed = !named || all.some(({ id }) => id === named.id)
  return {
    shown: isListed ? all : [named, ...all],
    isCut: drafts.isCut || open.isCut,
    nextDue: [...drafts.rows, ...open.nextDue],
    owed,
  }
}

/** Returns an invoice that is shown alone. */
export function onlyInvoice(invoice: Invoice): RelatedInvoices {
  return { shown: [invoice], isCut: false, nextDue: [invoice], owed: owedFor([invoice]) }
}

/** Sums up what is owed for those of the invoices that are open, by currency. */
function owedFor(invoices: Iterable<Invoice>): Owed[] {
  const sums = new Map<string, number>()
  for (const { status, currency, total, amount_paid } of invoices)
    if (isOpen({ status })) sums.set(currency, (sums.get(currency) ?? 0) + total - amount_paid)
  return [...sums].map(([currency, amount]) => ({ amount, currency }))
}

type Open = Cut<Invoice> & Pick<RelatedInvoices, 'nextDue' | 'owed'>

function presentOpen({ engine, customer }: Found, subscription: string | undefined): Open {
  const { objects } = engine.store
  const owner = { customer: customer.id, subscription }
  const limit = MAX_RELATED + 1
  const { rows, isCut } = objects.openInvoices(owner, { order: 'newest first', limit })
  const isAll = rows.length < limit && !isCut
  return {
    rows,
    isCut,
    owed: objects.owedOf(owner),
    nextDue: isAll ? rows : objects.openInvoices(owner, { order: 'next due first', limit }).rows,
  }
}

/** Reads the invoices that were open at a past moment one after the other. */
function pastOpen({ engine, view, customer, as_of }: Found, subscription: string | undefined): Open {
  const ids = engine.store.objects.idsOfInvoicesOpenAt(customer.id, as_of).toReversed()
  const open = function* () {
    for (const id of ids) {
      const invoice = view.get('invoice', id)
      if (invoice && (subscription === undefined || invoice.subscription === subscription)) yield invoice
    }
  }
  const { rows, isCut } = firstWithin(open(), MAX_RELATED + 1)
  // The sums also count the invoices that are not shown.
  return { rows, isCut, nextDue: rows, owed: owedFor(isCut ? open() : rows) }
}

/** Reads the customer's drafts that had a planned finalization at the moment one after the other, newest first. */
function* waitingDrafts(
  { engine, merchant, view, customer, as_of, isPast }: Found,
  subscription: string | undefined,
): Generator<Invoice, void> {
  if (RULES[merchant.settings.dialect].draftSeconds === null) return
  const filters = isPast
    ? ([
        { field: 'customer', is: customer.id },
        { field: 'created', compare: '<=', to: as_of },
      ] as const)
    : [
        { field: 'customer', is: customer.id },
        { field: 'status', is: 'draft' },
      ]
  const limit = Number.MAX_SAFE_INTEGER
  for (const id of engine.store.objects.ids('invoice', merchant.settings.ordinal, filters, { limit })) {
    const invoice = view.get('invoice', id)
    if (!invoice || !waitsAsDraft(invoice)) continue
    if (subscription === undefined || invoice.subscription === subscription) yield invoice
  }
}
