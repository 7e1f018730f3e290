import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Body, startTwin, type Twin } from '../../twin.ts'
import { anotherMerchant, asOperator, expectRefusal, FORM, unknown } from '../support.ts'

let twin: Twin
let merchant: string
const ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  asOperator(twin)(method, `merchants/${merchant}/v1/${path}`, body, headers)

/** A request whose response is not one of the described route. */
async function raw(method: string, path: string, headers: Record<string, string>) {
  const response = await twin.sandbox.app.request(path, {
    method,
    headers: { Authorization: `Bearer ${twin.sandbox.adminToken}`, Host: 'localhost:4242', ...headers },
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}

beforeEach(async () => {
  twin = await startTwin()
  merchant = twin.sandbox.merchant.settings.id
})
afterEach(() => twin.close())

test('the operator reads and writes as a merchant, with the responses and headers of /v1', async () => {
  const made = await ask('POST', 'customers', 'email=ada%40example.com', FORM)
  expect(made).toMatchObject({ status: 201, body: { object: 'customer', email: 'ada@example.com' } })
  expect(made.headers.get('Paytwin-Now')).toBe('1769853600')
  expect(await twin.get(`/v1/customers/${made.body.id}`)).toEqual(made.body)
  expect((await ask('GET', 'customers?email=ada%40example.com&limit=1')).body).toMatchObject({
    url: '/v1/customers',
    data: [{ id: made.body.id }],
  })
  const [event] = await twin.events()
  expect(event).toMatchObject({
    type: 'customer.created',
    request: { id: made.headers.get('Request-Id') },
  })
  expect((await ask('DELETE', `customers/${made.body.id}`)).body).toMatchObject({ deleted: true })
  expectRefusal(await ask('GET', 'customers/cus_x'), unknown('id'))
})

test('each merchant has its own data, and an unknown one none', async () => {
  const other = await anotherMerchant(twin)
  await ask('POST', 'customers', { name: 'Ada' })
  const path = `merchants/${other.merchant.id}/v1/customers`
  expect((await asOperator(twin)('GET', path)).body.data).toEqual([])
  expectRefusal(await raw('GET', '/_paytwin/merchants/mer_x/v1/customers', {}), unknown('merchant'))
})

test('it needs the admin token and the Host of the daemon', async () => {
  const path = `/_paytwin/merchants/${merchant}/v1/customers`
  for (const token of ['', twin.secretKey]) {
    const { status, body } = await raw('GET', path, { Authorization: `Bearer ${token}` })
    expect({ status, message: body.error.message }).toEqual({
      status: 401,
      message: 'Invalid admin token provided',
    })
  }
  expectRefusal(await raw('GET', path, { Host: 'evil.example' }), {
    code: 'parameter_invalid',
    param: 'Host',
  })
  const admin = { Authorization: `Bearer ${twin.sandbox.adminToken}` }
  expect((await twin.request('GET', '/v1/customers', undefined, admin)).status).toBe(401)
})

test.each(['zebras', 'customers/a/b', '..%2f..%2fstatus'])('there is no %s', async (path) => {
  const { status, body } = await raw('GET', `/_paytwin/merchants/${merchant}/v1/${path}`, {})
  expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'resource_missing' })
})

test('a stream is not opened: a list of events is a list', async () => {
  const { status, body } = await ask('GET', 'events', undefined, { Accept: 'text/event-stream' })
  expect({ status, object: body.object }).toEqual({ status: 200, object: 'list' })
})

test('request faults wait for requests of the merchant', async () => {
  for (const kind of ['key_resolution_unavailable', 'internal_error', 'rate_limit', 'response_lost'])
    await asOperator(twin)('POST', 'faults', { kind, count: 1 })
  expect((await ask('GET', 'customers')).status).toBe(200)
  expect((await asOperator(twin)('GET', 'faults')).body.data).toHaveLength(4)
})

test('requests of the operator do not count towards the rate limit', async () => {
  const limited = await startTwin({ rateLimit: 1 })
  try {
    const path = `merchants/${limited.sandbox.merchant.settings.id}/v1/customers`
    for (let count = 0; count < 3; count += 1)
      expect((await asOperator(limited)('GET', path)).status).toBe(200)
    expect((await limited.request('GET', '/v1/customers')).status).toBe(200)
  } finally {
    await limited.close()
  }
})

test('idempotency keys are apart from those of the merchant, and work', async () => {
  const key = { 'Idempotency-Key': 'k' }
  const own = await twin.request('POST', '/v1/customers', { name: 'Ada' }, key)
  const first = await ask('POST', 'customers', { name: 'Grace' }, key)
  const again = await ask('POST', 'customers', { name: 'Grace' }, key)
  expect(first.body.id).not.toBe(own.body.id)
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('Idempotent-Replayed')).toBe('true')
})

test('the request log names the operator in place of a key', async () => {
  await ask('GET', 'customers?limit=1')
  const { data } = (await asOperator(twin)('GET', 'requests')).body
  expect(data).toMatchObject([{ path: '/v1/customers?limit=1', key: 'operator', merchant_id: merchant }])
})
