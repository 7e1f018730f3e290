import { goesWith } from './commands-subscribe.ts'
import { MAX_AMOUNT, priceOf } from './model-amounts.ts'
import { DAY, type Interval } from './model-calendar.ts'
import { methodsOf, type Table } from './model-play.ts'
import {
  endAfter,
  intervalOf,
  isSameInterval,
  type Phase,
  type PhaseItem,
  type Settings,
} from './model-schedule.ts'
import { ref } from './model-shown.ts'
import type { Merchant, Price } from './model-state.ts'
import { isOfInactive } from './model-usage.ts'

/** Where the periods are counted from when a phase begins; `isTrial` if all phases before it are trials. */
export type Grid = { readonly anchor: number; readonly interval: Interval | null; readonly isTrial: boolean }

/** Phases with their parameters. */
export type Planned = {
  readonly phases: readonly Phase[]
  readonly bodies: readonly Record<string, unknown>[]
  readonly isRefused: boolean
}

const QUANTITIES = [0, 1, 1, 1, 2, 3, 5]
const BEHAVIORS = ['none', 'default', 'create_prorations', 'create_prorations', 'always_invoice'] as const

/** `known` are the prices that the schedule has already, which stay usable. */
type Plan = {
  readonly customer: string
  readonly start: number
  readonly grid: Grid
  readonly known?: readonly string[]
}

/** Plans some phases one after another; null if there is no price. */
export function planPhases(
  table: Table,
  { customer, start, grid, count, known = [] }: Plan & { count: number },
): Planned | null {
  const phases: Phase[] = []
  const bodies: Record<string, unknown>[] = []
  let isRefused = false
  let [from, before] = [start, grid]
  for (let place = 0; place < count; place += 1) {
    const planned = planPhase(table, { customer, start: from, grid: before, known })
    if (!planned) return null
    const { phase, body } = planned
    if (planned.isRefused) isRefused = true
    phases.push(phase)
    bodies.push(body)
    before = gridAfter(table.merchant, phase, before)
    from = phase.end
  }
  return { phases, bodies, isRefused }
}

/** Returns from where periods are counted after a phase. */
export function gridAfter(merchant: Merchant, phase: Phase, { anchor, interval, isTrial }: Grid): Grid {
  const own = intervalOf(merchant, phase.items)
  const isMoved = interval === null || phase.isAnchored || !isSameInterval(own, interval)
  return {
    anchor: phase.trialEnd ?? (isMoved ? phase.start : anchor),
    interval: own,
    isTrial: isTrial && phase.trialEnd === phase.end,
  }
}

function planPhase(
  table: Table,
  { customer, start, grid, known }: Required<Plan>,
): { phase: Phase; body: Record<string, unknown>; isRefused: boolean } | null {
  const { merchant, dice } = table
  const items = chooseItems(table, grid)
  if (!items) return null
  const interval = intervalOf(merchant, items)
  const isTrialWanted = dice.chance(grid.isTrial ? 25 : 3)
  const isAnchored = dice.chance(isTrialWanted ? 3 : 12)
  const anchor = grid.interval && isSameInterval(grid.interval, interval) && !isAnchored ? grid.anchor : start
  const length = lengthOf(table, { start, anchor, interval })
  const { end } = length
  const isTrial = isTrialWanted && end - start < 600 * DAY
  const isWhole = isTrial && dice.chance(60)
  const trialEnd = isTrial && end > start ? (isWhole ? end : dice.between(start + 1, end)) : null
  const chosen = dice.of(BEHAVIORS)
  const settings = settingsOf(table, customer)
  const phase = {
    ...{ start, end, trialEnd, items, isAnchored, ...settings },
    behavior: chosen === 'default' ? ('create_prorations' as const) : chosen,
  }
  const isMistaken = (isTrial && !grid.isTrial) || (isTrial && isAnchored) || end <= start
  const isImpossible =
    priceOf(merchant, items) > MAX_AMOUNT ||
    items.some(({ price }) => isOfInactive(merchant, price) && !known.includes(price))
  const body = {
    ...{ items: items.map(itemBody), ...length.body, ...settingsBody(settings) },
    ...(isTrial && (isWhole ? { trial: true } : { trial_end: trialEnd })),
    ...(chosen !== 'default' && { proration_behavior: chosen }),
    ...(isAnchored && { billing_cycle_anchor: 'phase_start' }),
  }
  return { phase, body, isRefused: isMistaken || isImpossible }
}

export const itemBody = ({ price, quantity, isMetered }: PhaseItem) => ({
  ...{ price: ref(price), ...(!isMetered && { quantity }) },
})

export const settingsBody = ({ collection, daysUntilDue, method, description }: Settings) => ({
  ...(collection !== null && { collection_method: collection }),
  ...(daysUntilDue !== null && { invoice_settings: { days_until_due: daysUntilDue } }),
  ...(method !== null && { default_payment_method: ref(method) }),
  ...(description !== null && { description }),
})

/** One or two prices, mostly with the interval of the phase before. */
export function chooseItems(
  { merchant, dice }: Table,
  { interval }: Pick<Grid, 'interval'>,
): PhaseItem[] | null {
  const prices = merchant.prices.slice(-10)
  const same = prices.filter((price) => interval !== null && isSameInterval(price, interval))
  const price = dice.any(same.length > 0 && dice.chance(75) ? same : prices)
  if (!price) return null
  const second = dice.chance(25)
    ? dice.any(merchant.prices.filter((each) => goesWith(each, price)))
    : undefined
  const item = ({ key, meter }: Price) => ({
    ...{ price: key, quantity: meter === null ? dice.of(QUANTITIES) : 0, isMetered: meter !== null },
  })
  return second ? [item(price), item(second)] : [item(price)]
}

/** See docs/contract/schedules.md#when-a-phase-ends. */
export function lengthOf(
  { dice }: Pick<Table, 'dice'>,
  { start, anchor, interval }: { start: number; anchor: number; interval: Interval },
): { end: number; body: Record<string, unknown> } {
  const after = (length: Interval) => endAfter(start, { length, anchor, interval })
  const kind = dice.of(['end', 'end', 'iterations', 'iterations', 'duration', 'none'] as const)
  if (kind === 'end') {
    const end = start + (dice.chance(3) ? 0 : dice.between(1, 40) * DAY + dice.of([0, 0, 1, 3600]))
    return { end, body: { end_date: end } }
  }
  if (kind === 'iterations') {
    const count = dice.of([1, 1, 1, 2, 3])
    const end = after({ ...interval, interval_count: interval.interval_count * count })
    return { end, body: { iterations: count } }
  }
  if (kind === 'duration') {
    const unit = dice.of(['day', 'week', 'month', 'month', 'year'] as const)
    const length = { interval: unit, interval_count: unit === 'year' ? 1 : dice.between(1, 4) }
    return { end: after(length), body: { duration: length } }
  }
  return { end: after(interval), body: {} }
}

const NOTHING_SET = { collection: null, daysUntilDue: null, method: null, description: null }

/** What a phase sets: mostly nothing. */
function settingsOf(table: Table, customer: string): Settings {
  const { dice } = table
  if (dice.chance(75)) return NOTHING_SET
  const isSent = dice.chance(25)
  return {
    collection: isSent ? 'send_invoice' : dice.chance(30) ? 'charge_automatically' : null,
    daysUntilDue: isSent && dice.chance(70) ? dice.of([0, 7, 30]) : null,
    method: dice.chance(40) ? (dice.any(methodsOf(table, customer))?.key ?? null) : null,
    description: dice.chance(30) ? 'of a phase' : null,
  }
}
