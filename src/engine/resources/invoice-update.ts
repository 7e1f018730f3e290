import { Change } from '../../core/change.ts'
import { type CollectionMethod, DUE_DATE_REQUIRES_SENDING, daysToPay } from '../../core/collection-method.ts'
import { invalidStateTransition, parameterInvalid } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import { isDraft, isOpen } from '../../core/invoice-status.ts'
import { isSameJson } from '../../core/json-text.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { sumOf } from '../../core/money.ts'
import { cannotBe } from '../../core/transitions.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { endDiscount } from './discount.ts'
import { updateDraft } from './draft-discounts.ts'
import { dueFields, finalizeInvoice } from './invoice.ts'
import { paymentMethodOf } from './payment-method.ts'
import { type DiscountParam, type Purchase, redeemList } from './redemption.ts'

/** undefined leaves a field unchanged. */
export type InvoiceUpdate = {
  /** Whether it is finalized and charged automatically. */
  auto_advance?: boolean | undefined
  collection_method?: CollectionMethod | undefined
  days_until_due?: number | undefined
  /** In place of days_until_due: the due date, in Unix seconds. */
  due_date?: number | undefined
  /** Takes precedence over the payment method of the subscription and the customer; null for none. */
  default_payment_method?: string | null | undefined
  description?: string | null | undefined
  /** Replaces the discounts of the invoice; empty for none. */
  discounts?: readonly DiscountParam[] | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Updates an invoice. Once it is finalized, only its description and metadata can change.
 * @throws ApiError resource_missing; parameter_invalid; invalid_state_transition
 */
export function updateInvoice(unit: UnitOfWork, id: string, params: InvoiceUpdate): Invoice {
  const invoice = unit.find('invoice', id)
  const { collection_method, days_until_due, due_date, discounts: wanted } = params
  const ofDrafts = [collection_method, days_until_due, due_date, wanted]
  if (!isDraft(invoice) && ofDrafts.some((given) => given !== undefined))
    throw invalidStateTransition(
      `Only the description and metadata of an invoice whose status is ${invoice.status} can be changed`,
      null,
    )
  const change = new Change()
  const discounts = discountsAfter(unit, change, invoice, wanted)
  const after: Invoice = {
    ...invoice,
    ...collectionAfter(unit, invoice, params),
    next_payment_attempt: nextActionOf(unit, invoice, params.auto_advance),
    default_payment_method: methodAfter(unit, change, invoice, params.default_payment_method),
    discounts,
    description: params.description === undefined ? invoice.description : params.description,
    metadata: mergeMetadata(invoice.metadata, params.metadata),
  }
  if (wanted) updateDraft(unit, change, invoice, () => after)
  else if (!isSameJson(after, invoice)) change.update('invoice', invoice, () => after)
  apply(unit, change, unit.clockOf(invoice.test_clock))
  return unit.need('invoice', id)
}

/**
 * Returns when the next action on an invoice is planned. One that is planned already stays.
 * @throws ApiError parameter_invalid, param auto_advance, for an invoice that is neither a draft nor open
 * See docs/contract/invoices.md#drafts-that-advance.
 */
export function nextActionOf(
  unit: UnitOfWork,
  invoice: Invoice,
  auto_advance: boolean | undefined,
): number | null {
  if (auto_advance === undefined) return invoice.next_payment_attempt
  if (!auto_advance) return null
  if (!isDraft(invoice) && !isOpen(invoice))
    throw parameterInvalid('auto_advance', `An invoice whose status is ${invoice.status} cannot advance`)
  const at = unit.clockOf(invoice.test_clock).instant + (unit.rules.draftSeconds ?? 0)
  return invoice.next_payment_attempt ?? at
}

/** @throws ApiError resource_missing; parameter_invalid, param default_payment_method */
function methodAfter(
  unit: UnitOfWork,
  change: Change,
  { customer, default_payment_method }: Invoice,
  id: string | null | undefined,
): string | null {
  if (id === undefined) return default_payment_method
  const param = 'default_payment_method'
  return id && paymentMethodOf(unit, change, unit.need('customer', customer), { id, param }).id
}

/** @throws ApiError parameter_invalid, param days_until_due, for an invoice that is charged automatically */
function collectionAfter(
  unit: UnitOfWork,
  invoice: Invoice,
  { collection_method: given, days_until_due, due_date }: InvoiceUpdate,
): Pick<Invoice, 'collection_method' | 'days_until_due' | 'due_date'> {
  if (given === undefined && days_until_due === undefined && due_date === undefined) return invoice
  const collection_method = given ?? invoice.collection_method
  if (days_until_due !== undefined && collection_method !== 'send_invoice')
    throw parameterInvalid('days_until_due', DUE_DATE_REQUIRES_SENDING)
  if (due_date !== undefined) {
    const now = unit.clockOf(invoice.test_clock).instant
    return { collection_method, ...dueFields(collection_method, { days_until_due, due_date }, now) }
  }
  const isDated = days_until_due === undefined && invoice.due_date !== null
  if (isDated && collection_method === 'send_invoice') return { ...invoice, collection_method }
  const days = days_until_due ?? invoice.days_until_due
  return { collection_method, days_until_due: daysToPay(collection_method, days), due_date: null }
}

/**
 * Sends an invoice that is not paid automatically; a draft is finalized first. Its mail follows from invoice.sent, see core/mail.ts.
 * @throws ApiError resource_missing; invalid_state_transition
 */
export function sendInvoice(unit: UnitOfWork, id: string): Invoice {
  const invoice = unit.find('invoice', id)
  if (invoice.collection_method !== 'send_invoice')
    throw invalidStateTransition('Only an invoice whose collection_method is send_invoice can be sent', null)
  const finalized = isDraft(invoice) ? finalizeInvoice(unit, id) : invoice
  if (finalized === invoice && !isOpen(invoice)) throw cannotBe('An invoice', invoice, 'sent')
  const change = new Change()
  change.update('invoice', finalized, (same) => same, 'invoice.sent')
  apply(unit, change, unit.clockOf(invoice.test_clock))
  return finalized
}

/** Returns the discounts of an invoice after an update. Those that were redeemed for it, and that it loses, end. @throws ApiError */
function discountsAfter(
  unit: UnitOfWork,
  change: Change,
  { id, customer, currency, lines, discounts: current }: Invoice,
  params: readonly DiscountParam[] | undefined,
): readonly string[] {
  if (params === undefined) return current
  const holder = { invoice: id }
  const purchase: Purchase = {
    customer: unit.need('customer', customer),
    holder,
    currency,
    amount: sumOf(lines),
  }
  const discounts = redeemList(unit, change, purchase, { params, current })
  for (const former of current) {
    const discount = unit.need('discount', former)
    if (!discounts.includes(former) && discount.invoice === id) endDiscount(change, discount)
  }
  return discounts
}
