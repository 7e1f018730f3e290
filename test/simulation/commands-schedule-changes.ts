import { endNow } from './commands-ending.ts'
import { chooseItems, type Grid, itemBody, planPhases, settingsBody } from './commands-phases.ts'
import { MAX_AMOUNT, priceOf } from './model-amounts.ts'
import { DAY } from './model-calendar.ts'
import { isBilled, isOverfull } from './model-change.ts'
import { copyOf } from './model-copy.ts'
import { Operation } from './model-events.ts'
import { enterPhase, startSchedule } from './model-phases.ts'
import { broken, type Command, done, isOfLiving, type Play, refused, type Table } from './model-play.ts'
import {
  intervalOf,
  isOver,
  isSameInterval,
  type Phase,
  type PhaseItem,
  planEnd,
  release,
  type Schedule,
  showSchedule,
} from './model-schedule.ts'
import { type Merchant, named, nowOf, planAnew, type Subscription } from './model-state.ts'
import { isOfInactive } from './model-usage.ts'

/** A schedule, rarely one that has ended. */
const scheduleIn = (table: Table): Schedule | undefined =>
  table.dice.any(
    table.merchant.schedules
      .filter(({ customer }) => isOfLiving(table, customer))
      .filter((schedule) => !isOver(schedule) || table.dice.chance(8))
      .slice(-10),
  )

export const pathOf = ({ key }: Schedule): string => `/v1/subscription_schedules/{${key}}`

export const subscriptionOf = (
  { subscriptions }: Merchant,
  { subscription }: Schedule,
): Subscription | null => (subscription === null ? null : named<Subscription>(subscriptions, subscription))

/** See docs/contract/schedules.md#releasing. */
export const releaseSchedule: Command = (table) => {
  const { merchant, faults, dice } = table
  const schedule = scheduleIn(table)
  if (!schedule) return null
  const preserve_cancel_date = dice.chance(40)
  const play = {
    method: 'POST' as const,
    path: `${pathOf(schedule)}/release`,
    ...((preserve_cancel_date || dice.chance(50)) && { body: { preserve_cancel_date } }),
  }
  if (isOver(schedule)) return refused(play)
  const at = nowOf(merchant, schedule.customer)
  const subscription = subscriptionOf(merchant, schedule)
  const operation = new Operation(merchant, faults, { at, subscription, schedule })
  if (!subscription) Object.assign(schedule, { status: 'released', releasedAt: at })
  else {
    release(schedule, subscription, at)
    if (schedule.endBehavior === 'cancel' && !preserve_cancel_date)
      Object.assign(subscription, { cancelAt: null, cancelAtPeriodEnd: false, canceledAt: null })
  }
  return done({ ...play, emitted: operation.end() })
}

/** See docs/contract/schedules.md#canceling-a-schedule. */
export const cancelSchedule: Command = (table) => {
  const { merchant, faults, dice } = table
  const schedule = scheduleIn(table)
  if (!schedule) return null
  const body = {
    ...(dice.chance(50) && { prorate: dice.chance(50) }),
    ...(dice.chance(50) && { invoice_now: dice.chance(50) }),
  }
  const play = { method: 'POST' as const, path: `${pathOf(schedule)}/cancel`, body }
  if (isOver(schedule)) return refused(play)
  const at = nowOf(merchant, schedule.customer)
  const before = copyOf(merchant)
  const subscription = subscriptionOf(merchant, schedule)
  const operation = new Operation(merchant, faults, { at, subscription, schedule })
  operation.tellOfSchedule('canceled')
  Object.assign(schedule, { status: 'canceled', canceledAt: at, expiringAt: null })
  if (!subscription) return done({ ...play, emitted: operation.end() })
  if (!endNow(operation, subscription, { prorate: true, invoice_now: true, ...body })) {
    Object.assign(merchant, before)
    return broken(play)
  }
  return done({ ...play, emitted: operation.end({ isDeleted: true }) })
}

/** See docs/contract/schedules.md#updating-a-schedule. */
export const updateSchedule: Command = (table) => {
  const { merchant, dice } = table
  const schedule = scheduleIn(table)
  if (!schedule) return null
  const at = nowOf(merchant, schedule.customer)
  const endBehavior = dice.chance(30) ? dice.of(['release', 'cancel'] as const) : undefined
  const subscription = subscriptionOf(merchant, schedule)
  if (isOver(schedule) || (endBehavior && dice.chance(50))) {
    const body = { end_behavior: endBehavior ?? 'cancel' }
    const play = { method: 'POST' as const, path: pathOf(schedule), body }
    if (isOver(schedule)) return refused(play)
    return apply(table, schedule, { play, at, change: () => 'not tried', endBehavior })
  }
  const update = subscription
    ? updateActive(table, schedule, { subscription, at })
    : updateComing(table, schedule, at)
  if (!update) return null
  const { phases, body, isRefused, change } = update
  const play = {
    method: 'POST' as const,
    path: pathOf(schedule),
    body: { ...body, ...(endBehavior && { end_behavior: endBehavior }) },
  }
  if (isRefused) return refused(play)
  return apply(table, schedule, { play, at, phases, change, endBehavior })
}

const pricesOf = ({ phases }: Schedule): string[] =>
  phases.flatMap(({ items }) => items.map(({ price }) => price))

type Change = (operation: Operation) => ReturnType<typeof enterPhase>

type Update = {
  readonly phases: readonly Phase[]
  readonly body: Record<string, unknown>
  readonly isRefused: boolean
  readonly change: Change | 'start'
}

/** Changes a schedule and what it plans, and makes the change that takes effect now. */
export function apply(
  { merchant, faults }: Table,
  schedule: Schedule,
  {
    play,
    at,
    phases,
    change,
    endBehavior,
  }: {
    play: Omit<Play, 'response' | 'emitted'>
    at: number
    phases?: readonly Phase[]
    change: Change | 'start'
    endBehavior: Schedule['endBehavior'] | undefined
  },
): Play {
  const before = copyOf(merchant)
  const shown = showSchedule(schedule)
  const subscription = subscriptionOf(merchant, schedule)
  const operation = new Operation(merchant, faults, { at, subscription, schedule })
  if (phases) schedule.phases = [...phases]
  if (endBehavior) schedule.endBehavior = endBehavior
  const started = change === 'start' ? startSchedule(merchant, faults, { schedule, at, shown }) : null
  const outcome = change === 'start' ? started?.outcome : change(operation)
  if (outcome === 'timed out') {
    Object.assign(merchant, before)
    return broken(play)
  }
  if (started)
    return done({
      ...{ ...play, emitted: started.operation.end() },
      makes: { [schedule.subscription ?? '']: 'subscription' },
    })
  if (subscription) planEnd(schedule, subscription, at)
  return done({ ...play, emitted: operation.end() })
}

/** Replaces the phases of a schedule that has not started, and moves or starts it. */
function updateComing(table: Table, schedule: Schedule, at: number): Update | null {
  const { merchant, dice } = table
  const was = schedule.phases[0]?.start ?? at
  const isWord = dice.chance(25)
  const start = isWord ? at : dice.chance(50) ? was : at + (dice.chance(5) ? -1 : dice.of([1, DAY, 20 * DAY]))
  const planned = planPhases(table, {
    ...{ customer: schedule.customer, start, grid: { anchor: start, interval: null, isTrial: true } },
    ...{ count: dice.of([1, 2, 3]), known: pricesOf(schedule) },
  })
  if (!planned) return null
  const [first, ...others] = planned.bodies
  return {
    phases: planned.phases,
    body: { phases: [{ ...first, start_date: isWord ? 'now' : start }, ...others] },
    isRefused: planned.isRefused || start < at,
    change:
      start === at
        ? 'start'
        : () => {
            if (start !== was) planAnew(merchant, schedule)
            return 'not tried'
          },
  }
}

/** Repeats the current phase or changes it, and plans others after it. */
function updateActive(
  table: Table,
  schedule: Schedule,
  { subscription, at }: { subscription: Subscription; at: number },
): Update | null {
  const { merchant, dice } = table
  const was = schedule.phases[schedule.current]
  if (!was || was.end <= at) return null
  const kind = dice.weighted({ extend: 5, items: 5, end: 3, cut: 3, mistake: 1 })
  const isTrial = subscription.status === 'trialing'
  if (isTrial && kind === 'cut') return null
  if (at === subscription.start && isOverfull(merchant, subscription)) return null
  const current = currentPhase(table, schedule, { was, kind, at, subscription })
  if (!current) return null
  const planned = planPhases(table, {
    ...{ customer: schedule.customer, start: current.end },
    grid: gridOf(table, { current, subscription, at }),
    known: pricesOf(schedule),
    count: kind === 'cut' ? dice.of([1, 2]) : dice.of([0, 1, 1, 2]),
  })
  if (!planned) return null
  const behavior = dice.chance(50)
    ? dice.of(['none', 'create_prorations', 'always_invoice'] as const)
    : undefined
  const start = was.start + (kind === 'mistake' ? 1 : 0)
  const phases = [phaseBody(current, { start, isCut: kind === 'cut' }), ...planned.bodies]
  const isNew = ({ price }: PhaseItem) => !pricesOf(schedule).includes(price)
  const isPast = kind === 'cut' ? current.end <= current.start : current.end <= at
  const isMistaken = kind === 'mistake' || isPast
  const isImpossible =
    priceOf(merchant, current.items) > MAX_AMOUNT ||
    current.items.filter(isNew).some(({ price }) => isOfInactive(merchant, price))
  const isLate = current.trialEnd !== null && current.trialEnd > current.end
  return {
    phases: [...schedule.phases.slice(0, schedule.current), current, ...planned.phases],
    body: { phases, ...(behavior && { proration_behavior: behavior }) },
    isRefused: planned.isRefused || isMistaken || isImpossible || isLate,
    change: (operation) => {
      if (kind !== 'cut' && isSamePhase(current, was)) return 'not tried'
      if (kind === 'cut') schedule.current += 1
      const how = kind === 'cut' ? undefined : (behavior ?? 'create_prorations')
      return enterPhase(operation, subscription, schedule, how)
    },
  }
}

/** Whether an update leaves what applies to the subscription as it is. */
function isSamePhase(one: Phase, other: Phase): boolean {
  const contentOf = ({ start: _, end: __, behavior: ___, ...content }: Phase) => JSON.stringify(content)
  return contentOf(one) === contentOf(other)
}

/** The current phase after an update. */
function currentPhase(
  table: Table,
  { customer }: Schedule,
  given: { was: Phase; kind: string; at: number; subscription: Subscription },
): Phase | null {
  const { merchant, dice } = table
  const { was, kind, at, subscription } = given
  const interval = intervalOf(merchant, subscription.items)
  const items = kind === 'items' ? chooseItems(table, { interval }) : was.items
  if (!items) return null
  // Rarely in the past.
  const later = dice.chance(5) ? at - 1 : at + dice.between(1, 40) * DAY
  const isAttached = merchant.methods.some((each) => each.key === was.method && each.customer === customer)
  return {
    ...{ ...was, items, end: kind === 'cut' ? at : kind === 'end' ? later : was.end },
    method: isAttached ? was.method : null,
  }
}

/** From where the periods after the current phase are counted. */
function gridOf(
  { merchant }: Table,
  { current, subscription, at }: { current: Phase; subscription: Subscription; at: number },
): Grid {
  const interval = intervalOf(merchant, current.items)
  const isSame = isSameInterval(interval, intervalOf(merchant, subscription.items))
  const isTrialing = subscription.status === 'trialing'
  const isTrial = isTrialing && current.trialEnd === current.end
  const isKept = isSame || isTrialing
  // A new interval begins now, or with the next period if this one is not billed.
  const begin = isBilled(subscription) ? at : subscription.end
  return { anchor: isKept ? subscription.anchor : begin, interval, isTrial }
}

const phaseBody = (phase: Phase, { start, isCut }: { start: number; isCut: boolean }) => ({
  ...{ start_date: start, end_date: isCut ? 'now' : phase.end },
  ...{ items: phase.items.map(itemBody), proration_behavior: phase.behavior, ...settingsBody(phase) },
  ...(phase.trialEnd !== null && { trial_end: phase.trialEnd }),
  ...(phase.isAnchored && { billing_cycle_anchor: 'phase_start' }),
})
