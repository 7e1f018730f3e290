import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenApi } from '../../src/http/openapi.ts'
import { ask, makeApp, proofOf } from '../http/oauth/support.ts'
import { asOperator, toForm } from '../http/support.ts'
import { dice, isLong, requested } from '../long.ts'
import { type Body, makeCustomer, makePrice, startTwin, type Twin, type TwinResponse } from '../twin.ts'
import {
  type Choose,
  NOW,
  type Operation,
  objectOf,
  operationsOf,
  Pool,
  targetOf,
  valueFor,
} from './generator.ts'

/** How long requests are made: in minutes if given, else a number of histories. */
const MINUTES = requested('minutes', 0)
const HISTORIES = 10
const SEED = requested('seed', 1)
/** How often each route is requested in turn. */
const ROUNDS = 7
const CLOSED_SET = [200, 201, 303, 400, 401, 402, 404, 422, 429]

let operations: Operation[]
beforeAll(async () => {
  const twin = await startTwin()
  const response = await twin.sandbox.app.request('/openapi.json', { headers: { host: 'localhost' } })
  operations = operationsOf((await response.json()) as OpenApi)
  await twin.close()
})

/** A twin with objects of every kind, and its credentials. */
class DescribedClient {
  readonly pool = new Pool()
  readonly failures: unknown[] = []
  readonly #twin: Twin
  #key: string
  #app: Body = {}

  private constructor(twin: Twin) {
    this.#twin = twin
    this.#key = twin.secretKey
  }

  static async open(): Promise<DescribedClient> {
    const failures: unknown[] = []
    const twin = await startTwin({
      seed: String(SEED),
      wall: () => NOW * 1_000,
      reportError: (error) => failures.push(error),
      send: async () => ({ status: 200, body: '' }),
    })
    const client = new DescribedClient(twin)
    Object.assign(client, { failures })
    await client.#furnish()
    return client
  }

  async #furnish(): Promise<void> {
    const twin = this.#twin
    const price = await makePrice(twin)
    const { customer, method } = await makeCustomer(twin)
    const subscription = { customer: customer.id, currency: 'usd', default_payment_method: method.id }
    await twin.post('/v1/subscriptions', { ...subscription, items: [{ price: price.id }] })
    for (const start_date of [NOW + 86_400, 'now']) {
      const phases = [{ items: [{ price: price.id }] }]
      await twin.post('/v1/subscription_schedules', { customer: customer.id, start_date, phases })
    }
    await twin.post('/v1/products', { name: 'Pro' })
    await twin.post('/v1/webhook_endpoints', { url: 'http://localhost:3000/', enabled_events: ['*'] })
    await twin.post('/v1/test_helpers/test_clocks', { frozen_time: NOW })
    await twin.post('/v1/invoices', { customer: customer.id, currency: 'usd' })
    const invoiceItem = { customer: customer.id, amount: 500, currency: 'usd' }
    await twin.post('/v1/invoiceitems', invoiceItem)
    const coupon = await twin.post('/v1/coupons', { percent_off: 10, duration: 'forever' })
    this.pool.note(coupon)
    this.pool.note(await twin.post('/v1/promotion_codes', { coupon: coupon.id }))
    await twin.post(`/v1/customers/${customer.id}`, { coupon: coupon.id })
    const meter = { display_name: 'Calls', event_name: 'calls', default_aggregation: { formula: 'sum' } }
    const { id } = await twin.post('/v1/billing/meters', meter)
    this.pool.note({ object: 'meter', id })
    this.#app = await makeApp(twin)
    this.pool.note(this.#app)
    this.pool.note(await ask(twin, this.#app))
    for (const path of ['merchants', 'keys', 'snapshots', 'faults'])
      this.pool.note((await asOperator(twin)('GET', path)).body)
    this.pool.note((await asOperator(twin)('POST', 'snapshots', { name: 'first' })).body)
    await this.look()
  }

  /** Reads the existing ids, because jobs create objects too. */
  async look(): Promise<void> {
    for (const { method, path, security } of operations) {
      if (method !== 'GET' || path.includes('{') || !security.includes('bearer')) continue
      if (path.includes('test_helpers') || path.includes('oauth')) continue
      this.pool.note((await this.#twin.request('GET', `${path}?limit=3`, undefined, this.#as('bearer'))).body)
    }
  }

  #as(way: string | undefined): Record<string, string> {
    const host = { Host: 'localhost' }
    if (way === 'operator') return { ...host, Authorization: `Bearer ${this.#twin.sandbox.adminToken}` }
    if (way === 'app') return { ...host, ...proofOf(this.#app) }
    return way === undefined
      ? { ...host, Authorization: '' }
      : { ...host, Authorization: `Bearer ${this.#key}` }
  }

  /** Makes a request of an operation, whose response is checked against the description. */
  async send(operation: Operation, choose: Choose, spoils: boolean): Promise<TwinResponse> {
    const given = { pool: this.pool, choose, spoils }
    const { method, body, query, example, security } = operation
    const params = body ? objectOf(body, example, given) : undefined
    if (params && operation.path === '/_paytwin/fixtures') params.files = [FIXTURES]
    const wanted = query.filter(() => choose([0, 0, 1]) === 1)
    const pairs = wanted.map((one) => [one.name, valueFor(one.name, one.schema, one.example, given)])
    const search = formOf(Object.fromEntries(pairs))
    const target = targetOf(operation, given) + (search && `?${search}`)
    const isForm = choose([true, false])
    const headers = {
      ...this.#as(security[0]),
      ...(params && isForm && { 'Content-Type': 'application/x-www-form-urlencoded' }),
    }
    const text = params && (isForm ? formOf(params) : JSON.stringify(params))
    const response = await this.#request(operation, target, text, headers)
    const about = `${method} ${target} ${text ?? ''}`
    expect(CLOSED_SET, `${about}\n${this.failures.map(String)}`).toContain(response.status)
    this.pool.note(response.body.error ?? response.body)
    if (operation.path === '/_paytwin/faults') await this.#heal()
    if (response.status === 401 && security.includes('bearer')) await this.#newKey()
    return response
  }

  async #request(
    { method, path }: Operation,
    target: string,
    text: string | undefined,
    headers: Record<string, string>,
  ): Promise<TwinResponse> {
    // Pages are tested elsewhere.
    if (path !== '/v1/oauth/authorize' && path !== '/v1/oauth/authorize/decision')
      return this.#twin.request(method, target, text, headers)
    const { status, headers: responseHeaders } = await this.#twin.sandbox.app.request(target, {
      method,
      headers,
      ...(text !== undefined && { body: text }),
    })
    return { status, headers: responseHeaders, body: {} }
  }

  /** Removes injected faults, which would hide other results. */
  async #heal(): Promise<void> {
    await asOperator(this.#twin)('DELETE', 'faults')
  }

  async #newKey(): Promise<void> {
    const merchant = this.#twin.sandbox.merchant.settings.id
    this.#key = (await asOperator(this.#twin)('POST', 'keys', { merchant })).body.secret
  }

  close(): Promise<void> {
    return this.#twin.close()
  }
}

const FIXTURES = {
  name: 'default.json',
  content: JSON.parse(readFileSync('fixtures/default.json', 'utf8')),
}

/** Nested parameters as a form, without halves of characters, which none can carry. */
const formOf = (params: Body): string =>
  toForm(JSON.parse(JSON.stringify(params).replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, 'x')))

/** Chooses by a seed: two numbers identify a request that fails. */
function chooser(seed: number): Choose {
  const roll = dice(seed)
  return (values) => values[Math.floor(roll(values.length))] as (typeof values)[number]
}

const aRequest = fc.noBias(fc.record({ operation: fc.nat({ max: 9_999 }), seed: fc.nat() }))

test('every request generated from the description is answered as described', {
  timeout: isLong ? 24 * 3_600_000 : 60_000,
}, async () => {
  const statuses: Record<number, number> = {}
  const history = fc.asyncProperty(
    fc.array(aRequest, { minLength: 20, maxLength: 60, size: 'max' }),
    async (requests) => {
      const client = await DescribedClient.open()
      try {
        for (const request of requests) {
          const operation = operations[request.operation % operations.length]
          if (!operation) throw new Error('there are operations')
          const { status } = await client.send(operation, chooser(request.seed), true)
          statuses[status] = (statuses[status] ?? 0) + 1
        }
        expect(client.failures).toEqual([])
      } finally {
        await client.close()
      }
    },
  )
  await fc.assert(history, {
    seed: SEED,
    ...(MINUTES > 0
      ? { numRuns: 1_000_000, interruptAfterTimeLimit: MINUTES * 60_000 }
      : { numRuns: HISTORIES }),
  })
  if (isLong) console.log(`responses: ${JSON.stringify(statuses)}`)
})

let whole: DescribedClient | undefined
afterAll(() => whole?.close())

test('most routes accept generated requests', async () => {
  whole = await DescribedClient.open()
  const accepted = new Set<string>()
  const last = ['/_paytwin/reset', '/_paytwin/merchants/{id}', '/v1/customers/{id}']
  const order = operations.toSorted(
    (one, other) => Number(last.includes(one.path)) - Number(last.includes(other.path)),
  )
  for (let index = 0; index < ROUNDS * order.length; index += 1) {
    const operation = order[index % order.length]
    if (!operation) throw new Error('there are operations')
    const { status } = await whole.send(operation, chooser(index), false)
    if (status < 400) accepted.add(`${operation.method} ${operation.path}`)
  }
  expect(accepted.size).toBeGreaterThan((operations.length * 2) / 3)
})
