import { setTimeout as delay } from 'node:timers/promises'
import type { Clock, ClockScope } from '../client/types.ts'
import { counted, formatSpan, thousands } from '../text/display.ts'
import type { Invocation } from './command.ts'
import { instant } from './format.ts'

const LOOK_EVERY_MS = 150
const BAR_WIDTH = 24

/**
 * Shows how far an advance has come while it runs, when a person watches.
 * See docs/contract/command-line.md#clock-commands.
 */
export async function withProgress<T>(
  invocation: Invocation,
  scope: ClockScope,
  work: Promise<T>,
): Promise<T> {
  if (!invocation.out.isWatched) return work
  const ended = new AbortController()
  const drawing = draw(invocation, scope, ended.signal)
  try {
    return await work
  } finally {
    ended.abort()
    await drawing
  }
}

async function draw({ client, io }: Invocation, scope: ClockScope, ended: AbortSignal): Promise<void> {
  const begun = performance.now()
  // The advance itself tells what went wrong: a look that fails is only not drawn.
  const look = () => client.clocks('all' in scope ? {} : scope).catch(() => undefined)
  // Where they began, or nearly: an advance that is over in a moment is not drawn at all.
  const first = await look()
  while (!ended.aborted) {
    await delay(LOOK_EVERY_MS, undefined, { signal: ended }).catch(() => undefined)
    if (ended.aborted) break
    const now = await look()
    const line = first && now && progressLine(first.data, now.data, (performance.now() - begun) / 1000)
    if (line) io.stderr.write(`\r${line.slice(0, (io.stderr.columns ?? 80) - 1)}\u001b[K`)
  }
  io.stderr.write('\r\u001b[K')
}

/**
 * How far clocks have come, by the one that is behind.
 * @param first - the clocks as they were first seen
 * @param seconds - since the advance began, on the wall
 * @returns undefined when none is moving
 */
export function progressLine(
  first: readonly Clock[],
  clocks: readonly Clock[],
  seconds: number,
): string | undefined {
  const [last] = clocks
    .filter(({ status }) => status === 'advancing')
    .sort((left, right) => left.now - right.now)
  if (!last || last.target === null) return undefined
  const from = first.find(({ id }) => id === last.id)?.now ?? last.now
  const share = last.target > from ? (last.now - from) / (last.target - from) : 1
  const jobs = clocks.reduce((sum, { progress }) => sum + (progress?.jobs ?? 0), 0)
  const filled = Math.round(share * BAR_WIDTH)
  return [
    instant(last.now),
    `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)} ${Math.floor(share * 100)}%`,
    counted(jobs, 'job'),
    `${thousands(jobs / seconds)}/s`,
    share > 0 ? `${formatSpan((seconds / share) * (1 - share))} left` : '',
  ]
    .filter((part) => part !== '')
    .join('  ')
}
