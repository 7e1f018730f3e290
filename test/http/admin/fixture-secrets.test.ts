import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifySignature } from '../../../src/webhooks/signature.ts'
import type { Body, Twin } from '../../twin.ts'
import { openShop, URL } from '../../webhooks/inbox.ts'
import { codeFor, exchange, letIn, opens, REDIRECT_URI } from '../oauth/support.ts'
import { asOperator, unchanged } from '../support.ts'

const SECRET = `ocs_test_${'s'.repeat(24)}`
const APP = { ref: 'ledgerly', name: 'Ledgerly', redirect_uris: [REDIRECT_URI] }
const ENDPOINT = { ref: 'shop', url: URL, enabled_events: ['customer.*'], metadata: { a: 1 } }

async function load(twin: Twin, content: unknown, more: Body = {}): Promise<Body> {
  const files = [{ name: 'shop.json', content }]
  const { status, body } = await asOperator(twin)('POST', 'fixtures', { files, ...more })
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  return body
}
const apps = async (twin: Twin): Promise<Body[]> => (await asOperator(twin)('GET', 'apps')).body.data
const endpoints = async (twin: Twin): Promise<Body[]> => (await twin.get('/v1/webhook_endpoints')).data

describe('an app of the fixtures', () => {
  test('authenticates with the secret that is shown once', async () => {
    const twin = await openShop()
    const { made, counts } = await load(twin, { apps: [APP] })
    expect(counts).toEqual({ app: 1 })
    expect(made).toEqual([
      {
        object: 'app',
        ref: 'ledgerly',
        id: expect.stringMatching(/^app_[A-Za-z0-9]{14}$/),
        merchant_id: null,
        file: 'shop.json',
        path: 'apps[0]',
        secret: expect.stringMatching(/^ocs_test_[A-Za-z0-9]{32}$/),
      },
    ])
    expect(await apps(twin)).toMatchObject([{ client_id: made[0].id, name: 'Ledgerly' }])
    expect(
      await opens(twin, await letIn(twin, { client_id: made[0].id, client_secret: made[0].secret })),
    ).toBe(true)
  })

  test('authenticates with a given secret, which is never shown', async () => {
    const twin = await openShop()
    const loaded = await load(twin, { apps: [{ ...APP, client_secret: SECRET }] })
    expect(JSON.stringify(loaded)).not.toContain('ocs_test_')
    const app = { client_id: loaded.made[0].id, client_secret: SECRET }
    expect(await opens(twin, await letIn(twin, app))).toBe(true)
    const other = await exchange(twin, { ...app, client_secret: `${SECRET}s` }, await codeFor(twin, app))
    expect(other.status).toBe(401)
  })

  test('is made anew each time', async () => {
    const twin = await openShop()
    const [first, second] = [await load(twin, { apps: [APP] }), await load(twin, { apps: [APP] })]
    expect((await apps(twin)).map(({ id }) => id)).toEqual([second.made[0].id, first.made[0].id])
  })

  test('is stored as a hash: no file of the database contains a secret', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paytwin-fixtures-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const twin = await openShop({
      database: join(folder, 'paytwin.db'),
      fixtures: () => [
        {
          name: 'f',
          content: {
            apps: [
              { ...APP, client_secret: SECRET },
              { ...APP, ref: 'b' },
            ],
          },
        },
      ],
    })
    const [, made] = twin.sandbox.loaded ?? []
    const shown = await load(twin, { apps: [APP], webhook_endpoints: [ENDPOINT] })
    const secrets: string[] = [SECRET, made?.secret, ...shown.made.map(({ secret }: Body) => secret)]
    expect(secrets.map((secret) => secret.slice(0, 6))).toEqual(['ocs_te', 'ocs_te', 'whsec_', 'ocs_te'])
    await twin.sandbox.doHousekeeping()
    const bytes = Buffer.concat(
      await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name)))),
    )
    expect(bytes.includes('Ledgerly')).toBe(true)
    expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([])
  })
})

describe('a webhook endpoint of the fixtures', () => {
  test('gets later events, signed with the secret that is shown once', async () => {
    const twin = await openShop()
    const { made } = await load(twin, { customers: [{ ref: 'ada' }], webhook_endpoints: [ENDPOINT] })
    expect(made).toMatchObject([
      { object: 'customer' },
      { object: 'webhook_endpoint', ref: 'shop', secret: expect.stringMatching(/^whsec_/) },
    ])
    expect(made[1].merchant_id).toBe(twin.sandbox.merchant.settings.id)
    expect(await endpoints(twin)).toMatchObject([
      { id: made[1].id, url: URL, enabled_events: ['customer.*'], metadata: { a: '1' }, status: 'enabled' },
    ])
    await twin.settled()
    expect(twin.inbox.received).toEqual([])
    const { id } = await twin.post('/v1/customers')
    await twin.post('/v1/products', { name: 'Pro' })
    await twin.settled()
    expect(twin.inbox.received.map(({ event }) => event.data.object.id)).toEqual([id])
    const [{ body, headers } = { body: '', headers: {} as Record<string, string> }] = twin.inbox.received
    const now = Number(headers['webhook-timestamp'])
    expect(verifySignature(made[1].secret, { body, headers }, { now }).isValid).toBe(true)
  })

  test('is one of its merchant', async () => {
    const key = `sk_test_${'k'.repeat(24)}`
    const twin = await openShop()
    const { made } = await load(twin, {
      merchants: [{ keys: [{ secret: key }], webhook_endpoints: [ENDPOINT] }],
    })
    expect(made.at(-1)).toMatchObject({ merchant_id: made[0].id, path: 'merchants[0].webhook_endpoints[0]' })
    expect(await endpoints(twin)).toEqual([])
    await twin.post('/v1/customers')
    await twin.settled()
    expect(twin.inbox.received).toEqual([])
  })

  test('gets the events of later fixtures', async () => {
    const twin = await openShop()
    await load(twin, { webhook_endpoints: [ENDPOINT] })
    await load(twin, { customers: [{}, {}] })
    await twin.settled()
    expect(twin.inbox.received.map(({ event }) => event.type)).toEqual([
      'customer.created',
      'customer.created',
    ])
  })
})

describe('all or nothing', () => {
  const MANY = Array.from({ length: 51 }, (_, index) => ({ ...ENDPOINT, ref: `e${index}` }))

  test('one endpoint too many leaves no endpoint, no app and no counter; nothing is posted', async () => {
    const twin = await openShop()
    const files = [{ name: 'f', content: { apps: [APP], customers: [{}], webhook_endpoints: MANY } }]
    const { status, body } = await unchanged(twin, () => asOperator(twin)('POST', 'fixtures', { files }))
    expect({ status, param: body.error.param }).toEqual({ status: 400, param: 'webhook_endpoints[50].url' })
    expect([await apps(twin), await endpoints(twin)]).toEqual([[], []])
    await twin.post('/v1/customers')
    await twin.settled()
    expect(twin.inbox.received).toEqual([])
  })

  test('a validation creates nothing and shows no secret; loading then creates the same objects', async () => {
    const twin = await openShop()
    const content = { apps: [APP], webhook_endpoints: [ENDPOINT] }
    const tried = await load(twin, content, { validate_only: true })
    expect(tried).toMatchObject({ counts: { app: 1, webhook_endpoint: 1 }, made: [] })
    expect(JSON.stringify(tried)).not.toMatch(/whsec_|ocs_test_/)
    expect([await apps(twin), await endpoints(twin)]).toEqual([[], []])
    await twin.post('/v1/customers')
    await twin.settled()
    expect(twin.inbox.received).toEqual([])
    const other = await openShop()
    await other.post('/v1/customers')
    const ids = ({ made }: Body) => made.map(({ id }: Body) => id)
    expect(ids(await load(twin, content))).toEqual(ids(await load(other, content)))
  })
})
