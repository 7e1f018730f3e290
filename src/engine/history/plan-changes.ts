import type { InvoiceItem } from '../../core/invoice-item.ts'
import type { Subscription, SubscriptionItem } from '../../core/subscription.ts'
import type { Engine } from '../machine/engine.ts'
import type { MerchantState } from '../machine/merchant-state.ts'
import type { TimelineStep } from './past-steps.ts'

/** The prorations that steps made, by the id of the step's event. */
export type StepProrations = ReadonlyMap<string, readonly InvoiceItem[]>

/** Reads a customer's invoice items that were created in a span, oldest first. Both ends are inclusive, in Unix seconds. */
export type ReadItems = (span: { readonly from?: number; readonly to: number }) => InvoiceItem[]

/** Returns a reader of the invoice items of a customer. */
export const itemsOf =
  ({ store }: Engine, { settings }: MerchantState, customer: string): ReadItems =>
  ({ from = 0, to }) =>
    store.objects
      .list(
        'invoice_item',
        settings.ordinal,
        [
          { field: 'customer', is: customer },
          { field: 'created', compare: '>=', to: from },
          { field: 'created', compare: '<=', to },
        ],
        { limit: Number.MAX_SAFE_INTEGER },
      )
      .reverse()

/**
 * Finds the prorations of each step that changed or ended a subscription. Steps of the same second are distinguished by their
 * items before and after. The newest step comes first, because older steps may be missing.
 * @param steps - in chronological order
 */
export function prorationsOf(read: ReadItems, steps: readonly TimelineStep[]): StepProrations {
  const changes = steps.filter(changesPlan)
  const [first] = changes
  const last = changes.at(-1)
  if (!first || !last) return new Map()
  const waiting = read({ from: first.created, to: last.created }).filter(
    ({ proration }) => proration !== null,
  )
  const found = new Map<string, readonly InvoiceItem[]>()
  for (const step of changes.toReversed()) {
    const own = waiting.filter((item) => item.created === step.created && isOf(step, item))
    const newest = own.filter((item, index) => !own.slice(index + 1).some((later) => isSameLine(item, later)))
    for (const item of newest) waiting.splice(waiting.indexOf(item), 1)
    if (newest.length > 0) found.set(step.id, newest)
  }
  return found
}

/** Reports whether a step may have made prorations. */
const changesPlan = ({ type, replaced }: TimelineStep): boolean =>
  type === 'subscription.deleted' ||
  (type === 'subscription.updated' &&
    replaced !== null &&
    ('items' in replaced || 'billing_cycle_anchor' in replaced))

/** Reports whether an item credits or bills the usage of an item that a step replaced, or charges an item that it added. */
function isOf(
  { after, replaced }: TimelineStep,
  { subscription, amount, price, ...item }: InvoiceItem,
): boolean {
  const now = after as Subscription
  const before = { ...now, ...replaced } as Subscription
  const { is_usage = false, subscription_item } = item.proration ?? {}
  const isBilled = ({ id, price: priced, quantity }: SubscriptionItem) =>
    id === subscription_item && priced === price && (is_usage || quantity === item.quantity)
  return subscription === now.id && (amount < 0 || is_usage ? before : now).items.some(isBilled)
}

/** Reports whether two items are the same line of two changes. */
const isSameLine = (left: InvoiceItem, right: InvoiceItem): boolean =>
  left.proration?.subscription_item === right.proration?.subscription_item &&
  left.proration?.is_usage === right.proration?.is_usage &&
  Math.sign(left.amount) === Math.sign(right.amount)
