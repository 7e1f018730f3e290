import type { FaultShape, KeyShape, MerchantShape, StatusShape } from '../http/schemas/admin.ts'
import type { CheckoutPageShape } from '../http/schemas/checkout.ts'
import type { ClockShape, TestClockShape, UpcomingShape } from '../http/schemas/clock.ts'
import type { DashboardLinkShape } from '../http/schemas/dashboard.ts'
import type { EventShape } from '../http/schemas/event.ts'
import type { ExplanationShape } from '../http/schemas/explanation.ts'
import type { FixturesShape } from '../http/schemas/fixtures.ts'
import type { ReceivedShape } from '../http/schemas/inbox-webhook.ts'
import type { MailShape } from '../http/schemas/mail.ts'
import type { AppShape, AuthorizationShape, DecisionShape } from '../http/schemas/oauth.ts'
import type { OverviewShape } from '../http/schemas/overview.ts'
import type { RequestDetailsShape, RequestShape } from '../http/schemas/request.ts'
import type { ShutdownShape } from '../http/schemas/shutdown.ts'
import type { SnapshotDifferencesShape, SnapshotShape } from '../http/schemas/snapshot.ts'
import type { TriggerShape } from '../http/schemas/trigger.ts'
import type {
  DeliveryShape,
  DeliveryWithRequestShape,
  DeliveryWithTypeShape,
  EndpointShape,
} from '../http/schemas/webhook.ts'

/**
 * The objects of the admin API, from the schemas of its responses. Times are Unix seconds.
 * See docs/contract/operator.md#admin-api.
 */

export type List<Item> = {
  readonly object: 'list'
  readonly url: string
  readonly has_more: boolean
  readonly data: readonly Item[]
  readonly livemode: boolean
}

/** An object of a response, without `livemode`, which is always false. */
type Read<T> = T extends readonly (infer Item)[]
  ? readonly Read<Item>[]
  : T extends object
    ? { readonly [Field in keyof T as Field extends 'livemode' ? never : Field]: Read<T[Field]> }
    : T

/** An object with a secret, if the response creates it or a new secret. */
type WithSecret<T, Name extends string = 'secret'> = T & { readonly [Field in Name]?: string }

/** A main clock or a test clock, with the fields that both have. */
export type Clock = Omit<Read<ClockShape>, 'object' | 'created'> & {
  readonly object: Read<ClockShape | TestClockShape>['object']
}
/** The counts of a finished or running advance. See docs/contract/clocks.md#clock-endpoints. */
export type Summary = NonNullable<Clock['summary']>
export type Merchant = Omit<Read<MerchantShape>, 'clock' | 'merchant_id'> & { readonly clock: Clock }
export type Key = WithSecret<Read<KeyShape>>
export type Upcoming = Read<UpcomingShape>

/** A resource of /v1 in an event. Its fields depend on `object`. */
export type Resource = { readonly object: string; readonly id: string } & Readonly<Record<string, unknown>>

export type Event = Pick<Read<EventShape>, 'id' | 'object' | 'created' | 'merchant_id'> & {
  /** A newer daemon can have further types. */
  readonly type: string
  readonly data: {
    readonly object: Resource
    readonly previous_attributes?: Readonly<Record<string, unknown>>
  }
}

export type Status = Omit<Read<StatusShape>, 'merchants'> & { readonly merchants: readonly Merchant[] }
export type Overview = Read<OverviewShape>
export type CheckoutPage = Read<CheckoutPageShape>
export type Explanation = Read<ExplanationShape>
export type DashboardLink = Read<DashboardLinkShape>
/** A mail for a customer, which is never sent. */
export type Mail = Read<MailShape>
export type Snapshot = Read<SnapshotShape>
export type SnapshotDifferences = Read<SnapshotDifferencesShape>

/** The deletion stub of an object. */
export type Deleted = { readonly id: string; readonly object: string; readonly deleted: true }
export type { ChargeShape as Charge } from '../http/schemas/charge.ts'
export type { CreditNoteShape as CreditNote } from '../http/schemas/credit-note.ts'
export type { CustomerShape as Customer } from '../http/schemas/customer.ts'
export type { CouponShape as Coupon, PromotionCodeShape as PromotionCode } from '../http/schemas/discount.ts'
export type { DisputeShape as Dispute } from '../http/schemas/dispute.ts'
export type { InvoiceShape as Invoice } from '../http/schemas/invoice.ts'
export type { MeterShape as Meter } from '../http/schemas/meter.ts'
export type { PaymentIntentShape as PaymentIntent } from '../http/schemas/payment-intent.ts'
export type { RefundShape as Refund } from '../http/schemas/refund.ts'
export type { SubscriptionShape as Subscription } from '../http/schemas/subscription.ts'
export type { SubscriptionScheduleShape as SubscriptionSchedule } from '../http/schemas/subscription-schedule.ts'
export type {
  CustomerTimelineShape as CustomerTimeline,
  InvoiceTimelineShape as InvoiceTimeline,
  RelatedShape as Related,
  SubscriptionTimelineShape as SubscriptionTimeline,
  TimelineEntryShape as TimelineEntry,
  TimelineJobShape as TimelineJob,
  TimelineShape as Timeline,
} from '../http/schemas/timeline.ts'
/** The response to a shutdown. */
export type Shutdown = Read<ShutdownShape>

/** An OAuth app: a client that merchants can authorize. */
export type OAuthApp = WithSecret<Read<AppShape>, 'client_secret'>

/** An OAuth authorization: the request of an app, and the decision. */
export type Authorization = Read<AuthorizationShape>
export type AuthorizationDecision = Pick<Read<DecisionShape>, 'status' | 'redirect_to'>

/** Selects clocks. */
export type ClockScope =
  | { readonly merchant: string }
  | { readonly all: true }
  | { readonly test_clock: string; readonly merchant?: string | undefined }

/** The target of an advance: an instant (Unix seconds or ISO 8601) or a duration. */
export type AdvanceTarget = { readonly to: number | string } | { readonly by: string }

export type WebhookEndpoint = WithSecret<Read<EndpointShape>>
export type WebhookDelivery = Read<DeliveryShape>
export type DeliveryWithType = Read<DeliveryWithTypeShape>
export type DeliveryWithRequest = Read<DeliveryWithRequestShape>
export type InboxWebhook = Read<ReceivedShape>
export type Fault = Read<FaultShape>

/** A request to /v1 that was answered. `time` is in Unix milliseconds. */
export type LoggedRequest = Read<RequestShape>
/** A request to /v1 with its parameters and its response. */
export type RequestDetails = LoggedRequest & Pick<RequestDetailsShape, 'content'>

/** The response to a trigger. `due` and `command` are set if the event is emitted only after the clock advances. */
export type Triggered = Omit<Read<TriggerShape>, 'events'> & { readonly events: readonly Event[] }

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
export type Fixtures = Read<FixturesShape>
