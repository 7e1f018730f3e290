import { addIntervals, isSameInterval, LAST_INSTANT, nextBoundary, type Recurring } from './calendar.ts'
import { parameterInvalid } from './errors.ts'
import type { Subscription } from './subscription.ts'
import type { PhaseAnchor } from './subscription-schedule.ts'
import { factsOf, isInTrial } from './subscription-status.ts'

/** The start and the end of a phase in a request. Times are in Unix seconds. */
export type PhaseTiming = {
  readonly start_date?: number | 'now' | undefined
  readonly end_date?: number | 'now' | undefined
  /** The number of intervals of the prices. */
  readonly iterations?: number | undefined
  readonly duration?: Recurring | undefined
  readonly trial?: boolean | undefined
  readonly trial_end?: number | undefined
  readonly billing_cycle_anchor?: PhaseAnchor | undefined
  /** The interval of the prices. */
  readonly recurring: Recurring
}

export type PhaseSpan = {
  readonly start_date: number
  readonly end_date: number
  readonly trial_end: number | null
}

/** The instant and the interval from which periods are counted. */
export type Grid = { readonly anchor: number; readonly recurring: Recurring }

/**
 * Computes when phases begin and end. Each phase begins at the end of the previous one. Intervals are counted from the anchor
 * of the periods, if the phase begins with a period, so that a phase ends with a period also after the end of a short month.
 * @param given.start - when the first phase begins, in Unix seconds
 * @param given.now - the current time, in Unix seconds
 * @param given.grid - the grid of a running subscription's periods in the first phase; null for a new subscription
 * @param given.canTry - whether the first phase can be a trial: the subscription is new or in its trial
 * @param given.triedUntil - the end of the existing trial of the first phase; null for none
 * @param given.offset - the index of the first phase in the request
 * @throws ApiError parameter_invalid, such as param phases[1][end_date]
 * See docs/contract/schedules.md#when-a-phase-ends.
 */
export function spansOf(
  timings: readonly PhaseTiming[],
  given: {
    readonly start: number
    readonly now: number
    readonly grid: Grid | null
    readonly canTry: boolean
    readonly triedUntil: number | null
    readonly offset?: number
  },
): PhaseSpan[] {
  let start = given.start
  let { grid } = given
  let { canTry } = given
  const { offset = 0 } = given
  return timings.map((timing, place) => {
    const index = offset + place
    const param = (name: string) => `phases[${index}][${name}]`
    checkStart(timing, { start, now: given.now, param: param('start_date') })
    const { recurring } = timing
    const isNew = place > 0 || given.grid === null
    const isAnchored = isNew && timing.billing_cycle_anchor === 'phase_start'
    if (!grid || isAnchored || (isNew && !isSameInterval(grid.recurring, recurring)))
      grid = { anchor: start, recurring }
    const end = endOfPhase(timing, { start, now: given.now, grid, next: timings[place + 1] })
    if (!(end <= LAST_INSTANT)) throw parameterInvalid(endParam(timing, index), 'The phase ends too late')
    if (end <= start)
      throw parameterInvalid(param('end_date'), `end_date must be after the start of the phase, ${start}`)
    const trial_end = timing.trial ? end : (timing.trial_end ?? null)
    if (trial_end !== null) {
      const isKnown = place === 0 && trial_end === given.triedUntil
      checkTrial(timing, {
        trial_end,
        start: Math.max(start, isKnown ? 0 : given.now),
        end,
        canTry: canTry || isKnown,
        index,
      })
      if (trial_end > given.now) grid = { anchor: trial_end, recurring }
    }
    canTry = canTry && trial_end === end
    const span = { start_date: start, end_date: end, trial_end }
    start = end
    return span
  })
}

/**
 * Returns the grid of a running subscription's periods once the current phase is as given.
 * @param now - the current time, in Unix seconds
 * See docs/contract/schedules.md#updating-a-schedule.
 */
export function gridIn(
  timing: PhaseTiming,
  {
    subscription,
    recurring,
    now,
  }: { readonly subscription: Subscription; readonly recurring: Recurring; readonly now: number },
): Grid {
  const { billing_cycle_anchor, current_period_end } = subscription
  // Without a trial in the phase, a running trial ends now.
  if (isInTrial(subscription)) return { anchor: now, recurring: timing.recurring }
  // A phase that ends now is not entered again: its items never apply.
  const isCut = timing.end_date === 'now' || timing.end_date === now
  if (isCut || isSameInterval(recurring, timing.recurring)) return { anchor: billing_cycle_anchor, recurring }
  const anchor = factsOf(subscription).isBilled ? now : current_period_end
  return { anchor, recurring: timing.recurring }
}

const endParam = ({ iterations, duration }: PhaseTiming, index: number): string =>
  `phases[${index}][${iterations === undefined ? (duration ? 'duration' : 'end_date') : 'iterations'}]`

/** @throws ApiError parameter_invalid when the phase does not begin at the end of the previous one */
function checkStart(
  { start_date }: PhaseTiming,
  { start, now, param }: { readonly start: number; readonly now: number; readonly param: string },
): void {
  const at = start_date === 'now' ? now : start_date
  if (at === undefined || at === start) return
  const what = at > start ? 'leaves a gap after' : 'overlaps with'
  throw parameterInvalid(
    param,
    `The phase ${what} what comes before it; start_date must be ${start}, where that ends`,
  )
}

function endOfPhase(
  { end_date, iterations, duration, recurring }: PhaseTiming,
  {
    start,
    now,
    grid,
    next,
  }: {
    readonly start: number
    readonly now: number
    readonly grid: Grid
    readonly next: PhaseTiming | undefined
  },
): number {
  if (end_date !== undefined) return end_date === 'now' ? now : end_date
  if (iterations !== undefined) return afterIntervals(grid, start, iterations)
  if (duration) {
    const times = timesOf(duration, recurring)
    return times === null ? addIntervals(start, duration, 1) : afterIntervals(grid, start, times)
  }
  if (next?.start_date !== undefined) return next.start_date === 'now' ? now : next.start_date
  return afterIntervals(grid, start, 1)
}

const MONTHS = { month: 1, year: 12 } as const
const DAYS = { day: 1, week: 7 } as const

/** Returns how many intervals of the prices a duration is; null if it is no whole number of them. */
function timesOf(duration: Recurring, recurring: Recurring): number | null {
  for (const units of [MONTHS, DAYS]) {
    const size = ({ interval, interval_count }: Recurring) =>
      interval in units ? ((units as Record<string, number>)[interval] as number) * interval_count : null
    const [whole, one] = [size(duration), size(recurring)]
    if (whole !== null && one !== null && whole % one === 0) return whole / one
  }
  return null
}

/** Returns the instant some intervals after a start: counted from the anchor if the start is the start of a period. */
function afterIntervals({ anchor, recurring }: Grid, start: number, times: number): number {
  const isOnGrid =
    start === anchor || (start > anchor && nextBoundary(anchor, recurring, start - 1) === start)
  const last = addIntervals(start, recurring, times)
  if (!isOnGrid || !(last <= LAST_INSTANT)) return last
  // The boundary is at most three days later than counted from a shorter month.
  return nextBoundary(anchor, recurring, last - 1)
}

/** @throws ApiError parameter_invalid for a trial beyond its phase, in the past, or after a paid phase */
function checkTrial(
  { trial, billing_cycle_anchor }: PhaseTiming,
  {
    trial_end,
    start,
    end,
    canTry,
    index,
  }: {
    readonly trial_end: number
    readonly start: number
    readonly end: number
    readonly canTry: boolean
    readonly index: number
  },
): void {
  const param = (name: string) => `phases[${index}][${name}]`
  const name = trial ? 'trial' : 'trial_end'
  if (trial_end <= start || trial_end > end)
    throw parameterInvalid(
      param('trial_end'),
      `trial_end must be within its phase, after ${start} and at most ${end}`,
    )
  if (billing_cycle_anchor === 'phase_start')
    throw parameterInvalid(
      param('billing_cycle_anchor'),
      'phase_start cannot be used in a phase with a trial',
    )
  if (!canTry)
    throw parameterInvalid(
      param(name),
      'paytwin supports trials only from the start of the subscription: all phases before this one must be trials',
    )
}
