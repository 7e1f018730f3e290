import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { EVENT_TYPES } from '../../src/core/kinds.ts'
import { type Body, clientOf, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { anotherMerchant, expectRefusal, idsOf, invalid, typesOf, unknown } from './support.ts'

let twin: Twin
let price: Body
let request: string
beforeAll(async () => {
  twin = await startTwin()
  price = await makePrice(twin)
  const { customer, method } = await makeCustomer(twin, { outcomes: ['succeed', 'decline:lost_card'] })
  const response = await twin.request('POST', '/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id }],
  })
  request = response.headers.get('Request-Id') ?? ''
  await twin.advance({ by: '32d' })
})
afterAll(() => twin.close())

const list = async (query = ''): Promise<Body[]> => (await twin.get(`/v1/events?limit=100&${query}`)).data

describe('an event', () => {
  test('is returned whole, in the list and alone', async () => {
    const [event] = await list('type=price.created')
    expect(event).toMatchObject({
      id: expect.stringMatching(/^evt_[A-Za-z0-9]{14,}$/),
      object: 'event',
      type: 'price.created',
      api_version: '2026-03-09',
      created: 1769853600,
      livemode: false,
      merchant_id: twin.sandbox.merchant.settings.id,
      data: { object: price },
      request: { id: expect.stringMatching(/^req_/), idempotency_key: null },
      pending_webhooks: 0,
    })
    expect(await twin.get(`/v1/events/${event?.id}`)).toEqual(event)
  })

  test('has the request that caused it', async () => {
    const [event] = await list('type=subscription.created')
    expect(event?.request).toEqual({ id: request, idempotency_key: null })
  })

  test('has no request when a job emitted it', async () => {
    const events = await list('created[gt]=1769853600')
    expect(events.length).toBeGreaterThan(5)
    for (const event of events) expect(event.request).toEqual({ id: null, idempotency_key: null })
  })

  test('has its object as it was then', async () => {
    const [created] = await list('type=subscription.created')
    expect(created?.data.object).toMatchObject({ status: 'active', current_period_end: 1772272800 })
    const drafts = await list('type=invoice.created')
    expect(drafts.map(({ data }) => data.object.status)).toEqual(['draft', 'draft'])
    await twin.post(`/v1/prices/${price.id}`, { nickname: 'Renamed' })
    expect((await list('type=subscription.created'))[0]).toEqual(created)
    expect((await list('type=price.created'))[0]?.data.object).toEqual(price)
  })

  test('has previous_attributes only for an update', async () => {
    for (const { type, data } of await list()) {
      expect('previous_attributes' in data, type).toBe(type.endsWith('.updated'))
    }
    const failure = (await list('type=subscription.updated')).at(-1)
    expect(failure?.data.previous_attributes).toEqual({
      status: 'active',
      current_period_start: 1769853600,
      current_period_end: 1772272800,
      latest_invoice: expect.stringMatching(/^in_/),
    })
  })

  test('that is unknown or another merchant’s is 404', async () => {
    const [event] = await list()
    const { secretKey } = await anotherMerchant(twin)
    const stranger = clientOf(twin.sandbox, secretKey)
    expectRefusal(await stranger.request('GET', `/v1/events/${event?.id}`), unknown())
    for (const id of ['evt_unknown', 'evt_', `${event?.id}x`, event?.id.slice(0, -1), price.id, '%00', 'é']) {
      expectRefusal(await twin.request('GET', `/v1/events/${id}`), unknown())
    }
  })
})

describe('the list of events', () => {
  const matching = (pattern: RegExp) => async () => {
    const all = await list()
    return idsOf(all.filter(({ type }) => pattern.test(type)))
  }

  test.each<[string, RegExp]>([
    ['type=invoice.paid', /^invoice\.paid$/],
    ['type=invoice.*', /^invoice\./],
    ['type=*', /./],
    ['type=*.created', /\.created$/],
    ['type=*payment*', /payment/],
    ['types[]=invoice.paid', /^invoice\.paid$/],
    ['types[]=invoice.paid&types[]=charge.failed', /^(invoice\.paid|charge\.failed)$/],
    ['types[0]=invoice.paid&types[1]=charge.*', /^(invoice\.paid|charge\..*)$/],
    ['types%5B%5D=subscription.*', /^subscription\./],
    ['type=invoice.paid&types[]=charge.failed', /^(invoice\.paid|charge\.failed)$/],
    ['types[]=invoice.*&types[]=invoice.paid', /^invoice\./],
    ['type=refund.created', /^refund\.created$/],
  ])('accepts %s', async (query, pattern) => {
    expect(idsOf(await list(query))).toEqual(await matching(pattern)())
  })

  test.each([
    ['type=customer.subscription.created', 'type'],
    ['type=invoice.payment_succeeded', 'type'],
    ['type=invoice', 'type'],
    ['type=invoice.', 'type'],
    ['type=Invoice.paid', 'type'],
    ['type=', 'type'],
    ['type=.*', 'type'],
    ['type=invoice.(paid|created)', 'type'],
    ['type=%5B', 'type'],
    ['type=invoice.paid%0A', 'type'],
    ['type[]=invoice.paid', 'type'],
    ['types=invoice.paid', 'types'],
    ['types[]=invoice.paid&types[]=nothing', 'types[1]'],
    ['types[a]=invoice.paid', 'types'],
  ])('refuses %s', async (query, param) => {
    expectRefusal(await twin.request('GET', `/v1/events?${query}`), invalid(param))
  })

  test('accepts a pattern of many stars quickly', async () => {
    const started = performance.now()
    const response = await twin.request('GET', `/v1/events?type=${'*'.repeat(9)}x`)
    expectRefusal(response, invalid('type'))
    expect(performance.now() - started).toBeLessThan(500)
  })

  test('continues where a page ended, whatever was filtered out', async () => {
    const query = 'type=*.created'
    const whole = idsOf(await list(query))
    const pages: string[] = []
    for (let cursor = ''; ; cursor = `&starting_after=${pages.at(-1)}`) {
      const page = await twin.get(`/v1/events?limit=2&${query}${cursor}`)
      pages.push(...idsOf(page.data))
      if (!page.has_more) break
    }
    expect(pages).toEqual(whole)
  })

  test('continues after an event that the filter leaves out', async () => {
    const all = await list()
    const middle = all[5] as Body
    const older = all.slice(6).filter(({ type }) => type.startsWith('customer.'))
    const query = `type=customer.*&starting_after=${middle.id}`
    expect(typesOf(await list(query))).toEqual(typesOf(older))
  })

  test('has every event type', async () => {
    for (const type of EVENT_TYPES) {
      expect((await twin.request('GET', `/v1/events?type=${type}`)).status).toBe(200)
    }
  })
})

test('an event that is missing in the database is a 500, in contrast to one that never was', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paytwin-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'paytwin.db')
  const options = { database: path, secretKey: 'sk_test_51SecretSecretSecretSecretSe' }
  const whole = await startTwin(options)
  await makePrice(whole)
  await makePrice(whole)
  const { data } = await whole.get('/v1/events?limit=2')
  const [lost, kept] = data as [Body, Body]
  await whole.close()
  const database = new Sqlite(path)
  database.prepare('delete from journal where number = (select max(number) from journal)').run()
  database.close()
  const damaged = await startTwin(options)
  const statusOf = async (id: string) => (await damaged.request('GET', `/v1/events/${id}`)).status
  expect(await statusOf(lost.id)).toBe(500)
  expect(await statusOf(kept.id)).toBe(200)
  const { engine, merchant } = damaged.sandbox
  const { ids } = engine
  const { ordinal } = merchant.settings
  expect(await statusOf(ids.of(ordinal, 'evt', ids.newest(ordinal, 'evt') + 1))).toBe(404)
  await damaged.close()
})
