import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { verifySignature } from '../../src/webhooks/signature.ts'
import { codeFor, exchange, letIn, makeApp, opens, REDIRECT_URI } from '../http/oauth/support.ts'
import { asOperator, expectRefusal, unknown } from '../http/support.ts'
import { type Body, clientOf, startTwin, type Twin } from '../twin.ts'
import { openShop, URL } from '../webhooks/inbox.ts'
import { bytesOf, historyOf, openTwin } from './story.ts'

const KEY = 'sk_test_000000000000000000000001'
const REVOKED = 'sk_test_000000000000000000000002'

const FIXTURES = {
  prices: [{ ref: 'basic', unit_amount: 2000, currency: 'usd', recurring: { interval: 'month' } }],
  customers: [{ ref: 'ada', name: 'Ada' }],
  payment_methods: [{ ref: 'card', customer: 'ada', test_id: 'pm_card_visa' }],
  subscriptions: [
    { customer: 'ada', currency: 'usd', default_payment_method: 'card', items: [{ price: 'basic' }] },
  ],
  merchants: [
    {
      name: 'Other',
      clock: '2026-01-31T10:00:00Z',
      keys: [{ secret: KEY }, { secret: REVOKED }],
      customers: [{ name: 'Grace' }],
    },
  ],
}

const begin = () => openTwin({ fixtures: () => [{ name: 'shop.json', content: FIXTURES }] })

test('a reset restores the fixtures of the start, with merchants and keys, under the same ids', async () => {
  const twin = await begin()
  const operator = asOperator(twin)
  const other = clientOf(twin.sandbox, KEY)
  const before = [bytesOf(await historyOf(twin)), bytesOf(await historyOf(other))]
  const { data: merchants } = (await operator('GET', 'merchants')).body
  await twin.advance({ by: '1y' })
  await other.post('/v1/customers', { name: 'Alan' })
  await operator('POST', 'merchants', { name: 'Third' })
  expect((await operator('POST', 'reset')).status).toBe(200)
  expect([bytesOf(await historyOf(twin)), bytesOf(await historyOf(other))]).toEqual(before)
  expect((await operator('GET', 'merchants')).body.data).toEqual(merchants)
})

test('a key of the fixtures that was revoked stays so through a reset', async () => {
  const twin = await begin()
  const operator = asOperator(twin)
  const { data } = (await operator('GET', 'keys')).body
  const key = data.find(({ hint }: Body) => hint.endsWith('0002'))
  await operator('POST', `keys/${key.id}/revoke`)
  await operator('POST', 'reset')
  expect((await clientOf(twin.sandbox, REVOKED).request('GET', '/v1/customers')).status).toBe(401)
  expect((await clientOf(twin.sandbox, KEY).request('GET', '/v1/customers')).status).toBe(200)
})

test.each([[['reset', 'revoke']], [['revoke', 'reset']]])(
  'a key that a reset gives a new id while its revocation waits is 404, not revoked: %j',
  async (order) => {
    const twin = await begin()
    const operator = asOperator(twin)
    const { data } = (await operator('GET', 'keys')).body
    const { id } = data.find(({ hint }: Body) => hint.endsWith('0001'))
    const send = (name: string) => operator('POST', name === 'reset' ? name : `keys/${id}/revoke`)
    const responses = await Promise.all(order.map(send))
    const revocation = responses[order.indexOf('revoke')]
    if (!revocation) throw new Error('the key was revoked')
    expectRefusal(revocation, unknown())
    expect((await clientOf(twin.sandbox, KEY).request('GET', '/v1/customers')).status).toBe(200)
  },
)

test('a reset warns of each key of the fixtures that it leaves out, and why', async () => {
  const warnings: string[] = []
  const twin = await openTwin({
    fixtures: () => [{ name: 'shop.json', content: FIXTURES }],
    warn: (text) => warnings.push(text),
  })
  const operator = asOperator(twin)
  await operator('POST', 'reset')
  expect(warnings).toEqual([])
  const { data } = (await operator('GET', 'keys')).body
  const key = data.find(({ hint }: Body) => hint.endsWith('0002'))
  await operator('POST', `keys/${key.id}/revoke`)
  const { data: merchants } = (await operator('GET', 'merchants')).body
  const other = merchants.find(({ name }: Body) => name === 'Other')
  await operator('DELETE', `merchants/${other.id}`)
  await operator('POST', 'keys', { secret: KEY })
  await operator('POST', 'reset')
  expect(warnings).toEqual([
    `the reset left out the key sk_test_…0001 of ${other.id}: another merchant has it`,
    `the reset left out the key sk_test_…0002 of ${other.id}: it was revoked`,
  ])
})

test('a key of the fixtures that was revoked stays so when its merchant is deleted before the reset', async () => {
  const twin = await begin()
  const operator = asOperator(twin)
  const { data } = (await operator('GET', 'keys')).body
  const { id, merchant_id } = data.find(({ hint }: Body) => hint.endsWith('0002'))
  await operator('POST', `keys/${id}/revoke`)
  await operator('DELETE', `merchants/${merchant_id}`)
  const status = async (key: string) =>
    (await clientOf(twin.sandbox, key).request('GET', '/v1/customers')).status
  expect([await status(REVOKED), await status(KEY)]).toEqual([401, 401])
  expect((await operator('POST', 'reset')).status).toBe(200)
  expect([await status(REVOKED), await status(KEY)]).toEqual([401, 200])
})

test('a reset skips a key of the fixtures that another merchant has', async () => {
  const twin = await begin()
  const operator = asOperator(twin)
  const { data } = (await operator('GET', 'merchants')).body
  const other = data.find(({ name }: Body) => name === 'Other')
  await operator('DELETE', `merchants/${other.id}`)
  expect((await operator('POST', 'keys', { secret: KEY })).status).toBe(201)
  for (let round = 0; round < 2; round += 1) expect((await operator('POST', 'reset')).status).toBe(200)
  await clientOf(twin.sandbox, KEY).post('/v1/products', { name: 'New' })
  expect((await twin.get('/v1/products')).data[0].name).toBe('New')
})

const SECRET = `ocs_test_${'s'.repeat(24)}`
const WITH_APPS = {
  ...FIXTURES,
  apps: [
    { ref: 'chosen', name: 'Chosen', redirect_uris: [REDIRECT_URI], client_secret: SECRET },
    { ref: 'made', name: 'Made', redirect_uris: [REDIRECT_URI] },
  ],
  webhook_endpoints: [{ ref: 'shop', url: URL, enabled_events: ['customer.*'] }],
}
const openWithApps = () => openShop({ fixtures: () => [{ name: 'shop.json', content: WITH_APPS }] })
const reset = async (twin: Twin) => expect((await asOperator(twin)('POST', 'reset')).status).toBe(200)
const appsOf = async (twin: Twin): Promise<Body[]> => (await asOperator(twin)('GET', 'apps')).body.data
/** The apps of a start, as reported: with a chosen and with a random secret. */
const toldOf = ({ sandbox }: Twin): Body[] =>
  (sandbox.loaded ?? [])
    .filter(({ object }) => object === 'app')
    .map(({ id, secret }) => ({ client_id: id, client_secret: secret ?? SECRET }))

test('a reset keeps the apps of the start with their ids and secrets, and deletes grants and other apps', async () => {
  const twin = await openWithApps()
  const before = await appsOf(twin)
  const granted = await Promise.all(toldOf(twin).map((app) => letIn(twin, app)))
  const other = await makeApp(twin)
  for (const _again of [1, 2]) {
    await reset(twin)
    expect(await appsOf(twin)).toEqual(before)
  }
  for (const tokens of granted) expect(await opens(twin, tokens)).toBe(false)
  for (const app of toldOf(twin)) expect(await opens(twin, await letIn(twin, app))).toBe(true)
  expect(before.map(({ id }) => id)).not.toContain(other.id)
})

test('a rotated secret of such an app stays invalid after a reset', async () => {
  const twin = await openWithApps()
  const [chosen] = toldOf(twin)
  const { body: rotated } = await asOperator(twin)('POST', `apps/${chosen?.client_id}/rotate_secret`)
  await reset(twin)
  expect((await exchange(twin, chosen ?? {}, await codeFor(twin, chosen ?? {}))).status).toBe(401)
  expect(await opens(twin, await letIn(twin, rotated))).toBe(true)
})

test('a reset creates such an app again if it was deleted, with another id and the chosen secret', async () => {
  const twin = await openWithApps()
  const [chosen, made] = toldOf(twin)
  const tokens = await letIn(twin, chosen ?? {})
  await asOperator(twin)('DELETE', `apps/${chosen?.client_id}`)
  await reset(twin)
  const [again, kept] = await appsOf(twin)
  expect(kept?.id).toBe(made?.client_id)
  expect(again).toMatchObject({ name: 'Chosen' })
  expect(again?.id).not.toBe(chosen?.client_id)
  expect(await opens(twin, tokens)).toBe(false)
  expect(await opens(twin, await letIn(twin, { client_id: again?.id, client_secret: SECRET }))).toBe(true)
  await reset(twin)
  expect((await appsOf(twin)).map(({ id }) => id)).toEqual([again?.id, kept?.id])
})

test('a reset restores the endpoints of the start with their ids and secrets, and delivers no event of the fixtures', async () => {
  const twin = await openWithApps()
  const { id, secret } = twin.sandbox.loaded?.find(({ object }) => object === 'webhook_endpoint') ?? {}
  await twin.delete(`/v1/webhook_endpoints/${id}`)
  await reset(twin)
  await twin.settled()
  expect(twin.inbox.received).toEqual([])
  expect((await twin.get('/v1/webhook_endpoints')).data).toMatchObject([{ id, status: 'enabled' }])
  await twin.post('/v1/customers')
  await twin.settled()
  const [{ body, headers } = { body: '', headers: {} as Record<string, string> }] = twin.inbox.received
  const now = Number(headers['webhook-timestamp'])
  expect(verifySignature(String(secret), { body, headers }, { now }).isValid).toBe(true)
})

test('a later start keeps the same apps at a reset', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-reset-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const database = join(folder, 'paytwin.db')
  const key = `sk_test_${'d'.repeat(24)}`
  const first = await startTwin({
    database,
    secretKey: key,
    fixtures: () => [{ name: 'f', content: WITH_APPS }],
  })
  const emitted = toldOf(first)
  await first.close()
  const second = await openTwin({ database, secretKey: key })
  await reset(second)
  expect((await appsOf(second)).map(({ id }) => id).reverse()).toEqual(
    emitted.map(({ client_id }) => client_id),
  )
  for (const app of emitted) expect(await opens(second, await letIn(second, app))).toBe(true)
})

test('a restore does not change the apps of the start', async () => {
  const twin = await openWithApps()
  const operator = asOperator(twin)
  await operator('POST', 'snapshots', { name: 'before' })
  const [chosen] = toldOf(twin)
  await operator('DELETE', `apps/${chosen?.client_id}`)
  const left = await appsOf(twin)
  expect((await operator('POST', 'snapshots/before/restore')).status).toBe(200)
  expect(await appsOf(twin)).toEqual(left)
})

test('a restore resets test clocks to their saved times, and removes later ones', async () => {
  const twin = await begin()
  const operator = asOperator(twin)
  const path = '/v1/test_helpers/test_clocks'
  const clock = await twin.post(path, { frozen_time: 1_769_853_600 })
  const customer = await twin.post('/v1/customers', { test_clock: clock.id })
  await operator('POST', 'snapshots', { name: 'before' })
  await twin.post(`${path}/${clock.id}/advance`, { by: '1y' })
  const later = await twin.post(path, { frozen_time: 0 })
  expect((await operator('POST', 'snapshots/before/restore')).status).toBe(200)
  expect(await twin.get(`${path}/${clock.id}`)).toEqual(clock)
  expectRefusal(await twin.request('GET', `${path}/${later.id}`), unknown())
  expect((await twin.post(`/v1/customers/${customer.id}`, { name: 'Ada' })).name).toBe('Ada')
  expect((await twin.post(`${path}/${clock.id}/advance`, { by: '1d' })).now).toBe(1_769_940_000)
})

test('a load sets the notices of the default merchant before its objects, and a reset sets them again', async () => {
  const content = { ...FIXTURES, merchants: undefined, notices: { invoice_upcoming: 7 } }
  const twin = await openTwin({ fixtures: () => [{ name: 'shop.json', content }] })
  const operator = asOperator(twin)
  const notices = async () => (await operator('GET', 'merchants')).body.data[0].notices
  const upcoming = async () =>
    (await twin.get('/v1/test_helpers/upcoming')).data.map(({ kind }: Body) => kind)
  expect(await notices()).toMatchObject({ invoice_upcoming: 7, trial_will_end: null })
  expect(await upcoming()).toEqual(['invoice_upcoming', 'renewal'])

  const files = [{ name: 'more.json', content: { notices: { invoice_upcoming: null, trial_will_end: 3 } } }]
  await operator('POST', 'fixtures', { files, validate_only: true })
  expect(await notices()).toMatchObject({ invoice_upcoming: 7, trial_will_end: null })
  await operator('POST', 'fixtures', { files })
  expect(await notices()).toMatchObject({ invoice_upcoming: null, trial_will_end: 3 })
  await operator('POST', 'reset')
  expect(await notices()).toMatchObject({ invoice_upcoming: 7 })
  expect(await upcoming()).toEqual(['invoice_upcoming', 'renewal'])

  const wrong = [{ name: 'wrong.json', content: { notices: { invoice_upcoming: 4 } } }]
  const refused = await operator('POST', 'fixtures', { files: wrong })
  expect([refused.status, refused.body.error.param]).toEqual([400, 'notices.invoice_upcoming'])
})
