/** @jsxImportSource hono/jsx */
import type { DeliveryWithType, Fault, List, Overview, WebhookEndpoint } from '../client/types.ts'
import { formatAmount } from '../core/money.ts'
import { factsOf, SUBSCRIPTION_STATUSES } from '../core/subscription-status.ts'
import { Time } from '../http/html/time.tsx'
import { thousands } from '../text/display.ts'
import type { PageContext } from './context.ts'
import { barsOf, DayChart, highestOf } from './day-chart.tsx'
import { FaultRows } from './fault-forms.tsx'
import { Figure } from './figure.tsx'
import { framed } from './frame.tsx'
import { JobTable } from './job-table.tsx'
import { liveUrl } from './live.tsx'
import { nextJobs } from './next-jobs.ts'
import { Cut, Empty, Panel, Status } from './text.tsx'
import { deliveryPath } from './webhooks.tsx'

const MAX_JOBS = 8
const MAX_FAILURES = 5
/** The maximum number of endpoints whose deliveries are read, and of deliveries of each. */
const MAX_ENDPOINTS = 5
const MAX_DELIVERIES = 20
const DAYS = 30

/** Shows the first page of a merchant: numbers of objects, payments, failures and the next jobs. */
export function overviewPage(context: PageContext): Promise<Response> | undefined {
  return context.rest.length === 0 && context.method === 'GET' ? show(context) : undefined
}

async function show(context: PageContext): Promise<Response> {
  const { api, merchant, base } = context
  const of = { merchant: merchant.id }
  const live = await liveUrl(context)
  const [overview, upcoming, faults, failures] = await Promise.all([
    api.get<Overview>('overview', of),
    nextJobs(api, of, MAX_JOBS),
    api.get<List<Fault>>('faults'),
    failuresOf(context),
  ])
  const active = faults.data.filter((fault) => fault.merchant === null || fault.merchant === merchant.id)
  return framed(context, {
    title: 'Overview',
    live,
    content: (
      <>
        <div data-part="figures">
          <Figures base={base} overview={overview} />
          <Payments {...overview.payments} />
        </div>
        <div class="columns">
          <Panel title="What is due next" part="due">
            {upcoming.jobs.length > 0 ? <JobTable base={base} jobs={upcoming.jobs} /> : null}
            {upcoming.isCut ? <Empty>Many retries of webhooks are due before other jobs.</Empty> : null}
            {upcoming.jobs.length === 0 && !upcoming.isCut ? (
              <Empty>Nothing is due. Subscriptions, trials and retries of payments make jobs.</Empty>
            ) : null}
          </Panel>
          <div>
            <Panel title="Subscriptions by status" part="statuses">
              <Statuses base={base} counts={overview.subscriptions} />
            </Panel>
            <Panel title="Webhooks that failed" part="failures">
              {failures.length === 0 ? (
                <Empty>None of the last deliveries.</Empty>
              ) : (
                <Failures base={base} failures={failures} />
              )}
            </Panel>
            <Panel title="Active faults" part="faults">
              {active.length === 0 ? <Empty>None.</Empty> : <FaultRows faults={active} />}
            </Panel>
          </div>
        </div>
      </>
    ),
  })
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

const Figures = ({
  base,
  overview: { customers, subscriptions, invoices },
}: {
  base: string
  overview: Overview
}) => {
  const overdue = SUBSCRIPTION_STATUSES.filter((status) => factsOf({ status }).isOverdue).reduce(
    (total, status) => total + (subscriptions[status] ?? 0),
    0,
  )
  return (
    <dl class="figures">
      <Figure name="Customers" value={customers} href={`${base}/customers`} />
      <Figure name="Subscriptions" value={sum(subscriptions)} href={`${base}/subscriptions`} />
      <Figure name="Overdue subscriptions" value={overdue} isBad={overdue > 0} />
      <Figure name="Invoices" value={sum(invoices)} href={`${base}/invoices`} />
      <Figure name="Open invoices" value={invoices.open ?? 0} href={`${base}/invoices?status=open`} />
    </dl>
  )
}

/** Shows the payments of each currency, the one with the most payments first. */
function Payments({ since, days, has_more }: Overview['payments']) {
  const currencies = [...new Set(days.map(({ currency }) => currency))]
    .map((currency) => ({ currency, own: days.filter((day) => day.currency === currency) }))
    .map((each) => ({
      ...each,
      count: each.own.reduce((total, day) => total + day.succeeded_count + day.failed_count, 0),
    }))
    .toSorted((left, right) => right.count - left.count)
  if (currencies.length === 0)
    return (
      <Panel title="Payments of the last 30 days">
        <Empty>No payments. An advance of the clock, or a request of your application, makes some.</Empty>
      </Panel>
    )
  return (
    <>
      {currencies.map(({ currency, own }) => (
        <Panel title={`Payments of the last 30 days, ${currency.toUpperCase()}`} more={<Sums days={own} />}>
          <DayChart
            bars={barsOf(own, { since, count: DAYS, currency })}
            title={`Payments by day in ${currency.toUpperCase()}`}
            scale={formatAmount(highestOf(own), currency)}
          />
          {has_more ? <p class="empty">Only the newest 10,000 payments are shown.</p> : null}
        </Panel>
      ))}
    </>
  )
}

function Sums({ days }: { days: Overview['payments']['days'] }) {
  const total = (field: 'succeeded' | 'failed') => days.reduce((amount, day) => amount + day[field], 0)
  const currency = days[0]?.currency ?? ''
  return (
    <p class="legend">
      <span class="paid">{formatAmount(total('succeeded'), currency)} paid</span>
      <span class="failed">{formatAmount(total('failed'), currency)} failed</span>
    </p>
  )
}

function Statuses({ base, counts }: { base: string; counts: Readonly<Record<string, number>> }) {
  const shown = Object.entries(counts).toSorted(([, left], [, right]) => right - left)
  if (shown.length === 0)
    return <Empty>No subscriptions. Subscribe a customer with the API, or load fixtures in Scenes.</Empty>
  return (
    <ul class="rows">
      {shown.map(([status, count]) => (
        <li>
          <a href={`${base}/subscriptions?status=${encodeURIComponent(status)}`}>
            <Status status={status} />
          </a>
          <span>{thousands(count)}</span>
        </li>
      ))}
    </ul>
  )
}

type Failure = {
  readonly endpoint: WebhookEndpoint
  readonly delivery: DeliveryWithType
}

/** Finds failed attempts among the last deliveries of the newest endpoints, newest first. */
async function failuresOf({ api, merchant }: PageContext): Promise<readonly Failure[]> {
  const { data: endpoints } = await api.get<List<WebhookEndpoint>>('webhooks', {
    merchant: merchant.id,
    limit: MAX_ENDPOINTS,
  })
  const found = await Promise.all(
    endpoints.map(async (endpoint) => {
      const path = `webhooks/${encodeURIComponent(endpoint.id)}/deliveries`
      const { data } = await api.get<List<DeliveryWithType>>(path, { limit: MAX_DELIVERIES })
      return data.map((delivery) => ({ endpoint, delivery }))
    }),
  )
  return found
    .flat()
    .filter(({ delivery: { status, attempts } }) => status !== 'succeeded' && attempts.length > 0)
    .toSorted((left, right) => right.delivery.created - left.delivery.created)
    .slice(0, MAX_FAILURES)
}

const Failures = ({ base, failures }: { base: string; failures: readonly Failure[] }) => (
  <ul class="rows">
    {failures.map(({ endpoint, delivery }) => {
      const { event_type, status, attempts, next_attempt } = delivery
      const last = attempts.at(-1)
      return (
        <li>
          <span>
            <a href={deliveryPath(base, delivery)}>{event_type}</a>
            <small>
              <Cut text={`to ${endpoint.url}`} />
            </small>
            <small>
              {last?.response_status === null ? last.error : `responded ${last?.response_status}`}
              {next_attempt === null ? null : (
                <>
                  , again at <Time at={next_attempt} />
                </>
              )}
            </small>
          </span>
          <Status status={status} />
        </li>
      )
    })}
  </ul>
)
