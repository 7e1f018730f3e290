import type { WebhookDelivery } from '../client/types.ts'

/** A webhook delivery with the type of its event and the URL of its endpoint. */
export type Delivery = WebhookDelivery & { readonly event_type: string; readonly endpoint_url: string }

/** Describes the result of the last attempt: `200`, `500`, an error, or `not sent yet`. */
export function responseText({ attempts }: Delivery): string {
  const last = attempts.at(-1)
  if (!last) return 'not sent yet'
  return last.response_status === null ? (last.error ?? 'no response') : String(last.response_status)
}
