import type {
  Clock,
  CreatedWebhookEndpoint,
  Event,
  EventType,
  Fault,
  Fixtures,
  Snapshot,
  Upcoming,
} from './resources.ts'

/** A time: ISO 8601 as in `2026-01-31T10:00:00Z`, Unix seconds, or a Date. */
export type Instant = string | number | Date

/** A glob over the types of events: `invoice.*`, `*`. */
export type EventGlob = `${string}*${string}`

/** With what a sandbox begins. */
export type PaytwinOptions = {
  /** Everything random follows from it: ids, secrets of webhooks, faults by chance. 1 when not given. */
  readonly seed?: number | string | undefined
  /** Where the clock stands. `2026-01-01T00:00:00Z` when not given. */
  readonly now?: Instant | undefined
  /** Objects to begin with, in the form of `fixtures/schema.json`: the content of one file, or of several. */
  readonly fixtures?: object | readonly object[] | undefined
  /** The key of the default merchant, `sk_test_` and 24 to 200 letters or digits. A random one when not given. */
  readonly secretKey?: string | undefined
  /** Whether a parameter that the API does not know is an error. false when not given: it is ignored. */
  readonly strictParams?: boolean | undefined
  /** How many requests a second each merchant may make. No limit when not given. */
  readonly rateLimit?: number | undefined
}

/** What ends an advance early, and what it waits for. */
export type AdvanceOptions = {
  /** Stops at the first event of one of these types, at its instant: names and globs. */
  readonly stopOn?: readonly (EventType | EventGlob)[] | undefined
  /** Whether time stands still after each step until all webhooks have been answered. */
  readonly awaitWebhooks?: boolean | undefined
}

/** What an advance did. */
export type Advance = NonNullable<Clock['summary']> & {
  /** Where the clock stands now. */
  readonly now: Date
}

/** The clock of a merchant, which stands still until it is advanced. */
export interface ClockControl {
  /** The time that it shows. */
  readonly now: Date
  /**
   * Moves it forward, from due job to due job, by `90s 15m 36h 3d 2w 1mo 1y` or ISO 8601 as in `P1M`.
   * @throws RequestRefused for what is no duration
   */
  advance(by: string, options?: AdvanceOptions): Promise<Advance>
  /** Moves it forward to an instant. @throws RequestRefused for one that has passed */
  advanceTo(to: Instant, options?: AdvanceOptions): Promise<Advance>
  /** Moves it to the next instant at which something is due, and runs what is. @throws Error when nothing is */
  advanceToNext(options?: Pick<AdvanceOptions, 'awaitWebhooks'>): Promise<Advance>
  /** What time is going to make happen, the next first: up to 100. */
  upcoming(): Promise<readonly Upcoming[]>
}

/** Which events are meant. */
export type EventsWanted = {
  /** A name or a glob, or several of them. All when not given. */
  readonly type?: EventType | EventGlob | readonly (EventType | EventGlob)[] | undefined
  /** Only those after this event: the event, or its id. */
  readonly after?: string | { readonly id: string } | undefined
}

/** How `waitFor` goes about it. */
export type WaitOptions<Type extends EventType = EventType> = Pick<EventsWanted, 'after'> & {
  /** Which of the events of that type will do. */
  readonly where?: ((event: Event<Type>) => boolean) | undefined
  /** How long to wait, in milliseconds. 2,000 when not given. */
  readonly timeout?: number | undefined
}

/** What has happened to a merchant. */
export interface EventHistory {
  /** Events in the order in which they happened: all of them, however many. */
  list(wanted?: EventsWanted): Promise<readonly Event[]>
  /**
   * The first event of a type. One that has happened already will do: give `after` to wait for another.
   * @throws Error when none has happened in time; its message tells what has
   */
  waitFor<Type extends EventType>(type: Type, options?: WaitOptions<Type>): Promise<Event<Type>>
  waitFor(type: EventGlob, options?: WaitOptions): Promise<Event>
}

/** A webhook as it was posted, and what came of it. */
export type ReceivedWebhook = {
  /** The address of the endpoint. */
  readonly url: string
  /** As they were sent, signatures included. */
  readonly headers: Readonly<Record<string, string>>
  /** The text that was signed. */
  readonly body: string
  /** The same, read. */
  readonly event: Event
  /** What the receiver answered; null when it did not. */
  readonly status: number | null
  /** Why it did not; null when it did. */
  readonly error: string | null
}

/** Answers a webhook, as your application does. */
export type WebhookHandler = (request: Request) => Response | Promise<Response>

/** An endpoint to be made. */
export type NewWebhook = {
  /** The events that go there: names and globs. All when not given. */
  readonly events?: readonly (EventType | EventGlob)[] | undefined
  /** Called in this process with each webhook. */
  readonly handler?: WebhookHandler | undefined
  /** Where to post them, over the network. With neither this nor a handler they only go to the inbox. */
  readonly url?: string | undefined
}

/** Webhooks of a merchant. */
export interface Webhooks {
  /** What has been posted to its endpoints, failed attempts included, in order. */
  readonly inbox: readonly ReceivedWebhook[]
  /** Makes an endpoint, which hears of what happens from then on. Its `secret` is what its webhooks are signed with. */
  create(webhook?: NewWebhook): Promise<CreatedWebhookEndpoint>
  /** Resolves when nothing is on its way. What is to be tried again waits for the clock. */
  settled(): Promise<void>
}

/** What can be made to go wrong. */
export type FaultKind = Fault['kind']

/** When a fault strikes. */
export type FaultOptions = {
  /** How many times; without end when not given. */
  readonly count?: number | undefined
  /** With what chance, 0 to 1. Always when not given. */
  readonly rate?: number | undefined
  /** A glob over method and route, as in `POST /v1/*`. Not for faults of charges, which the clock makes too. */
  readonly route?: string | undefined
  /** How long a latency lasts, in milliseconds of the wall clock. 1,000 when not given. */
  readonly ms?: number | undefined
}

/** What is made to go wrong. */
export interface Faults {
  /** @throws RequestRefused for what means nothing to that kind */
  add(kind: FaultKind, options?: FaultOptions): Promise<Fault>
  list(): Promise<readonly Fault[]>
  /** Takes all of them back. */
  clear(): Promise<void>
}

/** One merchant, with data, keys, events and a clock of its own. */
export interface MerchantTwin {
  /** Its id. */
  readonly id: string
  /** The key with which your application calls the API. */
  readonly secretKey: string
  readonly clock: ClockControl
  readonly events: EventHistory
  readonly webhooks: Webhooks
  readonly faults: Faults
  /**
   * As the global `fetch`, without a socket, with this merchant's key where no other is given. Paths will do for urls; of urls
   * only the path counts. Redirects are answers, and are not followed.
   * @throws TypeError where the connection was made to break (fault `response_lost`)
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** Reads something of the API. @throws RequestRefused */
  get<Answer = unknown>(path: string): Promise<Answer>
  /** Makes or changes something. @throws RequestRefused */
  post<Answer = unknown>(path: string, body?: object): Promise<Answer>
  /** Deletes or cancels something. @throws RequestRefused */
  delete<Answer = unknown>(path: string, body?: object): Promise<Answer>
  /** Makes the objects that emit an event. @returns what it told */
  trigger(type: EventType): Promise<readonly Event[]>
}

/** A merchant to be made. */
export type NewMerchant = {
  readonly name?: string | undefined
  /** Where its clock stands. Where the default merchant's does when not given. */
  readonly now?: Instant | undefined
  /** What becomes of a subscription whose payment is not recovered. Canceled when not given. */
  readonly dunningFinalAction?: 'cancel' | 'mark_unpaid' | 'leave_past_due' | undefined
}

/** Merchants beside the default one. */
export interface Merchants {
  create(merchant?: NewMerchant): Promise<MerchantTwin>
  /** With all that it has. */
  delete(id: string): Promise<void>
}

/** The state of the whole sandbox, put aside and brought back. */
export interface Snapshots {
  /** In place of the snapshot of that name, if there is one. */
  save(name: string): Promise<Snapshot>
  /** @throws RequestRefused when there is none of that name */
  restore(name: string): Promise<Snapshot>
  list(): Promise<readonly Snapshot[]>
  delete(name: string): Promise<void>
}

/** A sandbox in this process. Itself it stands for its default merchant. */
export interface Paytwin extends MerchantTwin {
  /** Where it listens, on a port of its own of this machine. */
  readonly url: string
  /** With what the operator's API (`/_paytwin`) and the command line are used. */
  readonly adminToken: string
  /** Faults of all merchants; a merchant's own `faults` are those that strike it alone. */
  readonly faults: Faults
  readonly merchants: Merchants
  readonly snapshots: Snapshots
  /** Makes objects, all or none. @throws RequestRefused */
  loadFixtures(...fixtures: readonly object[]): Promise<Fixtures>
  /** Brings back the state with which it began, faults and inbox included. Url, id and key stay, other merchants go. */
  reset(): Promise<void>
  /** Ends it: nothing of it is left. To close it again does nothing. */
  close(): Promise<void>
  /** The same, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
