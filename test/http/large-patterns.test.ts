import { afterEach, beforeEach, expect, test } from 'vitest'
import { createEndpoint } from '../../src/engine/resources/webhook-endpoint.ts'
import { processorTime } from '../processor-time.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { asOperator, expectRefused, invalid } from './support.ts'

const URL = 'http://localhost:3000/'
/** The longest allowed pattern, and one character more. */
const [LONGEST, TOO_LONG] = ['invoice.paid'.padStart(256, '*'), 'invoice.paid'.padStart(257, '*')]

let twin: Twin
beforeEach(async () => {
  twin = await startTwin({ send: async () => ({ status: 200, body: '' }) })
})
afterEach(() => twin.close())

test('a pattern of event types has at most 256 characters', async () => {
  const advance = '/v1/test_helpers/clock/advance'
  await expectRefused(twin, ['POST', advance, { by: '1d', stop_on: ['*', TOO_LONG] }], invalid('stop_on[1]'))
  const endpoint = { url: URL, enabled_events: [TOO_LONG] }
  await expectRefused(twin, ['POST', '/v1/webhook_endpoints', endpoint], invalid('enabled_events[0]'))
  await expectRefused(twin, ['GET', `/v1/events?type=${TOO_LONG}`], invalid('type'))
  await expectRefused(twin, ['GET', `/v1/events?types[]=${TOO_LONG}`], invalid('types[0]'))
  const operator = asOperator(twin)
  expect((await operator('POST', 'webhooks', endpoint)).body.error.param).toBe('enabled_events[0]')
  expect((await operator('POST', 'clock/advance', { by: '1d', stop_on: [TOO_LONG] })).status).toBe(400)
  await twin.post('/v1/webhook_endpoints', { url: URL, enabled_events: [LONGEST] })
  await twin.advance({ by: '1d', stop_on: [LONGEST] })
  await twin.get(`/v1/events?type=${LONGEST}`)
})

test('the route of a fault has at most as many characters as a url', async () => {
  const add = (length: number) =>
    asOperator(twin)('POST', 'faults', { kind: 'latency', route: '*'.repeat(length) })
  expect((await add(2_048)).status).toBe(201)
  expect((await add(2_049)).body.error).toMatchObject({ code: 'parameter_invalid', param: 'route' })
})

test('an endpoint of an old database with a longer pattern works, at no great cost', async () => {
  const { engine, merchant } = twin.sandbox
  const patterns = ['*'.repeat(1_000_000), 'a*'.repeat(500_000), 'x'.repeat(1_000_000)]
  for (const pattern of patterns)
    await engine.command(merchant, null, (unit) =>
      createEndpoint(unit, { url: URL, enabled_events: [pattern] }),
    )
  const taken = await processorTime(() => twin.post('/v1/customers', {}))
  expect(taken).toBeLessThan(1_000)
  const { data } = await twin.get('/v1/webhook_endpoints')
  const counts = await Promise.all(
    data.map(async ({ id }: Body) => (await twin.get(`/v1/webhook_endpoints/${id}/deliveries`)).data.length),
  )
  expect(counts.reverse()).toEqual([1, 0, 0])
})
