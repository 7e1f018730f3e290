import type { List, WebhookEndpoint } from '../client/types.ts'
import type { PageContext } from './context.ts'

const MAX_ENDPOINTS = 100

/** Lists the webhook endpoints of the merchant. A merchant has few. */
export async function endpointsOf({ api, merchant }: PageContext): Promise<readonly WebhookEndpoint[]> {
  const found = await api.get<List<WebhookEndpoint>>('webhooks', {
    merchant: merchant.id,
    limit: MAX_ENDPOINTS,
  })
  return found.data
}
