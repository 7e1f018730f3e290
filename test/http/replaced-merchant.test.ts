import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { subscribe } from '../scenarios/story.ts'
import { type Body, clientOf, startTwin, type Twin, type TwinResponse } from '../twin.ts'
import { letIn, makeApp } from './oauth/support.ts'
import { anotherMerchant, asOperator, expectUnauthenticated } from './support.ts'

const IDEMPOTENT = { 'Idempotency-Key': 'order-1' }
const PAYMENT = { amount: 500, currency: 'usd' }

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(() => twin.close())

const operate = async (method: string, path: string, body?: Body): Promise<Body> =>
  (await asOperator(twin)(method, path, body)).body

/** Sends a request whose body is complete only after an action. */
async function whileItSends(
  credential: string,
  path: string,
  body: Body,
  happen: () => Promise<unknown>,
): Promise<Response> {
  const text = JSON.stringify(body)
  const stream = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.from(text.slice(0, 5)))
      await turn()
      await happen()
      controller.enqueue(Buffer.from(text.slice(5)))
      controller.close()
    },
  })
  const headers = {
    Authorization: `Bearer ${credential}`,
    'Content-Type': 'application/json',
    ...IDEMPOTENT,
  }
  return twin.sandbox.app.request(path, { method: 'POST', headers, body: stream, duplex: 'half' } as never)
}

const twinResponseOf = async (response: Response): Promise<TwinResponse> => ({
  status: response.status,
  headers: response.headers,
  body: (await response.json()) as Body,
})

describe('a request whose merchant is replaced by another with its id while it waits', () => {
  let first: Twin
  let second: { readonly id: string; readonly client: Twin }
  const bringBack = () => operate('POST', 'snapshots/with-first/restore')

  beforeEach(async () => {
    await operate('POST', 'snapshots', { name: 'empty' })
    const { merchant, secretKey } = await anotherMerchant(twin)
    first = clientOf(twin.sandbox, secretKey)
    const paid = await first.request('POST', '/v1/payment_intents', PAYMENT, IDEMPOTENT)
    expect(paid.status).toBe(201)
    await operate('POST', 'snapshots', { name: 'with-first' })
    await operate('POST', 'snapshots/empty/restore')
    const other = await anotherMerchant(twin)
    expect(other.merchant.id).toBe(merchant.id)
    second = { id: merchant.id, client: clientOf(twin.sandbox, other.secretKey) }
  })

  test('gets no replay of the other merchant’s response', async () => {
    const { secretKey } = second.client
    const response = await whileItSends(secretKey, '/v1/payment_intents', PAYMENT, bringBack)
    expectUnauthenticated(await twinResponseOf(response))
  })

  test('does not learn that the other merchant used its idempotency key', async () => {
    const { secretKey } = second.client
    const response = await whileItSends(secretKey, '/v1/customers', {}, bringBack)
    expectUnauthenticated(await twinResponseOf(response))
  })

  test('gets no replay with a publishable key', async () => {
    const key = async () =>
      (await operate('POST', 'keys', { merchant: second.id, publishable: true })).secret as string
    const confirm = async (secret: string, client: Twin, happen: () => Promise<unknown>) => {
      const { id, client_secret } = await client.post('/v1/payment_intents', {
        ...PAYMENT,
        payment_method: 'pm_card_visa',
      })
      return whileItSends(secret, `/v1/payment_intents/${id}/confirm`, { client_secret }, happen)
    }
    await bringBack()
    expect((await confirm(await key(), first, async () => undefined)).status).toBe(200)
    await operate('POST', 'snapshots', { name: 'with-first' })
    await operate('POST', 'snapshots/empty/restore')
    const { secretKey, merchant } = await anotherMerchant(twin)
    expect(merchant.id).toBe(second.id)
    const response = await confirm(await key(), clientOf(twin.sandbox, secretKey), bringBack)
    expectUnauthenticated(await twinResponseOf(response))
  })

  test('gets no replay with an access token', async () => {
    const app = await makeApp(twin)
    const send = async (client: Twin, happen: () => Promise<unknown>) => {
      const { access_token } = await letIn(client, app, { scope: 'read_write' })
      return whileItSends(access_token, '/v1/payment_intents', PAYMENT, happen)
    }
    await bringBack()
    expect((await send(first, async () => undefined)).status).toBe(201)
    await operate('POST', 'snapshots', { name: 'with-first' })
    await operate('POST', 'snapshots/empty/restore')
    const { secretKey } = await anotherMerchant(twin)
    const response = await send(clientOf(twin.sandbox, secretKey), bringBack)
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"')
  })

  test('gets no replay after an injected latency', async () => {
    await operate('POST', 'faults', { kind: 'latency', ms: 200, count: 1, route: 'POST /v1/payment_intents' })
    const response = second.client.request('POST', '/v1/payment_intents', PAYMENT, IDEMPOTENT)
    await bringBack()
    expectUnauthenticated(await response)
  })

  test('gets no replay behind an earlier request with its idempotency key', async () => {
    const { client } = second
    await subscribe(client, { price: { recurring: { interval: 'day' } } })
    await client.advance({ by: '1y', async: true })
    const send = (path: string, body: Body) => client.request('POST', path, body, IDEMPOTENT)
    const earlier = send('/v1/customers', {})
    await turn()
    const later = send('/v1/payment_intents', PAYMENT)
    await turn()
    const restored = bringBack()
    expectUnauthenticated(await earlier)
    expectUnauthenticated(await later)
    await restored
  })

  test('is served in the new state with the key of its merchant', async () => {
    await bringBack()
    const response = await whileItSends(first.secretKey, '/v1/payment_intents', PAYMENT, bringBack)
    expect(response.headers.get('Idempotent-Replayed')).toBe('true')
  })
})
