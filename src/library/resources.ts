import type { FaultShape } from '../http/schemas/admin.ts'
import type { ClockShape, UpcomingShape } from '../http/schemas/clock.ts'
import type { EventShape } from '../http/schemas/event.ts'
import type { FixturesShape } from '../http/schemas/fixtures.ts'
import type { SnapshotShape } from '../http/schemas/snapshot.ts'
import type { createdEndpointSchema } from '../http/schemas/webhook.ts'

/**
 * The objects that the library speaks of, under the names of the description. In what is published, src/declarations.ts puts
 * in their place what it makes of that description: every resource, with its texts, and without the schemas.
 */
export type EventType = EventShape['type']
export type Event<_Type extends EventType = EventType> = EventShape
export type Clock = ClockShape
export type Upcoming = UpcomingShape
export type Fault = FaultShape
export type Fixtures = FixturesShape
export type Snapshot = SnapshotShape
export type CreatedWebhookEndpoint = ReturnType<(typeof createdEndpointSchema.schema)['parse']>
