import { type InvoiceItem, oldestFirst } from '../../core/invoice-item.ts'
import type { ItemProration } from '../../core/item-proration.ts'
import type { Subscription } from '../../core/subscription.ts'
import type { Engine } from '../machine/engine.ts'
import type { MerchantState } from '../machine/merchant-state.ts'
import type { TimelineStep } from './past-steps.ts'

/** The fields of a proration that its step and its entry need. */
export type Proration = Pick<
  InvoiceItem,
  'id' | 'created' | 'subscription' | 'amount' | 'price' | 'quantity' | 'description' | 'proration'
>

/** The prorations that steps made, by the id of the step's event. */
export type StepProrations = ReadonlyMap<string, readonly Proration[]>

/** A span of creation, both ends inclusive, in Unix seconds, and the maximum number of prorations to read. */
type Span = { readonly from: number; readonly to: number; readonly limit: number }

/** Reads the newest of a customer's prorations that were created in a span, oldest first. */
export type ReadProrations = (span: Span) => readonly Proration[]

/** The maximum number of prorations that are read for a timeline: several for each of its changes. */
export const MAX_PRORATIONS = 5_000

/** Returns a reader of the prorations of a customer. */
export const readerOfProrations =
  ({ store }: Engine, { settings }: MerchantState, customer: string): ReadProrations =>
  ({ from, to, limit }) =>
    store.objects
      .summaries(
        'invoice_item',
        settings.ordinal,
        [
          { field: 'customer', is: customer },
          { field: 'proration', isNull: false },
          { field: 'created', compare: '>=', to: from },
          { field: 'created', compare: '<=', to },
        ],
        { limit },
        ['proration'],
      )
      .reverse()

/**
 * Finds the prorations of each step that changed or ended a subscription. Steps of the same second are distinguished by their
 * items before and after. The newest step comes first, because older steps may be missing. If there are more prorations than are
 * read, the oldest steps are left out.
 * @param steps - in chronological order
 */
export function prorationsOf(read: ReadProrations, steps: readonly TimelineStep[]): StepProrations {
  const changes = steps.filter(changesPlan)
  const [first] = changes
  const last = changes.at(-1)
  if (!first || !last) return new Map()
  const items = read({ from: first.created, to: last.created, limit: MAX_PRORATIONS })
  const oldest = items.length < MAX_PRORATIONS ? undefined : items[0]
  const waiting = new Map<string, Proration[]>()
  for (const item of items) {
    if (item.proration === null) continue
    const line = lineOf(item, item.proration)
    const same = waiting.get(line)
    if (same) same.push(item)
    else waiting.set(line, [item])
  }
  const found = new Map<string, readonly Proration[]>()
  for (const step of changes.toReversed()) {
    const newest = linesOf(step).flatMap((line) => waiting.get(line)?.pop() ?? [])
    // The step may have made older items too, which were not read.
    if (oldest && newest.includes(oldest)) break
    if (newest.length > 0) found.set(step.id, oldestFirst(newest))
  }
  return found
}

/** Reports whether a step may have made prorations. */
const changesPlan = ({ type, replaced }: TimelineStep): boolean =>
  type === 'subscription.deleted' ||
  (type === 'subscription.updated' &&
    replaced !== null &&
    ('items' in replaced || 'billing_cycle_anchor' in replaced))

/** The fields that identify the line of an item of a subscription: equal lines are those of several changes. */
type Line = {
  readonly created: number
  readonly subscription: string | null
  readonly item: string
  readonly price: string | null
  readonly quantity: number | 'usage' | null
  readonly sign: number
}

const keyOf = ({ created, subscription, item, price, quantity, sign }: Line): string =>
  [created, subscription, item, price, quantity, sign].join(' ')

const lineOf = (
  { created, subscription, amount, price, quantity }: Proration,
  { subscription_item: item, is_usage }: ItemProration,
): string =>
  keyOf({
    created,
    subscription,
    item,
    price,
    quantity: is_usage ? 'usage' : quantity,
    sign: Math.sign(amount),
  })

/** Lists the lines that a step may have made: it credits or bills the usage of items that it replaced, and charges those it added. */
function linesOf({ created, after, replaced }: TimelineStep): string[] {
  const now = after as Subscription
  const before = { ...now, ...replaced } as Subscription
  const known = { created, subscription: now.id }
  return [
    ...before.items.flatMap(({ id: item, price, quantity }) => [
      keyOf({ ...known, item, price, quantity, sign: -1 }),
      ...[-1, 0, 1].map((sign) => keyOf({ ...known, item, price, quantity: 'usage', sign })),
    ]),
    ...now.items.flatMap(({ id: item, price, quantity }) =>
      [0, 1].map((sign) => keyOf({ ...known, item, price, quantity, sign })),
    ),
  ]
}
