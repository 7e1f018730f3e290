import { endedAt, usageLinesSoFar } from '../../core/billing/usage.ts'
import { assert } from '../../core/errors.ts'
import type { InvoiceLine } from '../../core/invoice-line.ts'
import type { Kind, Objects } from '../../core/kinds.ts'
import type { Prices, Subscription } from '../../core/subscription.ts'
import { isMetered } from '../../core/subscription-item.ts'
import { factsOf } from '../../core/subscription-status.ts'
import type { Store } from '../../store/store.ts'
import { usageReader } from '../resources/usage.ts'
import type { View } from './view.ts'

/** A moment of which a timeline shows the state; `as_of` in Unix seconds. */
type Moment = { readonly view: View; readonly as_of: number; readonly isPast: boolean }

/**
 * Returns the lines for the usage of a subscription's current period at a moment; null if it will not be billed.
 * See docs/contract/usage.md#previews-and-timelines.
 */
export function usageSoFarOf(
  store: Store,
  { view, as_of, isPast }: Moment,
  { subscription, prices }: { readonly subscription: Subscription; readonly prices: Prices },
): readonly InvoiceLine[] | null {
  const { items, customer, current_period_end } = subscription
  if (!factsOf(subscription).isBilled || !items.some(isMetered)) return null
  const needed =
    <K extends Kind>(kind: K) =>
    (id: string): Objects[K] => {
      const object = view.get(kind, id)
      assert(object, `${id} exists`)
      return object
    }
  const read = {
    store,
    price: needed('price'),
    meter: needed('billing_meter'),
    asOf: isPast ? as_of : undefined,
  }
  const source = { prices, usage: usageReader(read, customer) }
  return usageLinesSoFar(source, endedAt(subscription, current_period_end))
}
