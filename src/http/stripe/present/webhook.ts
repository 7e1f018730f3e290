import type Stripe from 'stripe'
import { stripePatternOf } from '../../../core/stripe-event-names.ts'
import type { WebhookEndpoint } from '../../../core/webhook.ts'
import type { View } from '../../../engine/history/view.ts'
import type { Wire } from '../wire.ts'

export const presentEndpoint = (_view: View, endpoint: WebhookEndpoint): Wire<Stripe.WebhookEndpoint> => ({
  id: endpoint.id,
  object: 'webhook_endpoint',
  api_version: endpoint.api_version,
  application: null,
  created: endpoint.created,
  description: endpoint.description,
  enabled_events: endpoint.enabled_events.map(stripePatternOf),
  livemode: false,
  metadata: endpoint.metadata,
  status: endpoint.status,
  url: endpoint.url,
})
