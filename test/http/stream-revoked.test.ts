import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { asApp, letIn, makeApp } from './oauth/support.ts'
import { asOperator, openStream } from './support.ts'

const NOW = 1_700_000_000

let twin: Twin
let wall: number
beforeEach(() => {
  wall = NOW * 1000
})
afterEach(() => twin.close())

const operate = async (method: string, path: string, body?: Body): Promise<Body> =>
  (await asOperator(twin)(method, path, body)).body

/** Opens a stream with a credential that is revoked after its authentication. Returns the response. */
async function openWhile(credential: string, revoke: () => Promise<unknown>): Promise<Body> {
  await operate('POST', 'faults', { kind: 'latency', ms: 1_000, count: 1 })
  const opening = twin.sandbox.app.request('/v1/events', {
    headers: { Accept: 'text/event-stream', Authorization: `Bearer ${credential}` },
  })
  // The request is already authenticated and waits.
  while ((await operate('GET', 'faults')).data.length > 0) await turn()
  await revoke()
  const response = await opening
  if (response.status === 200) return { status: 200 }
  return { status: response.status, ...((await response.json()) as Body).error }
}

test('a key that is revoked between authentication and opening gets no stream', async () => {
  twin = await startTwin({ wall: () => wall })
  const { id, secret } = await operate('POST', 'keys', {})
  expect(await openWhile(secret, () => operate('POST', `keys/${id}/revoke`))).toMatchObject({
    status: 401,
    type: 'authentication_error',
    message: 'Invalid API Key provided',
  })
})

test('an access token that is revoked between authentication and opening gets no stream', async () => {
  twin = await startTwin({ wall: () => wall })
  const app = await makeApp(twin)
  const { access_token } = await letIn(twin, app)
  const revoke = () => asApp(twin, app, 'revoke', { token: access_token })
  expect(await openWhile(access_token, revoke)).toMatchObject({ status: 401, type: 'authentication_error' })
})

test('a revoked key within --key-cache-ttl gets no stream, which would outlast it', async () => {
  twin = await startTwin({ wall: () => wall, keyCacheSeconds: 60 })
  const { id, secret } = await operate('POST', 'keys', {})
  const stream = { Authorization: `Bearer ${secret}` }
  await (await openStream(twin, '/v1/events', stream)).close()
  await operate('POST', `keys/${id}/revoke`)
  expect((await twin.request('GET', '/v1/events', undefined, stream)).status).toBe(200)
  await expect(openStream(twin, '/v1/events', stream)).rejects.toThrow(/^401 .*Invalid API Key/)
})
