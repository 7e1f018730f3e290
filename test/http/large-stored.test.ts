import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { enlarge } from './enlarge.ts'

const MIB = 2 ** 20

let twin: Twin
let customer: string
beforeEach(async () => {
  twin = await startTwin()
  customer = (await twin.post('/v1/customers', { name: 'Ada' })).id
})
afterEach(() => twin.close())

const KEY = { 'Idempotency-Key': 'k' }
const intent = () => ({ amount: 2000, currency: 'usd', customer })
const expanding = () => ({ ...intent(), expand: ['customer'] })
const create = (params: Body, headers = {}) => twin.request('POST', '/v1/payment_intents', params, headers)
const rename = (name: string, headers = {}) =>
  twin.request('POST', `/v1/customers/${customer}`, { name }, headers)

test('a response with expansions that is too long to be stored is refused, and nothing is written', async () => {
  await enlarge(twin, 'customer', customer, { length: 2 * MIB })
  const events = await twin.events()
  expect(await create(expanding(), KEY)).toMatchObject({
    status: 400,
    body: {
      error: {
        code: 'parameter_invalid',
        param: 'expand',
        message:
          'The response would have more than 2 MiB, the most that is stored for an idempotency key. Expand fewer paths, or send the request without a key',
      },
    },
  })
  expect(await twin.events()).toEqual(events)
  expect(await twin.get('/v1/payment_intents')).toMatchObject({ data: [] })
  expect(await create(expanding())).toMatchObject({ status: 201 })
  // The key was not used.
  expect(await create(intent(), KEY)).toMatchObject({ status: 201 })
})

test('so is the response of a large object', async () => {
  await enlarge(twin, 'customer', customer, { length: 2 * MIB })
  expect(await rename('Bea', KEY)).toMatchObject({
    status: 400,
    body: {
      error: {
        param: 'Idempotency-Key',
        message:
          'The response would have more than 2 MiB, the most that is stored for an idempotency key. Send the request without a key',
      },
    },
  })
  expect(await twin.get(`/v1/customers/${customer}`)).toMatchObject({ name: 'Ada' })
  expect(await rename('Bea')).toMatchObject({ status: 200, body: { name: 'Bea' } })
})

test('a response of almost that length is stored, and replayed', async () => {
  await enlarge(twin, 'customer', customer, { length: 2 * MIB - 5_000 })
  const first = await create(expanding(), KEY)
  expect(first.status).toBe(201)
  const replay = await create(expanding(), KEY)
  expect(replay.headers.get('Idempotent-Replayed')).toBe('true')
  expect(replay.body).toEqual(first.body)
})
