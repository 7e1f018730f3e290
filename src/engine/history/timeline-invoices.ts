import type { Customer } from '../../core/customer.ts'
import { type Invoice, waitsAsDraft } from '../../core/invoice.ts'
import { isOpen } from '../../core/invoice-status.ts'
import type { Kind, Objects } from '../../core/kinds.ts'
import { RULES } from '../../core/rules.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { Filter } from '../../store/list-query.ts'
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
  const drafts = waitingDrafts(found, subscription)
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
  return { shown: [invoice], isCut: false, nextDue: [invoice], owed: owedFor(invoice) }
}

const owedFor = ({ status, currency, total, amount_paid }: Invoice): Owed[] =>
  isOpen({ status }) ? [{ amount: total - amount_paid, currency }] : []

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
function pastOpen(found: Found, subscription: string | undefined): Open {
  const { past } = found.engine.store
  const owner = pastOwner(found, subscription)
  const ids = past.idsInState('open', owner)
  const { rows, isCut } = firstWithin(found.view, { kind: 'invoice', ids }, MAX_RELATED + 1)
  return { rows, isCut, nextDue: rows, owed: past.owedOf(owner) }
}

const pastOwner = ({ customer, as_of }: Found, subscription: string | undefined) => ({
  owner: { customer: customer.id, subscription },
  instant: as_of,
})

/** Reads the drafts that had a planned finalization at the moment one after the other, newest first. */
function waitingDrafts(found: Found, subscription: string | undefined): Cut<Invoice> {
  if (RULES[found.merchant.settings.dialect].draftSeconds === null) return { rows: [], isCut: false }
  const ids = idsOfDrafts(found, subscription)
  return firstWithin(found.view, { kind: 'invoice', ids, isWanted: waitsAsDraft }, MAX_RELATED + 1)
}

function idsOfDrafts(found: Found, subscription: string | undefined) {
  const { engine, merchant, customer } = found
  const { objects, past } = engine.store
  if (found.isPast) return past.idsInState('draft', pastOwner(found, subscription))
  const owner =
    subscription === undefined
      ? { field: 'customer', is: customer.id }
      : { field: 'subscription', is: subscription }
  const limit = Number.MAX_SAFE_INTEGER
  const waiting: readonly Filter[] = [
    { field: 'deleted', is: 0 },
    { field: 'status', is: 'draft' },
    { field: 'next_payment_attempt', isNull: false },
  ]
  return objects.ids('invoice', merchant.settings.ordinal, [owner, ...waiting], { limit })
}
