import { loadavg } from 'node:os'
import { type AdvanceResult, benchAdvance } from './advance.ts'
import { benchState, reportState } from './state.ts'
import { benchStreams, reportStreams } from './streams.ts'
import { benchWebhooks, reportWebhooks } from './webhooks.ts'

/**
 * `npm run bench [-- --json] [-- --rounds N]`: what an advance of one month costs, small and large in turns, since
 * machines are noisy and only runs that take turns can be compared.
 */
const args = process.argv.slice(2)
const asJson = args.includes('--json')
const rounds = args.includes('--rounds') ? Number(args[args.indexOf('--rounds') + 1]) : 3
const SMALL = 1_000
const LARGE = 10_000
const GOALS = { seconds: 5, megabytes: 300, ratio: 1.3 }

const small: AdvanceResult[] = []
const large: AdvanceResult[] = []
for (let round = 0; round < rounds; round += 1) {
  small.push(await benchAdvance(SMALL))
  large.push(await benchAdvance(LARGE))
}
const state = [
  await benchState(LARGE, []),
  await benchState(LARGE, ['--ephemeral']),
  await benchState(1, []),
  await benchState(1, ['--ephemeral']),
]
const webhooks = await benchWebhooks(rounds)
const streams = await benchStreams()
const ratio = median(large.map(cost)) / median(small.map(cost))

if (asJson) console.log(JSON.stringify({ small, large, ratio, state, webhooks, streams, load: loadavg()[0] }))
else report()

function cost({ microsecondsPerRenewal }: AdvanceResult): number {
  return microsecondsPerRenewal
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function report(): void {
  console.log(`clock advance 1mo, file database, ${rounds} rounds in turns, load ${loadavg()[0]?.toFixed(2)}`)
  console.table(
    [...small, ...large].map((result) =>
      Object.fromEntries(
        Object.entries(result).map(([name, value]) => [name, Number(value.toFixed(value < 10 ? 2 : 0))]),
      ),
    ),
  )
  const worst = Math.max(...large.map(({ seconds }) => seconds))
  const memory = Math.max(...large.map(({ peakMegabytes }) => peakMegabytes))
  console.log(`${LARGE} renewals: at most ${worst.toFixed(2)} s (goal: under ${GOALS.seconds} s)`)
  console.log(`resident set while advancing: at most ${memory.toFixed(0)} MB (goal: ${GOALS.megabytes} MB)`)
  reportState(state)
  console.log(
    `cost per renewal, ${LARGE} against ${SMALL}: ${ratio.toFixed(2)} (goal: at most ${GOALS.ratio})`,
  )
  reportWebhooks(webhooks)
  reportStreams(streams)
}
