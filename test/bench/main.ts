import { availableParallelism, cpus } from 'node:os'
import { removeFolders } from './folders.ts'
import { killAll, watchOthers } from './machine.ts'
import { benchOptions, WrongUsage } from './options.ts'
import { PARTS } from './parts.ts'
import { type PartReport, tableOf } from './report.ts'
import { isMet, median, type Part, ratiosOf } from './result.ts'

/** `npm run bench [-- PART… --rounds N --size N --json]`: see docs/benchmarks.md. */
const NAMES = PARTS.map(({ name }) => name)
const HELP = [
  'npm run bench -- [PART…] [--rounds N] [--size N] [--json]',
  '',
  'Measures paytwin and, in turns with it, what could not be done faster. Without a name all usual parts run.',
  '',
  ...PARTS.map(
    ({ name, about, isUsual }) => `  ${name.padEnd(14)} ${about}${isUsual ? '' : '; only when named'}`,
  ),
  '',
  '  --rounds N     how often each is measured (3)',
  '  --size N       how many subscriptions, for the parts that say so',
  '  --json         one JSON document on stdout instead of the table',
].join('\n')

process.once('exit', () => {
  killAll()
  removeFolders()
})
/** Prints the report. Also called if a part fails or the run is interrupted, so that measurements are not lost. */
let tell = () => {}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    tell()
    process.exit(1)
  })
}

try {
  const { help, json, parts, rounds, size } = benchOptions(process.argv.slice(2), NAMES)
  if (help) console.log(HELP)
  else {
    const chosen = PARTS.filter(({ name, isUsual }) => (parts.length > 0 ? parts.includes(name) : isUsual))
    const reports: PartReport[] = []
    tell = () => {
      if (json) console.log(JSON.stringify(documentOf(reports, rounds), null, 2))
      else print(reports)
    }
    try {
      for (const part of chosen) reports.push(await runPart(part, { rounds, size }))
    } finally {
      tell()
    }
  }
} catch (error) {
  if (!(error instanceof WrongUsage)) throw error
  console.error(`error: ${error.message}`)
  process.exitCode = 2
}

async function runPart(
  part: Part,
  wanted: { rounds: number; size: number | undefined },
): Promise<PartReport> {
  const note = (text: string) => console.error(`${part.name}: ${text}`)
  note(part.about)
  const othersPercent = watchOthers()
  const started = performance.now()
  const outcome = await part.run({ ...wanted, note })
  const seconds = (performance.now() - started) / 1_000
  return { part: part.name, seconds, othersPercent: othersPercent(), ...outcome }
}

function machine() {
  return {
    node: process.version,
    platform: process.platform,
    processor: cpus()[0]?.model ?? 'unknown',
    processors: availableParallelism(),
  }
}

function print(reports: readonly PartReport[]): void {
  const { node, platform, processor, processors } = machine()
  const seconds = reports.reduce((sum, report) => sum + report.seconds, 0)
  console.log(`\nNode ${node}, ${platform}, ${processors} × ${processor}; ${seconds.toFixed(0)} s`)
  console.log(
    'Medians, with the least and the most of the rounds; the ratio is paytwin to floor; others: load by others.\n',
  )
  for (const { text } of reports) if (text !== undefined) console.log(`${text}\n`)
  console.log(tableOf(reports))
}

function documentOf(reports: readonly PartReport[], rounds: number): object {
  return {
    ...machine(),
    rounds,
    parts: reports.map(({ part, seconds, othersPercent, measurements }) => ({
      part,
      seconds,
      others_percent: othersPercent,
      measurements: measurements.map((measurement) => {
        const { what, unit, paytwin, floor, goals } = measurement
        const ratios = ratiosOf(measurement)
        return {
          what,
          unit,
          paytwin,
          floor: floor ?? null,
          median: paytwin.length > 0 ? median(paytwin) : null,
          ratio: ratios.length > 0 ? median(ratios) : null,
          goals,
          met: isMet(measurement),
        }
      }),
    })),
  }
}
