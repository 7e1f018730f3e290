import { type Month, monthOfPaytwin } from './month.ts'
import { aligned, rounded } from './report.ts'
import { known, type Measurement, median, type Outcome, type Part, type Unit } from './result.ts'
import { type Sandbox, sandboxOf } from './sandbox.ts'

const SIZES = [1_000, 10_000, 100_000]

/** The measurements of one size, by round. */
type Grown = { readonly sandbox: Sandbox; readonly months: readonly Month[] }

/** The columns of the table: the measured quantities. */
const COLUMNS: readonly {
  readonly name: string
  readonly unit: Unit
  readonly of: (grown: Grown) => readonly number[]
}[] = [
  { name: 'to create', unit: 's', of: ({ sandbox }) => [sandbox.secondsToMake] },
  { name: 'database', unit: 'MB', of: ({ sandbox }) => [sandbox.bytes / 1e6] },
  { name: 'renewals', unit: '/s', of: ({ months }) => months.map((month) => 1 / month.secondsPerRenewal) },
  { name: 'a renewal', unit: 'µs', of: ({ months }) => months.map((month) => month.secondsPerRenewal * 1e6) },
  {
    name: 'of the processor',
    unit: 'µs',
    of: ({ months }) =>
      known(months.map((month) => month.processorSecondsPerRenewal)).map((seconds) => seconds * 1e6),
  },
  {
    name: 'disk per renewal',
    unit: 'bytes',
    of: ({ months }) => months.map((month) => month.bytesPerRenewal),
  },
  { name: 'idle', unit: 'MB', of: ({ months }) => known(months.map((month) => month.idleMegabytes)) },
  { name: 'advancing', unit: 'MB', of: ({ months }) => known(months.map((month) => month.peakMegabytes)) },
]

/** Measures the same month with increasing numbers of subscriptions, in turns. */
export const growthPart: Part = {
  name: 'growth',
  about: 'the table of 1,000, 10,000 and 100,000 subscriptions (--size N for the largest)',
  isUsual: false,
  run: async ({ rounds, size = Number.POSITIVE_INFINITY, note }): Promise<Outcome> => {
    const sandboxes: Sandbox[] = []
    for (const subscriptions of SIZES.filter((each) => each <= size)) {
      sandboxes.push(await sandboxOf(subscriptions, note))
    }
    const months: Month[][] = sandboxes.map(() => [])
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, sandbox] of sandboxes.entries()) {
        note(`round ${round + 1} of ${rounds}: ${sandbox.subscriptions.toLocaleString('en-US')}`)
        const { month } = await monthOfPaytwin(sandbox, async () => undefined)
        months[index]?.push(month)
      }
    }
    const grown = sandboxes.map((sandbox, index) => ({ sandbox, months: months[index] ?? [] }))
    return { measurements: grown.flatMap(measurementsOf), text: growthTable(grown) }
  },
}

const nameOf = ({ sandbox }: Grown) => sandbox.subscriptions.toLocaleString('en-US')

const measurementsOf = (grown: Grown): Measurement[] =>
  COLUMNS.map(({ name, unit, of }) => ({
    what: `${nameOf(grown)}: ${name}`,
    unit,
    paytwin: of(grown),
    goals: [],
  }))

function growthTable(all: readonly Grown[]): string {
  const headings = ['subscriptions', ...COLUMNS.map(({ name, unit }) => `${name}, ${unit}`)]
  return aligned([
    headings,
    ...all.map((grown) => [nameOf(grown), ...COLUMNS.map(({ of }) => rounded(median(of(grown))))]),
  ])
}
