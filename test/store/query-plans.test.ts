import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { KINDS } from '../../src/core/kinds.ts'
import { FORMULAS } from '../../src/core/meter.ts'
import { openSandbox, type Sandbox } from '../../src/daemon/sandbox.ts'
import { recordExamples } from '../../src/http/openapi/story.ts'
import type { Registered } from '../../src/http/route.ts'
import { BLOCK_ROWS } from '../../src/store/blocks.ts'
import { openDatabase } from '../../src/store/database.ts'
import { KEYFRAME_ENTRIES } from '../../src/store/keyframes.ts'
import type { Filter } from '../../src/store/list-query.ts'
import type { StoredToken } from '../../src/store/oauth.ts'
import { type Body, startTwin } from '../twin.ts'
import { type Known, listRequests, type Played } from './list-requests.ts'
import { withJournal } from './statement-journals.ts'

const NOW = 1_769_853_600
const KEY = 'sk_test_51SecretSecretSecretSecretSe'
type Database = Awaited<ReturnType<typeof openDatabase>>

/** Statements that scan a table or sort, with the reason why that is acceptable. */
const ON_PURPOSE: Readonly<Record<string, string>> = {
  'sum charges by day': 'groups the newest charges of a merchant, at most 10,000',
  merchants: 'a start reads all merchants',
  keys: 'a start reads all keys',
  'forget other keys': 'a reset; keys are few',
  'resume live clocks': 'a restore, which writes far more',
  'remove jobs of a kind': 'a restore, which writes far more',
  'discard all ready deliveries': 'a restore; the index has only ready deliveries',
  'discard all waiting deliveries': 'a restore; the index has only waiting deliveries',
  'counter sum': 'a handful of counters for each merchant',
  'oauth apps': 'apps are made by hand',
  'remove oauth tokens of app': 'an app is deleted by hand, with all its tokens',
}

/** The same for statements whose names vary. */
const ON_PURPOSE_BY_PATTERN: readonly [RegExp, string][] = [
  [/^events true newest first \d+ true true$/, 'a page of all merchants: the newest rows of the journal'],
  [/^(open invoices|owed) of /, 'sorts or groups the open invoices of one customer'],
  [/^sums of (customer|subscription) at$/, 'groups the invoices of one customer that were open'],
  [/^next due subscriptions /, 'sorts the running subscriptions of one customer'],
  [/^amounts of /, 'groups the next 1,000 charges, refunds or disputes of a merchant for its balance'],
  [/^sum up /, 'groups the rows of one block, which are few'],
  [/^(draft|open) of customer at$/, 'sorts the ids of the invoices of one customer that were in a state'],
  [/^items waiting at$/, 'sorts the ids of the invoice items of one customer that waited'],
  [/^past of (customer|subscription|invoice) /, 'sorts the objects of one customer, subscription or invoice'],
  [
    /^list (subscription|invoice|payment_intent) (?=.*customer in)/,
    'sorts the objects of up to 200 customers',
  ],
  [/^list webhook_delivery (?=.*event in)/, 'sorts the deliveries of up to a hundred events'],
  [/^list product (?=.*id in)/, 'sorts up to a hundred products'],
  [/^list price id in/, 'sorts the prices of a portal configuration, up to a thousand'],
  [/^list price (?=.*lookup_key in)/, 'sorts the prices of up to a hundred keys'],
]

/** Statements with a journal of their own, with the reason why that is acceptable. */
const WITH_JOURNAL: Readonly<Record<string, string>> = {}

/** Conditions of lists that no index has: the index that is used, and the columns by which the rows that it selects are skipped. */
const SKIPPING: readonly string[] = Object.entries({
  // An invoice, a charge, a payment, an event, a lookup key or a code has few of these objects.
  charge_payment_intent: ['customer'],
  credit_note_invoice: ['customer'],
  dispute_charge: ['payment_intent'],
  invoice_item_invoice: ['customer'],
  price_lookup_key: ['active', 'currency', 'product'],
  promotion_code_active: ['coupon', 'customer'],
  promotion_code_key: ['active', 'coupon', 'customer'],
  refund_charge: ['payment_intent'],
  webhook_delivery_by_event: ['endpoint'],
  // A customer, a subscription, a product or a coupon has at most thousands of these objects in most tests.
  invoice_customer: ['number', 'status'],
  invoice_item_customer: ['invoice'],
  invoice_item_waiting: ['billed_with'],
  // No invoice of a subscription can be deleted.
  invoice_subscription: ['customer', 'deleted', 'status'],
  payment_method_customer: ['type'],
  price_product: ['active', 'currency'],
  price_product_active: ['currency'],
  promotion_code_coupon: ['active'],
  promotion_code_customer: ['active', 'coupon'],
  subscription_customer: ['collection_method', 'price', 'status'],
  subscription_not_canceled: ['collection_method', 'price'],
  subscription_schedule_customer: ['canceled_at', 'completed_at', 'released_at', 'status'],
  // These read the rows of a merchant that they skip: see docs/threat-model.md.
  invoice_item_merchant: ['invoice'],
  invoice_merchant: ['collection_method', 'due_date', 'payment_intent'],
  price_active: ['currency', 'recurring'],
  price_currency: ['active'],
  subscription_collection: ['status'],
  subscription_present: ['current_period_end', 'current_period_start', 'test_clock'],
  subscription_schedule_merchant: ['canceled_at', 'completed_at', 'released_at'],
  subscription_schedule_status: ['canceled_at', 'completed_at', 'released_at'],
  subscription_status: ['collection_method'],
  price_use: ['collection_method', 'status'],
  // These are the prices of a portal configuration.
  sqlite_autoindex_price_1: ['product', 'recurring'],
}).flatMap(([index, columns]) => columns.map((column) => `${index}: ${column}`))

const isOnPurpose = (name: string): boolean =>
  name in ON_PURPOSE || ON_PURPOSE_BY_PATTERN.some(([pattern]) => pattern.test(name))

/** All statements that the program prepares, by name. Their plans are read from a separate database. */
const texts = new Map<string, string>()
let database: Database

beforeAll(async () => {
  const twin = await startTwin()
  await recordExamples(twin.sandbox.routes, ({ strictParams }) =>
    openExampleSandbox(twin.sandbox.routes, strictParams),
  )
  await twin.close()
  database = await openDatabase(':memory:', 'normal')
})
afterAll(() => database.close())

const EXPIRED_TOKEN: Omit<StoredToken, 'seq' | 'merchant' | 'generation'> = {
  hash: Buffer.from('token'),
  kind: 'access',
  authorization: 1,
  app: 'app',
  scope: 'read_only',
  status: 'active',
  expires: 0,
}

/** A sandbox that plays the usual story and requests all lists before its state is removed. */
async function openExampleSandbox(routes: readonly Registered[], strictParams: boolean) {
  const send = async () => ({ status: strictParams ? 500 : 200, body: '' })
  const wall = () => NOW * 1_000
  const options = { clock: NOW, seed: '1', secretKey: KEY, wall, send, strictParams }
  const sandbox = await openSandbox({ database: ':memory:', ...options })
  const played: Played[] = []
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    if (path === '/_paytwin/snapshots' && init.method === 'POST') {
      const known = await makeMore(sandbox, played)
      const ask = (url: string) => responseOf(sandbox, url)
      await askForLists(sandbox, listRequests(routes, played, known, ask))
    }
    if (init.method === 'GET') played.push({ path: path.split('?')[0] ?? '' })
    return sandbox.app.request(path, init)
  }
  const close = async () => {
    await sandbox.doHousekeeping()
    const { engine, merchant } = sandbox
    const { ordinal, generation } = merchant.settings
    const { oauth, oauthExpiry } = engine.store
    await engine.operatorCommand(() => {
      oauth.addToken({ ...EXPIRED_TOKEN, merchant: ordinal, generation })
      oauthExpiry.deleteTokens(generation, NOW)
      oauthExpiry.deleteCodes(generation, NOW)
      oauthExpiry.expireAt(NOW, { generation, shown: NOW })
    })
    for (const [name, sql] of sandbox.engine.store.statements.texts) texts.set(name, sql)
    await sandbox.close()
  }
  return { request, secretKey: KEY, adminToken: sandbox.adminToken, close }
}

/** What the story has deleted by then. */
async function makeMore(sandbox: Sandbox, played: Played[]): Promise<Known> {
  const { body: endpoint } = await responseOf(sandbox, '/v1/webhook_endpoints', {
    url: 'http://localhost/',
    enabled_events: ['*'],
  })
  const { body: clock } = await responseOf(sandbox, '/v1/test_helpers/test_clocks', { frozen_time: NOW })
  const { body: customer } = await responseOf(sandbox, '/v1/customers', { test_clock: clock.id })
  await responseOf(sandbox, `/v1/customers/${customer.id}`, { invoice_prefix: 'PLANS123' })
  // Blocks are summarized when they are full.
  for (let n = 0; n < BLOCK_ROWS; n += 1) await responseOf(sandbox, '/v1/customers', {})
  await changePrice(sandbox)
  await changeOften(sandbox)
  const merchant = sandbox.merchant.settings.id
  await responseOf(sandbox, '/_paytwin/trigger', { type: 'invoice.upcoming', merchant })
  // The second change replaces values that lists of events leave out at first.
  for (const value of ['a'.repeat(490), 'b']) {
    const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`key_${n}`, value]))
    await responseOf(sandbox, `/v1/customers/${customer.id}`, { metadata })
  }
  askForRarities(sandbox)
  for (const path of ['/v1/webhook_endpoints', '/_paytwin/webhooks'])
    played.push({ path: `${path}/${endpoint.id}/deliveries` })
  return { merchant, test_clock: clock.id, object: customer.id }
}

async function changePrice(sandbox: Sandbox): Promise<void> {
  const [subscription] = (await responseOf(sandbox, '/v1/subscriptions?limit=1')).body.data
  const { body: price } = await responseOf(sandbox, '/v1/prices', {
    unit_amount: 900,
    currency: subscription.currency,
    recurring: { interval: 'month' },
  })
  const { id } = subscription.items.data[0]
  // The second change reads the items that the first one left for the next invoice.
  for (const item of [
    { id, price: price.id },
    { id, quantity: 2 },
  ]) {
    const params = { items: [item], proration_behavior: 'create_prorations' }
    const { status } = await responseOf(sandbox, `/v1/subscriptions/${subscription.id}`, params)
    if (status !== 200) throw new Error('a subscription has another price')
  }
}

/** Changes an object until it has a keyframe, and reads a page of its events before that. */
async function changeOften(sandbox: Sandbox): Promise<void> {
  const { body: product } = await responseOf(sandbox, '/v1/products', { name: 'Plan' })
  for (let n = 0; n < KEYFRAME_ENTRIES; n += 1)
    await responseOf(sandbox, `/v1/products/${product.id}`, { name: `Plan ${n}` })
  await responseOf(sandbox, '/v1/events?type=product.updated&limit=100')
}

const PRESENT_OF_CUSTOMER: Filter[] = [
  { field: 'customer', is: '' },
  { field: 'status', isNot: 'canceled' },
  { field: 'status', isNot: 'incomplete_expired' },
]

/**
 * Runs the statements for a failing receiver, a browser decision, a killed process, a repeated key, and a customer in
 * debt.
 */
function askForRarities({ engine: { store } }: Sandbox): void {
  const job = { due: 0, kind: 'webhook_retry', subscription: null, object: '' } as const
  store.jobs.find(0, job)
  store.jobs.remove(0, job)
  store.jobs.removeOf(0, 'webhook_retry', ['one'])
  store.oauth.authorizationOfNonce(Buffer.alloc(32))
  store.oauthExpiry.deleteUnanswered('app_none')
  store.idempotency.has('', '')
  store.idempotency.remove({ scope: '', key: '' })
  store.clocks.at(0)
  store.fixtureNames.find('customer', 'ada')
  const span = { customer: '', meter: '', start: 0, end: 1 }
  for (const formula of FORMULAS) {
    store.meterEvents.aggregate(formula, span)
    for (const order of ['newest first', 'oldest first'] as const)
      store.meterEvents.windows(formula, span, { seconds: 3_600, limit: 1, order })
  }
  store.journal.numberAt(0, 1)
  store.clockEvents.headAt(0, 1)
  const chain = { kind: 'invoice', object: 1, newestEntry: 1, types: [], created: [], limit: 1 } as const
  store.journal.eventsOfObject({ ...chain, order: 'oldest first' })
  store.journal.eventsOfObject({ ...chain, order: 'oldest first', types: ['invoice.created'] })
  for (const [kind, column] of [
    ['customer', 'email'],
    ['price', 'lookup_key'],
  ] as const)
    store.search
      .list(
        kind,
        0,
        { joined: 'and', clauses: [{ operand: { column }, comparison: { same: 'x' }, isNegated: false }] },
        { limit: 1 },
      )
      .next()
  store.deliveries.isRefused('evt_1')
  store.deliveries.newestSeq()
  askForClockEvents(store)
  for (const kind of ['subscription', 'invoice', 'payment_intent'] as const) {
    const shown = kind === 'invoice' ? [{ field: 'deleted', is: 0 }] : []
    for (const filter of [{ text: 'ada' }, { field: 'customer', isIn: ['cus_1'] }])
      store.objects.list(kind, 0, [...shown, filter], { limit: 1 })
  }
  store.objects.list('customer', 0, [{ field: 'deleted', is: 0 }, { text: 'ada' }], { limit: 1 })
  store.objects.list(
    'invoice',
    0,
    [
      { field: 'deleted', is: 0 },
      { field: 'customer', is: 'cus_1' },
      { field: 'number', is: 'A-1' },
    ],
    { limit: 1 },
  )
  store.deliveries.list(0, [{ field: 'event', isIn: ['evt_1'] }], { limit: 1 })
  for (const filter of [
    { field: 'status', isLiteral: 'failed' },
    { field: 'event', is: 'evt_1' },
  ])
    store.deliveries.list(0, [{ field: 'endpoint', is: '' }, filter], { limit: 1 })
  store.objects.countDefaulted('', 1)
  store.objects.hasPaid('')
  store.objects.releaseItems('')
  store.objects.markReplacedItems({ id: '', current_period_start: 0 })
  store.invoiceCredits.holderOf('', '')
  for (const kind of ['charge', 'refund', 'dispute'] as const) store.objects.countAmounts(kind, 0).next()
  store.billedPeriods.delete('')
  store.meterEvents.removeOf('')
  store.objects.invoicePlans('')
  store.objects.nextFinalization('')
  store.objects.countOutstanding({ customer: '', subscription: '' }, 1)
  for (const kind of KINDS) store.objects.load(kind, 0, ['one', 'another'])
  store.objects.expect({ customers: ['one', 'another'], subscriptions: ['one', 'another'] })
  store.objects.countOutstanding({ customer: 'one' }, 1)
  store.objects.hasLooseItems('one')
  store.objects.hasLooseItems('three')
  store.objects.itemsReadAhead('one')
  // The customer portal lists these.
  store.objects.list('subscription', 0, PRESENT_OF_CUSTOMER, { limit: 1 })
  // Only Stripe's API lists these.
  for (const field of [[], ['customer'], ['payment_method']]) {
    const filters = field.map((name) => ({ field: name, is: '' }))
    store.objects.list('setup_intent', 0, filters, { limit: 1 })
  }
  const ofSessions = ['customer', 'payment_intent', 'setup_intent', 'subscription', 'details_email', 'status']
  for (const field of ofSessions) store.objects.list('checkout_session', 0, [{ field, is: '' }], { limit: 1 })
  store.objects.list('checkout_session', 0, [], { limit: 1 })
  for (const kind of ['billing_portal_configuration', 'billing_portal_session'] as const)
    store.objects.list(kind, 0, [], { limit: 1 })
  store.objects.list('billing_portal_configuration', 0, [{ field: 'is_default', is: 1 }], { limit: 1 })
  for (const isNull of [true, false])
    for (const active of [[], [{ field: 'active', is: 1 }]])
      store.objects.list('price', 0, [{ field: 'recurring', isNull }, ...active], { limit: 1 })
  store.objects.list('product', 0, [{ field: 'id', isIn: ['prod_1'] }], { limit: 1 })
  const ofProduct: Filter[] = [
    { field: 'product', is: '' },
    { field: 'recurring', isNull: false },
  ]
  for (const filters of [[], ofProduct])
    store.objects.ids('price', 0, [{ field: 'id', isIn: ['price_1'] }, ...filters], { limit: 1 })
  const invoices: Filter[][] = [
    [{ field: 'collection_method', is: '' }],
    [{ field: 'due_date', compare: '>', to: 0 }],
    [{ field: 'payment_intent', isNull: false }],
  ]
  store.objects.list('subscription', 0, [{ holdsItem: '' }], { limit: 1 })
  for (const filters of invoices)
    store.objects.list('invoice', 0, [{ field: 'deleted', is: 0 }, ...filters], { limit: 1 })
  for (const filter of [
    { field: 'test_clock', is: '' },
    { field: 'current_period_start', compare: '>', to: 0 },
    { field: 'current_period_end', compare: '>', to: 0 },
  ] as const)
    store.objects.list('subscription', 0, [{ field: 'status', isNot: 'canceled' }, filter], { limit: 1 })
}

/** Only merchants with Stripe's API have events of test clocks. */
function askForClockEvents({ clockEvents, journal }: Sandbox['engine']['store']): void {
  const clock = { id: 'clock_1', created: NOW, name: null, now: NOW, target: null }
  const type = 'test_helpers.test_clock.created'
  const event = { merchant: 0, type, created: NOW, clock, api_version: 0 } as const
  const request = { request: null, idempotency_key: null }
  // Blocks are summarized when they are full.
  for (let number = 1; number <= BLOCK_ROWS; number += 1)
    clockEvents.add({ ...event, ...request, number }, { number: 0, entry: journal.head(null) })
  clockEvents.event(0, 1)
  for (const merchant of [null, 0])
    for (const order of ['newest first', 'oldest first'] as const)
      for (const types of [[], [type]] as const)
        clockEvents.events({ merchant, types, created: [], limit: 1000, order, below: 1, above: 0 })
}

async function responseOf({ app, adminToken }: Sandbox, path: string, given?: object) {
  const token = path.startsWith('/_paytwin') ? adminToken : KEY
  const headers = {
    Host: 'localhost',
    Authorization: `Bearer ${token}`,
    ...(given && { 'Content-Type': 'application/json' }),
  }
  const response = await app.request(path, {
    headers,
    ...(given && { method: 'POST', body: JSON.stringify(given) }),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

async function askForLists(sandbox: Sandbox, requests: AsyncIterable<string>): Promise<void> {
  for await (const path of requests) {
    const { status, body } = await responseOf(sandbox, path)
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  }
}

const planOf = (sql: string, asked = database): string[] => {
  const nothing = (sql.match(/\?/g) ?? []).map(() => null)
  const rows = asked.prepare(`explain query plan ${sql}`).all(...nothing) as { detail: string }[]
  return rows.map(({ detail }) => detail)
}

/** Lists the conditions by which a statement looks up rows in an index that covers it. */
const lookupsIn = (sql: string, index: string): string[] =>
  planOf(sql).flatMap((step) => new RegExp(`USING COVERING INDEX ${index} \\((.*)\\)`).exec(step)?.[1] ?? [])

const tables = (): string[] =>
  database.prepare("select name from sqlite_schema where type = 'table'").pluck().all() as string[]

/** Lists the steps of a plan whose time grows with the number of rows. */
const slowStepsOf = (plan: readonly string[]): string[] => {
  const scans = new Set(tables().map((table) => `SCAN ${table}`))
  return plan.filter(
    (step) => step.startsWith('USE TEMP B-TREE') || scans.has(step.split(' ').slice(0, 2).join(' ')),
  )
}

const slowNames = (asked = database): string[] =>
  [...texts].filter(([, sql]) => slowStepsOf(planOf(sql, asked)).length > 0).map(([name]) => name)

/** A database with the statistics of a million rows of each of two merchants, who have most rows of every value. */
async function withStatistics(): Promise<Database> {
  const other = await openDatabase(':memory:', 'normal')
  other.exec('analyze')
  const indexes = other
    .prepare("select tbl_name, name from sqlite_schema where type = 'index' and sql is not null")
    .all() as { tbl_name: string; name: string }[]
  for (const { tbl_name, name } of indexes) {
    const columns = other.prepare('select name from pragma_index_info(?)').pluck().all(name)
    const equal = columns.map((column, place) => (column === 'merchant' && place === 0 ? 500_000 : 4))
    other
      .prepare('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)')
      .run(tbl_name, name, [1_000_000, ...equal].join(' '))
  }
  other.exec('analyze sqlite_schema')
  return other
}

describe('the statements that the program prepares', () => {
  test('use an index and do not sort, except for the listed ones', () => {
    expect(slowNames().filter((name) => !isOnPurpose(name))).toEqual([])
  })

  test('have no journal of their own, which takes time for each page that their command has changed', async () => {
    const writing = new Map([...texts].filter(([, sql]) => /^(insert|replace|update|delete)/.test(sql)))
    expect(writing.size).toBeGreaterThan(80)
    const path = join(mkdtempSync(join(tmpdir(), 'paytwin-test-')), 'paytwin.db')
    onTestFinished(() => rmSync(dirname(path), { recursive: true }))
    const two = ['two rows', 'insert into page (text) values (1), (2)'] as const
    const [known, ...found] = await withJournal(path, new Map([two, ...writing]))
    expect(known).toBe('two rows')
    expect(found.filter((name) => !(name in WITH_JOURNAL))).toEqual([])
    expect(Object.keys(WITH_JOURNAL).filter((name) => !found.includes(name))).toEqual([])
  })

  test('have equally good plans with statistics, which the program never creates', async () => {
    const other = await withStatistics()
    expect(slowNames(other).filter((name) => !isOnPurpose(name))).toEqual([])
    other.close()
  })

  test('that are listed as slow are slow', () => {
    const slow = slowNames()
    expect(Object.keys(ON_PURPOSE).filter((name) => !slow.includes(name))).toEqual([])
    expect(ON_PURPOSE_BY_PATTERN.filter(([pattern]) => !slow.some((name) => pattern.test(name)))).toEqual([])
  })

  test('are all covered', () => {
    const folder = new URL('../../src/store/', import.meta.url)
    const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'))
    const named = sources.flatMap((name) => namesIn(readFileSync(new URL(name, folder), 'utf8')))
    expect(named.length).toBeGreaterThan(80)
    const missing = named.filter((pattern) => ![...texts.keys()].some((name) => pattern.test(name)))
    expect(missing).toEqual([])
  })

  test('that sum up, sort or count open invoices read only an index, because the rows can be long', () => {
    const asked = [...texts].filter(([name]) => /^(open invoices|owed|outstanding|defaulted) of /.test(name))
    expect(asked.length).toBeGreaterThan(6)
    const reading = asked.filter(
      ([, sql]) => !planOf(sql).some((step) => step.includes('USING COVERING INDEX')),
    )
    expect(reading.map(([name]) => name)).toEqual([])
  })

  test('that read objects by id use the index of the ids, not that of the merchant', () => {
    const byId = [...texts].filter(([, sql]) => /where (?!.*\bor\b).*"?\bid"? (?:= \?|in \()/.test(sql))
    expect(byId.length).toBeGreaterThan(KINDS.length)
    const other = byId.filter(([, sql]) => !planOf(sql).some((step) => /\((?:row)?id=\?\)/.test(step)))
    expect(other.map(([name]) => name)).toEqual([])
  })

  test('that find a job read no others of its subscription or object', () => {
    const plans = [...texts]
      .filter(([name]) => /^(find|remove) job( of no subscription)?$/.test(name))
      .map(([name, sql]) => [name, planOf(sql)])
    const ofSubscription =
      'SEARCH job USING PRIMARY KEY (clock=? AND due=? AND subscription=? AND position=? AND object=?)'
    const ofNone = 'SEARCH job USING INDEX job_object (object=? AND clock=? AND due=?)'
    expect(Object.fromEntries(plans)).toEqual({
      'find job': [ofSubscription],
      'find job of no subscription': [ofNone],
      'remove job': [ofSubscription],
      'remove job of no subscription': [ofNone],
    })
  })

  test('that count the pending deliveries of events read an index of these alone', () => {
    const plans = [...texts]
      .filter(([name]) => / deliveries of (an event|events)$/.test(name))
      .map(([name, sql]) => [name, planOf(sql).filter((step) => step.includes('webhook_delivery'))])
    const pending = 'SEARCH webhook_delivery USING COVERING INDEX webhook_delivery_pending (event=?)'
    expect(Object.fromEntries(plans)).toEqual({
      'pending deliveries of an event': [pending],
      'pending deliveries of events': [pending],
      'refused deliveries of an event': [
        'SEARCH webhook_delivery USING INDEX webhook_delivery_pending (event=? AND attempt_count>?)',
      ],
    })
  })

  test('that find the endpoints with ready deliveries skip the further deliveries of each', () => {
    const plan = planOf(texts.get('endpoints with ready deliveries') ?? '')
    const index = 'USING COVERING INDEX webhook_delivery_ready'
    expect(plan.filter((step) => step.includes('webhook_delivery'))).toEqual([
      `SEARCH webhook_delivery ${index}`,
      `SEARCH webhook_delivery ${index} (endpoint>?)`,
      'SEARCH webhook_delivery USING INDEX webhook_delivery_ready (endpoint=?)',
    ])
  })

  test('that count outstanding and defaulted invoices read no others', () => {
    const plans = [...texts]
      .filter(([name]) => /^(outstanding|defaulted) of /.test(name))
      .map(([name, sql]) => [name.replace(/ to \d+$/, ''), lookupsIn(sql, 'invoice_outstanding_by_attempt')])
    expect(Object.fromEntries(plans)).toEqual({
      'outstanding of customer': ['customer=?'],
      'outstanding of subscription': ['customer=? AND attempted=? AND overdue=? AND subscription=?'],
      'defaulted of customer': ['customer=? AND attempted=? AND overdue=?'],
    })
  })

  test('that read the subscriptions of a customer that have not ended read no others', () => {
    const names =
      /^(billed currency|ids of subscription of customer|next due subscriptions|list subscription (?=.*not 'incomplete_expired'))/
    const plans = [...texts]
      .filter(([name]) => names.test(name))
      .map(([, sql]) => planOf(sql).filter((step) => step.includes('customer=?')))
    expect(plans.length).toBeGreaterThan(3)
    for (const [step] of plans)
      expect(step).toMatch(
        /^SEARCH subscription USING (COVERING )?INDEX subscription_not_ended \(customer=\?\)$/,
      )
  })

  test('that read the pending items of a currency read no others', () => {
    const plans = [...texts]
      .filter(([name]) => /^list invoice_item (?=.*currency =)/.test(name))
      .map(([, sql]) => planOf(sql))
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans)
      expect(plan).toEqual([
        'SEARCH invoice_item USING INDEX invoice_item_to_bill (customer=? AND currency=? AND rowid>?)',
      ])
  })

  test.each(FORMULAS)(
    'that read the usage of a period as its %s read the index of usage alone',
    (formula) => {
      const [plan, ...others] = [...texts]
        .filter(([name]) => name === `usage ${formula}`)
        .map(([, sql]) => planOf(sql))
      expect(others).toEqual([])
      expect(plan).toEqual([
        'SEARCH meter_event USING COVERING INDEX meter_event_usage (customer=? AND meter=? AND timestamp>? AND timestamp<?)',
      ])
    },
  )

  test('are recognized as slow when they scan', () => {
    expect(slowStepsOf(planOf("select * from invoice where description = 'x'"))).toEqual(['SCAN invoice'])
    expect(slowStepsOf(planOf('select * from charge where customer = 1 order by amount'))).toEqual([
      'USE TEMP B-TREE FOR ORDER BY',
    ])
  })

  test('that list objects read no rows that they skip, except for the listed filters', () => {
    const skipping = [...texts]
      .filter(([name]) => name.startsWith('list '))
      .flatMap(([, sql]) => skippedBy(sql))
    expect([...new Set(skipping)].sort()).toEqual([...SKIPPING].sort())
  })

  test('use every index', () => {
    const used = new Set([...texts.values()].flatMap((sql) => planOf(sql).flatMap(indexOf)))
    const indexes = database
      .prepare("select name from sqlite_schema where type = 'index' and sql is not null")
      .pluck()
      .all() as string[]
    expect(indexes.filter((name) => !used.has(name))).toEqual([])
  })
})

/** Lists the columns of a list's conditions that its index does not have, after the name of the index. */
function skippedBy(sql: string): string[] {
  const [, index = ''] = /(?:indexed by|from) "(\w+)" (?:where|cross)/.exec(sql) ?? []
  const columns = database.prepare('select name from pragma_index_info(?)').pluck().all(index) as string[]
  const text = String(
    database.prepare('select sql from sqlite_schema where name = ?').pluck().get(index) ?? index,
  )
  const [, condition = ''] = / where (.*)$/s.exec(text) ?? []
  const asked = [...sql.replace(/^.*? where /s, '').matchAll(/"(\w+)"\."(\w+)" (?:[=<>]|in|is)/g)]
  return asked
    .map(([, , column = '']) => column)
    .filter((column) => !columns.includes(column) && !condition.includes(column) && !EVERYWHERE.has(column))
    .map((column) => `${index}: ${column}`)
}

/** The owner of the objects, and the bounds of the page. */
const EVERYWHERE: ReadonlySet<string> = new Set(['merchant', 'seq', 'created'])

const indexOf = (step: string): string[] => /USING (?:COVERING )?INDEX (\w+)/.exec(step)?.slice(1) ?? []

/** The names that a source file gives its statements, as patterns: a template may contain anything. */
function namesIn(source: string): RegExp[] {
  const names = source.matchAll(
    /\.named(?:<[^(]*>)?\(\s*(?:[^'`(,]*\?\s*)?(?:'([^']+)'(?:\s*:\s*'([^']+)')?|`([^`]+)`)/g,
  )
  return [...names].flatMap(([, name, other, template]) =>
    [name, other, template?.replace(/\$\{.*$/, '')]
      .filter((text) => text !== undefined)
      .map((text) => new RegExp(`^${text}${text === name || text === other ? '$' : ''}`)),
  )
}
