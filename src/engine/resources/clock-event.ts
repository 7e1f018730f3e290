import type { ClockEventType } from '../../core/kinds.ts'
import { CLOCK_DELIVERY_PREFIX, CLOCK_EVENT_PREFIX } from '../../core/webhook.ts'
import type { Clock } from '../machine/clock.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { enqueueDelivery } from './webhook-post.ts'

/**
 * Records an event of a test clock, and enqueues its deliveries. It has counters of its own for its ids, so that the ids of everything
 * else are the same however the clock was moved. Its time is that of the main clock, to which the test clock belongs.
 * See docs/contract/clocks.md#events-of-test-clocks.
 */
export function recordClockEvent(unit: UnitOfWork, clock: Clock, type: ClockEventType): void {
  if (!clock.isTest || !unit.rules.reportsTestClocks) return
  const { store, ids, owner, merchant, request } = unit
  const created = merchant.clock.now
  const number = ids.nextNumber(owner, CLOCK_EVENT_PREFIX)
  store.clockEvents.add(
    {
      merchant: owner,
      number,
      type,
      created,
      clock: {
        id: clock.id,
        created: clock.created,
        name: clock.name,
        now: clock.now,
        target: clock.target,
      },
      api_version: unit.apiVersion,
      request: request?.id ?? null,
      idempotency_key: request?.idempotency_key ?? null,
    },
    { number: store.journal.head(owner), entry: store.journal.next - 1 },
  )
  const event = { id: ids.of(owner, CLOCK_EVENT_PREFIX, number), created }
  for (const { id } of merchant.endpoints.receiving(type))
    enqueueDelivery(unit, id, event, CLOCK_DELIVERY_PREFIX)
}
