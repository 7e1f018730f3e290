import * as z from 'zod'
import type { Client } from '../../client/client.ts'
import type { AdvanceTarget, ClockScope, Event } from '../../client/types.ts'
import { formatInstant } from '../../core/calendar.ts'
import { wrongUsage } from '../failure.ts'
import { ownEventType } from '../related-events.ts'
import { resolveMerchant } from '../scope.ts'
import { durationOf, timeOf } from '../time.ts'
import { limit, merchant, testClock } from './params.ts'
import { type Tool, tool } from './tool.ts'

/** The maximum number of events that the result of an advance lists. */
const MAX_LISTED = 50

/** The tools that show and move clocks. */
export const TIME_TOOLS: readonly Tool[] = [
  tool({
    name: 'advance',
    about:
      'Moves the simulated clock forward and runs every job that becomes due, in order: renewals, payment retries, ends of trials, cancellations. ' +
      'Give exactly one of by, to and next. Returns the new time, the counts of what happened, and the newest events. A clock never goes back.',
    params: z.object({
      by: z.string().optional().describe("A duration: 36h, 3d, 2w, 1mo, 1y, '1 month' or ISO 8601 (P1M)."),
      to: z.string().optional().describe('A time: ISO 8601, a date, or Unix seconds.'),
      next: z.boolean().optional().describe('true: advance to the next due job.'),
      stop_on: z
        .array(z.string())
        .optional()
        .describe('Stop after the first event of one of these types, such as invoice.payment_failed.'),
      await_webhooks: z
        .boolean()
        .optional()
        .describe('Wait for the webhook deliveries of each step before the next step.'),
      merchant: merchant(),
      test_clock: testClock(),
    }),
    effect: 'writes',
    run: async (client, { by, to, next, stop_on, await_webhooks, ...which }) => {
      const given = [by, to, next].filter((value) => value !== undefined && value !== false)
      if (given.length !== 1) throw wrongUsage('Give exactly one of by, to and next.')
      const scope = await scopeOf(client, which)
      const target =
        by !== undefined ? { by: durationOf(by) } : to !== undefined ? { to: timeOf('to', to) } : undefined
      const before = await newestEvent(client, which.merchant)
      const { data } = await client.advanceClocks(scope, target ?? (await nextJob(client, scope)), {
        stop_on: stop_on?.map(ownEventType),
        await_webhooks,
      })
      // A page that ends before a cursor has the events next to it, which are the oldest of them.
      const { data: newest } = await client.events({ merchant: which.merchant, limit: MAX_LISTED + 1 })
      const end = newest.findIndex(({ id }) => id === before)
      const events = end < 0 ? newest : newest.slice(0, end)
      const clocks = data.map(({ object, id, now, summary }) => ({
        object,
        id,
        now,
        time: formatInstant(now),
        summary,
      }))
      return {
        clocks,
        events: events.slice(0, MAX_LISTED).map(eventLine),
        ...(events.length > MAX_LISTED && {
          note: `Only the newest ${MAX_LISTED} events are listed; list_events lists the others.`,
        }),
      }
    },
  }),
  tool({
    name: 'upcoming',
    about:
      'Lists the next due jobs of a clock, such as renewals, payment retries and ends of trials, with their times.',
    params: z.object({ merchant: merchant(), test_clock: testClock(), limit: limit(100, 10) }),
    effect: 'reads',
    run: async (client, query) => {
      const { data } = await client.upcoming(query)
      return data.map(({ due, ...job }) => ({ time: formatInstant(due), due, ...job }))
    },
  }),
]

async function scopeOf(
  client: Client,
  { merchant: named, test_clock }: { merchant?: string | undefined; test_clock?: string | undefined },
): Promise<ClockScope> {
  if (test_clock !== undefined) return { test_clock, merchant: named }
  return { merchant: await resolveMerchant(client, named, 'name one with the parameter merchant') }
}

/** Returns the time of the next due job. @throws Failure if no job is due */
async function nextJob(client: Client, scope: ClockScope): Promise<AdvanceTarget> {
  const { data } = await client.upcoming({ ...('all' in scope ? {} : scope), limit: 1 })
  const [job] = data
  if (!job) throw wrongUsage('No job is due, so there is no next one to advance to. Use by or to.')
  return { to: job.due }
}

async function newestEvent(client: Client, named: string | undefined): Promise<string | undefined> {
  const { data } = await client.events({ merchant: named, limit: 1 })
  return data[0]?.id
}

/** Describes an event in a line, without its object. */
export const eventLine = ({ id, type, created, data: { object } }: Event): string =>
  [formatInstant(created), type, object.id, object.status, id]
    .filter((part) => typeof part === 'string')
    .join('  ')
