import Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import type { MerchantTwin } from '../../src/index.ts'
import { open } from './twin.ts'

const NOW = '2026-01-31T10:00:00Z'
const FEB_28 = 1_772_272_800
const MAR_31 = 1_774_951_200

/** The official SDK, whose requests the twin of a merchant serves. */
const sdkOf = (twin: MerchantTwin) =>
  new Stripe(twin.secretKey, {
    httpClient: Stripe.createFetchHttpClient((url, init) => twin.fetch(String(url), init)),
    maxNetworkRetries: 0,
    telemetry: false,
  })

/** Creates a customer with a default card and a monthly subscription of 20.00 USD. */
async function subscribe(twin: MerchantTwin, card = 'pm_card_visa') {
  const stripe = sdkOf(twin)
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const recurring = { interval: 'month' } as const
  const price = await stripe.prices.create({ product, currency: 'usd', unit_amount: 2000, recurring })
  const { id: customer } = await stripe.customers.create({ email: 'ada@example.com' })
  const method = await stripe.paymentMethods.attach(card, { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: method.id } })
  return stripe.subscriptions.create({ customer, items: [{ price: price.id }] })
}

describe('a merchant with Stripe’s API', () => {
  test('is billed through time by the clock of its twin', async () => {
    const twin = await open({ dialect: 'stripe', now: NOW })
    const stripe = sdkOf(twin)
    const { id } = await subscribe(twin)
    expect(await twin.clock.upcoming()).toMatchObject([{ kind: 'invoice_upcoming' }, { due: FEB_28 }])
    // The invoice of a renewal is a draft for an hour.
    await twin.clock.advance('1mo')
    const first = await twin.clock.advance('1h')
    expect(first).toMatchObject({ invoices_paid: 1, payments_failed: 0 })
    await twin.clock.advanceTo(new Date((MAR_31 + 3_600) * 1_000))
    const { data } = await stripe.invoices.list({ subscription: id })
    expect(data.map(({ created, status }) => [created, status])).toEqual([
      [MAR_31, 'paid'],
      [FEB_28, 'paid'],
      [Date.parse(NOW) / 1_000, 'paid'],
    ])
  })

  test('has a default version of Stripe’s API', async () => {
    const twin = await open({ dialect: 'stripe', now: NOW, apiVersion: '2024-06-20' })
    const other = await twin.merchants.create({ dialect: 'stripe', apiVersion: '2025-02-24.acacia' })
    const used = await Promise.all(
      [twin, other].map(async ({ secretKey }) => {
        const headers = { Authorization: `Bearer ${secretKey}` }
        return (await fetch(`${twin.url}/v1/customers`, { headers })).headers.get('stripe-version')
      }),
    )
    expect(used).toEqual(['2024-06-20', '2025-02-24.acacia'])
  })

  test('has events under the names of paytwin in its twin, and under those of Stripe in its API', async () => {
    const twin = await open({ dialect: 'stripe', now: NOW })
    const { id } = await subscribe(twin)
    const created = await twin.events.waitFor('subscription.created')
    expect(created.data.object).toMatchObject({ id, latest_invoice: expect.stringMatching(/^in_/) })
    const renewed = twin.events.waitFor('invoice.paid', {
      after: created,
      where: ({ created: at }) => at === FEB_28 + 3_600,
    })
    await twin.clock.advance('29d')
    expect((await renewed).data.object).toMatchObject({ amount_paid: 2000 })
    const [event] = (await sdkOf(twin).events.list({ type: 'customer.subscription.created' })).data
    expect(event?.id).toBe(created.id)
  })

  test('posts webhooks that the SDK verifies to a handler of the test', async () => {
    const twin = await open({ dialect: 'stripe', now: NOW })
    const received: { body: string; signature: string }[] = []
    const endpoint = await twin.webhooks.create({
      handler: async (request) => {
        received.push({
          body: await request.text(),
          signature: request.headers.get('Stripe-Signature') ?? '',
        })
        return new Response('ok')
      },
    })
    await sdkOf(twin).customers.create({ email: 'ada@example.com' })
    await twin.webhooks.settled()
    const events = received.map(({ body, signature }) =>
      Stripe.webhooks.constructEvent(body, signature, endpoint.secret),
    )
    expect(events).toMatchObject([
      { type: 'customer.created', data: { object: { email: 'ada@example.com' } } },
    ])
  })

  test('can be added to a twin with paytwin’s own API', async () => {
    const twin = await open({ now: NOW })
    const other = await twin.merchants.create({ dialect: 'stripe' })
    await subscribe(other)
    await other.clock.advance('29d')
    expect(await other.events.list({ type: 'invoice.paid' })).toHaveLength(2)
    expect(await twin.events.list()).toEqual([])
  })
})
