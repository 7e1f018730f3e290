import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal, expectUnauthenticated, invalid, type Refusal, unknown } from '../http/support.ts'
import { type Body, makeCustomer, startTwin, type Twin } from '../twin.ts'
import {
  browserOf,
  expectDecline,
  makeIntent,
  notInitialized,
  unexpectedState,
  writesNothing,
} from './support.ts'

let twin: Twin
let browser: Twin
beforeAll(async () => {
  twin = await startTwin()
  browser = await browserOf(twin)
})
afterAll(() => twin.close())

const path = ({ id }: Body, secret: string) => `/v1/payment_intents/${id}?client_secret=${secret}`
const confirm = ({ id, client_secret }: Body, more: Body = {}) =>
  browser.request('POST', `/v1/payment_intents/${id}/confirm`, { client_secret, ...more })

/** The fields of an intent that a browser sees. */
const publicPart = ({ customer, metadata, invoice, latest_charge, last_payment_error, ...rest }: Body) => ({
  ...rest,
  last_payment_error: last_payment_error && { ...last_payment_error, charge: null },
})

/** An intent of a customer with all fields that a browser must not see. */
async function privateIntent(params: Body = {}): Promise<Body> {
  const { customer, method } = await makeCustomer(twin)
  return makeIntent(twin, {
    customer: customer.id,
    payment_method: method.id,
    metadata: { a: 'b' },
    ...params,
  })
}

describe('a client secret', () => {
  test('begins with the id of its intent, and is the same for the same seed', async () => {
    const other = await startTwin()
    const odd = await startTwin({ seed: '2' })
    const [first, second, third] = await Promise.all([twin, other, odd].map((one) => makeIntent(one)))
    const again = await makeIntent(other)
    expect(first?.client_secret).toMatch(new RegExp(`^${first?.id}_secret_[A-Za-z0-9]{16,}$`))
    expect(second).toMatchObject({ id: first?.id, client_secret: first?.client_secret })
    const random = ({ client_secret }: Body = {}) => client_secret.split('_secret_')[1]
    expect(new Set([random(first), random(third), random(again)]).size).toBe(3)
    await other.close()
    await odd.close()
  })

  test('is stored nowhere', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paytwin-'))
    const kept = await startTwin({ database: join(folder, 'paytwin.db') })
    const { id, client_secret } = await makeIntent(kept)
    const [, secret] = client_secret.split('_secret_')
    for (const name of await readdir(folder)) {
      expect(await readFile(join(folder, name), 'latin1')).not.toContain(secret)
    }
    expect((await kept.get(`/v1/payment_intents/${id}`)).client_secret).toBe(client_secret)
    await kept.close()
    await rm(folder, { recursive: true })
  })
})

describe('with a publishable key and the client secret', () => {
  test('an intent is read without customer, metadata, invoice and latest_charge', async () => {
    const intent = await privateIntent()
    const response = await browser.request('GET', path(intent, intent.client_secret))
    expect(response.status).toBe(200)
    expect(response.body).toEqual(publicPart(intent))
  })

  test('an intent is confirmed, and the response omits the same fields', async () => {
    const intent = await privateIntent()
    const { status, body } = await confirm(intent)
    expect(status).toBe(200)
    expect(body).toEqual(publicPart(await twin.get(`/v1/payment_intents/${intent.id}`)))
    expect(body.status).toBe('succeeded')
  })

  test.each(['pm_card_visa', 'pm_card_amex'])(
    'it is confirmed with the test id %s',
    async (payment_method) => {
      expect((await confirm(await privateIntent(), { payment_method })).body.status).toBe('succeeded')
      expect((await confirm(await makeIntent(twin), { payment_method })).body.status).toBe('succeeded')
    },
  )

  test('it is confirmed with an unattached payment method', async () => {
    const card = { number: '4242424242424242' }
    const { id } = await twin.post('/v1/payment_methods', { type: 'card', card })
    expect((await confirm(await makeIntent(twin), { payment_method: id })).body.status).toBe('succeeded')
  })

  test('another customer’s payment method is refused', async () => {
    const { method } = await makeCustomer(twin)
    const intent = await privateIntent()
    const response = await writesNothing(twin, () => confirm(intent, { payment_method: method.id }))
    expectRefusal(response, invalid('payment_method'))
  })

  test('a decline omits the same fields of its intent', async () => {
    const intent = await privateIntent()
    const response = await confirm(intent, { payment_method: 'pm_card_chargeDeclined' })
    const after = await twin.get(`/v1/payment_intents/${intent.id}`)
    expectDecline(response, {
      decline_code: 'generic_decline',
      charge: null,
      payment_intent: publicPart(after),
    })
    expect(after.last_payment_error.charge).toMatch(/^ch_/)
    expect(JSON.stringify(response.body)).not.toContain(after.last_payment_error.charge)
    const read = await browser.request('GET', path(intent, intent.client_secret))
    expect(read.body).toEqual(publicPart(after))
  })

  test.each([
    'payment_method',
    'payment_method.customer',
    'last_payment_error.charge',
    'last_payment_error.payment_method',
  ])('expand=%s shows nothing of the customer', async (expand) => {
    const intent = await privateIntent()
    await confirm(intent, { payment_method: 'pm_card_chargeDeclined' })
    const { customer, payment_method } = intent
    await twin.post(`/v1/payment_intents/${intent.id}`, { payment_method })
    const response = await browser.request('GET', `${path(intent, intent.client_secret)}&expand[]=${expand}`)
    expect(JSON.stringify(response.body)).not.toContain(customer)
    expect(JSON.stringify(response.body)).not.toContain('Ada')
  })

  test('other refusals are those of a secret key', async () => {
    const refuses = async (intent: Body, body: Body, refusal: Refusal) =>
      expectRefusal(await writesNothing(twin, () => confirm(intent, body)), refusal)
    await refuses(await makeIntent(twin), {}, notInitialized)
    await refuses(
      await makeIntent(twin, { payment_method: 'pm_card_visa', confirm: true }),
      {},
      unexpectedState,
    )
    await refuses(await makeIntent(twin), { payment_method: 'pm_unknown' }, unknown('payment_method'))
  })
})

describe('without the right client secret', () => {
  test.each<[string, (intent: Body, other: Body) => string | undefined]>([
    ['none', () => undefined],
    ['an empty one', () => ''],
    ['a wrong one', (intent) => `${intent.client_secret}x`],
    ['half of it', (intent) => intent.client_secret.slice(0, -1)],
    ['another intent’s', (_, other) => other.client_secret],
    ['the id alone', (intent) => intent.id],
  ])('%s: the intent is not found', async (_, secretOf) => {
    const intent = await privateIntent()
    const client_secret = secretOf(intent, await makeIntent(twin))
    const read =
      client_secret === undefined ? `/v1/payment_intents/${intent.id}` : path(intent, client_secret)
    await writesNothing(twin, async () => {
      expectRefusal(await browser.request('GET', read), unknown())
      expectRefusal(await confirm(intent, { client_secret }), unknown())
      expectRefusal(await confirm(intent, { client_secret, payment_method: 'pm_unknown' }), unknown())
    })
  })

  test('an unknown intent is not found, with the same message', async () => {
    const { client_secret } = await makeIntent(twin)
    expectRefusal(await browser.request('GET', path({ id: 'pi_unknown' }, client_secret)), unknown())
    expectRefusal(await confirm({ id: 'pi_unknown', client_secret }), unknown())
  })
})

describe('a publishable key opens nothing else', () => {
  test.each([
    ['GET', '/v1/payment_intents'],
    ['POST', '/v1/payment_intents'],
    ['POST', '/v1/payment_intents/ID'],
    ['POST', '/v1/payment_intents/ID/cancel'],
    ['POST', '/v1/test_helpers/payment_intents/ID/settle'],
    ['GET', '/v1/customers'],
    ['POST', '/v1/customers'],
    ['GET', '/v1/charges'],
    ['POST', '/v1/refunds'],
    ['POST', '/v1/subscriptions'],
    ['POST', '/v1/invoices'],
    ['GET', '/v1/events'],
    ['POST', '/v1/test_helpers/clock/advance'],
    ['GET', '/v1/nothing'],
  ])('%s %s', async (method, route) => {
    const { id, client_secret } = await makeIntent(twin)
    const body = method === 'POST' ? { client_secret, amount: 1, currency: 'usd', by: '1d' } : undefined
    const response = await writesNothing(twin, () => browser.request(method, route.replace('ID', id), body))
    expectUnauthenticated(response)
  })
})

describe('for browsers', () => {
  const ROUTES = [
    ['GET', '/v1/payment_intents/pi_1'],
    ['POST', '/v1/payment_intents/pi_1/confirm'],
  ] as const

  test.each(ROUTES)('%s %s responses a preflight without a key', async (method, route) => {
    const response = await twin.request('OPTIONS', route, undefined, {
      Authorization: '',
      Origin: 'https://shop.example',
      'Access-Control-Request-Method': method,
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(response.headers.get('Access-Control-Allow-Methods')).toContain(method)
    for (const header of ['Authorization', 'Content-Type', 'Idempotency-Key', 'X-API-Version']) {
      expect(response.headers.get('Access-Control-Allow-Headers')).toContain(header)
    }
    expect(response.headers.get('Access-Control-Allow-Credentials')).toBeNull()
  })

  test.each(ROUTES)('%s %s may be read by every page, errors too', async (method, route) => {
    const intent = await privateIntent()
    const name = route.replace('pi_1', intent.id)
    const { client_secret } = intent
    for (const [headers, status] of [
      [{}, 200],
      [{ Authorization: '' }, 401],
    ] as const) {
      const response =
        method === 'GET'
          ? await browser.request(method, path(intent, client_secret), undefined, headers)
          : await browser.request(method, name, { client_secret }, headers)
      expect(response.status).toBe(status)
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
      expect(response.headers.get('Access-Control-Allow-Credentials')).toBeNull()
    }
  })

  test.each([
    ['OPTIONS', '/v1/payment_intents'],
    ['OPTIONS', '/v1/payment_intents/pi_1/cancel'],
    ['GET', '/v1/payment_intents'],
    ['POST', '/v1/customers'],
  ])('%s %s may not be read by pages', async (method, route) => {
    const response = await twin.request(method, route, method === 'POST' ? {} : undefined)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
    if (method === 'OPTIONS') expectRefusal(response, unknown(null))
  })
})
