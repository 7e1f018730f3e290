import { type EventsWanted, eventQuery, followEvents } from './event-stream.ts'
import type { Following } from './live.ts'
import { followRequests } from './request-stream.ts'
import { type Address, requestJson } from './transport.ts'
import type {
  AdvanceAim,
  Clock,
  ClockScope,
  Event,
  Fault,
  Fixtures,
  FixturesFile,
  Key,
  List,
  LoggedRequest,
  Merchant,
  Shutdown,
  Status,
  Summary,
  Triggered,
  Upcoming,
  WebhookDelivery,
  WebhookEndpoint,
} from './types.ts'

export type EventPage = EventsWanted & {
  readonly limit?: number | undefined
  readonly starting_after?: string | undefined
  readonly ending_before?: string | undefined
}

/**
 * The admin API of one daemon: what the operator can ask of it, and the answers as they come over the wire. Every method
 * throws Refused when the daemon says no, and Unreachable when none answers.
 * Source: operator.md, Admin API.
 */
export class Client {
  readonly address: Address

  constructor(address: Address) {
    this.address = address
  }

  status(): Promise<Status> {
    return this.#get('status')
  }

  /** Answers when the daemon's database is closed. */
  shutDown(): Promise<Shutdown> {
    return this.#post('shutdown')
  }

  createKey(given: {
    merchant?: string | undefined
    name?: string | undefined
    publishable?: boolean | undefined
  }): Promise<Key> {
    return this.#post('keys', given)
  }

  keys(): Promise<List<Key>> {
    return this.#get('keys')
  }

  revokeKey(id: string): Promise<Key> {
    return this.#post(`keys/${encodeURIComponent(id)}/revoke`)
  }

  createMerchant(given: {
    name?: string | undefined
    clock?: string | number | undefined
  }): Promise<Merchant> {
    return this.#post('merchants', given)
  }

  merchants(): Promise<List<Merchant>> {
    return this.#get('merchants')
  }

  updateMerchant(
    id: string,
    change: {
      name?: string | undefined
      api_version?: string | undefined
      dunning_final_action?: string | undefined
    },
  ): Promise<Merchant> {
    return this.#post(`merchants/${encodeURIComponent(id)}`, change)
  }

  clocks({
    merchant,
    test_clock,
  }: {
    merchant?: string | undefined
    test_clock?: string | undefined
  } = {}): Promise<List<Clock>> {
    return this.#get('clock', { merchant, test_clock })
  }

  /** Answers when the advance has ended, which may take as long as it likes. */
  advanceClocks(
    scope: ClockScope,
    aim: AdvanceAim,
    options: { stop_on?: readonly string[] | undefined; await_webhooks?: boolean | undefined } = {},
  ): Promise<List<Clock & { readonly summary: Summary }>> {
    return this.#post('clock/advance', { ...scope, ...aim, ...options })
  }

  /** Ends a running advance at its next batch border. */
  cancelAdvances(scope: ClockScope): Promise<List<Clock>> {
    return this.#post('clock/cancel', scope)
  }

  freezeClocks(scope: ClockScope): Promise<List<Clock>> {
    return this.#post('clock/freeze', scope)
  }

  unfreezeClocks(scope: ClockScope): Promise<List<Clock>> {
    return this.#post('clock/unfreeze', scope)
  }

  upcoming(asked: {
    merchant?: string | undefined
    test_clock?: string | undefined
    limit?: number | undefined
  }): Promise<List<Upcoming>> {
    return this.#get('upcoming', asked)
  }

  events({ limit, starting_after, ending_before, ...wanted }: EventPage): Promise<List<Event>> {
    const search = eventQuery(wanted)
    addGiven(search, { limit, starting_after, ending_before })
    return requestJson(this.address, { method: 'GET', path: `/_paytwin/events?${search}` })
  }

  event(id: string): Promise<Event> {
    return this.#get(`events/${encodeURIComponent(id)}`)
  }

  /** Events as they happen, without end: see followEvents. */
  followEvents(
    wanted: EventsWanted & { readonly since?: string | undefined },
    options: Following,
  ): AsyncGenerator<Event, void, undefined> {
    return followEvents({ address: this.address, list: (page) => this.events(page) }, wanted, options)
  }

  createWebhook(given: {
    url: string
    enabled_events?: readonly string[] | undefined
    merchant?: string | undefined
    description?: string | undefined
  }): Promise<WebhookEndpoint> {
    return this.#post('webhooks', given)
  }

  webhooks(asked: {
    merchant?: string | undefined
    limit?: number | undefined
  }): Promise<List<WebhookEndpoint>> {
    return this.#get('webhooks', asked)
  }

  deleteWebhook(id: string): Promise<{ readonly id: string; readonly deleted: true }> {
    return this.#delete(`webhooks/${encodeURIComponent(id)}`)
  }

  webhookDeliveries(id: string, asked: { limit?: number | undefined }): Promise<List<WebhookDelivery>> {
    return this.#get(`webhooks/${encodeURIComponent(id)}/deliveries`, asked)
  }

  /** Sends deliveries that wait again now: one, those of an endpoint, or all. */
  retryWebhooks(
    which: { id: string } | { all: true; merchant?: string | undefined },
  ): Promise<List<WebhookDelivery>> {
    return this.#post('webhooks/retry', which)
  }

  resendEvent(
    id: string,
    given: { webhook_endpoint?: string | undefined } = {},
  ): Promise<List<WebhookDelivery>> {
    return this.#post(`events/${encodeURIComponent(id)}/resend`, given)
  }

  addFault(given: {
    kind: string
    count?: number | undefined
    rate?: number | undefined
    route?: string | undefined
    merchant?: string | undefined
    ms?: number | undefined
  }): Promise<Fault> {
    return this.#post('faults', given)
  }

  faults(): Promise<List<Fault>> {
    return this.#get('faults')
  }

  clearFaults(): Promise<List<Fault>> {
    return this.#delete('faults')
  }

  clearFault(id: string): Promise<{ readonly id: string; readonly deleted: true }> {
    return this.#delete(`faults/${encodeURIComponent(id)}`)
  }

  requests(asked: {
    merchant?: string | undefined
    limit?: number | undefined
  }): Promise<List<LoggedRequest>> {
    return this.#get('requests', asked)
  }

  /** Requests to /v1 as they are answered, without end: see followRequests. */
  followRequests(
    wanted: { readonly merchant?: string | undefined },
    following: Following,
  ): AsyncGenerator<LoggedRequest, void, undefined> {
    return followRequests(this.address, wanted, following)
  }

  trigger(given: { type: string; merchant?: string | undefined }): Promise<Triggered> {
    return this.#post('trigger', given)
  }

  /** Loads fixtures, all of them or nothing; or only tells whether they could be. */
  loadFixtures(given: {
    files: readonly FixturesFile[]
    validate_only?: boolean | undefined
  }): Promise<Fixtures> {
    return this.#post('fixtures', given)
  }

  #get<Answer>(
    path: string,
    query: Readonly<Record<string, string | number | undefined>> = {},
  ): Promise<Answer> {
    const search = new URLSearchParams()
    addGiven(search, query)
    return requestJson(this.address, { method: 'GET', path: `/_paytwin/${path}?${search}` })
  }

  #post<Answer>(path: string, body: object = {}): Promise<Answer> {
    return requestJson(this.address, { method: 'POST', path: `/_paytwin/${path}`, body })
  }

  #delete<Answer>(path: string): Promise<Answer> {
    return requestJson(this.address, { method: 'DELETE', path: `/_paytwin/${path}` })
  }
}

function addGiven(
  search: URLSearchParams,
  given: Readonly<Record<string, string | number | undefined>>,
): void {
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) search.set(name, String(value))
  }
}
