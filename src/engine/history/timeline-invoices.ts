import type { Customer } from '../../core/customer.ts'
import { type Invoice, waitsAsDraft } from '../../core/invoice.ts'
import type { Kind, Objects } from '../../core/kinds.ts'
import { RULES } from '../../core/rules.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { Engine } from '../machine/engine.ts'
import type { MerchantState } from '../machine/merchant-state.ts'
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

/** Lists the open invoices and waiting drafts of a customer or a subscription, and the latest of a subscription, newest first. */
export function invoicesOf(found: Found, kind: Kind, subject: Objects[Kind]): Invoice[] {
  const open = [...openInvoices(found), ...waitingDrafts(found)].toReversed()
  if (kind === 'customer') return open
  const own = open.filter(({ subscription }) => subscription === subject.id)
  const { latest_invoice } = subject as Subscription
  const latest = latest_invoice === null ? undefined : found.view.get('invoice', latest_invoice)
  return latest && !own.some(({ id }) => id === latest.id) ? [latest, ...own] : own
}

/** Lists the customer's open invoices at the moment, oldest first. */
function openInvoices({ engine, view, customer, as_of, isPast }: Found): Invoice[] {
  const { objects } = engine.store
  if (!isPast) return objects.openInvoices(customer.id)
  return objects.idsOfInvoicesOpenAt(customer.id, as_of).flatMap((id) => view.get('invoice', id) ?? [])
}

/** Lists the customer's drafts that had a planned finalization at the moment, oldest first. */
function waitingDrafts({ engine, merchant, view, customer, as_of, isPast }: Found): Invoice[] {
  if (RULES[merchant.settings.dialect].draftSeconds === null) return []
  const { objects } = engine.store
  const filters = isPast
    ? ([
        { field: 'customer', is: customer.id },
        { field: 'created', compare: '<=', to: as_of },
      ] as const)
    : [
        { field: 'customer', is: customer.id },
        { field: 'status', is: 'draft' },
      ]
  return objects
    .list('invoice', merchant.settings.ordinal, filters, { limit: Number.MAX_SAFE_INTEGER })
    .flatMap(({ id }) => view.get('invoice', id) ?? [])
    .filter(waitsAsDraft)
    .toReversed()
}
