import { setTimeout as delay } from 'node:timers/promises'
import type { Clock, ClockScope } from '../../client/types.ts'
import { counted, formatSpan, thousands } from '../../text/display.ts'
import { progressBar } from '../../ui/progress-bar.ts'
import type { Invocation } from '../command.ts'
import { instant } from './format.ts'

const POLL_INTERVAL_MS = 150
const BAR_WIDTH = 24

/**
 * Shows the progress of a running advance, if stderr is a terminal.
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
  // The advance itself reports errors, so a failed poll is only not drawn.
  const poll = () => client.clocks('all' in scope ? {} : scope).catch(() => undefined)
  // The clocks shortly after the start. A very short advance is not drawn.
  const first = await poll()
  while (!ended.aborted) {
    await delay(POLL_INTERVAL_MS, undefined, { signal: ended }).catch(() => undefined)
    if (ended.aborted) break
    const now = await poll()
    const line = first && now && progressLine(first.data, now.data, (performance.now() - begun) / 1000)
    if (line) io.stderr.write(`\r${line.slice(0, (io.stderr.columns ?? 80) - 1)}\u001b[K`)
  }
  io.stderr.write('\r\u001b[K')
}

/**
 * Formats the progress of the advancing clocks, by the one that is furthest behind.
 * @param first - the clocks at the first poll
 * @param seconds - real seconds since the advance began
 * @returns undefined if no clock is advancing
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
  return [
    instant(last.now),
    progressBar(share, BAR_WIDTH),
    counted(jobs, 'job'),
    `${thousands(jobs / seconds)}/s`,
    share > 0 ? `${formatSpan((seconds / share) * (1 - share))} left` : '',
  ]
    .filter((part) => part !== '')
    .join('  ')
}
