import type { Engine } from '../machine/engine.ts'

/** Counts the objects that were created, also those that have been deleted since. */
export function createdCounts({ store }: Engine): Readonly<Record<string, number>> {
  const created = (prefix: string) => store.directory.counterSum(prefix)
  return {
    customers: created('cus'),
    subscriptions: created('sub'),
    invoices: created('in'),
    events: created('evt'),
  }
}
