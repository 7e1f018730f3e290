import { expect, test } from 'vitest'
import { makeCustomer, makePrice, startTwin } from '../twin.ts'

test('smoke', async () => {
  const twin = await startTwin()
  const price = await makePrice(twin)
  const { customer, method } = await makeCustomer(twin, { outcomes: ['succeed', 'decline:insufficient_funds', 'decline:insufficient_funds'] })
  const sub = await twin.post('/v1/subscriptions', { customer: customer.id, currency: 'usd', default_payment_method: method.id, items: [{ price: price.id }] })
  console.log(sub)
  console.log(await twin.advance({ by: '3mo' }))
  for (const e of await twin.events()) console.log(new Date(e.created * 1000).toISOString(), e.type, e.data.object.status, JSON.stringify(e.data.previous_attributes ?? ''))
  console.log((await twin.get('/v1/invoices')).data[0])
  console.log((await twin.get('/v1/test_helpers/upcoming')).data)
  expect(sub.status).toBe('active')
  await twin.close()
})
