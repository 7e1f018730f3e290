import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  anotherMerchant,
  expectRefusal,
  FORM,
  invalid,
  missing,
  type Refusal,
  rows,
  toForm,
  unknown,
} from '../http/support.ts'
import { openTwin, subscribe } from '../scenarios/story.ts'
import {
  type Body,
  clientOf,
  makeCustomer,
  makePrice,
  startTwin,
  type Twin,
  type TwinResponse,
} from '../twin.ts'
import { browserOf, expectDecline, makeIntent, NOW, newestOf, writesNothing } from './support.ts'

const KEY = 'key-1'
const send = (
  twin: Twin,
  method: string,
  path: string,
  body?: unknown,
  key = KEY,
  headers: Record<string, string> = {},
) => twin.request(method, path, body, { 'Idempotency-Key': key, ...headers })
const reuse: Refusal = { status: 422, code: 'idempotency_key_reuse', param: null }
const replayed = ({ headers }: TwinResponse) => headers.get('Idempotent-Replayed')
const textOf = ({ body }: TwinResponse) => JSON.stringify(body)

/** Checks that a second response repeats the first one without effects. */
async function expectReplay(
  twin: Twin,
  first: TwinResponse,
  again: () => Promise<TwinResponse>,
): Promise<void> {
  const second = await writesNothing(twin, again)
  expect(second.status).toBe(first.status)
  expect(textOf(second)).toBe(textOf(first))
  expect(replayed(second)).toBe('true')
  expect(replayed(first)).toBeNull()
  expect(second.headers.get('X-API-Version')).toBe(first.headers.get('X-API-Version'))
  expect(second.headers.get('Request-Id')).not.toBe(first.headers.get('Request-Id'))
}

describe('a request with a key', () => {
  test('sent fifty times at once makes one object and fifty equal bodies', async () => {
    const twin = await openTwin()
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => send(twin, 'POST', '/v1/customers', { name: 'Ada' })),
    )
    expect(new Set(responses.map(textOf)).size).toBe(1)
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
    expect(responses.filter((response) => replayed(response) === 'true')).toHaveLength(49)
    expect((await twin.get('/v1/customers')).data).toHaveLength(1)
    expect((await twin.events()).map(({ type, request }) => [type, request.idempotency_key])).toEqual([
      ['customer.created', KEY],
    ])
  })

  test('fifty subscriptions at once charge once', async () => {
    const twin = await openTwin()
    const { customer, method } = await makeCustomer(twin)
    const { id } = await makePrice(twin)
    const body = {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: id }],
    }
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => send(twin, 'POST', '/v1/subscriptions', body)),
    )
    expect(new Set(responses.map(textOf)).size).toBe(1)
    expect((await twin.get('/v1/charges')).data).toHaveLength(1)
  })

  test('is replayed byte for byte, without effects', async () => {
    const twin = await openTwin()
    const create = () => send(twin, 'POST', '/v1/customers', { name: 'Ada' })
    const first = await create()
    await twin.post(`/v1/customers/${first.body.id}`, { name: 'Bea' })
    await expectReplay(twin, first, create)
  })

  test('is the same in JSON and in a form, whatever the order', async () => {
    const twin = await openTwin()
    const { customer, method } = await makeCustomer(twin)
    const { id } = await makePrice(twin)
    const body = {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: id, quantity: 2 }],
      metadata: { a: 1, b: true },
    }
    const first = await send(twin, 'POST', '/v1/subscriptions', body)
    expect(first.status).toBe(201)
    const reversed = Object.fromEntries(Object.entries(body).reverse())
    await expectReplay(twin, first, () =>
      send(twin, 'POST', '/v1/subscriptions', toForm(reversed), KEY, FORM),
    )
    await expectReplay(twin, first, () =>
      send(twin, 'POST', '/v1/subscriptions', toForm(body, { percentEncoded: true }), KEY, FORM),
    )
    await expectReplay(twin, first, () => send(twin, 'POST', '/v1/subscriptions', reversed))
  })

  test.each<[string, string, unknown]>([
    ['POST', '/v1/customers', { name: 'Bea' }],
    ['POST', '/v1/customers', {}],
    ['POST', '/v1/customers', { name: 'Ada', zebra: 1 }],
    ['POST', '/v1/products', { name: 'Ada' }],
    ['DELETE', '/v1/customers/cus_1', { name: 'Ada' }],
    ['POST', '/v1/customers', { name: 5 }],
  ])('is refused for another request: %s %s %j', async (method, path, body) => {
    const twin = await openTwin()
    const first = await send(twin, 'POST', '/v1/customers', { name: 'Ada' })
    const response = await writesNothing(twin, () => send(twin, method, path, body))
    expectRefusal(response, reuse)
    await expectReplay(twin, first, () => send(twin, 'POST', '/v1/customers', { name: 'Ada' }))
  })
})

describe('a declined payment', () => {
  test('is stored: the confirmation is not repeated', async () => {
    const twin = await openTwin()
    const { customer, method } = await makeCustomer(twin, { outcomes: ['decline:lost_card'] })
    const { id } = await makeIntent(twin, { customer: customer.id, payment_method: method.id })
    const confirm = () => send(twin, 'POST', `/v1/payment_intents/${id}/confirm`)
    const first = await confirm()
    expectDecline(first, { decline_code: 'lost_card' })
    await expectReplay(twin, first, confirm)
    expect((await twin.get(`/v1/payment_intents/${id}`)).status).toBe('requires_payment_method')
  })

  test('of error_if_incomplete is stored, and its replay does not move the card’s script', async () => {
    const twin = await openTwin()
    const outcomes = ['decline:lost_card', 'decline:insufficient_funds']
    const { customer, method } = await makeCustomer(twin, { outcomes })
    const { id } = await makePrice(twin)
    const body = {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: id }],
      payment_behavior: 'error_if_incomplete',
    }
    const create = (key: string) => send(twin, 'POST', '/v1/subscriptions', body, key)
    const first = await writesNothing(twin, () => create('a'))
    expectDecline(first, { decline_code: 'lost_card', charge: null, payment_intent: null })
    await expectReplay(twin, first, () => create('a'))
    await expectReplay(twin, first, () => create('a'))
    expectDecline(await create('b'), {
      decline_code: 'insufficient_funds',
      charge: null,
      payment_intent: null,
    })
    expect((await create('c')).status).toBe(201)
    await expectReplay(twin, first, () => create('a'))
  })

  test('of an invoice and of a resumed subscription is stored too', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['decline:lost_card'], afterwards: 'succeed' })
    const { id } = await newestOf(twin, subscription)
    await twin.post(`/v1/subscriptions/${subscription.id}`, {
      default_payment_method: 'pm_card_chargeDeclined',
    })
    const pay = () => send(twin, 'POST', `/v1/invoices/${id}/pay`)
    const first = await pay()
    expect(first.status).toBe(402)
    await expectReplay(twin, first, pay)
  })
})

describe('a refusal is not stored', () => {
  test('400, 404 and 422 may be repeated with the same key', async () => {
    const twin = await openTwin()
    const { customer } = await makeCustomer(twin)
    const { id } = await makePrice(twin)
    const base = { customer: customer.id, currency: 'usd', items: [{ price: id }] }
    for (const [[path, body, refusal]] of rows<[string, Body, Refusal]>(
      ['/v1/customers', { email: 5 }, invalid('email')],
      ['/v1/payment_intents', { currency: 'usd' }, missing('amount')],
      ['/v1/customers/cus_unknown', {}, unknown()],
      [
        '/v1/subscriptions',
        { ...base, default_payment_method: 'pm_pix' },
        { status: 422, code: 'unsupported_psp_capability', param: 'default_payment_method' },
      ],
    )) {
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const response = await send(twin, 'POST', path, body)
        expectRefusal(response, refusal)
        expect(replayed(response)).toBeNull()
      }
    }
    expect((await send(twin, 'POST', '/v1/customers', { name: 'Ada' })).status).toBe(201)
  })

  test('a refused request may succeed later', async () => {
    const twin = await openTwin()
    const { id } = await makeIntent(twin)
    const confirm = () => send(twin, 'POST', `/v1/payment_intents/${id}/confirm`)
    expect((await confirm()).body.error.code).toBe('payment_not_initialized')
    await twin.post(`/v1/payment_intents/${id}`, { payment_method: 'pm_card_visa' })
    const response = await confirm()
    expect(response.status).toBe(200)
    await expectReplay(twin, response, confirm)
  })

  test('a refused reuse does not block others', async () => {
    const twin = await openTwin()
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => send(twin, 'POST', '/v1/customers', { name: `${index % 2}` })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([
      ...Array(10).fill(201),
      ...Array(10).fill(422),
    ])
  })
})

describe('a key', () => {
  test.each(['x', 'x'.repeat(255), ' a b ', '~!@#$%^&*()_+{}|:"<>?', '0', '*'])('may be %j', async (key) => {
    const twin = await openTwin()
    const create = () => send(twin, 'POST', '/v1/customers', {}, key)
    await expectReplay(twin, await create(), create)
  })

  test.each(['x'.repeat(256), '', 'clé', 'a\tb', '\u00a0x\u00a0'])('may not be %j', async (key) => {
    const twin = await openTwin()
    const response = await writesNothing(twin, () => send(twin, 'POST', '/v1/customers', {}, key))
    expectRefusal(response, invalid('Idempotency-Key'))
  })

  test('belongs to one merchant, and those of publishable keys are separate', async () => {
    const twin = await openTwin()
    const other = clientOf(twin.sandbox, (await anotherMerchant(twin)).secretKey)
    const [mine, theirs] = [
      await send(twin, 'POST', '/v1/customers', {}),
      await send(other, 'POST', '/v1/customers', {}),
    ]
    expect([replayed(mine), replayed(theirs)]).toEqual([null, null])
    expect(mine.body.merchant_id).not.toBe(theirs.body.merchant_id)
    const browser = await browserOf(twin)
    const { id, client_secret } = await makeIntent(twin, { payment_method: 'pm_card_visa' })
    const confirm = () => send(browser, 'POST', `/v1/payment_intents/${id}/confirm`, { client_secret })
    const first = await confirm()
    expect(first).toMatchObject({ status: 200, body: { status: 'succeeded' } })
    await expectReplay(twin, first, confirm)
  })

  test('is shared by all secret keys of a merchant', async () => {
    const twin = await openTwin()
    const { secret } = await twin.sandbox.keys.issue({
      merchant: twin.sandbox.merchant.settings.ordinal,
      type: 'secret',
      name: null,
    })
    const first = await send(twin, 'POST', '/v1/customers', {})
    await expectReplay(twin, first, () => send(clientOf(twin.sandbox, secret), 'POST', '/v1/customers', {}))
  })

  test('on a GET is ignored', async () => {
    const twin = await openTwin()
    for (const path of ['/v1/customers', '/v1/prices', '/v1/customers']) {
      const response = await send(twin, 'GET', path)
      expect([response.status, replayed(response)]).toEqual([200, null])
    }
    expect((await send(twin, 'GET', '/v1/customers', undefined, 'x'.repeat(300))).status).toBe(200)
  })

  test('on a DELETE deletes once', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin)
    const cancel = () => send(twin, 'DELETE', `/v1/subscriptions/${subscription.id}`)
    await expectReplay(twin, await cancel(), cancel)
    const later = () =>
      send(twin, 'DELETE', `/v1/subscriptions/${subscription.id}`, { cancel_at_period_end: true })
    expectRefusal(await later(), reuse)
  })

  test('on an advance moves the clock once', async () => {
    const twin = await openTwin()
    await subscribe(twin)
    const advance = () => send(twin, 'POST', '/v1/test_helpers/clock/advance', { by: '1mo' })
    const first = await advance()
    expect(first.body.summary.invoices_paid).toBe(1)
    await expectReplay(twin, first, advance)
    expect((await twin.get('/v1/test_helpers/clock')).now).toBeLessThan(NOW + 32 * 86_400)
  })

  test('is stored for a day of wall time, whatever the merchant’s clock', async () => {
    let wall = Date.UTC(2026, 5, 1)
    const twin = await openTwin({ wall: () => wall })
    const create = (name: string) => send(twin, 'POST', '/v1/customers', { name })
    const first = await create('Ada')
    await twin.advance({ by: '1y' })
    await expectReplay(twin, first, () => create('Ada'))
    wall += 24 * 3600 * 1000 - 1000
    await expectReplay(twin, first, () => create('Ada'))
    wall += 2000
    await twin.sandbox.doHousekeeping()
    const later = await create('Bea')
    expect([later.status, replayed(later), later.body.name]).toEqual([201, null, 'Bea'])
    await expectReplay(twin, later, () => create('Bea'))
  })

  test('survives a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paytwin-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const options = { database: join(folder, 'paytwin.db'), secretKey: `sk_test_${'a'.repeat(24)}` }
    const before = await startTwin(options)
    const first = await send(before, 'POST', '/v1/customers', { name: 'Ada' })
    await before.close()
    const after = await openTwin(options)
    await expectReplay(after, first, () => send(after, 'POST', '/v1/customers', { name: 'Ada' }))
    expectRefusal(await send(after, 'POST', '/v1/customers', { name: 'Bea' }), reuse)
  })
})
