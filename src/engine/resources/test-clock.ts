import type { Clock } from '../machine/clock.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { recordClockEvent } from './clock-event.ts'
import { deleteCustomer } from './customer.ts'
import { oneByOne } from './one-by-one.ts'

/**
 * Creates a test clock for single customers. It is always frozen, and may start at any instant.
 * @param given.frozen_time - its time, in Unix seconds
 * See docs/contract/clocks.md#test-clocks.
 */
export function createTestClock(
  unit: UnitOfWork,
  { frozen_time, name }: { frozen_time: number; name?: string | null | undefined },
): Clock {
  const row = {
    id: unit.newId('clock'),
    merchant: unit.owner,
    created: unit.now,
    is_test: 1,
    name: name ?? null,
    deleted: 0,
    mode: 'frozen' as const,
    now: frozen_time,
    offset: 0,
    target: null,
    advance: null,
  }
  const clock = unit.merchant.testClocks.made({ ...row, seq: unit.store.clocks.add(row) })
  recordClockEvent(unit, clock, 'test_helpers.test_clock.created')
  return clock
}

/**
 * Deletes a test clock and its customers with their usage, and cancels their subscriptions at once. An advance of the clock that waits for
 * webhooks ends at this instant.
 * @throws ApiError resource_missing
 * See docs/contract/clocks.md#test-clocks.
 */
export function deleteTestClock(unit: UnitOfWork, id: string): Clock {
  const clock = unit.free(unit.merchant.testClocks.named(id))
  const customersOf = (deleted: 0 | 1) => {
    const filters = [
      { field: 'test_clock', is: id },
      { field: 'deleted', is: deleted },
    ]
    return unit.store.objects.ids('customer', unit.owner, filters, {
      before: 0,
      limit: Number.MAX_SAFE_INTEGER,
    })
  }
  const [present, deleted] = [customersOf(0), customersOf(1)]
  for (const customer of oneByOne(unit, 'customer', present)) deleteCustomer(unit, customer.id)
  for (const customer of [...present, ...deleted]) unit.store.meterEvents.removeOf(customer)
  unit.touch(clock)
  if (clock.target !== null) {
    clock.end({ keepsPace: false })
    unit.onCommit(() => unit.merchant.parked.get(clock)?.())
  }
  clock.delete()
  unit.onCommit(() => unit.merchant.testClocks.forget(clock))
  recordClockEvent(unit, clock, 'test_helpers.test_clock.deleted')
  return clock
}
