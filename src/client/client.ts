import { type EventsWanted, eventQuery, followEvents, type StreamNews } from './event-stream.ts'
import { type Address, requestJson } from './transport.ts'
import type {
  AdvanceAim,
  Clock,
  ClockScope,
  Event,
  Key,
  List,
  Merchant,
  Shutdown,
  Status,
  Summary,
  Upcoming,
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

  clocks({ merchant }: { merchant?: string | undefined } = {}): Promise<List<Clock>> {
    return this.#get('clock', { merchant })
  }

  /** Answers when the advance has ended, which may take as long as it likes. */
  advanceClocks(
    scope: ClockScope,
    aim: AdvanceAim,
    { stop_on }: { stop_on?: readonly string[] | undefined } = {},
  ): Promise<List<Clock & { readonly summary: Summary }>> {
    return this.#post('clock/advance', { ...scope, ...aim, stop_on })
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

  upcoming(asked: { merchant?: string | undefined; limit?: number | undefined }): Promise<List<Upcoming>> {
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
    options: { signal: AbortSignal; onNews?: (news: StreamNews) => void },
  ): AsyncGenerator<Event, void, undefined> {
    return followEvents({ address: this.address, list: (page) => this.events(page) }, wanted, options)
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
}

function addGiven(
  search: URLSearchParams,
  given: Readonly<Record<string, string | number | undefined>>,
): void {
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) search.set(name, String(value))
  }
}
