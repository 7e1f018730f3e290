import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { EVENT_TYPES } from '../../src/core/kinds.ts'
import { type Body, clientOf, startTwin } from '../twin.ts'
import { makeEvents, openShop, refuses, type Shop, URL } from '../webhooks/inbox.ts'
import { anotherMerchant, FORM, idsOf, invalid, missing, postForm, type Refusal, unknown } from './support.ts'

const PATH = '/v1/webhook_endpoints'
const GOOD = { url: URL, enabled_events: ['*'] }
const NOW = 1769853600

describe('creating an endpoint', () => {
  test('returns 201 with all its fields, and its secret only then', async () => {
    const shop = await openShop()
    const params = { ...GOOD, enabled_events: ['invoice.*', 'customer.created'], description: 'The shop' }
    const { status, body } = await shop.request('POST', PATH, { ...params, metadata: { team: 7 } })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^we_[A-Za-z0-9]{14,}$/),
      object: 'webhook_endpoint',
      created: NOW,
      livemode: false,
      merchant_id: shop.sandbox.merchant.settings.id,
      url: URL,
      enabled_events: ['invoice.*', 'customer.created'],
      description: 'The shop',
      status: 'enabled',
      metadata: { team: '7' },
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
    })
    const { secret, ...shown } = body
    expect(await shop.get(`${PATH}/${body.id}`)).toEqual(shown)
    expect((await shop.get(PATH)).data).toEqual([shown])
    expect(await shop.post(`${PATH}/${body.id}`, { description: 'Ours' })).not.toHaveProperty('secret')
    expect(await shop.delete(`${PATH}/${body.id}`)).not.toHaveProperty('secret')
  })

  test('emits no event, and gives each endpoint its own secret', async () => {
    const shop = await openShop()
    const secrets = [await shop.endpoint(), await shop.endpoint()].map(({ secret }) => secret)
    expect(new Set(secrets).size).toBe(2)
    expect(await shop.events()).toEqual([])
    expect(shop.inbox.received).toEqual([])
  })

  test('depends on the seed only, id and secret alike', async () => {
    const [one, two, other] = [await openShop(), await openShop(), await openShop({ seed: '2' })]
    const made = await one.endpoint()
    expect(await two.endpoint()).toEqual({ ...made, merchant_id: made.merchant_id })
    expect((await other.endpoint()).secret).not.toBe(made.secret)
  })

  test('accepts forms', async () => {
    const shop = await openShop()
    const { status, body } = await postForm(
      shop,
      PATH,
      `url=${URL}&enabled_events[]=invoice.*&enabled_events[]=*`,
    )
    expect([status, body.enabled_events]).toEqual([201, ['invoice.*', '*']])
  })

  test.each<[string, Body, Refusal]>([
    ['no url', { enabled_events: ['*'] }, missing('url')],
    ['no events', { url: URL }, missing('enabled_events')],
    ['nothing', {}, missing('url')],
    ['an empty url', { ...GOOD, url: '' }, invalid('url')],
    ['null for a url', { ...GOOD, url: null }, invalid('url')],
    ['a number for a url', { ...GOOD, url: 5 }, invalid('url')],
    ['a list of urls', { ...GOOD, url: [URL] }, invalid('url')],
    ['a url that is too long', { ...GOOD, url: `${URL}?${'x'.repeat(2_048)}` }, invalid('url')],
    ['no scheme', { ...GOOD, url: 'shop.test/hooks' }, invalid('url')],
    ['another scheme', { ...GOOD, url: 'ftp://shop.test/' }, invalid('url')],
    ['a script', { ...GOOD, url: 'javascript:alert(1)' }, invalid('url')],
    ['credentials', { ...GOOD, url: 'https://user:pass@shop.test/' }, invalid('url')],
    ['a user', { ...GOOD, url: 'https://user@shop.test/' }, invalid('url')],
    ['a metadata address', { ...GOOD, url: 'http://169.254.169.254/latest' }, invalid('url')],
    ['the same in decimal', { ...GOOD, url: 'http://2852039166/' }, invalid('url')],
    ['the same in octal', { ...GOOD, url: 'http://0251.0376.0251.0376/' }, invalid('url')],
    ['the same in hexadecimal', { ...GOOD, url: 'http://0xa9fea9fe/' }, invalid('url')],
    ['the same within IPv6', { ...GOOD, url: 'http://[::ffff:169.254.169.254]/' }, invalid('url')],
    ['a link-local address', { ...GOOD, url: 'http://[fe80::1]/' }, invalid('url')],
    ['the metadata address of IPv6', { ...GOOD, url: 'http://[fd00:ec2::254]/' }, invalid('url')],
    ['no address at all', { ...GOOD, url: 'http://0.0.0.0:3000/' }, invalid('url')],
    ['an empty list of events', { ...GOOD, enabled_events: [] }, invalid('enabled_events')],
    ['a text for the events', { ...GOOD, enabled_events: '*' }, invalid('enabled_events')],
    ['null for the events', { ...GOOD, enabled_events: null }, invalid('enabled_events')],
    ['an unknown event', { ...GOOD, enabled_events: ['invoice.zebra'] }, invalid('enabled_events[0]')],
    [
      'a name of another service',
      { ...GOOD, enabled_events: ['invoice.paid', 'customer.subscription.created'] },
      invalid('enabled_events[1]'),
    ],
    [
      'a glob that matches nothing',
      { ...GOOD, enabled_events: ['*', 'zebra.*'] },
      invalid('enabled_events[1]'),
    ],
    ['an empty event', { ...GOOD, enabled_events: [''] }, invalid('enabled_events[0]')],
    ['a number as an event', { ...GOOD, enabled_events: [5] }, invalid('enabled_events[0]')],
    ['too many events', { ...GOOD, enabled_events: Array(101).fill('*') }, invalid('enabled_events')],
    ['a number as description', { ...GOOD, description: 5 }, invalid('description')],
    ['a long description', { ...GOOD, description: 'x'.repeat(5_001) }, invalid('description')],
    ['bad metadata', { ...GOOD, metadata: { 'a[b]': 'c' } }, invalid('metadata')],
  ])('with %s is refused', async (_, body, refusal) => {
    await refuses(await openShop(), ['POST', PATH, body], refusal)
  })

  test('is refused beyond fifty of them, deleted ones not counted', async () => {
    const shop = await openShop()
    const made: Body[] = []
    for (let count = 0; count < 50; count += 1) made.push(await shop.endpoint())
    await refuses(shop, ['POST', PATH, GOOD], invalid('url'))
    await shop.delete(`${PATH}/${made[7]?.id}`)
    expect((await shop.endpoint()).object).toBe('webhook_endpoint')
    await refuses(shop, ['POST', PATH, GOOD], invalid('url'))
  })

  test('by a daemon beyond loopback needs permission for private addresses', async () => {
    const closed = await openShop({ receivers: { isExposed: true, allowed: [] } })
    for (const url of [
      'http://127.0.0.1:3000/',
      'http://10.0.0.1/',
      'http://[::1]/',
      'http://192.168.0.1/',
    ]) {
      await refuses(closed, ['POST', PATH, { ...GOOD, url }], invalid('url'))
    }
    expect((await closed.endpoint({ url: 'https://example.com/' })).status).toBe('enabled')
    const open = await openShop({ receivers: { isExposed: true, allowed: ['10.0.0.0/24'] } })
    expect((await open.endpoint({ url: 'http://10.0.0.1/' })).status).toBe('enabled')
    await refuses(open, ['POST', PATH, { ...GOOD, url: 'http://10.0.1.1/' }], invalid('url'))
  })
})

describe('an endpoint', () => {
  let shop: Shop
  beforeAll(async () => {
    shop = (await startTwin({ send: async () => ({ status: 200, body: '' }) })) as Shop
  })
  afterAll(() => shop.close())
  const create = (params: Body = {}) => shop.post(PATH, { ...GOOD, ...params })

  test('is updated in the given fields', async () => {
    const { secret: _, ...endpoint } = await create({ description: 'One', metadata: { a: '1', b: '2' } })
    const path = `${PATH}/${endpoint.id}`
    expect(await shop.post(path, { url: 'https://example.com/' })).toEqual({
      ...endpoint,
      url: 'https://example.com/',
    })
    expect(await shop.post(path, { enabled_events: ['charge.*'] })).toMatchObject({
      enabled_events: ['charge.*'],
    })
    expect(await shop.post(path, { metadata: { a: '', c: '3' } })).toMatchObject({
      metadata: { b: '2', c: '3' },
    })
    expect(await shop.post(path, { description: null })).toMatchObject({ description: null })
    expect(await shop.post(path, { disabled: true })).toMatchObject({ status: 'disabled' })
    expect(await shop.post(path, {})).toMatchObject({ status: 'disabled' })
    expect(await shop.post(path, { disabled: false })).toMatchObject({ status: 'enabled' })
    expect(await shop.get(path)).toEqual({
      ...endpoint,
      url: 'https://example.com/',
      enabled_events: ['charge.*'],
      metadata: { b: '2', c: '3' },
      description: null,
    })
  })

  test.each<[string, Body, Refusal]>([
    ['a bad url', { url: 'http://169.254.169.254/' }, invalid('url')],
    ['an empty url', { url: '' }, invalid('url')],
    ['null for a url', { url: null }, invalid('url')],
    ['no events', { enabled_events: [] }, invalid('enabled_events')],
    ['an unknown event', { enabled_events: ['x'] }, invalid('enabled_events[0]')],
    ['a text for a boolean', { disabled: 'true' }, invalid('disabled')],
    ['null for a boolean', { disabled: null }, invalid('disabled')],
    ['bad metadata', { metadata: 5 }, invalid('metadata')],
  ])('is not updated with %s', async (_, body, refusal) => {
    const { id } = await create()
    await refuses(shop, ['POST', `${PATH}/${id}`, body], refusal)
    await shop.delete(`${PATH}/${id}`)
  })

  test('that is deleted is removed with its deliveries', async () => {
    const { id } = await create()
    expect(await shop.delete(`${PATH}/${id}`)).toEqual({
      id,
      object: 'webhook_endpoint',
      deleted: true,
      livemode: false,
    })
    for (const request of [
      ['GET', `${PATH}/${id}`],
      ['POST', `${PATH}/${id}`, { disabled: false }],
      ['DELETE', `${PATH}/${id}`],
      ['GET', `${PATH}/${id}/deliveries`],
    ] as const) {
      await refuses(shop, request, unknown())
    }
    expect(idsOf((await shop.get(`${PATH}?limit=100`)).data)).not.toContain(id)
  })

  test.each([
    ['GET', `${PATH}/we_x`, unknown()],
    ['POST', `${PATH}/we_x`, unknown()],
    ['DELETE', `${PATH}/we_x`, unknown()],
    ['GET', `${PATH}/we_x/deliveries`, unknown()],
    ['POST', '/v1/events/evt_x/resend', unknown()],
    ['GET', `${PATH}?starting_after=we_x`, unknown('starting_after')],
    ['GET', `${PATH}?ending_before=we_x`, unknown('ending_before')],
    ['GET', `${PATH}?limit=0`, invalid('limit')],
    ['GET', `${PATH}?limit=101`, invalid('limit')],
    ['GET', `${PATH}?starting_after=a&ending_before=b`, invalid('ending_before')],
  ])('%s %s is refused', async (method, path, refusal) => {
    await refuses(shop, [method, path], refusal)
  })

  test('is visible to its merchant only', async () => {
    const { id } = await create()
    await shop.post('/v1/customers')
    const [event] = (await shop.get('/v1/events?limit=1')).data
    const other = clientOf(shop.sandbox, (await anotherMerchant(shop)).secretKey)
    expect((await other.get(PATH)).data).toEqual([])
    await refuses(other, ['GET', `${PATH}/${id}`], unknown())
    await refuses(other, ['POST', `${PATH}/${id}`, { disabled: true }], unknown())
    await refuses(other, ['DELETE', `${PATH}/${id}`], unknown())
    await refuses(other, ['GET', `${PATH}/${id}/deliveries`], unknown())
    await refuses(other, ['POST', `/v1/events/${event.id}/resend`], unknown())
  })

  test('is listed newest first, in pages', async () => {
    const made = [await create(), await create(), await create()]
    const ids = idsOf(made).reverse()
    const first = await shop.get(`${PATH}?limit=2`)
    expect([idsOf(first.data), first.has_more, first.url]).toEqual([ids.slice(0, 2), true, PATH])
    const next = await shop.get(`${PATH}?limit=1&starting_after=${ids[1]}`)
    expect(idsOf(next.data)).toEqual([ids[2]])
    expect(idsOf((await shop.get(`${PATH}?ending_before=${ids[2]}&limit=2`)).data)).toEqual(ids.slice(0, 2))
  })
})

describe('an idempotency key', () => {
  const key = { 'Idempotency-Key': 'endpoint-1' }

  test('creates one endpoint, and replays it with the secret masked', async () => {
    const shop = await openShop()
    const create = () => shop.request('POST', PATH, GOOD, key)
    const first = await create()
    const again = await create()
    expect(again.status).toBe(201)
    expect(again.headers.get('Idempotent-Replayed')).toBe('true')
    expect(again.body).toEqual({ ...first.body, secret: 'whsec_…' })
    expect((await shop.get(PATH)).data).toHaveLength(1)
    // The third response equals the second, byte for byte.
    expect(JSON.stringify((await create()).body)).toBe(JSON.stringify(again.body))
  })

  test('creates one endpoint for twenty requests at once, and shows the secret to one of them', async () => {
    const shop = await openShop()
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => shop.request('POST', PATH, GOOD, { 'Idempotency-Key': 'k' })),
    )
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1)
    expect(responses.filter(({ body }) => body.secret !== 'whsec_…')).toHaveLength(1)
  })

  test('replays updates and deletions unchanged', async () => {
    const shop = await openShop()
    const { id } = await shop.endpoint()
    const update = () => shop.request('POST', `${PATH}/${id}`, { disabled: true }, { 'Idempotency-Key': 'u' })
    const remove = () => shop.request('DELETE', `${PATH}/${id}`, undefined, { 'Idempotency-Key': 'd' })
    expect((await update()).body).toEqual((await update()).body)
    expect((await remove()).body).toEqual((await remove()).body)
  })

  test('sends a resent event once', async () => {
    const shop = await openShop()
    const [event] = await makeEvents(shop, 1)
    await shop.endpoint()
    const resend = () => shop.request('POST', `/v1/events/${event}/resend`, {}, { 'Idempotency-Key': 'r' })
    expect((await resend()).body).toEqual((await resend()).body)
    await shop.settled()
    expect(shop.ids()).toEqual([event])
  })
})

test('no file of the data folder contains the secret of an endpoint', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-secret-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const shop = await openShop({ database: join(folder, 'paytwin.db'), seed: null })
  const secrets: string[] = []
  for (const headers of [{}, { 'Idempotency-Key': 'one' }, FORM]) {
    const body = headers === FORM ? `url=${URL}&enabled_events[]=*` : GOOD
    const { body: made } = await shop.request('POST', PATH, body, headers)
    secrets.push(made.secret)
    await shop.request('POST', PATH, body, headers)
  }
  await makeEvents(shop, 3)
  await shop.settled()
  await shop.sandbox.doHousekeeping()
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  expect(files).toContain('paytwin.db')
  const contents = files.map((name) => readFileSync(join(folder, name), 'latin1')).join('')
  expect(contents).toContain(URL)
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_/)
    expect(contents).not.toContain(secret)
    expect(contents).not.toContain(secret.slice('whsec_'.length))
  }
})

test.each(EVENT_TYPES)('an endpoint can ask for %s alone', async (type) => {
  const shop = await openShop()
  expect((await shop.endpoint({ enabled_events: [type] })).enabled_events).toEqual([type])
})
