import type { FaultShape } from '../http/schemas/admin.ts'
import type { ClockShape, UpcomingShape } from '../http/schemas/clock.ts'
import type { EventShape } from '../http/schemas/event.ts'
import type { FixturesShape } from '../http/schemas/fixtures.ts'
import type { SnapshotShape } from '../http/schemas/snapshot.ts'
import type {
  CustomerTimelineShape,
  InvoiceTimelineShape,
  SubscriptionTimelineShape,
} from '../http/schemas/timeline.ts'
import type { createdEndpointSchema } from '../http/schemas/webhook.ts'

/**
 * The resources that the library uses, under their names in the OpenAPI document. In the published package,
 * src/build/declarations.ts replaces them with types generated from that document: all resources, with descriptions.
 */
export type EventType = EventShape['type']
export type Event<_Type extends EventType = EventType> = EventShape
export type Clock = ClockShape
export type Upcoming = UpcomingShape
export type Fault = FaultShape
export type Fixtures = FixturesShape
export type Snapshot = SnapshotShape
export type SubscriptionTimeline = SubscriptionTimelineShape
export type CustomerTimeline = CustomerTimelineShape
export type InvoiceTimeline = InvoiceTimelineShape
export type CreatedWebhookEndpoint = ReturnType<(typeof createdEndpointSchema.schema)['parse']>

/** The routes of /v1 and the fixed parts of their paths, which only the published package knows. */
export type PathWord = never
export type GetRoutes = object
export type PostRoutes = object
export type DeleteRoutes = object
