/** @jsxImportSource hono/jsx */
import type { Subscription } from '../../../../core/subscription.ts'
import type { Portal } from './portal.ts'
import { nameOf } from './texts.ts'

/** The names of a subscription's products. Two prices of a product are named once. */
export function planNames({ view }: Portal, { items }: Pick<Subscription, 'items'>): string {
  const prices = items.flatMap(({ price }) => view.withoutMetadata('price', price) ?? [])
  return [...new Set(prices.map((price) => nameOf(view, price)))].join(', ')
}

export const PlanName = ({ portal, subscription }: { portal: Portal; subscription: Subscription }) => (
  <strong>{planNames(portal, subscription)}</strong>
)
