/** The unit of a number. Rates are per second. */
export type Unit = '/s' | 'ms' | 's' | 'µs' | 'MB' | 'bytes' | '%' | '×'

/** The goal for the median of a measurement, or for its ratio to the floor. */
export type Goal = { readonly of: 'paytwin' | 'ratio'; readonly is: '≤' | '≥'; readonly limit: number }

/** One line of the table: a quantity with the measurement of each round. */
export type Measurement = {
  readonly what: string
  readonly unit: Unit
  /** One number for each round; empty if the machine does not report it. */
  readonly paytwin: readonly number[]
  /** The measurements of the floor, in turns with paytwin. Without a floor there is no ratio. */
  readonly floor?: readonly number[]
  readonly goals: readonly Goal[]
}

export type Outcome = {
  readonly measurements: readonly Measurement[]
  /** Additional text, such as a table of another form. */
  readonly text?: string
}

/** The options of a part. */
export type Wanted = {
  readonly rounds: number
  /** The number of subscriptions; undefined for the part's default. */
  readonly size: number | undefined
  /** Reports the progress to the user. */
  readonly note: (text: string) => void
}

export type Part = {
  readonly name: string
  readonly about: string
  /** Whether it runs when no part is named. */
  readonly isUsual: boolean
  readonly run: (wanted: Wanted) => Promise<Outcome>
}

export const atLeast = (limit: number): Goal => ({ of: 'paytwin', is: '≥', limit })
export const atMost = (limit: number): Goal => ({ of: 'paytwin', is: '≤', limit })
export const ratioAtLeast = (limit: number): Goal => ({ of: 'ratio', is: '≥', limit })
export const ratioAtMost = (limit: number): Goal => ({ of: 'ratio', is: '≤', limit })

/** Returns the median; of an even number of values, the upper of the middle two; NaN without values. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** @param share - 0 to 1, as in 0.99 for the value that 99 of 100 do not exceed */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN
}

/** Returns the ratios of paytwin to the floor, by round; empty without a floor. */
export const ratiosOf = ({ paytwin, floor = [] }: Measurement): number[] =>
  floor.map((below, round) => (paytwin[round] ?? Number.NaN) / below)

/** Returns whether the medians meet all goals; null if there is no goal or no measurement. */
export function isMet(measurement: Measurement): boolean | null {
  const { goals, paytwin } = measurement
  if (goals.length === 0 || paytwin.length === 0) return null
  return goals.every(({ of, is, limit }) => {
    const value = median(of === 'ratio' ? ratiosOf(measurement) : paytwin)
    return is === '≥' ? value >= limit : value <= limit
  })
}

/** Runs several tasks in turns. Machines are noisy, and only runs in turns can be compared. */
export async function inTurns<Works extends Readonly<Record<string, () => Promise<unknown>>>>(
  rounds: number,
  works: Works,
): Promise<{ [Name in keyof Works]: Awaited<ReturnType<Works[Name]>>[] }> {
  const results: Record<string, unknown[]> = Object.fromEntries(Object.keys(works).map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, work] of Object.entries(works)) results[name]?.push(await work())
  }
  return results as { [Name in keyof Works]: Awaited<ReturnType<Works[Name]>>[] }
}

export const known = (values: readonly (number | null)[]): number[] => values.flatMap((value) => value ?? [])
