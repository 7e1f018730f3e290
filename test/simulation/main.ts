import { parseArgs } from 'node:util'
import { type AnyStep, write } from './commands.ts'
import { type Mode, paytwinMode } from './mode.ts'
import type { Result } from './run.ts'
import { shrink } from './shrink.ts'
import { Spares } from './spares.ts'

const USAGE = `npm run simulate -- [--seed N] [--steps M] [--seeds K] [--seconds S | --minutes M] [--replay STEPS] [--quick]
  [--again N] [--audit N] [--vary] [--keep-going] [--shrink S] [--dialect paytwin|stripe]

See docs/testing.md#simulation.`

/**
 * Plays random steps against a sandbox and a model of it: K seeds, one if not given, and more until the time is over. One of N seeds,
 * each if not given, is played again with its advances in parts; none with --quick. With --vary each seed has weights of its own. With `--dialect stripe` there is no model. On a
 * failure it prints the seed and the shortest failing sequence that it finds in S seconds. Then it stops, or goes on with the next
 * seed with --keep-going, and exits with 1. The summary is also printed when it is interrupted.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    steps: { type: 'string', default: '300' },
    seeds: { type: 'string', default: '1' },
    seconds: { type: 'string' },
    minutes: { type: 'string' },
    replay: { type: 'string' },
    shrink: { type: 'string', default: '90' },
    quick: { type: 'boolean', default: false },
    again: { type: 'string', default: '1' },
    audit: { type: 'string' },
    vary: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
    dialect: { type: 'string', default: 'paytwin' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit()
}
const begun = performance.now()
const seconds = values.minutes ? Number(values.minutes) * 60 : Number(values.seconds ?? 0)
const firstSeed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)
const count = Number(values.steps)
const auditEvery = values.audit === undefined ? {} : { auditEvery: Number(values.audit) }
const totals = { seeds: 0, steps: 0, years: 0, renewals: 0, events: 0 }
const failed: number[] = []
const spares = new Spares()
let isInterrupted = false
process.once('SIGINT', () => {
  isInterrupted = true
})

if (values.dialect === 'stripe') await simulate((await import('./stripe/mode.ts')).mode)
else if (values.dialect === 'paytwin') await simulate(paytwinMode)
else throw new Error(`there is no dialect ${values.dialect}: use paytwin or stripe`)

async function simulate<Step extends AnyStep>(mode: Mode<Step>): Promise<void> {
  console.log(`simulation: seed ${firstSeed}, ${count} steps a seed${seconds ? `, ${seconds} s` : ''}`)
  for (let seed = firstSeed; !isInterrupted && goesOn(); seed += 1) {
    const steps =
      values.replay === undefined
        ? mode.stepsOf(seed, count, { isVaried: values.vary })
        : mode.read(values.replay)
    const play = isPlayedAgain(seed) ? mode.runThoroughly : mode.run
    const result = await play(steps, { seed, spares, ...auditEvery })
    totals.seeds += 1
    totals.steps += steps.length
    totals.years += result.simulatedSeconds / (365.25 * 86_400)
    totals.renewals += result.renewals
    totals.events += result.events
    if (!result.failure) continue
    failed.push(seed)
    await report(mode, { seed, steps, play }, result)
    if (!values['keep-going']) break
  }
  await spares.closeAll()
  summarize()
  process.exitCode = failed.length > 0 ? 1 : 0
}

function goesOn(): boolean {
  return totals.seeds < Number(values.seeds) || elapsed() < seconds
}

function isPlayedAgain(seed: number): boolean {
  return !values.quick && seed % Number(values.again) === 0
}

function summarize(): void {
  const { seeds, steps, years, renewals, events } = totals
  const found = failed.length === 0 ? 'nothing found' : `failures of ${failed.join(', ')}`
  const processor = (process.cpuUsage().user + process.cpuUsage().system) / 1_000_000
  console.log(
    `${seeds} seeds (${firstSeed} to ${firstSeed + seeds - 1}), ${steps} steps, ${years.toFixed(1)} simulated years, ${renewals} renewals, ${events} events, ${elapsed().toFixed(0)} s, ${(steps / processor).toFixed(0)} steps a second of processor time: ${found}`,
  )
}

function elapsed(): number {
  return (performance.now() - begun) / 1000
}

async function report<Step extends AnyStep>(
  mode: Mode<Step>,
  { seed, steps, play }: { seed: number; steps: readonly Step[]; play: Mode<Step>['run'] },
  { failure, lines }: Result,
): Promise<void> {
  console.error(`seed ${seed} fails after ${lines.length} steps. ${failure?.message}`)
  const deadline = elapsed() + Number(values.shrink)
  // Steps after the failure are dropped, and a failure of one run needs no second run.
  const played = steps.slice(0, lines.length + 1)
  const replay = (await mode.run(played, { seed })).failure?.kind === failure?.kind ? mode.run : play
  const again = (shorter: readonly Step[]) => replay(shorter, { seed, auditEvery: Number.POSITIVE_INFINITY })
  const isSame = async (shorter: readonly Step[]) =>
    elapsed() < deadline && (await again(shorter)).failure?.kind === failure?.kind
  if (Number(values.shrink) === 0) return
  if (!(await isSame(played))) {
    console.error(
      `It fails only after the seeds before it: npm run simulate -- --seed ${firstSeed} --seeds ${seed - firstSeed + 1}`,
    )
    return
  }
  const shortest = await shrink(await narrow(mode, played, lines, isSame), isSame)
  const last = await again(shortest)
  console.error(`\nThe shortest sequence found, ${shortest.length} steps:`)
  for (const line of last.lines) console.error(`  ${line}`)
  console.error(`${last.failure?.message}`)
  const command = `npm run simulate --${values.dialect === 'stripe' ? ' --dialect stripe' : ''}`
  console.error(`\n${command} --seed ${seed} --steps ${steps.length}${values.vary ? ' --vary' : ''}`)
  console.error(`${command} --seed ${seed} --replay '${write(shortest)}'`)
}

/** Steps that probably do not contribute to a failure: those of other merchants, and those without effect. */
async function narrow<Step extends AnyStep>(
  { isWhole }: Mode<Step>,
  steps: readonly Step[],
  lines: readonly string[],
  isSame: (steps: readonly Step[]) => Promise<boolean>,
): Promise<readonly Step[]> {
  const last = steps.at(-1)
  const ofOne = steps.filter(({ merchant, name }) => isWhole(name) || merchant === last?.merchant)
  const busy = steps.filter((_, index) => !lines[index]?.includes('nothing to do it to'))
  const busyOfOne = ofOne.filter((step) => busy.includes(step))
  for (const guess of [busyOfOne.filter(({ name }) => !isWhole(name)), busyOfOne, ofOne, busy]) {
    if (await isSame(guess)) return guess
  }
  return steps
}
