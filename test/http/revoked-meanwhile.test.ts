import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Waiting } from '../../src/engine/machine/merchant-state.ts'
import { subscribe } from '../scenarios/story.ts'
import { type Body, clientOf, makeCustomer, startTwin, type Twin, type TwinResponse } from '../twin.ts'
import {
  asApp,
  codeFor,
  exchange,
  expectOAuthRefusal,
  grantsNothing,
  invalidClient,
  letIn,
  makeApp,
  refresh,
} from './oauth/support.ts'
import { asOperator, expectUnauthenticated, unchanged } from './support.ts'

const HOUR = 3_600

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(() => twin.close())

const operate = async (method: string, path: string, body?: Body): Promise<Body> =>
  (await asOperator(twin)(method, path, body)).body

/** Blocks the main clock like an advance, so that commands wait. */
function holdClock(): { readonly waiting: readonly Waiting[]; end(by?: number): void } {
  const { clock, held } = twin.sandbox.merchant
  const waiting: Waiting[] = []
  held.set(clock, waiting)
  return {
    waiting,
    end: (by = 0) => {
      clock.moveTo(clock.instant + by)
      held.delete(clock)
      for (const { requeue } of waiting) requeue()
    },
  }
}

/** Returns the response to a request that waits for an advance while an action runs. */
async function whileItWaits(
  send: () => Promise<TwinResponse>,
  happen: () => Promise<unknown>,
  by = 0,
): Promise<TwinResponse> {
  const advance = holdClock()
  const response = send()
  while (advance.waiting.length === 0) await turn()
  await happen()
  advance.end(by)
  return response
}

/** Creates a key, a client with it, and a function that revokes it. */
async function newKey(params: Body = {}) {
  const { id, secret } = await operate('POST', 'keys', params)
  return { client: clientOf(twin.sandbox, secret), revoke: () => operate('POST', `keys/${id}/revoke`) }
}

function expectInvalidToken(response: TwinResponse): void {
  expect(response.status).toBe(401)
  expect(response.body.error.message).toBe('Invalid API Key provided')
  expect(response.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"')
}

describe('a request whose key is revoked while it waits', () => {
  test('behind an advance is refused and writes nothing', async () => {
    await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    const { client, revoke } = await newKey()
    const { status } = await twin.advance({ by: '1y', async: true })
    expect(status).toBe('advancing')
    const response = client.request('POST', '/v1/customers', { name: 'Late' })
    await revoke()
    expectUnauthenticated(await response)
    expect((await twin.get('/v1/customers')).data).toHaveLength(1)
  })

  test.each<[string, string, Body?]>([
    ['POST', '/v1/customers'],
    ['DELETE', '/v1/customers/@'],
    ['POST', '/v1/subscriptions/sub_unknown'],
    ['POST', '/v1/credit_notes', { invoice: 'in_unknown', amount: 1 }],
    ['POST', '/v1/disputes/du_unknown/close'],
    ['POST', '/v1/billing/meter_events', { event_name: 'unknown', payload: {} }],
    ['POST', '/v1/test_helpers/clock/advance', { by: '1d' }],
    ['POST', '/v1/test_helpers/clock/advance', { to: 1 }],
    ['POST', '/v1/test_helpers/clock/unfreeze'],
    ['POST', '/v1/test_helpers/test_clocks/clock_@/advance', { by: '1d' }],
  ])('is refused: %s %s %j', async (method, path, body = {}) => {
    const { customer } = await makeCustomer(twin)
    const clock = await twin.post('/v1/test_helpers/test_clocks', { frozen_time: 1769853600 })
    const { client, revoke } = await newKey()
    const named = path.replace('clock_@', clock.id).replace('@', customer.id)
    const response = await unchanged(twin, () =>
      whileItWaits(() => client.request(method, named, body), revoke),
    )
    expectUnauthenticated(response)
    expect(response.headers.get('Paytwin-Now')).toBeNull()
    expect(await twin.get(`/v1/test_helpers/test_clocks/${clock.id}`)).toEqual(clock)
  })

  test('is refused when its key is publishable', async () => {
    const intent = await twin.post('/v1/payment_intents', {
      amount: 500,
      currency: 'usd',
      payment_method: 'pm_card_visa',
    })
    const { client, revoke } = await newKey({
      publishable: true,
      merchant: twin.sandbox.merchant.settings.id,
    })
    const { id, client_secret } = intent
    const confirm = () => client.request('POST', `/v1/payment_intents/${id}/confirm`, { client_secret })
    expectUnauthenticated(await unchanged(twin, () => whileItWaits(confirm, revoke)))
  })

  test.each([
    ['/v1/customers', { name: 'Ada' }],
    ['/v1/test_helpers/clock/advance', { by: '1d' }],
  ])('leaves no response under its idempotency key: %s', async (path, body) => {
    const { client, revoke } = await newKey()
    const headers = { 'Idempotency-Key': 'once' }
    expectUnauthenticated(await whileItWaits(() => client.request('POST', path, body, headers), revoke))
    expect((await twin.request('POST', '/v1/customers', { name: 'Grace' }, headers)).status).toBe(201)
  })

  test('gets no replay of the response to another request with its idempotency key', async () => {
    const { client, revoke } = await newKey()
    const send = (as: Twin) => as.request('POST', '/v1/customers', {}, { 'Idempotency-Key': 'once' })
    const second: Promise<TwinResponse>[] = []
    const first = await whileItWaits(() => {
      const response = send(twin)
      second.push(send(client))
      return response
    }, revoke)
    expect(first.status).toBe(201)
    for (const response of second) expectUnauthenticated(await response)
  })

  test.each([
    ['GET', '/v1/customers'],
    ['GET', '/v1/test_helpers/clock'],
    ['POST', '/v1/test_helpers/clock/cancel'],
    ['POST', '/v1/customers'],
  ])('until a live clock has caught up is refused: %s %s', async (method, path) => {
    await twin.close()
    let wall = Date.UTC(2026, 0, 1)
    twin = await startTwin({ clock: 'live', wall: () => wall })
    await subscribe(twin)
    const { client, revoke } = await newKey()
    wall = Date.UTC(2026, 2, 1)
    expectUnauthenticated(await whileItWaits(() => client.request(method, path), revoke))
  })

  test('is served while the key is still cached', async () => {
    await twin.close()
    twin = await startTwin({ keyCacheSeconds: 60 })
    const { client, revoke } = await newKey()
    const response = await whileItWaits(() => client.request('POST', '/v1/customers', {}), revoke)
    expect(response.status).toBe(201)
  })
})

describe('a write that waits behind an advance', () => {
  let app: Body
  let tokens: Body
  let write: () => Promise<TwinResponse>
  beforeEach(async () => {
    app = await makeApp(twin)
    tokens = await letIn(twin, app, { scope: 'read_write' })
    write = () => clientOf(twin.sandbox, tokens.access_token).request('POST', '/v1/customers', {})
  })
  const refused = async (happen: () => Promise<unknown>, by = 0) => {
    expectInvalidToken(await whileItWaits(write, happen, by))
    expect((await twin.get('/v1/customers')).data).toEqual([])
  }

  test('is refused when its access token is revoked', () =>
    refused(() => asApp(twin, app, 'revoke', { token: tokens.access_token })))

  test('is refused when the family of its access token is revoked', () =>
    refused(() => asApp(twin, app, 'revoke', { token: tokens.refresh_token })))

  test('is refused when the app is deleted', () => refused(() => operate('DELETE', `apps/${app.id}`)))

  test('is refused when its access token has expired on the merchant’s clock', () =>
    refused(async () => undefined, HOUR))

  test('is served while its access token is valid', async () => {
    expect((await whileItWaits(write, async () => undefined, HOUR - 1)).status).toBe(201)
  })
})

describe('an app whose secret is rotated while it waits behind an advance', () => {
  test('exchanges no code, and can do so with its new secret', async () => {
    const app = await makeApp(twin)
    const code = await codeFor(twin, app)
    let rotated: Body = {}
    const rotate = async () => {
      rotated = await operate('POST', `apps/${app.id}/rotate_secret`)
    }
    const response = await grantsNothing(twin, () => whileItWaits(() => exchange(twin, app, code), rotate))
    expectOAuthRefusal(response, invalidClient)
    expect((await exchange(twin, rotated, code)).status).toBe(200)
  })

  test('refreshes no token, and can do so with its new secret', async () => {
    const app = await makeApp(twin)
    const { refresh_token } = await letIn(twin, app)
    let rotated: Body = {}
    const rotate = async () => {
      rotated = await operate('POST', `apps/${app.id}/rotate_secret`)
    }
    const send = () => refresh(twin, app, refresh_token)
    expectOAuthRefusal(await grantsNothing(twin, () => whileItWaits(send, rotate)), invalidClient)
    expect((await refresh(twin, rotated, refresh_token)).status).toBe(200)
  })
})
