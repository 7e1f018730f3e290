import { type SetupIntent, setupFactsOf } from '../core/setup-intent.ts'
import type { View } from '../engine/history/view.ts'
import { clientSecretOf } from './client-secret.ts'
import type { Json } from './json.ts'
import { common, type Resource } from './resource.ts'

/**
 * Presents a setup intent to the operator. Only Stripe's API has routes for setup intents.
 * See docs/contract/setup-intents.md.
 */
const presentSetupIntent = (view: View, intent: SetupIntent): Json => ({
  ...common(view, 'setup_intent', intent),
  status: intent.status,
  client_secret: clientSecretOf(view.ids, intent.id),
  customer: intent.customer,
  payment_method: intent.payment_method,
  usage: intent.usage,
  description: intent.description,
  last_setup_error: intent.last_setup_error,
  next_action: setupFactsOf(intent).awaitsCustomer
    ? { type: 'authenticate', settle_with: `/v1/test_helpers/setup_intents/${intent.id}/settle` }
    : null,
  cancellation_reason: intent.cancellation_reason,
  metadata: intent.metadata,
})

export const setupIntentResource: Resource<'setup_intent'> = {
  collection: 'setup_intents',
  present: presentSetupIntent,
  routes: () => undefined,
}
