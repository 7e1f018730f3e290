import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOperator, expectRefusal, expectUnauthenticated, unknown } from '../http/support.ts'
import { openTwin } from '../scenarios/story.ts'
import { type Body, clientOf, startTwin, type Twin } from '../twin.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

const operate = (method: string, path: string, body?: unknown) => asOperator(twin)(method, path, body)
const listed = async (id: string): Promise<Body> =>
  (await operate('GET', 'keys')).body.data.find((key: Body) => key.id === id)

test('every route of /v1 requires a key', async () => {
  // Except for OAuth routes that apps call with their own credentials, and people without a key.
  const withoutKey = new Set(
    twin.sandbox.routes
      .filter(({ audience, isPage }) => audience === 'app' || isPage)
      .map(({ path }) => path),
  )
  expect([...withoutKey].every((path) => path.startsWith('/v1/oauth/'))).toBe(true)
  const routes = twin.sandbox.app.routes.filter(
    ({ method, path }) => path.startsWith('/v1/') && /GET|POST|DELETE/.test(method) && !withoutKey.has(path),
  )
  expect(routes.length).toBeGreaterThan(50)
  for (const { method, path } of routes) {
    const response = await twin.request(method, path.replace(':id', 'x'), undefined, { Authorization: '' })
    expectUnauthenticated(response)
  }
})

describe('a key', () => {
  test('is shown in full once, and is listed by its hint from then on', async () => {
    const { status, body } = await operate('POST', 'keys', { name: 'Server' })
    expect(status).toBe(201)
    expect(body.secret).toMatch(/^sk_test_[A-Za-z0-9]{24,}$/)
    const key = await listed(body.id)
    expect(key).toMatchObject({
      name: 'Server',
      hint: `sk_test_…${body.secret.slice(-4)}`,
      last_used: null,
      revoked: null,
    })
    expect(JSON.stringify((await operate('GET', 'keys')).body)).not.toContain(body.secret)
  })

  test('that is publishable has its own prefix', async () => {
    const { body } = await operate('POST', 'keys', { publishable: true })
    expect(body.secret).toMatch(/^pk_test_[A-Za-z0-9]{24,}$/)
    expect((await listed(body.id)).hint).toBe(`pk_test_…${body.secret.slice(-4)}`)
  })

  test('is never issued for production', async () => {
    for (const secret of [`sk_live_${'a'.repeat(32)}`, `pk_live_${'a'.repeat(32)}`]) {
      const response = await operate('POST', 'keys', { secret })
      expect([response.status, response.body.error.param]).toEqual([400, 'secret'])
    }
  })

  test('is kept as a hash only', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paytwin-'))
    const kept = await startTwin({ database: join(folder, 'paytwin.db') })
    const { body } = await asOperator(kept)('POST', 'keys', {})
    await clientOf(kept.sandbox, body.secret).get('/v1/customers')
    await kept.sandbox.doHousekeeping()
    for (const name of await readdir(folder)) {
      const bytes = await readFile(join(folder, name), 'latin1')
      for (const secret of [body.secret, kept.secretKey])
        expect(bytes).not.toContain(secret.slice('sk_test_'.length))
    }
    await kept.close()
    await rm(folder, { recursive: true })
  })

  test('cannot be shown again, and is replaced by a new one', async () => {
    const { body: old } = await operate('POST', 'keys', {})
    for (const path of [`keys/${old.id}`, `keys/${old.id}/reveal`]) {
      expectRefusal(await operate('GET', path), unknown(null))
    }
    const { body: fresh } = await operate('POST', 'keys', {})
    await operate('POST', `keys/${old.id}/revoke`)
    expectUnauthenticated(await clientOf(twin.sandbox, old.secret).request('GET', '/v1/customers'))
    expect((await clientOf(twin.sandbox, fresh.secret).request('GET', '/v1/customers')).status).toBe(200)
  })

  test('once revoked stays so, and stays listed with its hint and last use', async () => {
    const { body } = await operate('POST', 'keys', {})
    await clientOf(twin.sandbox, body.secret).get('/v1/customers')
    const { body: revoked } = await operate('POST', `keys/${body.id}/revoke`)
    expect((await operate('POST', `keys/${body.id}/revoke`)).body).toEqual(revoked)
    expect(await listed(body.id)).toMatchObject({
      hint: `sk_test_…${body.secret.slice(-4)}`,
      last_used: expect.any(Number),
      revoked: expect.any(Number),
    })
    expect((await operate('POST', 'keys', { secret: body.secret })).status).toBe(400)
    expectUnauthenticated(await clientOf(twin.sandbox, body.secret).request('GET', '/v1/customers'))
  })
})

test('an object is not accessible with the key of another merchant, whatever the route', async () => {
  const own = await openTwin()
  const { body: merchant } = await asOperator(own)('POST', 'merchants', { name: 'Other' })
  const { body: key } = await asOperator(own)('POST', 'keys', { merchant: merchant.id })
  const stranger = clientOf(own.sandbox, key.secret)
  const { id } = await own.post('/v1/payment_intents', { amount: 5, currency: 'usd' })
  for (const [method, action] of [
    ['GET', ''],
    ['POST', ''],
    ['POST', '/confirm'],
    ['POST', '/cancel'],
  ] as const) {
    expectRefusal(await stranger.request(method, `/v1/payment_intents/${id}${action}`), unknown())
  }
})
