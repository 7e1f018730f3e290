import type { WebhookEndpoint } from '../core/webhook.ts'
import { findEvent } from '../engine/history/events.ts'
import type { EventWithObject } from '../engine/history/view.ts'
import type { Engine } from '../engine/machine/engine.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'
import { presentEvent } from '../http/event.ts'
import type { VersionHistory } from '../http/versions.ts'
import type { Addresses } from '../webhooks/address.ts'
import { Deliverer } from '../webhooks/deliverer.ts'
import { type Send, Sender } from '../webhooks/sender.ts'

/** Starts to deliver events to webhook endpoints. @param options.send - replaces the sender in tests */
export function openWebhooks(
  engine: Engine,
  options: {
    readonly versions: VersionHistory
    readonly addresses: Addresses
    readonly send: Send | undefined
    readonly version: string
    readonly signatureTime: (() => number) | undefined
    readonly reportError: (error: unknown, doing: string) => void
  },
) {
  const { versions, version, signatureTime, reportError } = options
  const sender = new Sender(options.addresses)
  const deliverer = new Deliverer({
    engine,
    render: (merchant, id, endpoint) =>
      bodyOf(versions, merchant, { event: findEvent(engine, merchant, id), endpoint }),
    send: options.send ?? sender.send,
    version,
    signatureTime,
    reportError,
  })
  engine.outbox.deliveries = deliverer
  deliverer.sendReady()
  return {
    sendReady: () => deliverer.sendReady(),
    close: async () => {
      await deliverer.close()
      await sender.close()
    },
  }
}

/** Makes the body of a delivery, in the dialect of the merchant and the version of the endpoint. The code of a dialect other than paytwin's is loaded here. */
function bodyOf(
  versions: VersionHistory,
  { settings }: MerchantState,
  { event, endpoint }: { readonly event: EventWithObject; readonly endpoint: WebhookEndpoint },
): string | Promise<string> {
  if (settings.dialect !== 'stripe') return JSON.stringify(presentEvent(versions, event))
  return import('../http/stripe/event.ts').then(({ presentStripeEvent }) =>
    JSON.stringify(presentStripeEvent(event, endpoint.api_version)),
  )
}
