/**
 * The objects of the admin API, with the fields that the command line and the terminal UI use. Times are Unix seconds.
 * See docs/contract/operator.md#admin-api.
 */

export type List<Item> = {
  readonly object: 'list'
  readonly url: string
  readonly has_more: boolean
  readonly data: readonly Item[]
  readonly livemode: boolean
}

/** The counts of a finished or running advance. See docs/contract/clocks.md#clock-endpoints. */
export type Summary = {
  readonly jobs: number
  readonly events: number
  readonly invoices_paid: number
  readonly payments_failed: number
  readonly stopped_on: string | null
}

export type Clock = {
  readonly id: string
  readonly object: 'clock' | 'test_clock'
  readonly mode: 'live' | 'frozen'
  readonly now: number
  readonly status: 'ready' | 'advancing'
  readonly target: number | null
  readonly merchant_id: string
  /** While an advance is under way. */
  readonly progress?: Summary
  /** Only in the answer to an advance. */
  readonly summary?: Summary
}

export type Merchant = {
  readonly id: string
  readonly object: 'merchant'
  readonly name: string
  readonly created: number
  readonly api_version: string
  readonly dunning_final_action: string
  readonly clock: Clock
}

export type Key = {
  readonly id: string
  readonly object: 'key'
  readonly type: 'secret' | 'publishable'
  readonly name: string | null
  readonly hint: string
  readonly merchant_id: string
  readonly created: number
  readonly last_used: number | null
  readonly revoked: number | null
  /** Only in the answer that creates it. */
  readonly secret?: string
}

export type Upcoming = {
  readonly object: 'upcoming'
  readonly due: number
  readonly kind: string
  readonly subscription: string | null
  readonly invoice: string | null
  readonly merchant_id: string
}

/** A resource of /v1 in an event. Its fields depend on `object`. */
export type Resource = { readonly object: string; readonly id: string } & Readonly<Record<string, unknown>>

export type Event = {
  readonly id: string
  readonly object: 'event'
  readonly type: string
  readonly created: number
  readonly merchant_id: string
  readonly data: {
    readonly object: Resource
    readonly previous_attributes?: Readonly<Record<string, unknown>>
  }
}

export type Status = {
  readonly object: 'status'
  readonly url: string
  readonly pid: number
  /** The data folder; null if the daemon runs in memory. */
  readonly data: string | null
  readonly version: string
  /** Seconds since the daemon started. */
  readonly uptime: number
  readonly merchants: readonly Merchant[]
  readonly counts: Readonly<Record<string, number>>
}

export type Snapshot = {
  readonly id: string
  readonly object: 'snapshot'
  readonly name: string
  readonly created: number
  /** In bytes. */
  readonly size: number
}

/** The deletion stub of an object. */
export type Deleted = { readonly id: string; readonly object: string; readonly deleted: true }
export type {
  CustomerTimelineShape as CustomerTimeline,
  HappeningShape as Happening,
  InvoiceTimelineShape as InvoiceTimeline,
  ProspectShape as Prospect,
  RelatedShape as Related,
  SubscriptionTimelineShape as SubscriptionTimeline,
  TimelineShape as Timeline,
} from '../http/schemas/timeline.ts'
/** The answer to a shutdown. */
export type Shutdown = Pick<Status, 'url' | 'pid' | 'data'> & { readonly object: 'shutdown' }

/** An OAuth app: a client that merchants can authorize. */
export type OAuthApp = {
  readonly id: string
  readonly object: 'app'
  readonly client_id: string
  readonly name: string
  readonly redirect_uris: readonly string[]
  readonly created: number
  /** Only in the answer that creates the app or rotates the secret. */
  readonly client_secret?: string
}

/** An OAuth authorization: the request of an app, and the decision. */
export type Authorization = {
  readonly id: string
  readonly object: 'authorization'
  readonly client_id: string
  readonly redirect_uri: string
  readonly scope: string
  readonly status: 'pending' | 'approved' | 'denied' | 'expired'
  readonly created: number
  readonly expires_at: number
  readonly revoked: number | null
  /** null until a merchant decides on the consent page. */
  readonly merchant_id: string | null
}

export type AuthorizationDecision = { readonly status: 'approved' | 'denied'; readonly redirect_to: string }

/** Selects clocks. */
export type ClockScope =
  | { readonly merchant: string }
  | { readonly all: true }
  | { readonly test_clock: string; readonly merchant?: string | undefined }

/** The target of an advance: an instant (Unix seconds or ISO 8601) or a duration. */
export type AdvanceTarget = { readonly to: number | string } | { readonly by: string }

export type WebhookEndpoint = {
  readonly id: string
  readonly object: 'webhook_endpoint'
  readonly url: string
  readonly enabled_events: readonly string[]
  readonly description: string | null
  readonly status: 'enabled' | 'disabled'
  readonly created: number
  readonly merchant_id: string
  /** Only in the answer that creates it. */
  readonly secret?: string
}

export type WebhookDelivery = {
  readonly id: string
  readonly object: 'webhook_delivery'
  readonly event: string
  readonly endpoint: string
  readonly status: 'pending' | 'succeeded' | 'failed' | 'discarded'
  readonly created: number
  readonly attempts: readonly {
    readonly time: number
    readonly response_status: number | null
    readonly response_body: string | null
    readonly error: string | null
    readonly duration_ms: number
  }[]
  readonly next_attempt: number | null
  readonly merchant_id: string
}

export type Fault = {
  readonly id: string
  readonly object: 'fault'
  readonly kind: string
  /** How many more times it applies; null for no limit. */
  readonly remaining: number | null
  readonly rate: number
  readonly route: string | null
  readonly merchant: string | null
  readonly ms: number | null
}

/** A request to /v1 that was answered. `time` is in Unix milliseconds. */
export type LoggedRequest = {
  readonly id: string
  readonly object: 'request'
  readonly time: number
  readonly method: string
  readonly path: string
  readonly status: number
  readonly duration_ms: number
  readonly key: string | null
  readonly replayed: boolean
  readonly code: string | null
  readonly merchant_id: string | null
}

/** The answer to a trigger. `due` and `command` are set if the event is emitted only after the clock advances. */
export type Triggered = {
  readonly object: 'trigger'
  readonly type: string
  readonly merchant_id: string
  readonly events: readonly Event[]
  readonly due: number | null
  readonly command: string | null
}

/** A fixtures file: its name, which mistakes refer to, and its JSON. */
export type FixturesFile = { readonly name: string; readonly content: unknown }

/** A mistake in fixtures, and its location. */
export type Mistake = {
  readonly file: string
  /** Such as `subscriptions[2].items[0].price`; null if the mistake concerns the whole file. */
  readonly path: string | null
  readonly code: string | null
  readonly message: string
}

/** The objects that loading fixtures created, or would create. */
export type Fixtures = {
  readonly object: 'fixtures'
  readonly validate_only: boolean
  readonly counts: Readonly<Record<string, number>>
  readonly made: readonly {
    readonly object: string
    readonly ref: string | null
    readonly id: string
    /** null for an app. */
    readonly merchant_id: string | null
    readonly file: string
    readonly path: string
    /** Of a new app or webhook endpoint; shown only once. */
    readonly secret?: string
  }[]
}
