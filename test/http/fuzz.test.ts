import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { isLong, requested } from '../long.ts'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { FORM, toForm } from './support.ts'

const CLOSED_SET = [200, 201, 400, 401, 402, 404, 422, 429]
/** Bodies of each route. `npm run fuzz` sends more, with another seed each time. */
const RUNS = requested('rounds', isLong ? 60 : 15)
/** The seed of the suite, the given one, or a new one, which fast-check prints if a body fails. */
const SEED = requested('seed', isLong ? Date.now() : 1)

/** Valid bodies by route, to be damaged in one or two places. */
const RIGHT: Record<string, Body> = {
  '/v1/customers': { name: 'Ada', email: 'a@example.com', invoice_prefix: 'ABCD2345', metadata: { a: 'b' } },
  '/v1/customers/:id': { name: 'Bob', invoice_settings: { default_payment_method: 'pm_known' } },
  '/v1/products': { name: 'Plan', active: true, description: 'All', metadata: { a: 'b' } },
  '/v1/prices': {
    unit_amount: 100,
    currency: 'usd',
    type: 'recurring',
    recurring: { interval: 'month', interval_count: 1 },
  },
  '/v1/payment_methods': { type: 'card', card: { number: '4242424242424242', exp_month: 4 } },
  '/v1/payment_methods/:id/attach': { customer: 'cus_known' },
  // biome-ignore lint/suspicious/noThenProperty: the parameter's name
  '/v1/test_helpers/payment_methods/:id/outcomes': { outcomes: ['decline:lost_card'], then: 'succeed' },
  '/v1/subscriptions': {
    customer: 'cus_known',
    currency: 'usd',
    default_payment_method: 'pm_known',
    items: [{ price: 'price_known', quantity: 2, metadata: { a: 'b' } }],
    trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
  },
  '/v1/test_helpers/clock/advance': { to: '2026-03-01', stop_on: ['invoice.*'] },
  '/v1/payment_intents': { amount: 100, currency: 'usd', payment_method: 'pm_card_visa', confirm: true },
  '/v1/refunds': { charge: 'ch_known', amount: 1, reason: 'duplicate' },
}

const NAMES = [
  'customer name email description metadata invoice_prefix invoice_settings default_payment_method unit_amount',
  'currency product type recurring interval interval_count nickname active lookup_key card number exp_month',
  'exp_year cvc outcomes then items price quantity payment_behavior collection_method days_until_due',
  'trial_period_days trial_end trial_settings end_behavior missing_payment_method to by stop_on id amount',
  'cancel_at_period_end cancel_at pause_collection behavior resumes_at proration_behavior payment_method confirm',
  'charge payment_intent reason expand subscription cancellation_reason outcome deleted zebra',
].flatMap((line) => line.split(' '))

const SCALARS = [
  ...['usd', 'EUR', 'month', 'day', 'now', 'card', 'pix', 'succeed', 'decline:lost_card', 'send_invoice'],
  ...['error_if_incomplete', 'pm_card_visa', 'pm_card_chargeDeclined', 'pm_pix', '4242424242424242'],
  ...['1d', 'P1M', '999999999y', '2026-02-01', 'invoice.*', '', ' ', '\u0000', '\ud800', '🦓', 'toString'],
  ...[0, -0, 1, -1, 5, 1.5, 100, 2000, 99_999_999, 100_000_000, 2 ** 31, 2 ** 53, 1e21, 1e308, 5e-324],
  ...[
    true,
    false,
    null,
    '0',
    '-1',
    'true',
    'false',
    '1e400',
    'cus_known',
    'pm_known',
    'price_known',
    'in_known',
  ],
]

const scalar = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...SCALARS) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
)
const name = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...NAMES) },
  {
    weight: 1,
    arbitrary: fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('\ud800', '', '0', 'toString')),
  },
)
const { value } = fc.letrec<{ value: unknown; list: unknown[]; object: Body }>((tie) => ({
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  value: fc.oneof({ maxDepth: 4 }, { weight: 5, arbitrary: scalar }, tie('list'), tie('object')),
}))

/** Puts a value into a random place of a body. */
function spoil(body: Body, at: number, deeper: number, wrong: unknown): void {
  const names = Object.keys(body)
  const key = names[at % names.length]
  if (key === undefined) return
  const child = body[key]
  if (typeof child === 'object' && child !== null && deeper % 3 > 0) spoil(child, deeper, at, wrong)
  else body[key] = wrong
}

const spoiled = (right: Body): fc.Arbitrary<Body> =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.nat(), fc.nat(), value), { maxLength: 2 }),
      fc.dictionary(name, value, { maxKeys: 1 }),
    )
    .map(([changes, more]) => {
      const body = structuredClone(right)
      for (const [at, deeper, wrong] of changes) spoil(body, at, deeper, wrong)
      return { ...body, ...more }
    })

const jsonOf = (route: string) =>
  fc.oneof(
    { weight: 3, arbitrary: spoiled(RIGHT[route] ?? {}).map((body) => JSON.stringify(body)) },
    { weight: 2, arbitrary: fc.dictionary(name, value, { maxKeys: 8 }).map((body) => JSON.stringify(body)) },
    { weight: 1, arbitrary: fc.oneof(fc.json(), fc.string({ maxLength: 30 })) },
  )

const step = fc.oneof(fc.constantFrom('', '0', '1', '7', '999999', 'a', '__proto__', ' ', '%'), name)
const pair = fc
  .tuple(name, fc.array(step, { maxLength: 4 }), scalar.map(String), fc.boolean())
  .map(([head, steps, text, isRaw]) => {
    const key = (head + steps.map((each) => `[${each}]`).join('')).toWellFormed()
    return `${isRaw ? key : encodeURIComponent(key)}=${encodeURIComponent(text.toWellFormed())}`
  })
const pairs = fc.array(pair, { maxLength: 8 }).map((all) => all.join('&'))
/** Lone surrogates cannot be percent-encoded. */
const encodable = (body: Body): Body =>
  JSON.parse(JSON.stringify(body).replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, 'x'))
const formOf = (route: string) =>
  fc.oneof(
    { weight: 3, arbitrary: spoiled(RIGHT[route] ?? {}).map((body) => toForm(encodable(body))) },
    { weight: 2, arbitrary: pairs },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  )

let twin: Twin
/** Existing ids by their prefix, from the newest of each list. */
let known: Record<string, string>
let newest: Record<string, string>
let reported: string[] = []

/** Opens a sandbox with a subscription. */
async function openTwin(): Promise<void> {
  twin = await startTwin({ reportError: (error, doing) => reported.push(`${doing}: ${error}`) })
  const price = await makePrice(twin)
  const { customer, method } = await makeCustomer(twin)
  await twin.post('/v1/products', { name: 'Plan' })
  await twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id }],
  })
  newest = {}
  known = {}
  for (const list of [
    'customers',
    'payment_methods',
    'prices',
    'products',
    'subscriptions',
    'invoices',
    'charges',
  ]) {
    const { id } = (await twin.get(`/v1/${list}?limit=1`)).data[0]
    newest[list] = id
    known[id.replace(/_.*/, '')] = id
  }
  newest.payment_intents = (await twin.get('/v1/payment_intents?limit=1')).data[0].id
}

beforeEach(() => {
  reported = []
})

/** Returns the routes of /v1 with a method. */
const routesOf = async (...methods: string[]): Promise<string[]> => {
  const described = await startTwin()
  const routes = described.sandbox.app.routes
    .filter(({ method, path }) => methods.includes(method) && path.startsWith('/v1/'))
    .map(({ method, path }) => `${method} ${path}`)
  await described.close()
  return [...new Set(routes)]
}

const withIds = (text: string) =>
  text.replace(/\b([a-z]+)_known\b/g, (whole, prefix) => known[prefix] ?? whole)

async function responses(route: string, body: string, headers: Record<string, string>): Promise<void> {
  const [method = '', path = ''] = route.split(' ')
  const [, collection = ''] = /\/(\w+)\/:id/.exec(path) ?? []
  const target = path.replace(':id', newest[collection] ?? 'unknown')
  const response = await twin.request(method, target, withIds(body), headers)
  expect(CLOSED_SET, reported.join('\n')).toContain(response.status)
  expect(response.body.livemode).toBe(false)
  if (response.status < 400) return
  expect(response.body.error).toMatchObject({ type: expect.any(String), code: expect.any(String) })
  expect(response.body.error).toHaveProperty('param')
}

describe.each(await routesOf('POST', 'DELETE'))('no body is an error of ours for %s', (route) => {
  const path = route.split(' ')[1] ?? ''
  // An action can end the object that its path names, or move the clock.
  const [before, after] = /:id|clock/.test(path) ? [beforeEach, afterEach] : [beforeAll, afterAll]
  before(openTwin)
  after(() => twin.close())
  const json = { 'Content-Type': 'application/json' }

  test('as JSON', async () => {
    await fc.assert(
      fc.asyncProperty(jsonOf(path), (body) => responses(route, body, json)),
      { seed: SEED, numRuns: RUNS },
    )
    expect(reported).toEqual([])
  })

  test('as a form', async () => {
    await fc.assert(
      fc.asyncProperty(formOf(path), (body) => responses(route, body, FORM)),
      { seed: SEED, numRuns: RUNS },
    )
    expect(reported).toEqual([])
  })
})

describe('without writes', async () => {
  beforeAll(openTwin)
  afterAll(() => twin.close())

  test.each(await routesOf('GET'))('nothing in the query is an error of ours for %s', async (route) => {
    const path = route.split(' ')[1] ?? ''
    const property = fc.asyncProperty(pairs, async (query) => {
      const target = path.replace(':id', 'unknown')
      const response = await twin.request('GET', `${target}?${encodeURI(query.toWellFormed())}`)
      expect([200, 400, 404], reported.join('\n')).toContain(response.status)
    })
    await fc.assert(property, { seed: SEED, numRuns: RUNS })
  })
})

test('no id in a path causes a 500', async () => {
  await openTwin()
  onTestFinished(() => twin.close())
  const routes = (await routesOf('GET', 'POST', 'DELETE')).filter((route) => route.includes(':id'))
  const id = fc.string({ unit: 'binary', minLength: 1 })
  const property = fc.asyncProperty(fc.constantFrom(...routes), id, async (route, text) => {
    const [method = '', path = ''] = route.split(' ')
    const target = path.replace(':id', encodeURIComponent(text.toWellFormed()))
    const response = await twin.request(method, target, method === 'GET' ? undefined : {})
    expect([400, 404], reported.join('\n')).toContain(response.status)
  })
  await fc.assert(property, { seed: SEED, numRuns: 8 * RUNS })
})
