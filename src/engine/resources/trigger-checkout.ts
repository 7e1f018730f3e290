import { type CheckoutSession, PLAIN_OUTCOMES, plainSettings } from '../../core/checkout-session.ts'
import { assert } from '../../core/errors.ts'
import { createCheckoutSession } from './checkout-session.ts'
import { completeCheckout } from './checkout-submission.ts'
import type { TriggerObjects } from './trigger-objects.ts'

const EMAIL = 'ada@example.com'

/** Creates a Checkout session that sells a new price. */
export function openCheckout(
  { unit, metadata }: TriggerObjects,
  mode: 'payment' | 'subscription',
): CheckoutSession {
  const price_data = {
    unit_amount: 2_000,
    currency: 'usd',
    product_data: { name: 'Triggered product' },
    ...(mode === 'subscription' && { recurring: { interval: 'month' as const, interval_count: 1 } }),
  }
  return createCheckoutSession(unit, {
    mode,
    line_items: [{ price_data, quantity: 1 }],
    settings: {
      ...plainSettings('https://example.com/success'),
      payment_method_types: mode === 'payment' ? ['card', 'boleto'] : ['card'],
    },
    outcomes: PLAIN_OUTCOMES,
    metadata,
  })
}

/** Sells a subscription through Checkout. */
export function completedCheckout(objects: TriggerObjects): void {
  const { id } = openCheckout(objects, 'subscription')
  completeCheckout(objects.unit, id, { email: EMAIL, name: 'Ada Lovelace', payment_method: 'pm_card_visa' })
}

/** Completes a Checkout session with a method that pays later, and returns the id of its intent. */
export function unpaidCheckout(objects: TriggerObjects): string {
  const { id } = openCheckout(objects, 'payment')
  const { session } = completeCheckout(objects.unit, id, { email: EMAIL, payment_method: 'pm_boleto' })
  assert(session.payment_intent, `${id} has an intent`)
  return session.payment_intent
}
