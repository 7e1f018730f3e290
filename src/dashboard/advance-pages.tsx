/** @jsxImportSource hono/jsx */
import type { Clock, Event, List, Summary } from '../client/types.ts'
import { addDuration, parseInstant } from '../core/calendar.ts'
import { ApiError } from '../core/errors.ts'
import { Time } from '../http/html/time.tsx'
import { thousands } from '../text/display.ts'
import type { Advance } from './advances.ts'
import { clockOf, scopeOf } from './clock-scope.ts'
import { type PageContext, redirectTo } from './context.ts'
import { EventTable } from './event-table.tsx'
import { Figure } from './figure.tsx'
import { framed } from './frame.tsx'
import { nextJobs } from './next-jobs.ts'
import { Empty, Panel } from './text.tsx'
import { clockPath, NEXT, Progress } from './time-bar.tsx'

/** The maximum number of events that the summary of an advance lists. */
const MAX_LISTED = 100
/** The maximum number of events that the summary reads, to count them by type. */
const MAX_COUNTED = 1_000
const PAGE = 100
const REFRESH_SECONDS = 1

type Moved = Clock & { readonly summary: Summary }

/** Begins an advance, and shows its summary if it ends soon, otherwise its progress. */
export async function advance(context: PageContext, id: string): Promise<Response> {
  const { api, merchant, form, base, advances } = context
  const clock = await clockOf(context, id)
  const target = await targetOf(context, clock)
  const stop = form.get('stop_on') ?? ''
  const newest = await api.get<List<Event>>('events', { merchant: merchant.id, limit: 1 })
  const run = api
    .post<List<Moved>>('clock/advance', {
      ...scopeOf(merchant, id),
      ...target.param,
      'stop_on[0]': stop === '' ? undefined : stop,
    })
    .then(({ data: [moved] }) =>
      moved ? { clock: moved, summary: moved.summary } : { error: new Error('no clock was advanced') },
    )
  const begun = await advances.follow(
    id,
    { from: clock.now, target: target.at, after: newest.data[0]?.id },
    run,
  )
  if (begun.outcome && 'error' in begun.outcome) {
    advances.forget(id)
    throw begun.outcome.error
  }
  return redirectTo(clockPath(base, clock, 'advance'))
}

type Target = {
  /** The parameter of the request. */
  readonly param: { readonly to: string | number } | { readonly by: string }
  /** The target time in Unix seconds; NaN for an input that the API will refuse. */
  readonly at: number
}

/** Reads the target from the form. @throws ApiError if no job is due */
async function targetOf({ api, form, merchant }: PageContext, { id, now }: Clock): Promise<Target> {
  const [by, to] = [form.get('by'), form.get('to')]
  if (by !== null) return { param: { by }, at: addDuration(now, by) ?? Number.NaN }
  if (!form.has(NEXT)) {
    // Browsers send times without a zone, and without seconds if they are zero.
    const instant = `${to ?? ''}${to?.length === 16 ? ':00' : ''}Z`
    return { param: { to: instant }, at: parseInstant(instant) ?? Number.NaN }
  }
  const { jobs, isCut } = await nextJobs(api, scopeOf(merchant, id), 1)
  const [next] = jobs
  if (next) return { param: { to: next.due }, at: next.due }
  throw new ApiError({
    status: 400,
    type: 'invalid_request_error',
    code: null,
    message: isCut
      ? 'Many retries of webhooks are due before the next event. Advance by a time instead.'
      : 'Nothing is due, so there is no next event. Advance by a time instead.',
  })
}

/** Shows the progress of an advance, or its summary. */
export async function showAdvance(context: PageContext, id: string): Promise<Response> {
  const clock = await clockOf(context, id)
  const latest = context.advances.latest(id)
  if (clock.status === 'advancing') return showProgress(context, clock, latest)
  await latest?.ended
  if (!latest?.outcome) return redirectTo(context.base)
  const { outcome } = latest
  if ('error' in outcome) throw outcome.error
  return showSummary(context, latest, outcome)
}

function showProgress(context: PageContext, clock: Clock, latest: Advance | undefined): Response {
  const { id, target, now, progress } = clock
  return framed(context, {
    title: 'The clock is advancing',
    refreshSeconds: REFRESH_SECONDS,
    polls: true,
    endsWithAdvance: id,
    content: (
      <div data-part="progress">
        <p>
          At <Time at={now} />, on the way to <Time at={target} />
        </p>
        <Progress clock={clock} from={latest?.from} />
        {progress ? <Counts {...progress} /> : null}
      </div>
    ),
  })
}

async function showSummary(
  context: PageContext,
  { from, target, after }: Advance,
  { clock, summary }: { readonly clock: Clock; readonly summary: Summary },
): Promise<Response> {
  const { base } = context
  const { events, has_more } =
    summary.events === 0 ? { events: [], has_more: false } : await eventsAfter(context, after)
  const isCanceled = clock.now < target && summary.stopped_on === null
  return framed(context, {
    title: isCanceled ? 'The advance was canceled' : 'The clock has advanced',
    content: (
      <>
        <p class={`notice ${isCanceled ? 'wait' : 'good'}`} role="status">
          From <Time at={from} /> to <Time at={clock.now} />
          {isCanceled ? (
            <>
              {' '}
              instead of <Time at={target} />. What happened until then remains.
            </>
          ) : summary.stopped_on === null ? (
            '.'
          ) : (
            `: stopped by ${summary.stopped_on}.`
          )}
        </p>
        <Counts {...summary} />
        {events.length === 0 ? null : (
          <Panel title={has_more ? `The first ${thousands(events.length)} events by type` : 'Events by type'}>
            <Types base={base} events={events} />
          </Panel>
        )}
        <Panel title="What happened, oldest first">
          {events.length === 0 ? (
            <Empty>No events.</Empty>
          ) : (
            <EventTable {...context} events={events.slice(0, MAX_LISTED)} />
          )}
          {events.length > MAX_LISTED ? (
            <p>
              These are the first {MAX_LISTED} events. <a href={`${base}/events`}>Show all events</a>
            </p>
          ) : null}
        </Panel>
      </>
    ),
  })
}

/** Reads the first events after one, oldest first. */
async function eventsAfter({ api, merchant }: PageContext, after: string | undefined) {
  const events: Event[] = []
  let last = after
  for (;;) {
    const page = await api.get<List<Event>>('events', {
      merchant: merchant.id,
      limit: PAGE,
      ending_before: last,
    })
    events.push(...page.data.toReversed())
    if (!page.has_more || last === undefined || events.length >= MAX_COUNTED)
      return { events, has_more: page.has_more }
    last = page.data[0]?.id
  }
}

/** The number of events of each type, the most frequent first, with links to lists of them. */
function Types({ base, events }: { base: string; events: readonly Event[] }) {
  const counts = new Map<string, number>()
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1)
  return (
    <ul class="types">
      {[...counts]
        .toSorted(([, left], [, right]) => right - left)
        .map(([type, count]) => (
          <li>
            <a href={`${base}/events?${new URLSearchParams({ type })}`}>{type}</a> {thousands(count)}
          </li>
        ))}
    </ul>
  )
}

const Counts = ({ jobs, events, invoices_paid, payments_failed }: Summary) => (
  <dl class="figures">
    <Figure name="Events" value={events} />
    <Figure name="Invoices paid" value={invoices_paid} />
    <Figure name="Payments failed" value={payments_failed} isBad={payments_failed > 0} />
    <Figure name="Jobs run" value={jobs} />
  </dl>
)
