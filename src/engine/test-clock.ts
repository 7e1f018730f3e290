import type { Clock } from './clock.ts'
import { deleteCustomer } from './customer.ts'
import type { MerchantState } from './merchant-state.ts'
import type { Unit } from './unit.ts'

/**
 * Makes a clock for single customers. It is always frozen, and may start anywhere.
 * @param given.frozen_time - where it stands, in Unix seconds
 * See docs/contract/clocks.md#test-clocks.
 */
export function createTestClock(
  unit: Unit,
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
  return unit.merchant.testClocks.made({ ...row, seq: unit.store.clocks.add(row) })
}

/**
 * Deletes a test clock and its customers, whose subscriptions are canceled at once.
 * @throws ApiError resource_missing
 * See docs/contract/clocks.md#test-clocks.
 */
export function deleteTestClock(unit: Unit, id: string): Clock {
  const clock = unit.free(unit.merchant.testClocks.named(id))
  const customers = unit.store.objects
    .list('customer', unit.owner, [{ field: 'test_clock', is: id }], { limit: Number.MAX_SAFE_INTEGER })
    .filter(({ deleted }) => !deleted)
    .reverse()
  for (const customer of customers) deleteCustomer(unit, customer.id)
  unit.touch(clock)
  clock.delete()
  return clock
}

/** Where a page of test clocks lies, in the order newest first. */
export type TestClockPage = {
  readonly limit: number
  readonly cursor?: { readonly isBackward: boolean; readonly id: string; readonly param: string } | undefined
}

/**
 * Test clocks, newest first; for a backward cursor the nearest to it first.
 * @throws ApiError resource_missing for an unknown cursor
 */
export function listTestClocks({ testClocks }: MerchantState, { limit, cursor }: TestClockPage): Clock[] {
  const place = cursor && testClocks.named(cursor.id, cursor.param).seq
  return testClocks.list({ limit, ...(cursor && { [cursor.isBackward ? 'above' : 'below']: place }) })
}
