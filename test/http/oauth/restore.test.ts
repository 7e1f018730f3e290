import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { deleteApp, findApp } from '../../../src/engine/access/oauth-app.ts'
import { requestInBrowser } from '../../../src/engine/access/oauth-authorization.ts'
import { type Body, clientOf, startTwin, type Twin } from '../../twin.ts'
import { anotherMerchant, asOperator, expectRefusal, FORM, idsOf, openStream, toForm } from '../support.ts'
import {
  ASKED,
  asApp,
  ask,
  codeFor,
  exchange,
  expectOAuthRefusal,
  grants,
  grantsNothing,
  holding,
  invalidGrant,
  letIn,
  makeApp,
  opens,
  REDIRECT_URI,
  refresh,
} from './support.ts'

let twin: Twin
let app: Body
const operate = (path: string, body?: Body) => asOperator(twin)('POST', path, body)
const save = () => operate('snapshots', { name: 'state' })
const restore = async () => expect((await operate('snapshots/state/restore')).status).toBe(200)
const reset = async () => expect((await operate('reset')).status).toBe(200)
const authorizations = async () => (await asOperator(twin)('GET', 'authorizations')).body.data

/** Opens the consent page, and returns a function that submits its form. */
async function showPage({ sandbox }: Twin, { client_id }: Body) {
  const host = 'localhost:4242'
  const asked = new URLSearchParams({ response_type: 'code', client_id, redirect_uri: REDIRECT_URI })
  const page = await sandbox.app.request(`/v1/oauth/authorize?${asked}`, { headers: { Host: host } })
  const Cookie = page.headers.get('Set-Cookie')?.split(';')[0] ?? ''
  const [, nonce] = /name="nonce" value="(\w+)"/.exec(await page.text()) ?? []
  return {
    decide: async (decision: string, merchant: string) =>
      sandbox.app.request('/v1/oauth/authorize/decision', {
        method: 'POST',
        body: toForm({ nonce, decision, merchant }),
        headers: { ...FORM, Host: host, Origin: `http://${host}`, Cookie },
      }),
  }
}

beforeEach(async () => {
  twin = await startTwin()
  app = await makeApp(twin)
})
afterEach(() => twin.close())

describe('a restore', () => {
  test('undoes no grant: later tokens stay valid, and revoked ones stay revoked', async () => {
    const early = await letIn(twin, app)
    await save()
    await asApp(twin, app, 'revoke', { token: early.refresh_token })
    const late = await letIn(twin, app)
    const before = grants(twin)
    await restore()
    expect(grants(twin)).toEqual(before)
    expect([await opens(twin, early), await opens(twin, late)]).toEqual([false, true])
    expect((await refresh(twin, app, late.refresh_token)).status).toBe(200)
  })

  test('keeps codes known and usable once', async () => {
    await save()
    const code = await codeFor(twin, app)
    await restore()
    const { body: tokens } = await exchange(twin, app, code)
    expect(await opens(twin, tokens)).toBe(true)
    await restore()
    expectOAuthRefusal(await exchange(twin, app, code), invalidGrant)
    expect(await opens(twin, tokens)).toBe(false)
  })

  test('keeps grants of a merchant from the merchant that takes its place, until it is back', async () => {
    await save()
    const first = clientOf(twin.sandbox, (await anotherMerchant(twin)).secretKey)
    const tokens = await letIn(first, app)
    const code = await codeFor(first, app)
    const { id: asked } = await ask(first, app)
    await operate('snapshots', { name: 'with-first' })
    await restore()
    const second = clientOf(twin.sandbox, (await anotherMerchant(twin)).secretKey)
    await second.post('/v1/customers', { name: 'of the second' })
    expect(await opens(twin, tokens)).toBe(false)
    expectOAuthRefusal(await refresh(twin, app, tokens.refresh_token), invalidGrant)
    expectOAuthRefusal(await exchange(twin, app, code), invalidGrant)
    expect((await authorizations()).map(({ merchant_id }: Body) => merchant_id)).toEqual([null, null, null])
    const mine = await second.request('POST', `/v1/oauth/authorizations/${asked}/approve`)
    expectOAuthRefusal(mine, { status: 404, code: 'resource_missing', param: 'id' })
    for (const decision of ['approve', 'deny']) {
      const refused = await operate(`authorizations/${asked}/${decision}`)
      expectRefusal(refused, { code: 'parameter_invalid', param: 'id' })
    }
    await operate('snapshots/with-first/restore')
    expect(await opens(twin, tokens)).toBe(true)
    expect((await operate(`authorizations/${asked}/approve`)).status).toBe(200)
  })

  test.each(['restored earlier', 'created later'])(
    'keeps a consent page from deciding for another merchant with the same id: %s',
    async (which) => {
      await save()
      const { merchant: first } = await anotherMerchant(twin)
      await operate('snapshots', { name: 'with-first' })
      const show = () => showPage(twin, app)
      const pages = which === 'created later' ? await show() : undefined
      await restore()
      const { merchant: second } = await anotherMerchant(twin)
      expect(second.id).toBe(first.id)
      const page = pages ?? (await show())
      if (!pages) await operate('snapshots/with-first/restore')
      for (const decision of ['approve', 'deny']) {
        const response = await grantsNothing(twin, () => page.decide(decision, first.id))
        expect(response.status).toBe(400)
        expect(await response.text()).toContain('The page did not offer this merchant')
      }
      await operate(pages ? 'snapshots/with-first/restore' : 'snapshots/state/restore')
      const own = pages ? first.id : twin.sandbox.merchant.settings.id
      expect((await page.decide('approve', own)).status).toBe(303)
    },
  )

  test('keeps an earlier token valid, and its stream open', async () => {
    const tokens = await letIn(twin, app)
    const client = holding(twin, tokens.access_token)
    const stream = await openStream(client, '/v1/events', {
      Authorization: `Bearer ${tokens.access_token}`,
    })
    await save()
    await restore()
    await twin.post('/v1/customers')
    const [restored, event] = await stream.take(2)
    expect([restored?.event, event?.event]).toEqual(['reset', 'customer.created'])
    await stream.close()
  })

  test('and an exchange at the same time are one after the other', async () => {
    await save()
    const codes = await Promise.all(Array.from({ length: 8 }, () => codeFor(twin, app)))
    const [, ...responses] = await Promise.all([restore(), ...codes.map((code) => exchange(twin, app, code))])
    expect(responses.map((response) => response.status)).toEqual(codes.map(() => 200))
  })
})

describe('a reset', () => {
  test('ends all grants and apps, as after the first start', async () => {
    const tokens = await letIn(twin, app)
    const other = clientOf(twin.sandbox, (await anotherMerchant(twin)).secretKey)
    const others = await letIn(other, app)
    const pending = await ask(twin, app)
    await reset()
    expect([await opens(twin, tokens), await opens(twin, others)]).toEqual([false, false])
    expect(grants(twin)).toEqual({ authorizations: [], tokens: [] })
    expect((await asApp(twin, app, 'token', { grant_type: 'refresh_token' })).body.error.code).toBe(
      'invalid_client',
    )
    const again = await makeApp(twin)
    expect(idsOf([again])).not.toEqual([app.id])
    expect((await ask(twin, again)).id).not.toBe(pending.id)
    expect(await opens(twin, await letIn(twin, again))).toBe(true)
  })

  test('ends the streams that tokens opened', async () => {
    const { access_token } = await letIn(twin, app)
    const stream = await openStream(twin, '/v1/events', { Authorization: `Bearer ${access_token}` })
    await reset()
    expect((await stream.take(1))[0]?.event).toBe('reset')
    await expect(stream.take(1)).rejects.toThrow('ended')
  })
})

test.each([
  ['a reset', reset],
  ['the deletion of its app', () => deleteApp(twin.sandbox.engine, app.id)],
])('a consent page that waits for %s makes no authorization of the app', async (_, remove) => {
  const { engine } = twin.sandbox
  const asked = { app: findApp(engine, app.id), ...ASKED }
  const [, refusal] = await Promise.all([
    remove(),
    requestInBrowser(engine, asked, []).catch((error: unknown) => error),
  ])
  expect(refusal).toMatchObject({ code: 'resource_missing', param: 'client_id' })
  expect(await authorizations()).toEqual([])
})

describe('the request log', () => {
  const noted = async () => (await asOperator(twin)('GET', 'requests')).body.data

  test('shows the requests of apps and their merchants, without secrets', async () => {
    const { body: tokens } = await exchange(twin, app, await codeFor(twin, app))
    await exchange(twin, app, 'oac_test_unknown')
    await holding(twin, tokens.access_token).get('/v1/customers')
    const [read, refused, exchanged] = await noted()
    const merchant_id = twin.sandbox.merchant.settings.id
    expect(exchanged).toMatchObject({ path: '/v1/oauth/token', status: 200, code: null, merchant_id })
    expect(refused).toMatchObject({
      path: '/v1/oauth/token',
      status: 400,
      code: 'invalid_grant',
      merchant_id: null,
    })
    expect(read).toMatchObject({ merchant_id, key: `oat_test_…${tokens.access_token.slice(-4)}` })
    const text = JSON.stringify(await noted())
    for (const secret of [app.client_secret, tokens.access_token, tokens.refresh_token]) {
      expect(text).not.toContain(secret)
    }
  })

  test('logs the consent page', async () => {
    const { status } = await twin.request('GET', '/v1/oauth/authorize?client_id=app_none&state=abc')
    expect(status).toBe(400)
    expect((await noted())[0]).toMatchObject({ method: 'GET', status: 400, merchant_id: null })
  })

  test('logs the hint of an invalid token', async () => {
    const tokens = await letIn(twin, app)
    await asApp(twin, app, 'revoke', { token: tokens.access_token })
    await holding(twin, tokens.access_token).request('GET', '/v1/customers')
    expect((await noted())[0]).toMatchObject({
      status: 401,
      merchant_id: null,
      key: `oat_test_…${tokens.access_token.slice(-4)}`,
    })
  })
})
