import type { Metadata } from './metadata.ts'
import { allows, move, type Transitions } from './transitions.ts'

type EndpointStatus = 'enabled' | 'disabled'

/** A webhook endpoint. See docs/contract/events-and-webhooks.md#webhook-endpoints. */
export type WebhookEndpoint = {
  readonly id: string
  readonly created: number
  readonly url: string
  /** Names and globs of event types. */
  readonly enabled_events: readonly string[]
  /** The API version of the events that it receives; null for the one in which each was emitted. */
  readonly api_version: string | null
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

/** One attempt to deliver an event. See docs/contract/events-and-webhooks.md#deliveries. */
export type DeliveryAttempt = {
  /** Unix seconds on the merchant's clock. */
  readonly time: number
  /** null when there was no response. */
  readonly response_status: number | null
  /** The beginning of the response's body. */
  readonly response_body: string | null
  /** Why there was no response; null when there was one. */
  readonly error: string | null
  readonly duration_ms: number
}

/** An attempt that has ended, with the URL to which it was sent; null if it was not sent. */
export type EndedAttempt = DeliveryAttempt & { readonly url: string | null }

/** The prefix of the ids of deliveries. */
export const DELIVERY_PREFIX = 'whd'

/** The prefixes of the ids of the events of test clocks, and of their deliveries. */
export const CLOCK_EVENT_PREFIX = 'evt_clock'
export const CLOCK_DELIVERY_PREFIX = 'whd_clock'

/** The delivery of an event to an endpoint, with its attempts. See docs/contract/events-and-webhooks.md#deliveries. */
export type WebhookDelivery = {
  readonly id: string
  readonly created: number
  /** The id of the event. */
  readonly event: string
  /** The id of the endpoint. */
  readonly endpoint: string
  readonly status: DeliveryStatus
  readonly attempts: readonly DeliveryAttempt[]
  /** The number of attempts. First attempts are sent in order. */
  readonly attempt_count: number
  /** Whether it can be sent now. */
  readonly is_ready: boolean
  /** When it is retried, on the merchant's clock; null when no retry is planned. */
  readonly next_attempt: number | null
}

const MINUTE = 60
const HOUR = 3_600

/**
 * Gaps between a failed attempt and the next one, in seconds of the merchant's clock.
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

/**
 * The status with which an endpoint refuses all further deliveries. See
 * docs/contract/events-and-webhooks.md#delivery-status.
 */
export const GONE = 410

/** Creates a delivery that can be sent at once. */
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

/** Reports whether the response was 2xx. See docs/contract/events-and-webhooks.md#delivery-attempts. */
export const isAccepted = ({ response_status }: DeliveryAttempt): boolean =>
  response_status !== null && response_status >= 200 && response_status < 300

/**
 * Records an attempt: the delivery succeeds, is discarded, is retried after the next gap, or fails after the last one. A delivery that
 * was discarded in the meantime stays discarded.
 * @param given.isGone - whether the endpoint refuses all further deliveries, which discards this one
 * See docs/contract/events-and-webhooks.md#delivery-status.
 */
export function attempted(
  delivery: WebhookDelivery,
  attempt: DeliveryAttempt,
  given: { readonly isGone: boolean },
): WebhookDelivery {
  const attempts = [...delivery.attempts, attempt]
  const recorded = {
    ...delivery,
    attempts,
    attempt_count: attempts.length,
    is_ready: false,
    next_attempt: null,
  }
  if (!allows(DELIVERY_TRANSITIONS, delivery.status, 'accept')) return recorded
  const ended = (how: DeliveryEvent) => ({
    ...recorded,
    status: move(DELIVERY_TRANSITIONS, delivery.status, how),
  })
  if (isAccepted(attempt)) return ended('accept')
  if (given.isGone) return ended('discard')
  const gap = RETRY_GAPS[attempts.length - 1]
  return gap === undefined ? ended('give_up') : { ...recorded, next_attempt: attempt.time + gap }
}

/** Makes a delivery ready for its retry. */
export const due = (delivery: WebhookDelivery): WebhookDelivery => ({
  ...delivery,
  is_ready: true,
  next_attempt: null,
})

/** The status of a delivery that is no longer wanted. See docs/contract/events-and-webhooks.md#delivery-status. */
export const DISCARDED: DeliveryStatus = move(DELIVERY_TRANSITIONS, 'pending', 'discard')
