import { type ApiError, assert, invalidStateTransition, resourceMissing } from '../../core/errors.ts'
import { deliveryJobs } from '../../core/jobs.ts'
import { attempted, type DeliveryAttempt, DISCARDED, due, type WebhookDelivery } from '../../core/webhook.ts'
import type { Store } from '../../store/store.ts'
import { requeue } from '../machine/requeue.ts'
import type { UnitOfWork } from '../machine/unit.ts'

/**
 * Writes a delivery and the job derived from it. Deliveries have no journal: their attempts are their record.
 */
function write(unit: UnitOfWork, before: WebhookDelivery, after: WebhookDelivery): void {
  unit.store.deliveries.update(unit.owner, { before, after })
  requeue(unit, unit.merchant.clock, deliveryJobs(before), deliveryJobs(after))
  if (after.is_ready) unit.announce(after.endpoint)
}

/** Records a delivery attempt. @param given.isGone - whether the endpoint refuses all further deliveries */
export const recordDeliveryAttempt = (
  unit: UnitOfWork,
  delivery: WebhookDelivery,
  attempt: DeliveryAttempt,
  given: { readonly isGone: boolean },
): void => write(unit, delivery, attempted(delivery, attempt, given))

/** Makes a delivery ready when its retry is due. */
export function retryDelivery(unit: UnitOfWork, id: string): void {
  const delivery = unit.store.deliveries.get(unit.owner, id)
  assert(delivery, `${id} exists`)
  write(unit, delivery, due(delivery))
}

/**
 * Makes deliveries that wait for a retry ready now.
 * @param id - of a delivery, or of an endpoint for all of its deliveries
 * @returns the ids of the deliveries, oldest first
 * @throws ApiError resource_missing; invalid_state_transition for a delivery that is finished or being sent
 * See docs/contract/events-and-webhooks.md#retrying-by-hand.
 */
export function retryNow(unit: UnitOfWork, id: string): string[] {
  const endpoint = unit.get('webhook_endpoint', id)
  if (endpoint && !endpoint.deleted) return retryAllOf(unit, endpoint.id)
  const delivery = unit.store.deliveries.get(unit.owner, id)
  if (!delivery) throw missingToRetry(id)
  if (delivery.next_attempt === null) {
    const state = delivery.status === 'pending' ? 'being sent' : delivery.status
    throw invalidStateTransition(
      `The delivery is ${state}; only a delivery that waits can be retried`,
      'status',
    )
  }
  write(unit, delivery, due(delivery))
  return [id]
}

/** The error about an unknown id of a delivery or of an endpoint. */
export const missingToRetry = (id: string): ApiError =>
  resourceMissing(id.startsWith('we_') ? 'webhook endpoint' : 'webhook delivery', id)

/** Makes all waiting deliveries of an endpoint ready, without loading each of them: there may be very many. */
export function retryAllOf(unit: UnitOfWork, endpoint: string): string[] {
  const waiting = takeRetries(unit, endpoint)
  unit.store.deliveries.readyWaiting(endpoint)
  if (waiting.length > 0) unit.announce(endpoint)
  return waiting
}

/** Discards the pending deliveries of an endpoint. */
export function discardQueued(unit: UnitOfWork, endpoint: string): void {
  takeRetries(unit, endpoint)
  unit.store.deliveries.discard(endpoint, DISCARDED)
}

/**
 * Discards the pending deliveries of all merchants within the open transaction: a restored state sends none of its
 * queued deliveries.
 * See docs/contract/snapshots.md#restore.
 */
export function discardAllQueued({ jobs, deliveries }: Pick<Store, 'jobs' | 'deliveries'>): void {
  jobs.removeKind('webhook_retry')
  deliveries.discard(null, DISCARDED)
}

/**
 * Removes the retries of an endpoint's deliveries from the queue.
 * @returns the ids of those deliveries, oldest first
 */
function takeRetries({ store, merchant }: UnitOfWork, endpoint: string): string[] {
  const waiting = store.deliveries.waitingRetries(endpoint)
  if (waiting.length > 0) store.jobs.removeOf(merchant.clock.seq, 'webhook_retry', waiting)
  return waiting
}
