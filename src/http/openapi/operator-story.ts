import type { Recorder } from './recorder.ts'

/** A fixtures file. */
const SHOP = {
  name: 'shop.json',
  content: {
    products: [{ ref: 'pro', name: 'Pro' }],
    prices: [
      { ref: 'pro', product: 'pro', unit_amount: 4900, currency: 'usd', recurring: { interval: 'month' } },
    ],
    customers: [{ ref: 'ada', email: 'ada@example.com' }],
    webhook_endpoints: [
      { ref: 'shop', url: 'http://localhost:3000/webhooks', enabled_events: ['invoice.*'] },
    ],
  },
}

/** A merchant with Stripe's API, whose customer gets an invoice by mail. */
const MAILING = {
  name: 'mailing.json',
  content: {
    merchants: [
      {
        name: 'Acme',
        dialect: 'stripe',
        clock: '2026-01-31T10:00:00Z',
        products: [{ ref: 'pro', name: 'Pro' }],
        prices: [
          {
            ref: 'pro',
            product: 'pro',
            unit_amount: 4900,
            currency: 'usd',
            recurring: { interval: 'month' },
          },
        ],
        customers: [{ ref: 'ada', email: 'ada@example.com', name: 'Ada Lovelace' }],
        subscriptions: [
          {
            customer: 'ada',
            currency: 'usd',
            items: [{ price: 'pro' }],
            collection_method: 'send_invoice',
            days_until_due: 14,
          },
        ],
      },
    ],
  },
}

/** Records most routes of the admin API. Ends with a second merchant and the shutdown. */
export async function recordOperator(recorder: Recorder): Promise<void> {
  await recorder.get('/_paytwin/health?nonce=000102030405060708090a0b0c0d0e0f')
  await recorder.get('/_paytwin/status')
  await recorder.post('/_paytwin/dashboard/links')
  const { data } = await recorder.get('/_paytwin/merchants')
  const merchant = data[0].id
  await recorder.get('/_paytwin/overview')
  await recorder.post(`/_paytwin/merchants/${merchant}`, { dunning_final_action: 'mark_unpaid' })
  const key = await recorder.post('/_paytwin/keys', {
    name: 'Checkout',
    publishable: true,
    secret: 'pk_test_51ExampleExampleExampleEx',
  })
  await recorder.get('/_paytwin/keys')
  await recorder.post(`/_paytwin/keys/${key.id}/revoke`)
  const fault = await recorder.post('/_paytwin/faults', { kind: 'latency', count: 3, ms: 200 })
  await recorder.get('/_paytwin/faults')
  await recorder.delete(`/_paytwin/faults/${fault.id}`)
  await recorder.delete('/_paytwin/faults')
  await recorder.get('/_paytwin/events?limit=1')
  await recorder.get(`/_paytwin/events/${(await recorder.get('/v1/events?limit=1')).data[0].id}`)
  const { customer, subscription, id } = (await recorder.get('/v1/invoices?limit=1')).data[0]
  await recorder.get(`/_paytwin/customers/${customer}?limit=3`)
  await recorder.get(`/_paytwin/subscriptions/${subscription}?limit=3`)
  await recorder.get(`/_paytwin/invoices/${id}?limit=3`)
  await recorder.get(`/_paytwin/explanations/${subscription}`)
  await recorder.get(`/_paytwin/search?kind=invoice&query=${id}`)
  await recorder.post('/_paytwin/trigger', { type: 'payment_method.attached' })
  const logged = await recorder.get('/_paytwin/requests?limit=2')
  await recorder.get(`/_paytwin/requests/${logged.data[0].id}`)
  await recorder.stream(`/_paytwin/requests?starting_after=${logged.data[1].id}`)
  await recorder.get('/_paytwin/clock')
  await recorder.get('/_paytwin/upcoming?limit=1')
  await recorder.post('/_paytwin/clock/advance', { by: '1d' })
  for (const verb of ['cancel', 'unfreeze', 'freeze'])
    await recorder.post(`/_paytwin/clock/${verb}`, { merchant })
  await recorder.post('/_paytwin/fixtures', { files: [SHOP] })
  await recorder.post('/_paytwin/fixtures', { files: [MAILING] })
  await recorder.get(`/_paytwin/mail/${(await recorder.get('/_paytwin/mail?limit=1')).data[0].id}`)
  await recorder.post('/_paytwin/merchants', { name: 'Second merchant', clock: '2026-01-31T10:00:00Z' })
  await recordCheckout(recorder)
  await recorder.post('/_paytwin/shutdown')
}

/** Records the page of a Checkout session, of a merchant with Stripe's API. */
async function recordCheckout(recorder: Recorder): Promise<void> {
  const shop = await recorder.post('/_paytwin/merchants', {
    name: 'Shop',
    clock: '2026-01-31T10:00:00Z',
    dialect: 'stripe',
  })
  const { events } = await recorder.post('/_paytwin/trigger', {
    type: 'checkout.session.expired',
    merchant: shop.id,
  })
  await recorder.get(`/_paytwin/checkout/sessions/${events.at(-1).data.object.id}`)
}
