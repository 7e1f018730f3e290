import type {
  Clock,
  CreatedWebhookEndpoint,
  CustomerTimeline,
  Event,
  EventType,
  Fault,
  Fixtures,
  InvoiceTimeline,
  Snapshot,
  SubscriptionTimeline,
  Upcoming,
} from './resources.ts'
import type { Delete, Get, Post } from './routed.ts'

/** A time: ISO 8601 as in `2026-01-31T10:00:00Z`, Unix seconds, or a Date. */
export type Instant = string | number | Date

/** A glob over event types: `invoice.*`, `*`. */
export type EventGlob = `${string}*${string}`

/** The options of a sandbox. */
export type PaytwinOptions = {
  /** The seed of everything random: IDs, webhook secrets, faults with a rate. Default: 1. */
  readonly seed?: number | string | undefined
  /** The time of the clock. Default: `2026-01-01T00:00:00Z`. */
  readonly now?: Instant | undefined
  /** Objects to create at the start, in the form of `fixtures/schema.json`: the content of one file, or of several. */
  readonly fixtures?: object | readonly object[] | undefined
  /** The default merchant's key, such as `sk_test_123`. Default: a random key. */
  readonly secretKey?: string | undefined
  /** The default merchant's API: `paytwin` (the default), or `stripe` for Stripe's. docs/stripe.md lists the supported parts. */
  readonly dialect?: 'paytwin' | 'stripe' | undefined
  /** The API version of requests that name none, and of events, such as `2024-06-20` for Stripe's API. Default: the newest. */
  readonly apiVersion?: string | undefined
  /** Whether an unknown parameter is an error. Default: true. With false, unknown parameters are ignored. */
  readonly strictParams?: boolean | undefined
  /** The maximum number of requests per second for each merchant. Default: unlimited. */
  readonly rateLimit?: number | undefined
}

/** The options of an advance. */
export type AdvanceOptions = {
  /** Stops at the first event of one of these types (names or globs), at the event's time. */
  readonly stopOn?: readonly (EventType | EventGlob)[] | undefined
  /** Whether to wait after each step until all webhooks have been answered. */
  readonly awaitWebhooks?: boolean | undefined
}

/** The result of an advance. */
export type Advance = NonNullable<Clock['summary']> & {
  /** The new time of the clock. */
  readonly now: Date
}

/** The clock of a merchant. It is frozen until it is advanced. */
export interface ClockControl {
  /** The current time. */
  readonly now: Date
  /**
   * Moves the clock forward and runs every job that becomes due, in order. The duration is like `90s`, `15m`, `36h`, `3d`,
   * `2w`, `1mo`, `1y` or ISO 8601 (`P1M`).
   * @throws RequestRefused for an invalid duration
   */
  advance(by: string, options?: AdvanceOptions): Promise<Advance>
  /** Moves the clock forward to a time. @throws RequestRefused for a time in the past */
  advanceTo(to: Instant, options?: AdvanceOptions): Promise<Advance>
  /** Moves the clock to the next due job and runs it. @throws Error if no job is due */
  advanceToNext(options?: Pick<AdvanceOptions, 'awaitWebhooks'>): Promise<Advance>
  /** Lists the next due jobs, soonest first, up to 100. */
  upcoming(): Promise<readonly Upcoming[]>
}

/** A filter of events. */
export type EventsWanted = {
  /** A type or a glob, or several. Default: all types. */
  readonly type?: EventType | EventGlob | readonly (EventType | EventGlob)[] | undefined
  /** Only events after this one: the event, or its ID. */
  readonly after?: string | { readonly id: string } | undefined
}

/** The options of `waitFor`. */
export type WaitOptions<Type extends EventType = EventType> = Pick<EventsWanted, 'after'> & {
  /** Selects a matching event among those of the type. Default: any. */
  readonly where?: ((event: Event<Type>) => boolean) | undefined
  /** How long to wait at least, in milliseconds. Default: 2,000. Infinity waits for months. */
  readonly timeout?: number | undefined
}

/** The events of a merchant. */
export interface EventHistory {
  /** Lists all events, oldest first. */
  list(wanted?: EventsWanted): Promise<readonly Event[]>
  /**
   * Returns the first event of a type, or waits for it. A past event counts; use `after` to wait for a later one.
   * @throws Error on timeout; the message lists the recent events
   */
  waitFor<Type extends EventType>(type: Type, options?: WaitOptions<Type>): Promise<Event<Type>>
  waitFor(type: EventGlob, options?: WaitOptions): Promise<Event>
}

/** A webhook delivery attempt and its outcome. */
export type ReceivedWebhook = {
  /** The URL of the endpoint. */
  readonly url: string
  /** The headers of the request, with the signatures. */
  readonly headers: Readonly<Record<string, string>>
  /** The body of the request, which was signed. */
  readonly body: string
  /** The event in the body. */
  readonly event: Event
  /** The status of the response; null if there was none. */
  readonly status: number | null
  /** Why there was no response; null if there was one. */
  readonly error: string | null
}

/** Handles a webhook, as your application does. */
export type WebhookHandler = (request: Request) => Response | Promise<Response>

/** The options of a new webhook endpoint. */
export type NewWebhook = {
  /** The event types to send (names or globs). Default: all. */
  readonly events?: readonly (EventType | EventGlob)[] | undefined
  /** A handler in this process, which is called with each webhook. */
  readonly handler?: WebhookHandler | undefined
  /** A URL to post webhooks to, over the network. Without a handler and a URL, webhooks only go to the inbox. */
  readonly url?: string | undefined
}

/** The webhooks of a merchant. */
export interface Webhooks {
  /** All delivery attempts to the merchant's endpoints, failed ones included, in order. */
  readonly inbox: readonly ReceivedWebhook[]
  /** Creates an endpoint, which receives events from now on. Its `secret` signs its webhooks. */
  create(webhook?: NewWebhook): Promise<CreatedWebhookEndpoint>
  /** Resolves when no delivery is under way. Scheduled retries wait for the clock. */
  settled(): Promise<void>
}

/** The kind of a fault. */
export type FaultKind = Fault['kind']

/** The options of a fault. */
export type FaultOptions = {
  /** How many times the fault applies. Default: unlimited. */
  readonly count?: number | undefined
  /** The probability that the fault applies, 0 to 1. Default: 1. */
  readonly rate?: number | undefined
  /** A glob over method and route, such as `POST /v1/*`. Not for faults of charges, because jobs make charges too. */
  readonly route?: string | undefined
  /** The delay of a latency fault, in real milliseconds. Default: 1,000. */
  readonly ms?: number | undefined
}

/** The injected faults. */
export interface Faults {
  /** Adds a fault. @throws RequestRefused for options that the kind does not have */
  add(kind: FaultKind, options?: FaultOptions): Promise<Fault>
  list(): Promise<readonly Fault[]>
  /** Removes all faults. */
  clear(): Promise<void>
}

/** The timeline of an object: what happened to it, and what is due. */
export type Story = {
  /** The ID of the subscription, customer or invoice. */
  readonly id: string
  /** The object with its status, and a picture of its timeline. */
  readonly text: string
  /** The object with its related objects and its timeline, as the admin API returns it. */
  readonly data: SubscriptionTimeline | CustomerTimeline | InvoiceTimeline
}

/** A merchant with its own data, keys, events and clock. */
export interface MerchantTwin {
  /** The ID of the merchant. */
  readonly id: string
  /** The key for your application's requests to the API. */
  readonly secretKey: string
  readonly clock: ClockControl
  readonly events: EventHistory
  readonly webhooks: Webhooks
  readonly faults: Faults
  /**
   * Like the global `fetch`, but without a socket. It uses this merchant's key unless the request has another. The input is a
   * path or a URL, of which only the path is used. Redirects are returned, not followed.
   * @throws TypeError if the fault `response_lost` drops the connection
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  readonly get: Get
  readonly post: Post
  readonly delete: Delete
  /** Creates objects so that an event of this type occurs. @returns all emitted events */
  trigger(type: EventType): Promise<readonly Event[]>
}

/** The options of a new merchant. */
export type NewMerchant = {
  readonly name?: string | undefined
  /** The time of its clock. Default: the time of the default merchant's clock. */
  readonly now?: Instant | undefined
  /** The action on a subscription after its last payment retry fails. Default: `cancel`. */
  readonly dunningFinalAction?: 'cancel' | 'mark_unpaid' | 'leave_past_due' | undefined
  /** The days before or after what each notice is about. Default: no notices. */
  readonly notices?:
    | {
        readonly invoice_upcoming?: 3 | 7 | 15 | 30 | 45 | null | undefined
        readonly trial_will_end?: 3 | null | undefined
        readonly invoice_will_be_due?: number | null | undefined
        readonly invoice_overdue?: number | null | undefined
      }
    | undefined
  /** Its key, such as `sk_test_123`. Default: a random key. */
  readonly secretKey?: string | undefined
  /** Its API. Default: `paytwin`. */
  readonly dialect?: 'paytwin' | 'stripe' | undefined
  /** The API version of requests that name none, and of events. Default: the newest. */
  readonly apiVersion?: string | undefined
}

/** Merchants in addition to the default one. */
export interface Merchants {
  create(merchant?: NewMerchant): Promise<MerchantTwin>
  /** Deletes a merchant with all its data. */
  delete(id: string): Promise<void>
}

/** Snapshots of the sandbox's state. */
export interface Snapshots {
  /** Saves the state. Replaces a snapshot of the same name. */
  save(name: string): Promise<Snapshot>
  /** Restores a snapshot. @throws RequestRefused if it does not exist */
  restore(name: string): Promise<Snapshot>
  list(): Promise<readonly Snapshot[]>
  delete(name: string): Promise<void>
}

/** A sandbox in this process. Its members of a merchant belong to the default merchant. */
export interface Paytwin extends MerchantTwin {
  /** The URL of the API, on a port of its own on this machine. */
  readonly url: string
  /** The token for the admin API (`/_paytwin`) and the command line. */
  readonly adminToken: string
  /** The faults for all merchants. A merchant's own `faults` apply only to that merchant. */
  readonly faults: Faults
  readonly merchants: Merchants
  readonly snapshots: Snapshots
  /** Creates objects from fixtures, all or none. @throws RequestRefused */
  loadFixtures(...fixtures: readonly object[]): Promise<Fixtures>
  /** Returns the timeline of a subscription, customer or invoice of any merchant. @throws RequestRefused if it does not exist */
  story(id: string): Promise<Story>
  /** Returns the timelines of the subscriptions that changed last, for the output of a failed test. Default limit: 3. */
  stories(limit?: number): Promise<readonly Story[]>
  /** Restores the state of the start, also of faults and inbox. URL, ID and key stay; other merchants are deleted. */
  reset(): Promise<void>
  /** Answers the requests in progress, closes the sandbox and frees its resources. Further calls have no effect. */
  close(): Promise<void>
  /** Closes the sandbox at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>
}
