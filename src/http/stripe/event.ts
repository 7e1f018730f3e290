import type Stripe from 'stripe'
import { STRIPE_API_VERSIONS } from '../../core/api-version.ts'
import type { Invoice } from '../../core/invoice.ts'
import { isSameJson } from '../../core/json-text.ts'
import { stripeNameOf } from '../../core/stripe-event-names.ts'
import type { AnyEvent, EventWithObject } from '../../engine/history/view.ts'
import type { Json } from '../json.ts'
import { presentInEvent } from './objects.ts'
import { presentPayments } from './present/invoice-payment.ts'
import { presentTestClock } from './present/test-clock.ts'
import { STRIPE_VERSIONS } from './versions/history.ts'

/** An event as Stripe shows it. The SDK types it as a union of hundreds of events, each with its own object. */
export type WireEvent = {
  readonly id: string
  readonly object: 'event'
  readonly api_version: (typeof STRIPE_API_VERSIONS)[number]
  readonly created: number
  readonly data: { readonly object: Json; readonly previous_attributes?: Json }
  readonly livemode: false
  readonly pending_webhooks: number
  readonly request: { readonly id: string | null; readonly idempotency_key: string | null }
  readonly type: Stripe.Event['type']
}

/**
 * Presents an event in a version, by default in the one of its merchant when it was emitted. `previous_attributes` has the
 * previous values of the fields that an update changed, nested ones too.
 */
export function presentStripeEvent(event: AnyEvent, named: string | null = null): WireEvent {
  const { entry, id, pending } = event
  const version = named ?? STRIPE_API_VERSIONS[entry.api_version] ?? STRIPE_API_VERSIONS[0]
  return {
    id,
    object: 'event',
    api_version: version,
    created: entry.created,
    data:
      event.kind === 'test_clock'
        ? { object: presentTestClock(event.clock) }
        : dataOf(event, (object) => STRIPE_VERSIONS.downgrade(version, object, event.view)),
    livemode: false,
    pending_webhooks: pending,
    request: { id: entry.request, idempotency_key: entry.idempotency_key },
    type: stripeNameOf(entry.type),
  }
}

function dataOf(event: EventWithObject, inVersion: (object: Json) => Json): WireEvent['data'] {
  const { id, isPreview, after, before } = event
  const show = (shown: EventWithObject['after']) => inVersion(presented(event, shown))
  const shown = show(after)
  // An upcoming invoice does not exist yet, so its id comes from the event.
  const object = isPreview ? { ...shown, id: `upcoming_in_${id.slice('evt_'.length)}` } : shown
  const previous = before && changedFrom(show(before), object)
  return previous ? { object, previous_attributes: previous } : { object }
}

/** Presents the object of an event. For invoice_payment.paid, that is the payment of the invoice. */
const presented = ({ entry, kind, view }: EventWithObject, object: EventWithObject['after']): Json =>
  entry.type === 'invoice.payment_paid'
    ? (presentPayments(object as Invoice)[0] ?? {})
    : presentInEvent(view, kind, object)

/**
 * Returns the previous values of the fields that changed; of a nested object, only its changed fields. The previous value of an
 * added field, such as a key of the metadata, is null.
 */
function changedFrom(before: Json, after: Json): Json {
  return Object.fromEntries(
    [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
      const [value = null, now = null] = [before[name], after[name]]
      if (isSameJson(value, now)) return []
      return [[name, isNested(value) && isNested(now) ? changedFrom(value, now) : value]]
    }),
  )
}

const isNested = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
