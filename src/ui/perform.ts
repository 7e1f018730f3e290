import type { Client } from '../client/client.ts'
import { Refused, Unreachable } from '../client/errors.ts'
import type { AdvanceAim, Clock, List, Summary, Upcoming } from '../client/types.ts'
import { formatInstant } from '../core/calendar.ts'
import { counted } from '../text/display.ts'
import type { Command } from './command.ts'
import type { Action } from './step.ts'

/** A command for the daemon. */
export type Asked = Exclude<Command, { do: 'quit' | 'redraw' }>

/**
 * Asks the daemon for what a key wants. What comes of it is an action; a refusal or silence is told, and is no failure.
 * @param signal - ends the waiting, not what was asked for
 */
export async function perform(client: Client, command: Asked, signal: AbortSignal): Promise<Action> {
  try {
    return await outcomeOf(client, command, signal)
  } catch (error) {
    if (!(error instanceof Refused || error instanceof Unreachable)) throw error
    return { kind: 'told', text: error.message, isError: true }
  }
}

async function outcomeOf(client: Client, command: Asked, signal: AbortSignal): Promise<Action> {
  const scope = { merchant: command.merchant }
  switch (command.do) {
    case 'look_ahead':
      return { kind: 'upcoming', next: await nextUpcoming(client, command.merchant) }
    case 'advance':
      return told(await advance(client, command, signal))
    case 'freeze':
      return told(`The clock is frozen at ${instantOf(await client.freezeClocks(scope))}.`)
    case 'unfreeze':
      return told(`The clock runs on from ${instantOf(await client.unfreezeClocks(scope))}.`)
    case 'cancel':
      await client.cancelAdvances(scope)
      return told('The advance ends where it has come to.')
  }
}

const told = (text: string): Action => ({ kind: 'told', text, isError: false })
const instantOf = ({ data: [clock] }: List<Clock>): string =>
  clock ? formatInstant(clock.now) : 'no instant'

async function nextUpcoming(client: Client, merchant: string): Promise<Upcoming | null> {
  const { data } = await client.upcoming({ merchant, limit: 1 })
  return data[0] ?? null
}

async function advance(
  client: Client,
  { merchant, aim }: { readonly merchant: string; readonly aim: AdvanceAim },
  signal: AbortSignal,
): Promise<string> {
  const advanced = await client.advanceClocks({ merchant }, aim, { signal })
  const [clock] = advanced.data
  return `Advanced to ${instantOf(advanced)}${clock ? `: ${summaryText(clock.summary)}` : ''}.`
}

/** What an advance did; payments only where there were any, so that it fits the status line. */
const summaryText = ({ jobs, events, invoices_paid, payments_failed }: Summary): string =>
  [
    counted(jobs, 'job'),
    counted(events, 'event'),
    ...(invoices_paid > 0 ? [counted(invoices_paid, 'paid invoice')] : []),
    ...(payments_failed > 0 ? [counted(payments_failed, 'failed payment')] : []),
  ].join(', ')
