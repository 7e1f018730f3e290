import { describe, expect, test } from 'vitest'
import { REQUESTS_KEPT } from '../../../src/http/request-log.ts'
import { openTwin } from '../../scenarios/story.ts'
import { type Body, clientOf, type Twin } from '../../twin.ts'
import { anotherMerchant, asOperator, expectRefusal, invalid, openStream, unknown } from '../support.ts'

const WALL = 1_769_853_600_123
const list = async (twin: Twin, query = ''): Promise<Body[]> => {
  const { status, body } = await asOperator(twin)('GET', `requests${query}`)
  expect(status).toBe(200)
  return body.data
}
/** Returns the newest request. */
const newest = async (twin: Twin): Promise<Body> => (await list(twin, '?limit=1'))[0] ?? {}

describe('the request log', () => {
  test('shows the details of a request without secrets', async () => {
    const twin = await openTwin({ wall: () => WALL })
    const { headers, body } = await twin.request('POST', '/v1/payment_intents', {
      amount: 5,
      currency: 'usd',
    })
    expect(await newest(twin)).toEqual({
      id: headers.get('Request-Id'),
      object: 'request',
      time: WALL,
      method: 'POST',
      path: '/v1/payment_intents',
      status: 201,
      duration_ms: expect.any(Number),
      key: `sk_test_…${twin.secretKey.slice(-4)}`,
      replayed: false,
      code: null,
      ignored_params: [],
      livemode: false,
      merchant_id: twin.sandbox.merchant.settings.id,
    })
    await twin.request('GET', `/v1/payment_intents/${body.id}?client_secret=${body.client_secret}`)
    expect((await newest(twin)).path).toBe(`/v1/payment_intents/${body.id}?client_secret=[redacted]`)
    await twin.request('GET', `/v1/customers/${twin.secretKey}?x=${twin.secretKey}`)
    await twin.request('GET', `/v1/customers?${twin.secretKey}=1`)
    const all = JSON.stringify(await list(twin))
    for (const secret of [twin.secretKey, body.client_secret]) expect(all).not.toContain(secret)
  })

  test('names ignored parameters, and lists only requests that have some', async () => {
    const twin = await openTwin()
    await twin.request('POST', '/v1/customers', { zebra: 1, invoice_settings: { yak: 1 } })
    await twin.request(
      'POST',
      '/v1/customers',
      Object.fromEntries(Array.from({ length: 999 }, (_, n) => [`n${n}`, 1])),
    )
    await twin.request('GET', '/v1/customers')
    const [many, few] = await list(twin, '?ignored_params=true')
    expect(few?.ignored_params).toEqual(['zebra', 'invoice_settings[yak]'])
    expect(JSON.stringify(many?.ignored_params).length).toBeLessThan(2_048)
    expect(await list(twin)).toHaveLength(3)
    expect(await list(twin, '?ignored_params=true')).toHaveLength(2)
  })

  test.each<[string, (twin: Twin) => Promise<unknown>, Body]>([
    [
      'a decline',
      (twin) => {
        const payment_method = 'pm_card_chargeDeclined'
        const intent = { amount: 5, currency: 'usd', payment_method, confirm: true }
        return twin.request('POST', '/v1/payment_intents', intent)
      },
      { status: 402, code: 'card_declined' },
    ],
    [
      'a refusal',
      (twin) => twin.request('GET', '/v1/customers/cus_x'),
      { status: 404, code: 'resource_missing' },
    ],
    [
      'an unreadable body',
      (twin) => twin.request('POST', '/v1/customers', '{'),
      { status: 400, code: 'parameter_invalid' },
    ],
    [
      'an unknown path',
      (twin) => twin.request('PUT', '/v1/nothing'),
      { method: 'PUT', path: '/v1/nothing', status: 404, code: 'resource_missing' },
    ],
    [
      'no key',
      (twin) => twin.request('GET', '/v1/customers', undefined, { Authorization: '' }),
      { status: 401, code: null, key: null, merchant_id: null },
    ],
    [
      'a wrong key',
      (twin) => {
        const headers = { Authorization: 'Bearer sk_live_wrongwrongwrongwrong1234' }
        return twin.request('GET', '/v1/customers', undefined, headers)
      },
      { status: 401, key: 'sk_live_…1234', merchant_id: null },
    ],
    [
      'what is no key',
      (twin) => twin.request('GET', '/v1/customers', undefined, { Authorization: 'Bearer hunter22' }),
      { status: 401, key: null },
    ],
    [
      'a stream of events',
      async (twin) => {
        const stream = await openStream(twin)
        await stream.close()
      },
      { path: '/v1/events', status: 200 },
    ],
  ])('logs %s', async (_, act, expected) => {
    const twin = await openTwin()
    await act(twin)
    expect(await newest(twin)).toMatchObject(expected)
  })

  test('logs the response of an injected fault', async () => {
    const twin = await openTwin()
    for (const [kind, status, code] of [
      ['internal_error', 500, 'internal_error'],
      ['rate_limit', 429, 'rate_limit'],
      ['key_resolution_unavailable', 401, null],
    ] as const) {
      await asOperator(twin)('POST', 'faults', { kind, count: 1 })
      await twin.request('GET', '/v1/customers')
      const key = `sk_test_…${twin.secretKey.slice(-4)}`
      expect(await newest(twin)).toMatchObject({ status, code, key })
    }
  })

  test.each([
    ['pm_card_visa', 201, null],
    ['pm_card_chargeDeclined', 402, 'card_declined'],
  ])('logs a replay with its code: %s', async (payment_method, status, code) => {
    const twin = await openTwin()
    const intent = { amount: 5, currency: 'usd', payment_method, confirm: true }
    for (const replayed of [false, true]) {
      await twin.request('POST', '/v1/payment_intents', intent, { 'Idempotency-Key': 'order' })
      expect(await newest(twin)).toMatchObject({ status, code, replayed })
    }
  })

  test('logs no requests of the operator or for the documentation', async () => {
    const twin = await openTwin()
    await asOperator(twin)('GET', 'status')
    await twin.request('GET', '/openapi.json', undefined, { Host: 'localhost' })
    expect(await list(twin)).toEqual([])
  })

  test('is a list like any other, newest first', async () => {
    const twin = await openTwin()
    for (let count = 1; count <= 12; count += 1) await twin.get(`/v1/customers?limit=${count}`)
    const limits = (requests: Body[]) => requests.map(({ path }) => Number(path.split('=')[1]))
    const first = await list(twin)
    expect(limits(first)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
    expect(limits(await list(twin, `?starting_after=${first.at(-1)?.id}`))).toEqual([2, 1])
    expect(limits(await list(twin, `?ending_before=${first[2]?.id}&limit=1`))).toEqual([11])
    expectRefusal(await asOperator(twin)('GET', 'requests?limit=101'), invalid('limit'))
    expectRefusal(await asOperator(twin)('GET', 'requests?starting_after=req_x'), unknown('starting_after'))
  })

  test('is filtered by merchant', async () => {
    const twin = await openTwin()
    const { merchant, secretKey } = await anotherMerchant(twin)
    await twin.get('/v1/prices')
    await clientOf(twin.sandbox, secretKey).get('/v1/customers')
    await twin.request('GET', '/v1/charges', undefined, { Authorization: '' })
    expect((await list(twin)).map(({ path }) => path)).toEqual(['/v1/charges', '/v1/customers', '/v1/prices'])
    const theirs = await list(twin, `?merchant=${merchant.id}`)
    expect(theirs.map(({ path }) => path)).toEqual(['/v1/customers'])
    expectRefusal(await asOperator(twin)('GET', 'requests?merchant=mer_x'), unknown('merchant'))
  })

  test('keeps only the last requests', async () => {
    const twin = await openTwin()
    const more = 5
    for (let count = 1; count <= REQUESTS_KEPT + more; count += 1) {
      await twin.request('GET', `/v1/nothing/${count}`)
    }
    let pages: Body[] = []
    for (let cursor = ''; ; cursor = `&starting_after=${pages.at(-1)?.id}`) {
      const page = await list(twin, `?limit=100${cursor}`)
      if (page.length === 0) break
      pages = [...pages, ...page]
    }
    expect(pages).toHaveLength(REQUESTS_KEPT)
    expect(pages[0]?.path).toBe(`/v1/nothing/${REQUESTS_KEPT + more}`)
    expect(pages.at(-1)?.path).toBe(`/v1/nothing/${more + 1}`)
  })
})

describe('a stream of requests', () => {
  const open = (twin: Twin, query = '', headers: Record<string, string> = {}) =>
    openStream(twin, `/_paytwin/requests${query}`, {
      Authorization: `Bearer ${twin.sandbox.adminToken}`,
      Host: 'localhost',
      ...headers,
    })

  test('streams each new request, as the list shows it', async () => {
    const twin = await openTwin()
    await twin.get('/v1/prices')
    const stream = await open(twin)
    await twin.get('/v1/customers')
    const token = twin.sandbox.adminToken
    await twin.request('GET', `/v1/charges?${token}=${token}`, undefined, { Authorization: '' })
    const taken = await stream.take(2)
    await stream.close()
    const [second, first] = await list(twin, '?limit=2')
    expect(taken.map(({ data }) => data)).toEqual([first, second])
    expect(taken[1]?.data.path).toBe('/v1/charges?…=…')
    expect(taken.map(({ event, id }) => [event, id])).toEqual([
      ['request', first?.id],
      ['request', second?.id],
    ])
  })

  test('reaches a reader that waits already', async () => {
    const twin = await openTwin()
    const stream = await open(twin)
    const taking = stream.take(1)
    // After some turns the reader has read everything, and its stream waits for more.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    await twin.get('/v1/customers')
    expect((await taking)[0]?.data.path).toBe('/v1/customers')
    await stream.close()
  })

  test('keeps to a merchant', async () => {
    const twin = await openTwin()
    const { merchant, secretKey } = await anotherMerchant(twin)
    const stream = await open(twin, `?merchant=${merchant.id}`)
    await twin.get('/v1/prices')
    await clientOf(twin.sandbox, secretKey).get('/v1/customers')
    const [taken] = await stream.take(1)
    await stream.close()
    expect(taken?.data).toMatchObject({ path: '/v1/customers', merchant_id: merchant.id })
  })

  test.each<[string, (twin: Twin, id: string) => ReturnType<typeof open>]>([
    ['Last-Event-ID', (twin, id) => open(twin, '', { 'Last-Event-ID': id })],
    ['starting_after', (twin, id) => open(twin, `?starting_after=${id}`)],
  ])('continues after a given request, by %s', async (_, resume) => {
    const twin = await openTwin()
    for (const name of ['prices', 'customers', 'charges']) await twin.get(`/v1/${name}`)
    const seen = (await list(twin))[2]?.id
    const stream = await resume(twin, seen)
    const taken = await stream.take(2)
    await stream.close()
    expect(taken.map(({ data }) => data.path)).toEqual(['/v1/customers', '/v1/charges'])
  })

  test('after a request that the log does not have is 404', async () => {
    const twin = await openTwin()
    const headers = { Accept: 'text/event-stream', 'Last-Event-ID': 'req_x' }
    expectRefusal(await asOperator(twin)('GET', 'requests', undefined, headers), unknown('Last-Event-ID'))
  })

  test('with a slow reader uses no more memory, and skips requests that the log no longer has', async () => {
    const twin = await openTwin()
    const stream = await open(twin)
    await twin.request('GET', '/v1/nothing/0')
    await stream.take(1)
    const count = 3 * REQUESTS_KEPT
    for (let sent = 1; sent <= count; sent += 1) await twin.request('GET', `/v1/nothing/${sent}`)
    const numbers: number[] = []
    while (numbers.at(-1) !== count) {
      const [taken] = await stream.take(1)
      numbers.push(Number(taken?.data.path.split('/').at(-1)))
    }
    await stream.close()
    expect(numbers).toEqual(numbers.toSorted((left, right) => left - right))
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(numbers.length).toBeLessThan(count)
    expect(numbers.length).toBeGreaterThanOrEqual(REQUESTS_KEPT)
  })

  test('ends when the sandbox does', async () => {
    const twin = await openTwin()
    const stream = await open(twin)
    await twin.sandbox.close()
    await expect(stream.take(1)).rejects.toThrow('the stream ended')
  })
})
