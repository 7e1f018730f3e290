import { DAY, periodBegin } from './model-calendar.ts'
import { advance, nextDue } from './model-clock.ts'
import { type Command, done, type Table } from './model-play.ts'
import { ref } from './model-shown.ts'

const SPANS = [0, 60, 3600, DAY, DAY, 3 * DAY, 7 * DAY, 10 * DAY, 31 * DAY, 31 * DAY, 45 * DAY, 100 * DAY]

const STOPS = [['invoice.payment_failed'], ['subscription.*'], ['invoice.paid', 'refund.failed']]

export const advanceMain: Command = (table) => {
  const path = '/v1/test_helpers/clock/advance'
  return move(table, { clock: null, now: table.merchant.now, path })
}

export const advanceTest: Command = (table) => {
  const { merchant, dice } = table
  const clock = dice.any(merchant.clocks.filter(({ isDeleted }) => !isDeleted))
  if (!clock) return null
  const path = `/v1/test_helpers/test_clocks/${ref(clock.key)}/advance`
  return move(table, { clock: clock.key, now: clock.now, path })
}

/** Advances to an instant, by a duration, or until an event. */
function move(
  table: Table,
  { clock, now, path }: { clock: string | null; now: number; path: string },
): ReturnType<Command> {
  const { merchant, faults, dice } = table
  const { to, target } = targetOf(table, now, clock)
  // An advance to the present instant is refused unless a job is due there.
  if (to === now && (nextDue(merchant, clock) ?? Number.POSITIVE_INFINITY) > to) return null
  const stopOn = dice.chance(10) ? dice.of(STOPS) : undefined
  const emitted = advance(merchant, faults, clock, to, stopOn)
  const body = { ...target, ...(stopOn && { stop_on: stopOn }) }
  return done({ method: 'POST', path, body, emitted, moves: { from: now, to, stopOn } })
}

function targetOf({ merchant, dice }: Table, now: number, clock: string | null) {
  // Months are clamped from the current date. See docs/contract/clocks.md#targets.
  if (dice.chance(15)) {
    const months = dice.between(1, 3)
    const to = periodBegin(now, { interval: 'month', interval_count: 1 }, months)
    return { to, target: { by: dice.chance(50) ? `${months}mo` : `P${months}M` } }
  }
  // To the next due job, or a second before it.
  const due = dice.chance(25) ? nextDue(merchant, clock) : undefined
  const isAhead = due !== undefined && due > now
  const to = isAhead ? due - (dice.chance(20) ? 1 : 0) : now + spanOf({ dice })
  return { to, target: { to } }
}

const spanOf = ({ dice }: Pick<Table, 'dice'>): number =>
  dice.of(SPANS) + (dice.chance(30) ? dice.below(DAY) : 0)
