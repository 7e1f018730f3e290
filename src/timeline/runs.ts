import { formatAmount } from '../core/money.ts'
import type { Colour } from '../text/span.ts'
import type { Mark, Moment, Routine } from './note.ts'

/** Several moments with the same result, drawn as one. */
export type Run = {
  readonly from: number
  readonly to: number
  readonly mark: Mark
  readonly colour: Colour | undefined
  readonly parts: readonly string[]
  readonly isTroubled: boolean
}

/** A shorter run is drawn moment by moment. */
const SHORTEST_RUN = 3

/** Combines consecutive renewals with the same result into runs, so that a year of them stays readable. */
export function withRuns(moments: readonly Moment[]): (Moment | Run)[] {
  const entries: (Moment | Run)[] = []
  for (let start = 0; start < moments.length; ) {
    const run = runFrom(moments, start)
    entries.push(...(run.length >= SHORTEST_RUN ? [asRun(run)] : run))
    start += run.length
  }
  return entries
}

/** Returns the moments from `start` on that have the same result; at least one. */
function runFrom(moments: readonly Moment[], start: number): readonly Moment[] {
  const [first, ...others] = moments.slice(start)
  if (!first) return []
  const outcome = outcomeOf(first)
  const end = others.findIndex((moment) => outcome === undefined || outcomeOf(moment) !== outcome)
  return [first, ...others.slice(0, end === -1 ? others.length : end)]
}

/** Returns the common result of a moment's renewals; undefined if they differ or anything else happened. */
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

/** Sums the renewals by currency. */
function sums(renewals: readonly Routine[]): string {
  const totals = new Map<string, number>()
  for (const { amount, currency } of renewals) totals.set(currency, (totals.get(currency) ?? 0) + amount)
  return [...totals].map(([currency, amount]) => formatAmount(amount, currency)).join(' + ')
}

/** Formats the range of invoice numbers, if all belong to one subscription. */
function labels(renewals: readonly Routine[]): string {
  const isOne = renewals.every(({ subscription }) => subscription === renewals[0]?.subscription)
  const [first, last] = [renewals[0]?.label, renewals.at(-1)?.label]
  return isOne && first && last ? `${first} … ${last.replace(/^.*-/, '')}` : ''
}
