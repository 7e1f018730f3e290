import { onTestFinished } from 'vitest'
import {
  type CreatedWebhookEndpoint,
  createPaytwin,
  type MerchantTwin,
  type Paytwin,
  type PaytwinOptions,
} from '../../src/index.ts'

export type { CreatedWebhookEndpoint }

/** A sandbox of the library that is closed when the test ends. */
export async function open(options?: PaytwinOptions): Promise<Paytwin> {
  const twin = await createPaytwin(options)
  onTestFinished(() => twin.close())
  return twin
}

/** Creates a customer with a monthly subscription of 20.00 USD and a card with scripted outcomes. */
export async function subscribe(twin: MerchantTwin, outcomes: readonly string[] = []) {
  const price = await twin.post<{ id: string }>('/v1/prices', {
    unit_amount: 2000,
    currency: 'usd',
    recurring: { interval: 'month' },
  })
  const customer = await twin.post<{ id: string }>('/v1/customers', { email: 'ada@example.com' })
  const card = await twin.post<{ id: string }>('/v1/payment_methods/pm_card_visa/attach', {
    customer: customer.id,
  })
  await twin.post(`/v1/test_helpers/payment_methods/${card.id}/outcomes`, { outcomes })
  return twin.post<{ id: string; status: string }>('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: card.id,
    items: [{ price: price.id }],
  })
}
