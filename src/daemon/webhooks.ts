import { findAnyEvent } from '../engine/history/any-events.ts'
import { wallSeconds } from '../engine/machine/clock.ts'
import type { Engine } from '../engine/machine/engine.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'
import { secretOf } from '../engine/resources/webhook-endpoint.ts'
import { deliveryBody } from '../http/delivery-body.ts'
import { INBOX_BYTES, Inbox, type Signer } from '../http/inbox.ts'
import type { VersionHistory } from '../http/versions.ts'
import type { Addresses } from '../webhooks/address.ts'
import { SENT_BYTES } from '../webhooks/bodies.ts'
import { Deliverer } from '../webhooks/deliverer.ts'
import { type Send, Sender } from '../webhooks/sender.ts'
import { claimsIn, verifyClaims } from '../webhooks/signature.ts'
import { memoryWithin } from './heap.ts'

/** Starts to deliver events to webhook endpoints. @param options.send - replaces the sender in tests */
export function openWebhooks(
  engine: Engine,
  options: {
    readonly versions: VersionHistory
    readonly addresses: Addresses
    readonly send: Send | undefined
    readonly version: string
    readonly signatureTime: (() => number) | undefined
    /** The maximum size of the process's heap. */
    readonly heapBytes: number
    readonly reportError: (error: unknown, doing: string) => void
  },
) {
  const { versions, version, signatureTime, heapBytes, reportError } = options
  const sender = new Sender(options.addresses, { steps: engine.steps })
  const deliverer = new Deliverer({
    engine,
    render: (merchant, id, endpoint) =>
      deliveryBody(versions, merchant, { event: findAnyEvent(engine, merchant, id), endpoint }),
    send: options.send ?? sender.send,
    version,
    signatureTime,
    maxBytes: memoryWithin(heapBytes, { most: SENT_BYTES }),
    reportError,
  })
  engine.outbox.deliveries = deliverer
  deliverer.sendReady()
  const inbox = new Inbox(
    (merchant, { headers, body }) =>
      signerOf(engine, merchant, { headers, body, now: signatureTime?.() ?? wallSeconds(engine.wall) }),
    engine.steady,
    memoryWithin(heapBytes, { most: INBOX_BYTES }),
  )
  const prune = () => inbox.prune()
  engine.listen({ replaced: prune, deleted: prune })
  return {
    inbox,
    sendReady: () => deliverer.sendReady(),
    close: async () => {
      await deliverer.close()
      await sender.close()
    },
  }
}

/** The maximum number of endpoints whose secrets are tried for a received webhook. */
const MAX_ENDPOINTS = 100

/**
 * Finds the endpoint of a merchant whose secret signed a received webhook. Each step tries one secret. A merchant with Stripe's API
 * needs Stripe's signature.
 */
function* signerOf(
  { store, ids }: Engine,
  { settings }: MerchantState,
  { headers, body, now }: { headers: Readonly<Record<string, string>>; body: string; now: number },
): Generator<void, Signer> {
  if (settings.dialect === 'stripe' && headers['stripe-signature'] === undefined)
    return { endpoint: null, reason: 'The request has no Stripe-Signature header.' }
  // Each attempt would read the headers and encode the body again.
  const signed = claimsIn(headers, { now })
  const bytes = Buffer.from(body)
  const active = [{ field: 'deleted', is: 0 }]
  const endpoints = store.objects.ids('webhook_endpoint', settings.ordinal, active, { limit: MAX_ENDPOINTS })
  if (endpoints.length === 0)
    return { endpoint: null, reason: 'The merchant has no webhook endpoint that could have signed it.' }
  if ('reason' in signed) return { endpoint: null, reason: signed.reason }
  let reason = ''
  for (const id of endpoints) {
    const verdict = verifyClaims(secretOf(ids, { id }), signed, bytes)
    if (verdict.isValid) return { endpoint: id, reason: null }
    reason = verdict.reason
    yield
  }
  return { endpoint: null, reason }
}
