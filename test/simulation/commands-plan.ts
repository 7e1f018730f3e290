import { changedInPeriod, dateOf, proratedFrom } from './commands-dates.ts'
import { CHANGEABLE } from './commands-subscriptions.ts'
import { MAX_AMOUNT, priceOf } from './model-amounts.ts'
import { dropPending } from './model-billing.ts'
import { type Behavior, changeItems, isBilled, isOverfull } from './model-change.ts'
import { copyOf } from './model-copy.ts'
import { endOfGoneItems } from './model-discount.ts'
import { Operation } from './model-events.ts'
import { methodFor } from './model-payment.ts'
import { wait } from './model-pending.ts'
import { keepInPhase } from './model-phases.ts'
import { waitingFor } from './model-plan.ts'
import { broken, type Command, declined, done, refused, subscriptionIn, type Table } from './model-play.ts'
import { managing } from './model-schedule.ts'
import { ref } from './model-shown.ts'
import {
  type Item,
  keepScripts,
  type Merchant,
  named,
  newKey,
  nowOf,
  type Price,
  type Subscription,
} from './model-state.ts'
import { isOfInactive } from './model-usage.ts'

const BEHAVIORS = [
  ...(['none', 'default', 'create_prorations', 'create_prorations'] as const),
  ...(['create_prorations', 'always_invoice', 'always_invoice'] as const),
] as const

const ON_FAILURE = ['default', 'error_if_incomplete', 'pending_if_incomplete'] as const

/** The parameters of a change, and the items that it leads to. */
type Change = {
  readonly items: Item[]
  readonly entries: Record<string, unknown>[]
  readonly isOfInterval: boolean
}

/** Changes the items of a subscription, or its anchor. See docs/contract/proration.md#changing-a-plan. */
export const changePlan: Command = (table) => change(table)

/** A change that waits for its payment, mostly of a subscription whose payment will fail. */
export const changeWhenPaid: Command = (table) => change(table, 'pending_if_incomplete')

/** Changes a quantity by much, mostly of a subscription that was changed in its period. */
export const changeAgain: Command = (table) => change(table, 'default', true)

/**
 * @param wanted - what happens if the payment fails; random by default
 * @param isSwing - whether it changes one quantity by much
 */
export function change(
  table: Table,
  wanted?: (typeof ON_FAILURE)[number],
  isSwing = false,
): ReturnType<Command> {
  const { merchant, dice } = table
  const isConditional = wanted === 'pending_if_incomplete'
  const subscription = isConditional
    ? subscriptionToFail(table)
    : (changedInPeriod(table, isSwing ? 90 : 35) ??
      subscriptionIn(table, ...CHANGEABLE, 'active', 'past_due', 'paused', 'incomplete'))
  if (!subscription) return null
  const at = nowOf(merchant, subscription.customer)
  const before = copyOf(merchant)
  const changed = isSwing
    ? swing(subscription)
    : dice.chance(12)
      ? newInterval(table, subscription)
      : newItems(table, subscription)
  if (changed.items.length > 20 || priceOf(merchant, changed.items) > MAX_AMOUNT) return null
  const isAnchored = changed.entries.length === 0 || (!isSwing && dice.chance(8))
  const chosen = isConditional ? 'always_invoice' : isSwing ? 'create_prorations' : dice.of(BEHAVIORS)
  const behavior = chosen === 'default' ? undefined : chosen
  // A proration that was too large for the invoice of a period would count for the next period of the same second.
  if (at === subscription.start && isOverfull(merchant, subscription)) return null
  const date = dice.chance(proratedFrom(merchant, subscription).length > 0 ? 50 : 25)
    ? dateOf(table, subscription, at)
    : undefined
  const onFailure = wanted ?? dice.of(ON_FAILURE)
  const play = {
    method: 'POST' as const,
    path: `/v1/subscriptions/{${subscription.key}}`,
    body: {
      ...(changed.entries.length > 0 && { items: changed.entries }),
      ...(behavior && { proration_behavior: behavior }),
      ...(date !== undefined && { proration_date: date }),
      ...(isAnchored && { billing_cycle_anchor: 'now' }),
      ...(onFailure !== 'default' && { payment_behavior: onFailure }),
    },
  }
  const isProrated = behavior !== undefined && behavior !== 'none'
  const isWithin = date === undefined || (date >= subscription.start && date <= subscription.end)
  if (!isWithin || (date !== undefined && !isProrated)) return refused(play)
  const isInactive = changed.items.some(
    ({ key, price }) =>
      isOfInactive(merchant, price) &&
      !subscription.items.some((item) => item.key === key && item.price === price),
  )
  if (isInactive) return refused(play)
  if (onFailure === 'pending_if_incomplete' && subscription.collection === 'send_invoice')
    return refused(play)
  const schedule = managing(merchant, subscription)
  if (onFailure === 'pending_if_incomplete' && schedule) return refused(play)
  const { status } = subscription
  if (isAnchored && status !== 'active' && status !== 'past_due') return refused(play)
  return apply(table, subscription, {
    play,
    change: changed,
    before,
    at,
    isAnchored,
    onFailure,
    date,
    behavior,
  })
}

/** Chooses a subscription whose next payment is declined, if there is one. */
function subscriptionToFail(table: Table): Subscription | undefined {
  const { merchant, faults, dice } = table
  const running = merchant.subscriptions.filter(
    ({ status, collection }) =>
      (status === 'active' || status === 'past_due') && collection === 'charge_automatically',
  )
  const fails = (subscription: Subscription) => {
    const at = nowOf(merchant, subscription.customer)
    const method = methodFor(new Operation(merchant, faults, { at }), subscription.customer, subscription)
    const script = method?.script
    if (script) return (script.outcomes[0] ?? script.then) !== 'succeed'
    return method === null || method.behaviour === 'declines'
  }
  return dice.any(running.filter(fails)) ?? dice.any(running)
}

type Request = {
  readonly play: { readonly method: 'POST'; readonly path: string }
  readonly change: Change
  /** The state to return to. */
  readonly before: Merchant
  readonly at: number
  readonly isAnchored: boolean
  readonly onFailure: (typeof ON_FAILURE)[number]
  readonly date: number | undefined
  readonly behavior: Behavior | undefined
}

function apply(table: Table, subscription: Subscription, request: Request): ReturnType<Command> {
  const { merchant, faults } = table
  const { play, before, at, onFailure } = request
  // A pending update is dropped before, with an update event of its own.
  const drop = new Operation(merchant, faults, { at, subscription })
  dropPending(drop, subscription)
  const dropped = drop.end()
  const operation = new Operation(merchant, faults, { at, subscription })
  const was = copyOf(subscription)
  const waited = waitingFor(merchant, subscription).map(({ key }) => key)
  const outcome = carryOut(operation, subscription, request)
  if (outcome === 'timed out') {
    Object.assign(merchant, before)
    return broken(play)
  }
  const isFailed = outcome === 'declined' || outcome === 'no method'
  if (isFailed && onFailure === 'error_if_incomplete') {
    Object.assign(merchant, keepScripts(before, merchant))
    return declined({ ...play, emitted: [] })
  }
  const invoice = merchant.invoices.at(-1)
  if (isFailed && onFailure === 'pending_if_incomplete' && invoice) {
    invoice.next = null
    const waiting = waitingFor(merchant, subscription).map(({ key }) => key)
    const exceeding = waiting.filter((key) => !waited.includes(key))
    wait(subscription, was, { invoice: invoice.key, at, waited, exceeding })
  } else {
    endOfGoneItems(operation, subscription)
    keepInPhase(managing(merchant, subscription), was, subscription)
    if (isFailed && subscription.status === 'active') subscription.status = 'past_due'
  }
  return done({ ...play, emitted: [...dropped, ...operation.end()] })
}

/** Makes the change. A new interval begins a new period if it is prorated. */
function carryOut(
  operation: Operation,
  subscription: Subscription,
  { change: { items, isOfInterval }, at, isAnchored, date, behavior = 'none' }: Request,
) {
  const isNewPeriod = isAnchored || (isBilled(subscription) && behavior !== 'none' && isOfInterval)
  return changeItems(operation, subscription, { items, from: date ?? at, behavior, isNewPeriod })
}

/** Changes, adds and removes items. */
function newItems({ merchant, dice }: Table, { key, items }: Subscription): Change {
  const entries: Record<string, unknown>[] = []
  const first = named<Price>(merchant.prices, items[0]?.price ?? '')
  const isFree = ({ interval, interval_count, key }: Price, list: readonly Item[]) =>
    interval === first.interval &&
    interval_count === first.interval_count &&
    ![...list, ...items].some(({ price }) => price === key)
  let after = [...items]
  for (const item of items) {
    if (!dice.chance(items.length === 1 ? 85 : 40)) continue
    const id = `{item of ${key} ${item.price}}`
    const price = dice.chance(40)
      ? dice.any(merchant.prices.filter((each) => isFree(each, after)))
      : undefined
    const isMetered = named<Price>(merchant.prices, price?.key ?? item.price).meter !== null
    const quantity = !isMetered && dice.chance(60) ? dice.of([0, 1, 1, 2, 3, 5]) : undefined
    if (after.length > 1 && dice.chance(20)) {
      after = after.filter((each) => each.key !== item.key)
      entries.push({ id, deleted: true })
    } else if (price || quantity !== undefined) {
      const now = {
        ...item,
        ...(price && { price: price.key }),
        ...{ isMetered, quantity: isMetered ? 0 : (quantity ?? (item.isMetered ? 1 : item.quantity)) },
      }
      after = after.map((each) => (each.key === item.key ? now : each))
      entries.push({
        id,
        ...(price && { price: ref(price.key) }),
        ...(quantity !== undefined && { quantity }),
      })
    }
  }
  const added = dice.chance(25) ? dice.any(merchant.prices.filter((each) => isFree(each, after))) : undefined
  if (added) {
    const isMetered = added.meter !== null
    const quantity = isMetered ? 0 : dice.between(0, 3)
    after.push({ key: newKey(merchant, 'si'), price: added.key, quantity, isMetered, since: 0 })
    entries.push({ price: ref(added.key), ...(!isMetered && { quantity }) })
  }
  return { items: after, entries, isOfInterval: false }
}

/** Changes the quantity of the first licensed item. */
function swing({ key, items }: Subscription): Change {
  const item = items.find(({ isMetered }) => !isMetered)
  if (!item) return { items, entries: [], isOfInterval: false }
  const quantity = item.quantity > 5 ? 1 : 30
  return {
    items: items.map((each) => (each === item ? { ...item, quantity } : each)),
    entries: [{ id: `{item of ${key} ${item.price}}`, quantity }],
    isOfInterval: false,
  }
}

/** Changes the first item to a price of another interval, and removes the others. */
function newInterval(table: Table, subscription: Subscription): Change {
  const { merchant, dice } = table
  const [item, ...others] = subscription.items
  const was = named<Price>(merchant.prices, item?.price ?? '')
  const price = dice.any(
    merchant.prices.filter(
      ({ interval, interval_count }) => interval !== was.interval || interval_count !== was.interval_count,
    ),
  )
  if (!item || !price) return newItems(table, subscription)
  const idOf = (each: Item) => `{item of ${subscription.key} ${each.price}}`
  return {
    items: [
      {
        ...item,
        ...{ price: price.key, isMetered: price.meter !== null },
        quantity: price.meter === null ? (item.isMetered ? 1 : item.quantity) : 0,
      },
    ],
    entries: [
      { id: idOf(item), price: ref(price.key) },
      ...others.map((each) => ({ id: idOf(each), deleted: true })),
    ],
    isOfInterval: true,
  }
}
