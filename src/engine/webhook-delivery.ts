import { invalidStateTransition, resourceMissing } from '../core/errors.ts'
import { deliveryJobs } from '../core/jobs.ts'
import { attempted, type DeliveryAttempt, discarded, due, type WebhookDelivery } from '../core/webhook.ts'
import type { Unit } from './unit.ts'

/**
 * Writes what has become of a delivery, and the job that follows from it. The attempts are their own record: there is no
 * journal of them.
 */
function write(unit: Unit, before: WebhookDelivery, after: WebhookDelivery): WebhookDelivery {
  const { jobs, objects } = unit.store
  objects.update('webhook_delivery', unit.owner, before, after)
  const { seq } = unit.merchant.clock
  for (const job of deliveryJobs(before)) jobs.remove(seq, job)
  for (const job of deliveryJobs(after))
    jobs.add(seq, unit.owner, job, unit.ids.nextNumber(unit.owner, 'job'))
  if (after.is_ready) unit.announce(after.endpoint)
  return after
}

/** Records an attempt. */
export const recordOn = (unit: Unit, delivery: WebhookDelivery, attempt: DeliveryAttempt): WebhookDelivery =>
  write(unit, delivery, attempted(delivery, attempt))

/** Lets a delivery go out again, since its time has come. */
export function sendAgain(unit: Unit, id: string): void {
  const delivery = unit.need('webhook_delivery', id)
  write(unit, delivery, due(delivery))
}

/**
 * Lets deliveries that wait to be tried again go out now.
 * @param id - of a delivery, or of an endpoint for all of its deliveries
 * @throws ApiError resource_missing; invalid_state_transition for a delivery that is over or already on its way
 * Source: decisions.md 10 (`webhooks retry`).
 */
export function retryNow(unit: Unit, id: string): WebhookDelivery[] {
  const endpoint = unit.get('webhook_endpoint', id)
  if (endpoint && !endpoint.deleted) return retryAllOf(unit, endpoint.id)
  const delivery = unit.get('webhook_delivery', id)
  if (!delivery) throw resourceMissing('webhook delivery', id)
  if (delivery.next_attempt === null) {
    const state = delivery.status === 'pending' ? 'on its way' : delivery.status
    throw invalidStateTransition(`The delivery is ${state}: only one that waits can be tried again`, 'status')
  }
  return [write(unit, delivery, due(delivery))]
}

/** The same for all deliveries of an endpoint that wait. */
export const retryAllOf = (unit: Unit, endpoint: string): WebhookDelivery[] =>
  unit.store.deliveries
    .pendingOf(endpoint)
    .filter(({ next_attempt }) => next_attempt !== null)
    .map((delivery) => write(unit, delivery, due(delivery)))

/** Takes back what is on its way to an endpoint. */
export function discardQueued(unit: Unit, endpoint: string): void {
  for (const delivery of unit.store.deliveries.pendingOf(endpoint)) write(unit, delivery, discarded(delivery))
}
