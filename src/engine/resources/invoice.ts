import type { EndingAccount } from '../../core/billing/account.ts'
import {
  finalizeByHand,
  markUncollectibleByHand,
  payByHand,
  payOutOfBand,
  voidByHand,
} from '../../core/billing/by-hand.ts'
import type { Collected } from '../../core/billing/collect.ts'
import { spendDiscounts } from '../../core/billing/discounting.ts'
import { Change } from '../../core/change.ts'
import { type CollectionMethod, daysToPay } from '../../core/collection-method.ts'
import type { Customer } from '../../core/customer.ts'
import { reduces } from '../../core/discount.ts'
import { invalidStateTransition, parameterInvalid, parameterMissing } from '../../core/errors.ts'
import { draftInvoice, type Invoice, isManual } from '../../core/invoice.ts'
import { lineOfItem } from '../../core/invoice-item.ts'
import { isDraft } from '../../core/invoice-status.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { sumOf } from '../../core/money.ts'
import type { Subscription } from '../../core/subscription.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { loadInvoiceAccount, subscriptionOf } from './account.ts'
import { endDiscount } from './discount.ts'
import { discountedDraft, updateDraft } from './draft-discounts.ts'
import { makePending } from './draft-lines.ts'
import { withCurrentUsage } from './draft-usage.ts'
import { newInvoiceItem, oneTimePrice } from './item-cost.ts'
import { paymentMethodOf } from './payment-method.ts'
import { type DiscountParam, type Purchase, redeemList } from './redemption.ts'
import { itemsToBill } from './waiting-items.ts'

export type InvoiceParams = {
  customer: string
  currency?: string | undefined
  /** The currency if none is given and no item has one; without it, that is an error. */
  default_currency?: string | undefined
  collection_method: CollectionMethod
  days_until_due?: number | undefined
  /** In place of days_until_due: the due date, in Unix seconds. */
  due_date?: number | undefined
  /** Whether it bills the pending items of the customer; true by default. */
  bills_pending_items?: boolean | undefined
  /** One-time prices that it bills, in addition to pending items. */
  items?: readonly { readonly price: string; readonly quantity: number }[] | undefined
  /** Whether it is finalized and charged automatically; false by default. */
  auto_advance?: boolean | undefined
  description?: string | null | undefined
  /** Replaces the customer's discount; empty for none. */
  discounts?: readonly DiscountParam[] | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Creates a draft of a customer's oldest pending invoice items in one currency: the given one, or else that of the oldest item.
 * Items beyond the limit of an invoice stay pending.
 * @throws ApiError resource_missing; parameter_missing, param currency, when there is no item to take it from;
 * amount_too_large
 * See docs/contract/invoices.md#manual-invoices.
 */
export function createInvoice(unit: UnitOfWork, params: InvoiceParams): Invoice {
  const customer = unit.find('customer', params.customer, 'customer')
  const { bills_pending_items = true } = params
  const pending = bills_pending_items ? itemsToBill(unit, customer.id, params.currency) : []
  const id = unit.idFor('invoice')
  const own = (params.items ?? []).map(({ price, quantity }) =>
    newInvoiceItem(
      unit,
      { quantity },
      {
        id: unit.idFor('invoice_item'),
        customer,
        cost: oneTimePrice(unit, { price, currency: params.currency }),
        invoice: id,
        subscription: null,
        discounts: [],
      },
    ),
  )
  const items = [...pending, ...own]
  const currency = params.currency ?? items[0]?.currency ?? params.default_currency
  if (currency === undefined) throw parameterMissing('currency')
  const clock = unit.clockOf(customer.test_clock)
  const change = new Change()
  const redeeming = new Change()
  const purchase: Purchase = { customer, holder: { invoice: id }, currency, amount: sumOf(items) }
  const ids = params.discounts
    ? redeemList(unit, redeeming, purchase, { params: params.discounts })
    : inheritedDiscounts(unit, customer, { currency, at: clock.instant })
  const blank: Invoice = {
    ...draftInvoice({
      id,
      created: clock.instant,
      customer: customer.id,
      subscription: null,
      currency,
      collection_method: params.collection_method,
      billing_reason: 'manual',
      lines: items.map((item) => lineOfItem(item, unit.newId('il'))),
      discounts: ids,
      period_start: clock.instant,
      period_end: clock.instant,
      next_payment_attempt: params.auto_advance ? clock.instant + (unit.rules.draftSeconds ?? 0) : undefined,
      test_clock: customer.test_clock,
    }),
    ...dueFields(params.collection_method, params, clock.instant),
    description: params.description ?? null,
    metadata: mergeMetadata({}, params.metadata),
  }
  const { draft, discounts } = discountedDraft(unit, redeeming, blank)
  const invoice = change.createWith('invoice', draft, 'invoice.created', redeeming)
  for (const item of pending)
    change.update('invoice_item', item, (waiting) => ({ ...waiting, invoice: invoice.id }))
  for (const item of own) change.create('invoice_item', item)
  spendDiscounts(change, { customer, discounts }, invoice)
  apply(unit, change, clock)
  return invoice
}

/**
 * Returns the fields that say when a draft will be due.
 * @throws ApiError parameter_invalid, param due_date, when it is not in the future, or the invoice is charged automatically
 * See docs/contract/invoices.md#due-dates.
 */
export function dueFields(
  method: CollectionMethod,
  { days_until_due, due_date }: Pick<InvoiceParams, 'days_until_due' | 'due_date'>,
  now: number,
): Pick<Invoice, 'days_until_due' | 'due_date'> {
  if (due_date === undefined) return { days_until_due: daysToPay(method, days_until_due), due_date: null }
  if (method !== 'send_invoice')
    throw parameterInvalid('due_date', 'due_date applies only when collection_method is send_invoice')
  if (days_until_due !== undefined)
    throw parameterInvalid('due_date', 'Use days_until_due or due_date, not both')
  if (due_date <= now) throw parameterInvalid('due_date', `due_date must be after the current time, ${now}`)
  return { days_until_due: null, due_date }
}

/** Lists the customer's discount if it reduces invoices in a currency at an instant. */
function inheritedDiscounts(
  unit: UnitOfWork,
  { discount: id }: Customer,
  moment: { readonly currency: string; readonly at: number },
): readonly string[] {
  return id !== null && reduces(unit.need('discount', id), moment) ? [id] : []
}

type ByHand = (
  change: Change,
  account: EndingAccount,
  invoice: Invoice,
  subscription: Subscription | null,
) => unknown

/** Loads the state that a decision on an invoice reads, applies the rule, and writes the change. */
export function decide<T>(
  unit: UnitOfWork,
  id: string,
  rule: (change: Change, account: EndingAccount, invoice: Invoice, subscription: Subscription | null) => T,
  payment_method?: string,
): T {
  const invoice = unit.find('invoice', id)
  const stored = subscriptionOf(unit, invoice)
  const account = loadInvoiceAccount(unit, invoice, stored)
  const change = new Change()
  const refreshed = withCurrentUsage(unit, invoice)
  const current = refreshed === invoice ? invoice : updateDraft(unit, change, invoice, () => refreshed)
  const subscription = stored && change.latest('subscription', stored)
  const given =
    payment_method &&
    paymentMethodOf(unit, change, account.customer, { id: payment_method, param: 'payment_method' })
  const result = rule(change, { ...account, ...(given && { paymentMethod: given }) }, current, subscription)
  apply(unit, change, unit.clockOf(invoice.test_clock))
  return result
}

const byHand = (rule: ByHand) => (unit: UnitOfWork, id: string) => {
  decide(unit, id, rule)
  return unit.need('invoice', id)
}

/**
 * Pays an invoice on request, with the given payment method, or else the one that billing uses. A declined payment is written
 * and returned.
 * @throws ApiError resource_missing; invalid_state_transition, param status
 * See docs/contract/invoices.md#paying-by-hand.
 */
export const payInvoice = (
  unit: UnitOfWork,
  id: string,
  { payment_method }: { payment_method?: string | undefined } = {},
): Collected => decide(unit, id, payByHand, payment_method)

/**
 * Marks an invoice paid that the customer paid in another way.
 * @throws ApiError resource_missing; invalid_state_transition, param status
 * See docs/contract/invoices.md#paid-out-of-band.
 */
export const payInvoiceOutOfBand = byHand(payOutOfBand)

/**
 * Finalizes a draft.
 * @throws ApiError resource_missing; invalid_state_transition. See docs/contract/invoices.md#finalizing.
 */
export const finalizeInvoice = byHand(finalizeByHand)

/**
 * Voids an invoice.
 * @throws ApiError resource_missing; invalid_state_transition. See docs/contract/invoices.md#status.
 */
export const voidInvoice = byHand(voidByHand)

/**
 * Marks an invoice uncollectible.
 * @throws ApiError resource_missing; invalid_state_transition. See docs/contract/invoices.md#status.
 */
export const markUncollectible = byHand(markUncollectibleByHand)

/**
 * Deletes a manual draft. Items that were pending before are pending again; items created on it are deleted.
 * @throws ApiError resource_missing; invalid_state_transition, param status, for any other invoice
 * See docs/contract/invoices.md#deleting-a-draft.
 */
export function deleteInvoice(unit: UnitOfWork, id: string): Invoice {
  const invoice = unit.find('invoice', id)
  if (!isDraft(invoice) || !isManual(invoice)) {
    throw invalidStateTransition('Only a manual draft can be deleted; void an open invoice instead')
  }
  const change = new Change()
  change.update('invoice', invoice, (draftOne) => ({ ...draftOne, deleted: true }), 'invoice.deleted')
  const ended = invoice.discounts.filter((discount) => unit.need('discount', discount).invoice === id)
  for (const line of invoice.lines) {
    if (line.invoice_item === undefined) continue
    const item = unit.need('invoice_item', line.invoice_item)
    if (line.is_own_item) {
      change.update('invoice_item', item, (billed) => ({ ...billed, deleted: true }))
      ended.push(...item.discounts)
    } else makePending(unit, change, item)
  }
  for (const discount of ended) endDiscount(change, unit.need('discount', discount))
  apply(unit, change, unit.clockOf(invoice.test_clock))
  return change.latest('invoice', invoice)
}
