import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { newNonce } from '../../client/proof.ts'
import type { AdvanceTarget, Clock, ClockScope, Summary } from '../../client/types.ts'
import { counted } from '../../text/display.ts'
import { addVerb, wholeNumber } from '../command.ts'
import { Failure, wrongUsage } from '../failure.ts'
import { cancelable } from '../interruption.ts'
import type { Io } from '../io.ts'
import { nextJobs, type ShownJob } from '../next-jobs.ts'
import { ownEventType } from '../related-events.ts'
import { resolveMerchant } from '../scope.ts'
import { instant } from '../show/format.ts'
import type { Column, Output, Span } from '../show/output.ts'
import { withProgress } from '../show/progress.ts'
import { clockColumns } from '../show/resource-tables.ts'
import { durationOf, timeOf } from '../time.ts'

type ScopeOptions = { merchant?: string; testClock?: string; all?: boolean }
type AdvanceOptions = ScopeOptions & {
  to?: string
  toNext?: boolean
  stopOn?: string[]
  awaitWebhooks?: boolean
}

/** `paytwin clock`. See docs/contract/command-line.md#clock-commands. */
export function clockCommands(program: Command, io: Io): void {
  const clock = program.command('clock').description("Show and move merchants' clocks.")
  addReadingVerbs(clock, io)
  addAdvance(clock, io)
  addMode(clock, io, {
    usage: 'freeze',
    about: 'Freeze a clock, so that it moves only when it is advanced.',
    change: (client, scope) => client.freezeClocks(scope),
  })
  addMode(clock, io, {
    usage: 'unfreeze',
    about: 'Unfreeze a clock, so that it continues from its current time.',
    change: (client, scope) => client.unfreezeClocks(scope),
  })
  addMode(clock, io, {
    usage: 'cancel',
    about: 'Cancel a running advance. The clock stays at the time it has reached.',
    change: (client, scope) => client.cancelAdvances(scope),
  })
}

function addReadingVerbs(clock: Command, io: Io): void {
  addVerb<ScopeOptions>(clock, io, {
    usage: 'show',
    about: 'Show the time, mode and status of all clocks, or of one.',
    options: scopeOptions,
    examples: ['paytwin clock show', 'paytwin clock show --json'],
    run: async ({ client, out }, options) => {
      refuseBoth(options)
      const query = { merchant: options.merchant, test_clock: options.testClock }
      out.show(await client.clocks(query), ({ data }) => out.table(CLOCK_COLUMNS, data, 'No merchants.'))
    },
  })

  addVerb<ScopeOptions & { limit: number }>(clock, io, {
    usage: 'next',
    about:
      'List the next due jobs, such as renewals, payment retries and trial ends. Webhook retries come last, in one line; ' +
      'with --json they are in the order of their times.',
    options: (command) =>
      scopeOptions(command).option('-n, --limit <N>', 'maximum number of jobs, up to 100', wholeNumber, 10),
    examples: ['paytwin clock next', 'paytwin clock next -n 3 --json'],
    run: async ({ client, out }, { limit, ...options }) => {
      refuseBoth(options)
      const query = { merchant: options.merchant, test_clock: options.testClock, limit }
      if (out.isJson) out.json(await client.upcoming(query))
      else out.table(UPCOMING_COLUMNS, await nextJobs(client, query), 'No jobs are due.')
    },
  })
}

function addAdvance(clock: Command, io: Io): void {
  addVerb<AdvanceOptions>(clock, io, {
    usage: 'advance [BY...]',
    about:
      'Move a clock forward and run every job that becomes due, in order. Give a duration, --to a time, or --to-next. ' +
      'Ctrl-C cancels the advance; the clock stays at the time it has reached.',
    arguments: {
      BY: 'a duration: 90s, 15m, 36h, 3d, 2w, 1mo, 1y, 1 month or ISO 8601 (P1M); required unless --to or --to-next is given',
    },
    options: (command) =>
      movedOptions(command)
        .option('--to <TIME>', 'advance to this time: a year, a date, ISO 8601 or Unix seconds')
        .option('--to-next', 'advance to the next due job')
        .option('--await-webhooks', 'wait for the webhook deliveries of each step before the next step')
        .option(
          '--stop-on <TYPE...>',
          'stop after the first event of one of these types, such as invoice.payment_failed',
        ),
    examples: [
      'paytwin clock advance 1mo',
      'paytwin clock advance 2 weeks',
      'paytwin clock advance --to 2099-03-01T00:00:00Z',
      'paytwin clock advance --to-next',
      'paytwin clock advance 1y --stop-on invoice.payment_failed subscription.deleted',
    ],
    run: async (invocation, given, args) => {
      const { by, options } = separateDuration(given, args)
      checkAdvance(options, by)
      const wanted = timesOf(options, by)
      const { client, out } = invocation
      const scope = await resolveScope(client, options)
      const target = wanted ?? (await nextJob(client, scope))
      const advance_id = newNonce()
      const work = client.advanceClocks(scope, target, {
        advance_id,
        stop_on: options.stopOn?.map(ownEventType),
        await_webhooks: options.awaitWebhooks,
      })
      await cancelable(invocation, advance_id, withProgress(invocation, scope, work), (response) =>
        out.show(response, ({ data }) => {
          for (const { summary, ...moved } of data) describeAdvance(out, moved, summary)
        }),
      )
    },
  })
}

function addMode(
  clock: Command,
  io: Io,
  verb: {
    usage: string
    about: string
    change: (client: Client, scope: ClockScope) => ReturnType<Client['clocks']>
  },
): void {
  addVerb<ScopeOptions>(clock, io, {
    usage: verb.usage,
    about: verb.about,
    options: movedOptions,
    examples: [`paytwin clock ${verb.usage}`, `paytwin clock ${verb.usage} --all`],
    run: async ({ client, out }, options) =>
      out.show(await verb.change(client, await resolveScope(client, options)), ({ data }) =>
        out.table(CLOCK_COLUMNS, data, 'No merchants.'),
      ),
  })
}

const scopeOptions = (command: Command, merchant = 'the clock of this merchant'): Command =>
  command
    .option('--merchant <ID>', merchant)
    .option('--test-clock <ID>', 'a test clock, which individual customers follow')
    .option('--all', 'the clocks of all merchants')

/** The scope options of a command that changes clocks. */
const movedOptions = (command: Command): Command =>
  scopeOptions(command, 'the clock of this merchant; required with several merchants unless --all is given')

/** Returns the clocks that a command changes. @throws Failure 2 when there are several merchants and none is named */
async function resolveScope(client: Client, options: ScopeOptions): Promise<ClockScope> {
  refuseBoth(options)
  if (options.all) return { all: true }
  if (options.testClock !== undefined) return { test_clock: options.testClock, merchant: options.merchant }
  return {
    merchant: await resolveMerchant(client, options.merchant, 'choose one with --merchant, or use --all'),
  }
}

function refuseBoth({ merchant, testClock, all }: ScopeOptions): void {
  if (!all) return
  if (merchant !== undefined) throw wrongUsage('--merchant and --all cannot be combined.')
  if (testClock !== undefined) throw wrongUsage('--test-clock and --all cannot be combined.')
}

/**
 * Separates BY from the values of --stop-on, which takes all words that follow it. An event type has a dot or an
 * asterisk; all other words belong to BY.
 */
function separateDuration(
  options: AdvanceOptions,
  args: readonly string[],
): { by: string | undefined; options: AdvanceOptions } {
  const { stopOn, to, toNext } = options
  const isType = (word: string) => /[.*]/.test(word)
  const by = args.length === 0 ? undefined : args.join(' ')
  const hasTarget = [by, to, toNext].some((value) => value !== undefined)
  const found = hasTarget ? [] : (stopOn ?? []).filter((word) => !isType(word))
  if (found.length === 0) return { by, options }
  const types = stopOn?.filter(isType) ?? []
  if (types.length === 0) throw wrongUsage('--stop-on needs at least one event type, such as invoice.paid.')
  return { by: found.join(' '), options: { ...options, stopOn: types } }
}

function checkAdvance({ to, toNext, all, stopOn }: AdvanceOptions, by: string | undefined): void {
  const given = [by, to, toNext].filter((value) => value !== undefined).length
  if (given === 0) throw wrongUsage('Give a duration such as 1mo, --to TIME, or --to-next.')
  if (given > 1) throw wrongUsage('Give only one of a duration, --to and --to-next.')
  if (all && (toNext || stopOn)) {
    throw wrongUsage(
      `${toNext ? '--to-next' : '--stop-on'} works with one clock only: use --merchant instead of --all.`,
    )
  }
}

/** Returns the target that the options name; undefined for --to-next. @throws Failure 2 */
function timesOf({ to }: AdvanceOptions, by: string | undefined): AdvanceTarget | undefined {
  if (by !== undefined) return { by: durationOf(by) }
  return to === undefined ? undefined : { to: timeOf('--to', to) }
}

/** Returns the time of the next due job. @throws Failure 1 if no job is due */
async function nextJob(client: Client, scope: ClockScope): Promise<AdvanceTarget> {
  const { data } = await client.upcoming({ ...('all' in scope ? {} : scope), limit: 1 })
  const [next] = data
  if (!next) throw new Failure(1, 'No job is due, so --to-next has no time to advance to.')
  return { to: next.due }
}

function describeAdvance(out: Output, clock: Clock, summary: Summary): void {
  const { jobs, events, invoices_paid, payments_failed, stopped_on } = summary
  const failed: Span =
    payments_failed > 0
      ? { text: counted(payments_failed, 'failed payment'), colour: 'red' }
      : counted(0, 'failed payment')
  out.line(
    { text: instant(clock.now), colour: 'bold' },
    `  ${nameOf(clock)}  ${counted(jobs, 'job')}, ${counted(events, 'event')}, ${counted(invoices_paid, 'paid invoice')}, `,
    failed,
    stopped_on === null ? '' : `; stopped on ${stopped_on}`,
  )
}

/** Names a clock: a test clock by its own ID, any other by its merchant's. */
const nameOf = ({ object, id, merchant_id }: Clock): string => (object === 'test_clock' ? id : merchant_id)

const CLOCK_COLUMNS: readonly Column<Clock>[] = [{ title: 'CLOCK', cell: nameOf }, ...clockColumns]

const UPCOMING_COLUMNS: readonly Column<ShownJob>[] = [
  { title: 'DUE', cell: ({ due }) => instant(due) },
  { title: 'KIND', cell: ({ kind }) => kind },
  { title: 'SUBSCRIPTION', cell: ({ subscription }) => subscription ?? '–' },
  { title: 'INVOICE', cell: ({ invoice }) => invoice ?? '–', omit: 2 },
  { title: 'MERCHANT', cell: ({ merchant_id }) => merchant_id, omit: 1 },
]
