import type { Client } from '../client/client.ts'
import { Refused, Unreachable } from '../client/errors.ts'
import type { AdvanceTarget, Clock, List, Summary, Upcoming } from '../client/types.ts'
import { formatInstant } from '../core/calendar.ts'
import { counted } from '../text/display.ts'
import type { Command } from './command.ts'
import type { Action } from './step.ts'

/** A command for the daemon. */
export type DaemonCommand = Exclude<Command, { do: 'quit' | 'redraw' | 'show' }>

/**
 * Sends a command to the daemon. @returns the outcome as an action; a refusal or a lost connection becomes a notice
 * @param signal - ends the wait, but not the daemon's work
 */
export async function perform(client: Client, command: DaemonCommand, signal: AbortSignal): Promise<Action> {
  try {
    return await outcomeOf(client, command, signal)
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Unreachable)) throw error
    return command.do === 'read_timeline'
      ? { kind: 'timeline', id: command.subject.id, timeline: error.message }
      : { kind: 'notice', text: error.message, isError: true }
  }
}

async function outcomeOf(client: Client, command: DaemonCommand, signal: AbortSignal): Promise<Action> {
  if (command.do === 'read_timeline') {
    const { kind, id } = command.subject
    return { kind: 'timeline', id, timeline: await client[kind](id) }
  }
  const scope = { merchant: command.merchant }
  switch (command.do) {
    case 'read_upcoming':
      return { kind: 'upcoming', next: await nextUpcoming(client, command.merchant) }
    case 'advance':
      return await advance(client, command, signal)
    case 'freeze':
      return changed(await client.freezeClocks(scope), (at) => `The clock is frozen at ${at}.`)
    case 'unfreeze':
      return changed(await client.unfreezeClocks(scope), (at) => `The clock runs from ${at}.`)
    case 'cancel':
      return changed(await client.cancelAdvances(scope), () => 'The advance was canceled.')
  }
}

/** The clocks of a response with a notice about them, so that the header and the notice show the same instant. */
const changed = (response: List<Clock>, text: (instant: string) => string): Action => ({
  kind: 'clock_changed',
  clocks: response.data,
  text: text(instantOf(response)),
})
const instantOf = ({ data: [clock] }: List<Clock>): string =>
  clock ? formatInstant(clock.now) : 'no instant'

async function nextUpcoming(client: Client, merchant: string): Promise<Upcoming | null> {
  const { data } = await client.upcoming({ merchant, limit: 1 })
  return data[0] ?? null
}

async function advance(
  client: Client,
  { merchant, target }: { readonly merchant: string; readonly target: AdvanceTarget },
  signal: AbortSignal,
): Promise<Action> {
  const advanced = await client.advanceClocks({ merchant }, target, { signal })
  const [clock] = advanced.data
  return changed(advanced, (at) => `Advanced to ${at}${clock ? `: ${summaryText(clock.summary)}` : ''}.`)
}

/** Summarizes an advance. Payments are included only if there were any, so that the text fits the status line. */
const summaryText = ({ jobs, events, invoices_paid, payments_failed }: Summary): string =>
  [
    counted(jobs, 'job'),
    counted(events, 'event'),
    ...(invoices_paid > 0 ? [counted(invoices_paid, 'paid invoice')] : []),
    ...(payments_failed > 0 ? [counted(payments_failed, 'failed payment')] : []),
  ].join(', ')
