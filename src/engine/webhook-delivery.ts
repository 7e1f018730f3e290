import { invalidStateTransition, resourceMissing } from '../core/errors.ts'
import { deliveryJobs } from '../core/jobs.ts'
import { attempted, type DeliveryAttempt, DISCARDED, due, type WebhookDelivery } from '../core/webhook.ts'
import type { Store } from '../store/store.ts'
import { requeue } from './requeue.ts'
import type { Unit } from './unit.ts'

/**
 * Writes what has become of a delivery, and the job that follows from it. The attempts are their own record: there is no
 * journal of them.
 */
function write(unit: Unit, before: WebhookDelivery, after: WebhookDelivery): void {
  unit.store.objects.update('webhook_delivery', unit.owner, { before, after })
  requeue(unit, unit.merchant.clock, deliveryJobs(before), deliveryJobs(after))
  if (after.is_ready) unit.announce(after.endpoint)
}

/** Records an attempt. */
export const recordOn = (unit: Unit, delivery: WebhookDelivery, attempt: DeliveryAttempt): void =>
  write(unit, delivery, attempted(delivery, attempt))

/** Lets a delivery go out again, since its time has come. */
export function sendAgain(unit: Unit, id: string): void {
  const delivery = unit.need('webhook_delivery', id)
  write(unit, delivery, due(delivery))
}

/**
 * Lets deliveries that wait to be tried again go out now.
 * @param id - of a delivery, or of an endpoint for all of its deliveries
 * @returns the ids of the deliveries, oldest first
 * @throws ApiError resource_missing; invalid_state_transition for a delivery that is over or already on its way
 * See docs/contract/events-and-webhooks.md#retrying-by-hand.
 */
export function retryNow(unit: Unit, id: string): string[] {
  const endpoint = unit.get('webhook_endpoint', id)
  if (endpoint && !endpoint.deleted) return retryAllOf(unit, endpoint.id)
  const delivery = unit.get('webhook_delivery', id)
  if (!delivery) throw resourceMissing('webhook delivery', id)
  if (delivery.next_attempt === null) {
    const state = delivery.status === 'pending' ? 'on its way' : delivery.status
    throw invalidStateTransition(`The delivery is ${state}: only one that waits can be tried again`, 'status')
  }
  write(unit, delivery, due(delivery))
  return [id]
}

/** The same for all deliveries of an endpoint that wait. There may be very many: they are not looked at one by one. */
export function retryAllOf(unit: Unit, endpoint: string): string[] {
  const waiting = takeRetries(unit, endpoint)
  unit.store.deliveries.readyWaiting(endpoint)
  if (waiting.length > 0) unit.announce(endpoint)
  return waiting
}

/** Takes back what is on its way to an endpoint, or waits to be tried again. */
export function discardQueued(unit: Unit, endpoint: string): void {
  takeRetries(unit, endpoint)
  unit.store.deliveries.discard(endpoint, DISCARDED)
}

/**
 * Takes back all that is on its way to any endpoint of any merchant, within the transaction under way: a restored state
 * sends nothing of what it had queued.
 * See docs/contract/snapshots.md#restore.
 */
export function dropQueued({ jobs, deliveries }: Pick<Store, 'jobs' | 'deliveries'>): void {
  jobs.removeKind('webhook_retry')
  deliveries.discard(null, DISCARDED)
}

/** Takes the retries of an endpoint's deliveries off the queue. @returns the ids of those deliveries, oldest first */
function takeRetries({ store, merchant }: Unit, endpoint: string): string[] {
  const waiting = store.deliveries.waitingRetries(endpoint)
  if (waiting.length > 0) store.jobs.removeOf(merchant.clock.seq, 'webhook_retry', waiting)
  return waiting
}
