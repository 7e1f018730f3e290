import type { CheckoutSubmission } from '../../../src/engine/resources/checkout-submission.ts'
import type { Body } from '../../twin.ts'
import type { Command } from './commands.ts'
import { discounts, recurringPrice } from './commands-subscriptions.ts'

/** A page that a customer submits. */
export type Submit = { readonly session: string; readonly submission: CheckoutSubmission }

const CARDS = [
  '4242424242424242',
  '4242424242424242',
  '4000000000009995',
  '4000002760003184',
  '5555555555554444',
]

/** Creates a Checkout session of any mode, sometimes for a customer who is there already. */
export const openCheckout: Command = async (story, dice) => {
  const price = await recurringPrice(story, dice)
  const customer = dice.chance(60) ? dice.any(await story.list('/v1/customers'))?.id : undefined
  const mode = dice.of(['subscription', 'subscription', 'payment', 'payment', 'setup'])
  const data = { currency: 'usd', product_data: { name: 'Book' }, unit_amount: dice.of([0, 100, 1_999]) }
  const isSubscription = mode === 'subscription' && price !== undefined
  const given: Body = {
    mode: isSubscription ? mode : mode === 'setup' ? 'setup' : 'payment',
    success_url: 'https://example.com/done?id={CHECKOUT_SESSION_ID}',
    ...(customer && { customer }),
    ...(dice.chance(10) && { after_expiration: { recovery: { enabled: true } } }),
  }
  if (given.mode === 'setup') return post({ ...given, currency: 'usd' })
  const item = { quantity: dice.of([1, 1, 3]), adjustable_quantity: { enabled: dice.chance(30), minimum: 1 } }
  const chosen = dice.chance(25) ? await discounts(story, dice) : undefined
  const common = { ...given, ...(chosen && { discounts: chosen }) }
  return isSubscription
    ? post({
        ...common,
        line_items: [{ price, ...item }, ...(dice.chance(20) ? [{ price_data: data, quantity: 1 }] : [])],
        ...(dice.chance(25) && { subscription_data: { trial_period_days: dice.of([1, 7]) } }),
        ...(dice.chance(20) && { payment_method_collection: 'if_required' }),
      })
    : post({
        ...common,
        line_items: [{ price_data: data, ...item }],
        ...(dice.chance(30) && { invoice_creation: { enabled: true } }),
        ...(dice.chance(30) && { payment_intent_data: { setup_future_usage: 'off_session' } }),
        ...(dice.chance(20) && { allowed_payment_method_types: ['card', 'boleto'] }),
      })
}

const post = (params: Body) => ({ method: 'POST', path: '/v1/checkout/sessions', params })

/** Submits the page of an open session, or expires the session. */
export const submitCheckout: Command = async (story, dice) => {
  const open = dice.any(await story.list('/v1/checkout/sessions?status=open'))
  if (!open) return null
  if (dice.chance(5)) return { method: 'POST', path: `/v1/checkout/sessions/${open.id}/expire` }
  const lines = await story.list(`/v1/checkout/sessions/${open.id}/line_items`)
  const line = dice.any(lines.filter(({ adjustable_quantity }) => adjustable_quantity))
  const payment_method = dice.chance(15) ? 'pm_boleto' : undefined
  return {
    session: open.id,
    submission: {
      email: 'ada@example.com',
      ...(line && dice.chance(40) && { quantities: { [line.id]: dice.between(1, 4) } }),
      ...(payment_method ? { payment_method } : { card: { number: dice.of(CARDS) } }),
    },
  }
}
