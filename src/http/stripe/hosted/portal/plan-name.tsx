/** @jsxImportSource hono/jsx */
import type { Subscription } from '../../../../core/subscription.ts'
import type { Portal } from './portal.ts'
import { nameOf } from './texts.ts'

/** The names of a subscription's products. */
export const planNames = ({ view }: Portal, { items }: Pick<Subscription, 'items'>): string =>
  items
    .map(({ price: id }) => view.get('price', id))
    .flatMap((price) => (price ? [nameOf(view, price)] : []))
    .join(', ')

export const PlanName = ({ portal, subscription }: { portal: Portal; subscription: Subscription }) => (
  <strong>{planNames(portal, subscription)}</strong>
)
