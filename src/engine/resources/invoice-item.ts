import type { Change } from '../../core/change.ts'
import { assert, invalidStateTransition, parameterInvalid } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import {
  checkAcceptsItem,
  checkMoreDiscounts,
  type InvoiceItem,
  itemAmount,
  withItem,
  withoutItem,
  withUpdatedItem,
} from '../../core/invoice-item.ts'
import { isDraft } from '../../core/invoice-status.ts'
import { type MetadataParam, mergeMetadata } from '../../core/metadata.ts'
import { fixedPricing, fixedUnitAmount, type Pricing } from '../../core/price-amount.ts'
import type { Subscription } from '../../core/subscription.ts'
import { hasEnded } from '../../core/subscription-status.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { endDiscount, loadDiscounts } from './discount.ts'
import { changeItem, type ItemChanges } from './item-changes.ts'
import {
  type CostParams,
  checkReducible,
  costGiven,
  type ItemTexts,
  newInvoiceItem,
  oneTimePrice,
} from './item-cost.ts'
import { type DiscountParam, type Purchase, redeemList } from './redemption.ts'

export type InvoiceItemParams = CostParams &
  ItemTexts & {
    customer: string
    invoice?: string | undefined
    subscription?: string | undefined
    discounts?: readonly DiscountParam[] | undefined
  }

/** undefined leaves a field unchanged. */
export type InvoiceItemUpdate = {
  amount?: number | undefined
  quantity?: number | undefined
  description?: string | null | undefined
  discountable?: boolean | undefined
  discounts?: readonly DiscountParam[] | undefined
  metadata?: MetadataParam | undefined
}

/**
 * Creates an item of an amount in a currency, or of a quantity of a one-time price, which may be created for it. It is added to the given draft, or
 * is pending for the customer's next manual invoice.
 * @throws ApiError resource_missing, parameter_missing, parameter_invalid, amount_too_large
 * See docs/contract/invoices.md#invoice-items.
 */
export const createInvoiceItem = (unit: UnitOfWork, params: InvoiceItemParams): InvoiceItem =>
  changeItem(unit, (items) => addItem(items, params))

/** Does the same among other changes. Throws the same. */
export function addItem(items: ItemChanges, params: InvoiceItemParams): InvoiceItem {
  const { unit, change } = items
  const given = costGiven(params)
  const customer = unit.find('customer', params.customer, 'customer')
  const invoice =
    params.invoice === undefined ? null : items.latestInvoice(unit.find('invoice', params.invoice, 'invoice'))
  const subscription = subscriptionGiven(unit, params)
  const cost = given ?? oneTimePrice(unit, params)
  const { pricing, currency } = cost
  if (subscription && subscription.currency !== currency)
    throw parameterInvalid(
      'subscription',
      `The subscription '${subscription.id}' is in ${subscription.currency}, not in ${currency}`,
    )
  if (invoice) checkAcceptsItem(invoice, { customer: customer.id, currency, discounts: params.discounts })
  const amount = itemAmount(pricing, params.quantity)
  const id = unit.idFor('invoice_item')
  const purchase: Purchase = { customer, holder: { invoice_item: id }, currency, amount }
  const discounts = redeemList(unit, change, purchase, { params: params.discounts ?? [] })
  const item = change.create(
    'invoice_item',
    newInvoiceItem(unit, params, {
      id,
      customer,
      cost,
      invoice: invoice?.id ?? null,
      subscription: subscription?.id ?? null,
      discounts,
    }),
  )
  if (invoice) items.changeDraft(invoice, (draft) => withItem(draft, item, unit.newId('il')))
  else if (subscription)
    change.update('subscription', subscription, (waiting) => ({ ...waiting, has_pending_items: true }))
  return item
}

/**
 * Returns the subscription whose next invoice is to bill the item; null when none is given.
 * @throws ApiError resource_missing; parameter_invalid, param subscription
 */
function subscriptionGiven(unit: UnitOfWork, params: InvoiceItemParams): Subscription | null {
  if (params.subscription === undefined) return null
  const subscription = unit.find('subscription', params.subscription, 'subscription')
  const refuse = (why: string) =>
    parameterInvalid('subscription', `The subscription '${subscription.id}' ${why}`)
  if (params.invoice !== undefined)
    throw parameterInvalid('subscription', 'Give invoice or subscription, not both')
  if (subscription.customer !== params.customer) throw refuse('belongs to another customer')
  if (hasEnded(subscription)) throw refuse(`has ended, so it makes no further invoice`)
  return subscription
}

/**
 * Updates an item that is pending or on a draft, and the draft with it.
 * @throws ApiError resource_missing; parameter_invalid, param amount, for an item of a price; amount_too_large;
 *   invalid_state_transition when its invoice is not a draft
 */
export const updateInvoiceItem = (unit: UnitOfWork, id: string, params: InvoiceItemUpdate): InvoiceItem =>
  changeItem(unit, (items) => updateItem(items, id, params))

/** Does the same among other changes. Throws the same. */
export function updateItem(items: ItemChanges, id: string, params: InvoiceItemUpdate): InvoiceItem {
  const { unit, change } = items
  const item = items.latestItem(unit.find('invoice_item', id))
  const { quantity = item.quantity, description = item.description } = params
  const pricing = pricingOf(unit, item, params)
  if (params.amount !== undefined && item.price !== null)
    throw parameterInvalid(
      'amount',
      `The invoice item '${id}' bills the price '${item.price}'; only its quantity can be changed`,
    )
  if (item.proration && (params.amount !== undefined || params.quantity !== undefined)) {
    throw parameterInvalid(
      params.amount === undefined ? 'quantity' : 'amount',
      `The invoice item '${id}' is a proration; only its description and metadata can be changed`,
    )
  }
  const draft = draftOf(unit, item)
  const amount = item.proration ? item.amount : itemAmount(pricing, quantity)
  if (!item.proration) checkReducible(amount, params)
  const discounts = updatedDiscounts(unit, change, { ...item, amount }, params)
  if (draft) checkMoreDiscounts(draft, discounts.length - item.discounts.length)
  const updated = change.update('invoice_item', item, (before) => ({
    ...before,
    amount,
    unit_amount: fixedUnitAmount(pricing),
    quantity,
    description,
    discountable: params.discountable ?? (amount >= 0 && before.discountable),
    discounts,
    metadata: mergeMetadata(before.metadata, params.metadata),
  }))
  if (draft) items.changeDraft(draft, (before) => withUpdatedItem(before, updated))
  return updated
}

/** Returns the discounts of an item after an update. Those that it loses end. @throws ApiError */
function updatedDiscounts(
  unit: UnitOfWork,
  change: Change,
  { id, customer, currency, amount, discounts: current, proration }: InvoiceItem,
  { discounts: params, discountable }: InvoiceItemUpdate,
): readonly string[] {
  if (proration && !proration.is_usage && (params !== undefined || discountable !== undefined))
    throw parameterInvalid(
      params === undefined ? 'discountable' : 'discounts',
      `The invoice item '${id}' is a proration, which takes the discounts of its subscription into account`,
    )
  if (params === undefined) return current
  const owner = unit.need('customer', customer)
  const purchase: Purchase = { customer: owner, holder: { invoice_item: id }, currency, amount }
  const discounts = redeemList(unit, change, purchase, { params, current })
  const removed = current.filter((former) => !discounts.includes(former))
  for (const discount of loadDiscounts(unit, removed, change).values()) endDiscount(change, discount)
  return discounts
}

/** Returns the unit amount of an item after an update. */
function pricingOf(unit: UnitOfWork, item: InvoiceItem, { amount }: InvoiceItemUpdate): Pricing {
  if (amount !== undefined) return fixedPricing(amount)
  if (item.unit_amount !== null) return fixedPricing(item.unit_amount)
  assert(item.price, `${item.id} has an amount for one unit or a price`)
  return unit.needWithoutMetadata('price', item.price)
}

/**
 * Deletes an item that is pending or on a draft, from which it is removed.
 * @throws ApiError resource_missing; invalid_state_transition when its invoice is not a draft
 */
export const deleteInvoiceItem = (unit: UnitOfWork, id: string): InvoiceItem =>
  changeItem(unit, (items) => deleteItem(items, id))

/** Does the same among other changes. Throws the same. */
export function deleteItem(items: ItemChanges, id: string): InvoiceItem {
  const { unit, change } = items
  const item = items.latestItem(unit.find('invoice_item', id))
  const draft = draftOf(unit, item)
  const deleted = change.update('invoice_item', item, (before) => ({
    ...before,
    deleted: true,
    billed_with: null,
  }))
  for (const discount of loadDiscounts(unit, item.discounts, change).values()) endDiscount(change, discount)
  if (draft) items.changeDraft(draft, (before) => withoutItem(before, item))
  return deleted
}

/**
 * Returns the draft that an item is on; null for a pending item.
 * @throws ApiError invalid_state_transition when its invoice is not a draft
 */
function draftOf(unit: UnitOfWork, { id, invoice: invoiceId }: InvoiceItem): Invoice | null {
  if (invoiceId === null) return null
  const invoice = unit.need('invoice', invoiceId)
  if (isDraft(invoice)) return invoice
  throw invalidStateTransition(
    `The invoice item '${id}' is on the invoice '${invoiceId}', whose status is ${invoice.status}; only items that are pending or on a draft can be changed or deleted`,
    null,
  )
}
