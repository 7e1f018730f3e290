import type { Client } from '../client/client.ts'
import { Refused, Unreachable } from '../client/errors.ts'
import type { AdvanceTarget, Clock, List, Summary, Upcoming } from '../client/types.ts'
import { formatInstant } from '../core/calendar.ts'
import { counted } from '../text/display.ts'
import type { Command } from './command.ts'
import type { Action } from './step.ts'

/** A command for the daemon. */
export type DaemonCommand = Exclude<Command, { do: 'quit' | 'redraw' }>

/**
 * Sends a command to the daemon. @returns the outcome as an action; a refusal or a lost connection becomes a notice
 * @param signal - ends the wait, but not the daemon's work
 */
export async function perform(client: Client, command: DaemonCommand, signal: AbortSignal): Promise<Action> {
  try {
    return await outcomeOf(client, command, signal)
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Unreachable)) throw error
    return { kind: 'notice', text: error.message, isError: true }
  }
}

async function outcomeOf(client: Client, command: DaemonCommand, signal: AbortSignal): Promise<Action> {
  const scope = { merchant: command.merchant }
  switch (command.do) {
    case 'read_upcoming':
      return { kind: 'upcoming', next: await nextUpcoming(client, command.merchant) }
    case 'advance':
      return notice(await advance(client, command, signal))
    case 'freeze':
      return notice(`The clock is frozen at ${instantOf(await client.freezeClocks(scope))}.`)
    case 'unfreeze':
      return notice(`The clock runs from ${instantOf(await client.unfreezeClocks(scope))}.`)
    case 'cancel':
      await client.cancelAdvances(scope)
      return notice('The advance was canceled.')
  }
}

const notice = (text: string): Action => ({ kind: 'notice', text, isError: false })
const instantOf = ({ data: [clock] }: List<Clock>): string =>
  clock ? formatInstant(clock.now) : 'no instant'

async function nextUpcoming(client: Client, merchant: string): Promise<Upcoming | null> {
  const { data } = await client.upcoming({ merchant, limit: 1 })
  return data[0] ?? null
}

async function advance(
  client: Client,
  { merchant, aim }: { readonly merchant: string; readonly aim: AdvanceTarget },
  signal: AbortSignal,
): Promise<string> {
  const advanced = await client.advanceClocks({ merchant }, aim, { signal })
  const [clock] = advanced.data
  return `Advanced to ${instantOf(advanced)}${clock ? `: ${summaryText(clock.summary)}` : ''}.`
}

/** Summarizes an advance. Payments are included only if there were any, so that the text fits the status line. */
const summaryText = ({ jobs, events, invoices_paid, payments_failed }: Summary): string =>
  [
    counted(jobs, 'job'),
    counted(events, 'event'),
    ...(invoices_paid > 0 ? [counted(invoices_paid, 'paid invoice')] : []),
    ...(payments_failed > 0 ? [counted(payments_failed, 'failed payment')] : []),
  ].join(', ')
