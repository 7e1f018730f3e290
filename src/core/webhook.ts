import type { Metadata } from './metadata.ts'
import { allows, move, type Transitions } from './transitions.ts'

export type EndpointStatus = 'enabled' | 'disabled'

/** Where a merchant wants its events. See docs/contract/events-and-webhooks.md#webhook-endpoints. */
export type WebhookEndpoint = {
  readonly id: string
  readonly created: number
  readonly url: string
  /** Names and globs of event types. */
  readonly enabled_events: readonly string[]
  readonly description: string | null
  readonly metadata: Metadata
  readonly status: EndpointStatus
  readonly deleted: boolean
}

export type DeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'discarded'
type DeliveryEvent = 'accept' | 'give_up' | 'discard'

/** See docs/contract/events-and-webhooks.md#delivery-status. */
export const DELIVERY_TRANSITIONS: Transitions<DeliveryStatus, DeliveryEvent> = {
  pending: { accept: 'succeeded', give_up: 'failed', discard: 'discarded' },
  succeeded: {},
  failed: {},
  discarded: {},
}

/** One try to hand an event over. See docs/contract/events-and-webhooks.md#deliveries. */
export type DeliveryAttempt = {
  /** Unix seconds on the merchant's clock. */
  readonly time: number
  /** null when there was no answer. */
  readonly response_status: number | null
  /** The beginning of what was answered. */
  readonly response_body: string | null
  /** Why there was no answer; null when there was one. */
  readonly error: string | null
  readonly duration_ms: number
}

/** An event on its way to an endpoint, and all tries so far. See docs/contract/events-and-webhooks.md#deliveries. */
export type WebhookDelivery = {
  readonly id: string
  readonly created: number
  /** The id of the event. */
  readonly event: string
  /** The id of the endpoint. */
  readonly endpoint: string
  readonly status: DeliveryStatus
  readonly attempts: readonly DeliveryAttempt[]
  /** How many there are: what is yet to be tried first goes out in order. */
  readonly attempt_count: number
  /** Whether it is to go out now. */
  readonly is_ready: boolean
  /** When it is tried again, on the merchant's clock; null when that is not planned. */
  readonly next_attempt: number | null
}

const MINUTE = 60
const HOUR = 3_600

/**
 * Gaps between an attempt that failed and the next one, in seconds of the merchant's clock.
 * See docs/contract/events-and-webhooks.md#delivery-retries.
 */
export const RETRY_GAPS: readonly number[] = [
  5,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** Gone: an endpoint that answers so wants nothing any more. See docs/contract/events-and-webhooks.md#delivery-status. */
export const GONE = 410

/** An event that is to go to an endpoint at once. */
export const newDelivery = (
  given: Pick<WebhookDelivery, 'id' | 'created' | 'event' | 'endpoint'>,
): WebhookDelivery => ({
  ...given,
  status: 'pending',
  attempts: [],
  attempt_count: 0,
  is_ready: true,
  next_attempt: null,
})

/** Only 2xx counts. See docs/contract/events-and-webhooks.md#delivery-attempts. */
export const isAccepted = ({ response_status }: DeliveryAttempt): boolean =>
  response_status !== null && response_status >= 200 && response_status < 300

/**
 * A delivery after an attempt: done, wanted no more (410), to be tried again after the next gap, or given up after the last.
 * One that was discarded meanwhile stays so.
 * See docs/contract/events-and-webhooks.md#delivery-status.
 */
export function attempted(delivery: WebhookDelivery, attempt: DeliveryAttempt): WebhookDelivery {
  const attempts = [...delivery.attempts, attempt]
  const tried = {
    ...delivery,
    attempts,
    attempt_count: attempts.length,
    is_ready: false,
    next_attempt: null,
  }
  if (!allows(DELIVERY_TRANSITIONS, delivery.status, 'accept')) return tried
  const ended = (how: DeliveryEvent) => ({
    ...tried,
    status: move(DELIVERY_TRANSITIONS, delivery.status, how),
  })
  if (isAccepted(attempt)) return ended('accept')
  if (attempt.response_status === GONE) return ended('discard')
  const gap = RETRY_GAPS[attempts.length - 1]
  return gap === undefined ? ended('give_up') : { ...tried, next_attempt: attempt.time + gap }
}

/** A delivery whose time has come to be tried again. */
export const due = (delivery: WebhookDelivery): WebhookDelivery => ({
  ...delivery,
  is_ready: true,
  next_attempt: null,
})

/** What becomes of a delivery that nobody wants any more. See docs/contract/events-and-webhooks.md#delivery-status. */
export const DISCARDED: DeliveryStatus = move(DELIVERY_TRANSITIONS, 'pending', 'discard')
