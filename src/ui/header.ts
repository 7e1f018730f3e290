import { formatInstant } from '../core/calendar.ts'
import { counted, thousands } from '../text/display.ts'
import { type ClockView, nowOf, progressOf } from './clock-view.ts'
import { spread } from './fit.ts'
import { progressBar } from './progress-bar.ts'
import { perSecond } from './rate.ts'
import type { Span } from './span.ts'
import type { Forwarding, State } from './state.ts'

/** The width from which the header has room for IDs and targets. */
const WIDE = 110
/** The width from which a header has room for the rate. */
const ROOM_FOR_RATE = 66
const BAR_WIDTH = { narrow: 8, wide: 20 }

/**
 * Writes the header: merchant, clock, events per second and connection; below it, the URL that events are forwarded to.
 * See docs/contract/terminal-ui.md#screen.
 */
export function headerLines(state: State): Span[][] {
  const { columns, connection, rate, at, forwarding } = state
  const isWide = columns >= WIDE
  const top = spread(
    [...merchantSpans(state, isWide), '  ', ...clockSpans(state.clock, at, isWide)],
    [...(columns >= ROOM_FOR_RATE ? [`${thousands(perSecond(rate, at))}/s  `] : []), CONNECTIONS[connection]],
    columns,
  )
  return forwarding ? [top, forwardingSpans(forwarding)] : [top]
}

const CONNECTIONS: Readonly<Record<State['connection'], Span>> = {
  connecting: { text: '○ connecting', colour: 'yellow' },
  connected: { text: '● connected', colour: 'green' },
  lost: { text: '○ reconnecting', colour: 'red' },
}

function merchantSpans({ watched, clock }: State, isWide: boolean): Span[] {
  if (clock.known === 'several') return [{ text: `${clock.count} merchants`, colour: 'bold' }]
  const id = watched.merchant ?? (clock.known === 'one' ? clock.clock.merchant_id : null)
  if (id === null) return [{ text: 'paytwin', colour: 'bold' }]
  const name = watched.names.get(id)
  if (name === undefined) return [{ text: id, colour: 'bold' }]
  return [{ text: name, colour: 'bold' }, ...(isWide ? [' ', { text: id, colour: 'dim' } as const] : [])]
}

function clockSpans(view: ClockView, at: number, isWide: boolean): Span[] {
  if (view.known === 'not yet') return []
  if (view.known === 'several') return [{ text: 'each with its own clock', colour: 'dim' }]
  if (view.known === 'none') return [{ text: 'merchant deleted', colour: 'red' }]
  const { mode, status, target, progress } = view.clock
  const now = formatInstant(nowOf(view, at))
  if (status === 'ready') return [`${now} `, { text: mode, colour: mode === 'frozen' ? 'cyan' : 'green' }]
  const percent = progressBar(progressOf(view), isWide ? BAR_WIDTH.wide : BAR_WIDTH.narrow)
  const title = target === null ? 'advancing ' : `advancing to ${formatInstant(target)} `
  const jobs = progress ? ` ${counted(progress.jobs, 'job')}` : ''
  return [`${now} `, { text: isWide ? title + percent + jobs : percent, colour: 'yellow' }]
}

function forwardingSpans({ url, secret, delivered, failed, lastFailure }: Forwarding): Span[] {
  const failure: Span[] =
    failed > 0 ? [', ', { text: `${thousands(failed)} failed: ${lastFailure}`, colour: 'red' }] : []
  return [
    `→ ${url}  ${thousands(delivered)} delivered`,
    ...failure,
    { text: `  signed with ${secret}`, colour: 'dim' },
  ]
}
