import { test } from 'paytwin/vitest'
import { expect } from 'vitest'

const subscribed = test.extend({
  paytwinOptions: {
    fixtures: {
      prices: [{ ref: 'pro', unit_amount: 2000, currency: 'usd', recurring: { interval: 'month' } }],
      customers: [{ ref: 'ada' }],
      payment_methods: [{ ref: 'ada', customer: 'ada', test_id: 'pm_card_visa' }],
      subscriptions: [
        { customer: 'ada', currency: 'usd', default_payment_method: 'ada', items: [{ price: 'pro' }] },
      ],
    },
  },
})

subscribed('a test that fails', async ({ twin }) => {
  await twin.faults.add('decline')
  await twin.clock.advance('1mo')
  const { data } = await twin.get('/v1/subscriptions')
  expect(data[0]?.status).toBe('active')
})

subscribed('a test that fails with a closed sandbox', async ({ twin }) => {
  await twin.close()
  expect('closed').toBe('open')
})

subscribed('a test that passes', async ({ twin }) => {
  await twin.clock.advance('3mo')
  expect(await twin.events.list({ type: 'invoice.paid' })).toHaveLength(4)
})
