import { formatAmount } from '../core/money.ts'
import type { Colour } from './output.ts'
import type { Mark, Moment, Routine } from './timeline-note.ts'

/** Several moments that say the same, told as one. */
export type Run = {
  readonly from: number
  readonly to: number
  readonly mark: Mark
  readonly colour: Colour | undefined
  readonly parts: readonly string[]
  readonly isTroubled: boolean
}

/** Fewer than these are worth their lines. */
const SHORTEST_RUN = 3

/** Puts renewals one after another that went as renewals go together into runs: a year of them stays readable. */
export function withRuns(moments: readonly Moment[]): (Moment | Run)[] {
  const told: (Moment | Run)[] = []
  for (let start = 0; start < moments.length; ) {
    const run = runFrom(moments, start)
    told.push(...(run.length >= SHORTEST_RUN ? [asRun(run)] : run))
    start += run.length
  }
  return told
}

/** The moments from a place on that go the same way; at least the one that is there. */
function runFrom(moments: readonly Moment[], start: number): readonly Moment[] {
  const [first, ...others] = moments.slice(start)
  if (!first) return []
  const outcome = outcomeOf(first)
  const end = others.findIndex((moment) => outcome === undefined || outcomeOf(moment) !== outcome)
  return [first, ...others.slice(0, end === -1 ? others.length : end)]
}

/** How all renewals of a moment went, if they went the same way and nothing else happened. */
function outcomeOf({ notes, isTroubled }: Moment): string | undefined {
  const [first] = notes
  const isSame = notes.every(({ routine }) => routine && routine.outcome === first?.routine?.outcome)
  return isSame && first?.routine ? `${first.routine.outcome} ${isTroubled}` : undefined
}

function asRun(moments: readonly Moment[]): Run {
  const notes = moments.flatMap((moment) => moment.notes)
  const renewals = notes.flatMap(({ routine }) => routine ?? [])
  return {
    from: moments[0]?.at ?? 0,
    to: moments.at(-1)?.at ?? 0,
    mark: notes[0]?.mark ?? '●',
    colour: notes[0]?.colour,
    parts: [`${renewals.length} renewals ${renewals[0]?.outcome}`, sums(renewals), labels(renewals)].filter(
      Boolean,
    ),
    isTroubled: moments[0]?.isTroubled ?? false,
  }
}

/** What they came to, by currency. */
function sums(renewals: readonly Routine[]): string {
  const totals = new Map<string, number>()
  for (const { amount, currency } of renewals) totals.set(currency, (totals.get(currency) ?? 0) + amount)
  return [...totals].map(([currency, amount]) => formatAmount(amount, currency)).join(' + ')
}

/** The numbers of the invoices, where they are those of one subscription. */
function labels(renewals: readonly Routine[]): string {
  const isOne = renewals.every(({ subscription }) => subscription === renewals[0]?.subscription)
  const [first, last] = [renewals[0]?.label, renewals.at(-1)?.label]
  return isOne && first && last ? `${first} … ${last.replace(/^.*-/, '')}` : ''
}
