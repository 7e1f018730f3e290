const { createPaytwin } = require('paytwin')

test('a sandbox works while timers are faked, and afterwards', async () => {
  const twin = await createPaytwin()
  await twin.webhooks.create()
  jest.useFakeTimers()
  await twin.post('/v1/customers', { name: 'a' })
  await twin.webhooks.settled()
  jest.useRealTimers()
  await twin.post('/v1/customers', { name: 'b' })
  await twin.webhooks.settled()
  expect(twin.webhooks.inbox).toHaveLength(2)
  await twin.close()
})
