import type { WebhookEndpoint } from '../core/webhook.ts'
import type { AnyEvent } from '../engine/history/view.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'
import { presentEvent } from './event.ts'
import type { VersionHistory } from './versions.ts'

/**
 * Makes the body of a delivery, in the dialect of the merchant and the version of the endpoint. The code of a dialect other than
 * paytwin's is loaded here.
 */
export function deliveryBody(
  versions: VersionHistory,
  { settings }: MerchantState,
  { event, endpoint }: { readonly event: AnyEvent; readonly endpoint: WebhookEndpoint },
): string | Promise<string> {
  if (settings.dialect !== 'stripe') return JSON.stringify(presentEvent(versions, event))
  return import('./stripe/event.ts').then(({ presentStripeEvent }) =>
    JSON.stringify(presentStripeEvent(event, endpoint.api_version)),
  )
}
