import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { asOperator } from '../support.ts'
import { startStripe } from './sdk.ts'

const NOW = '2026-01-31T10:00:00Z'

/** Starts a merchant with Stripe's API, and loads a file of fixtures/ for it. */
async function loaded(name: string) {
  const sdk = await startStripe({ now: NOW })
  onTestFinished(sdk.close)
  const content = JSON.parse(readFileSync(`fixtures/${name}`, 'utf8'))
  const response = await asOperator(sdk.twin)('POST', 'fixtures', { files: [{ name, content }] })
  expect(response.status, JSON.stringify(response.body)).toBe(200)
  return { ...sdk, made: response.body.made }
}

test('subscriptions of fixtures are charged when they are loaded', async () => {
  const { stripe } = await loaded('tour.json')
  const { data } = await stripe.subscriptions.list({ expand: ['data.latest_invoice'] })
  expect(data.map(({ status }) => status)).toEqual(['active', 'active', 'active'])
  expect(data.map(({ latest_invoice }) => (latest_invoice as { status: string }).status)).toEqual([
    'paid',
    'paid',
    'paid',
  ])
})

test('a card of fixtures that is declined is attached, and declined when it is charged', async () => {
  const { stripe, made } = await loaded('default.json')
  const idOf = (object: string, ref: string): string =>
    made.find((each: { object: string; ref: string }) => each.object === object && each.ref === ref).id
  const customer = idOf('customer', 'declining')
  const methods = await stripe.paymentMethods.list({ customer })
  expect(methods.data.map(({ id }) => id)).toEqual([idOf('payment_method', 'declining')])
  const { status } = await stripe.subscriptions.create({ customer, items: [{ price: idOf('price', 'pro') }] })
  expect(status).toBe('incomplete')
})

test('a card that is declined cannot be attached by a request', async () => {
  const { stripe } = await loaded('default.json')
  const { id: customer } = await stripe.customers.create()
  const attached = stripe.paymentMethods.attach('pm_card_chargeDeclined', { customer })
  await expect(attached).rejects.toMatchObject({ type: 'StripeCardError', code: 'card_declined' })
})
