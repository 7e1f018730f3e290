import type { Recorder } from './recorder.ts'

/** A file of fixtures. */
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

/** What the operator asks: keys, faults, events, objects, clocks, fixtures; a further merchant in the end, and the shutdown. */
export async function tellOfOperator(told: Recorder): Promise<void> {
  await told.get('/_paytwin/health?nonce=000102030405060708090a0b0c0d0e0f')
  await told.get('/_paytwin/status')
  const { data } = await told.get('/_paytwin/merchants')
  const merchant = data[0].id
  await told.post(`/_paytwin/merchants/${merchant}`, { dunning_final_action: 'mark_unpaid' })
  const key = await told.post('/_paytwin/keys', {
    name: 'Checkout',
    publishable: true,
    secret: 'pk_test_51ExampleExampleExampleEx',
  })
  await told.get('/_paytwin/keys')
  await told.post(`/_paytwin/keys/${key.id}/revoke`)
  const fault = await told.post('/_paytwin/faults', { kind: 'latency', count: 3, ms: 200 })
  await told.get('/_paytwin/faults')
  await told.delete(`/_paytwin/faults/${fault.id}`)
  await told.delete('/_paytwin/faults')
  await told.get('/_paytwin/events?limit=1')
  await told.get(`/_paytwin/events/${(await told.get('/v1/events?limit=1')).data[0].id}`)
  const { customer, subscription, id } = (await told.get('/v1/invoices?limit=1')).data[0]
  await told.get(`/_paytwin/customers/${customer}?limit=3`)
  await told.get(`/_paytwin/subscriptions/${subscription}?limit=3`)
  await told.get(`/_paytwin/invoices/${id}?limit=3`)
  await told.post('/_paytwin/trigger', { type: 'payment_method.attached' })
  const noted = await told.get('/_paytwin/requests?limit=2')
  await told.stream(`/_paytwin/requests?starting_after=${noted.data[1].id}`)
  await told.get('/_paytwin/clock')
  await told.get('/_paytwin/upcoming?limit=1')
  await told.post('/_paytwin/clock/advance', { by: '1d' })
  for (const verb of ['cancel', 'unfreeze', 'freeze'])
    await told.post(`/_paytwin/clock/${verb}`, { merchant })
  await told.post('/_paytwin/fixtures', { files: [SHOP] })
  await told.post('/_paytwin/merchants', { name: 'Second merchant', clock: '2026-01-31T10:00:00Z' })
  await told.post('/_paytwin/shutdown')
}
