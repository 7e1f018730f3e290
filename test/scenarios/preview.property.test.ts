import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addIntervals, SECONDS_PER_DAY } from '../../src/core/calendar.ts'
import { isLong, requested } from '../long.ts'
import { type Body, makeCustomer, makePrice, startTwin, type Twin, type TwinResponse } from '../twin.ts'
import { at, nowOf } from './story.ts'

const RUNS = requested('rounds', isLong ? 400 : 25)
/** The seed of the suite, the given one, or a new one, which fast-check prints if a preview is wrong. */
const SEED = requested('seed', isLong ? Date.now() : 20_260_416)

const NOW = at('2026-04-01T00:00:00Z')

/** All rows of all tables, also the counters of ids. */
function rowsOf({ sandbox }: Twin): unknown {
  const { statements } = sandbox.engine.store
  const read = (name: string, query: string) =>
    statements.named(`all of ${name}`, (db) => ({ compile: () => sql.raw(query).compile(db) })).all({})
  const tables = read('tables', "select name from sqlite_master where type = 'table'") as { name: string }[]
  return tables.map(({ name }) => [name, read(name, `select * from "${name}"`)])
}

/** Previews an invoice, and checks that nothing is written. */
async function preview(twin: Twin, params: Body): Promise<TwinResponse> {
  const before = rowsOf(twin)
  const response = await twin.request('POST', '/v1/invoices/create_preview', params)
  expect(rowsOf(twin)).toEqual(before)
  return response
}

/** What a preview has to show of an invoice. Items of subscriptions are left out: those that are added get other ids. */
const essenceOf = ({ lines, ...invoice }: Body) => ({
  ...Object.fromEntries(
    [
      ...['customer', 'currency', 'collection_method', 'billing_reason', 'created', 'period_start'],
      ...['period_end', 'subtotal', 'total', 'amount_due', 'starting_balance'],
      ...['applied_balance', 'description', 'metadata', 'test_clock'],
    ].map((name) => [name, invoice[name]]),
  ),
  lines: lines.data.map((line: Body) =>
    ['amount', 'description', 'unit_amount', 'quantity', 'price', 'proration', 'period', 'currency'].map(
      (name) => line[name],
    ),
  ),
})

const newestInvoice = async (twin: Twin): Promise<Body | undefined> =>
  (await twin.get('/v1/invoices?limit=1')).data[0]

/** The invoice that follows another one, now or within two years; undefined if there is none. */
async function invoiceAfter(twin: Twin, last: string | undefined): Promise<Body | undefined> {
  const made = async () => {
    const newest = await newestInvoice(twin)
    return newest?.id === last ? undefined : newest
  }
  const now = await made()
  if (now) return now
  await twin.advance({ by: '2y', stop_on: ['invoice.created'] })
  return made()
}

/** Does what was previewed, and checks that the preview had the same invoice, or the same error. */
async function compare(twin: Twin, previewed: TwinResponse, act: () => Promise<TwinResponse>): Promise<void> {
  const last = (await newestInvoice(twin))?.id
  const done = await act()
  if (done.status >= 300) {
    expect(previewed.status).toBe(done.status)
    const { param, ...error } = previewed.body.error
    const name = (param as string).replace(/^subscription_details\[(\w+)\]/, '$1')
    expect({ ...error, param: name }).toEqual(done.body.error)
    return
  }
  const invoice = await invoiceAfter(twin, last)
  if (!invoice) {
    expect(previewed).toMatchObject({ status: 400, body: { error: { code: 'invalid_state_transition' } } })
    return
  }
  expect(previewed).toMatchObject({ status: 200, body: { id: null, status: 'draft', number: null } })
  // An invoice that was issued is compared with the one that is previewed before its collection.
  expect(essenceOf(previewed.body)).toEqual(essenceOf(invoice))
}

const amounts = fc.constantFrom(0, 1, 999, 2000, 9_999)

const items = fc.array(
  fc.record(
    {
      which: fc.constantFrom('first', 'first', 'second', 'new'),
      price: fc.constantFrom('pro', 'max', 'free', 'yearly'),
      quantity: fc.integer({ min: 0, max: 5 }),
      deleted: fc.constant(true),
    },
    { requiredKeys: ['which'] },
  ),
  { minLength: 1, maxLength: 2 },
)

const changes = fc.record(
  {
    items,
    proration_behavior: fc.constantFrom('none', 'create_prorations', 'always_invoice'),
    proration_date: fc.integer({ min: -1, max: 40 * SECONDS_PER_DAY }),
    billing_cycle_anchor: fc.constantFrom('now', 'unchanged'),
    trial_end: fc.oneof(fc.constant('now'), fc.integer({ min: 0, max: 60 * SECONDS_PER_DAY })),
    cancel_at: fc.integer({ min: 0, max: 70 * SECONDS_PER_DAY }),
    cancel_at_period_end: fc.boolean(),
  },
  { requiredKeys: [] },
)

const stories = fc.record({
  amount: amounts,
  quantity: fc.integer({ min: 1, max: 3 }),
  begun: fc.constantFrom<Body>(
    {},
    {},
    {},
    { trial_period_days: 20 },
    { collection_method: 'send_invoice' },
    {
      billing_cycle_anchor: NOW + 17 * SECONDS_PER_DAY,
    },
  ),
  /** A change before that waits for the next invoice. */
  earlier: fc.option(fc.constantFrom('pro', 'free')),
  balance: fc.constantFrom(0, 0, -700, 300),
  paused: fc.option(fc.constantFrom('void', 'keep_as_draft', 'mark_uncollectible'), { freq: 5 }),
  isDeclined: fc.boolean(),
  seconds: fc.integer({ min: 0, max: 16 * SECONDS_PER_DAY }),
  change: fc.oneof({ weight: 5, arbitrary: changes }, { weight: 1, arbitrary: fc.constant(null) }),
  cancels: fc.option(fc.constantFrom('none', 'create_prorations'), { freq: 5 }),
})
type Story = typeof stories extends fc.Arbitrary<infer Value> ? Value : never

async function begin(story: Story) {
  const twin = await startTwin({ now: '2026-04-01T00:00:00Z' })
  const prices: Body = {
    pro: (await makePrice(twin, { unit_amount: 5000, nickname: 'Pro' })).id,
    max: (await makePrice(twin, { unit_amount: 9001, nickname: 'Max' })).id,
    free: (await makePrice(twin, { unit_amount: 0 })).id,
    yearly: (await makePrice(twin, { unit_amount: 20_000, recurring: { interval: 'year' } })).id,
    basic: (await makePrice(twin, { unit_amount: story.amount, nickname: 'Basic' })).id,
    extra: (await makePrice(twin, { unit_amount: 333 })).id,
  }
  const { customer, method } = await makeCustomer(twin, {
    outcomes: ['succeed', story.isDeclined ? 'decline:insufficient_funds' : 'succeed'],
  })
  return { twin, prices, customer, method }
}

test('a preview shows the invoice of doing it, and writes nothing', async () => {
  const property = fc.asyncProperty(stories, async (story) => {
    const { twin, prices, customer, method } = await begin(story)
    try {
      const subscription = await twin.post('/v1/subscriptions', {
        ...{ customer: customer.id, currency: 'usd', default_payment_method: method.id },
        items: [{ price: prices.basic, quantity: story.quantity }, { price: prices.extra }],
        ...story.begun,
      })
      const path = `/v1/subscriptions/${subscription.id}`
      const [first, second] = subscription.items.data
      if (story.balance !== 0)
        await twin.post(`/v1/customers/${customer.id}/balance_transactions`, {
          ...{ amount: story.balance, currency: 'usd' },
        })
      await twin.advance({ to: NOW + 1 + Math.floor(story.seconds / 2) })
      if (story.earlier !== null)
        await twin.post(path, {
          items: [{ id: first.id, price: prices[story.earlier] }],
          proration_behavior: 'create_prorations',
        })
      if (story.paused !== null)
        await twin.post(path, { pause_collection: { behavior: story.paused, resumes_at: null } })
      await twin.advance({ to: NOW + 2 + story.seconds })
      const now = await nowOf(twin)

      if (story.cancels !== null) {
        const previewed = await preview(twin, {
          subscription: subscription.id,
          subscription_details: { cancel_now: true, proration_behavior: story.cancels },
        })
        const prorate = story.cancels !== 'none'
        await compare(twin, previewed, () => twin.request('DELETE', path, { prorate, invoice_now: true }))
        return
      }
      const { items: given, proration_date, trial_end, cancel_at, ...others } = story.change ?? {}
      const change = {
        ...others,
        ...(given && {
          items: given.map(({ which, price, ...item }) => ({
            ...item,
            ...(price !== undefined && { price: prices[price] }),
            ...(which !== 'new' && { id: (which === 'first' ? first : second).id }),
          })),
        }),
        ...(proration_date !== undefined && { proration_date: NOW + proration_date }),
        ...(trial_end !== undefined && { trial_end: trial_end === 'now' ? trial_end : now + trial_end }),
        ...(cancel_at !== undefined && { cancel_at: now + cancel_at }),
      }
      const previewed = await preview(twin, {
        subscription: subscription.id,
        ...(story.change && { subscription_details: change }),
      })
      await compare(twin, previewed, () => twin.request('POST', path, change))
    } finally {
      await twin.close()
    }
  })
  await fc.assert(property, { seed: SEED, numRuns: RUNS })
}, 600_000)

const creations = fc.record(
  {
    trial_end: fc.oneof(fc.constant('now'), fc.integer({ min: 0, max: 60 * SECONDS_PER_DAY })),
    billing_cycle_anchor: fc.integer({ min: 0, max: 33 * SECONDS_PER_DAY }),
    proration_behavior: fc.constantFrom('none', 'create_prorations'),
  },
  { requiredKeys: [] },
)

test('a preview of a new subscription shows its first invoice, and writes nothing', async () => {
  const property = fc.asyncProperty(stories, creations, async (story, creation) => {
    const { twin, prices, customer, method } = await begin(story)
    try {
      if (story.balance !== 0)
        await twin.post(`/v1/customers/${customer.id}/balance_transactions`, {
          ...{ amount: story.balance, currency: 'usd' },
        })
      const { trial_end, billing_cycle_anchor, proration_behavior } = creation
      const details = {
        items: [{ price: prices.basic, quantity: story.quantity }, { price: prices.pro }],
        ...(trial_end !== undefined && { trial_end: trial_end === 'now' ? trial_end : NOW + trial_end }),
        ...(billing_cycle_anchor !== undefined && { billing_cycle_anchor: NOW + billing_cycle_anchor }),
        ...(proration_behavior && { proration_behavior }),
      }
      const previewed = await preview(twin, { customer: customer.id, subscription_details: details })
      if (previewed.status === 400 && typeof trial_end === 'number' && billing_cycle_anchor !== undefined) {
        expect(previewed.body.error.param).toBe('subscription_details[billing_cycle_anchor]')
        return
      }
      await compare(twin, previewed, () =>
        twin.request('POST', '/v1/subscriptions', {
          ...{ customer: customer.id, currency: 'usd', default_payment_method: method.id },
          ...details,
        }),
      )
    } finally {
      await twin.close()
    }
  })
  await fc.assert(property, { seed: SEED, numRuns: RUNS })
}, 600_000)

test('a preview of a new subscription has no ids of what does not exist', async () => {
  const twin = await startTwin({ now: '2026-04-01T00:00:00Z' })
  try {
    const { customer } = await makeCustomer(twin)
    const { id: price } = await makePrice(twin, { currency: 'eur' })
    const shown = await twin.post('/v1/invoices/create_preview', {
      customer: customer.id,
      subscription_details: { items: [{ price }], billing_cycle_anchor: addIntervals(NOW, MONTH, 1) },
    })
    expect(shown).toMatchObject({ subscription: null, currency: 'eur', payment_intent: null, charge: null })
    expect(shown.lines.data).toMatchObject([
      { subscription_item: null, invoice_item: null, amount: 2000, proration: true },
    ])
  } finally {
    await twin.close()
  }
})

const MONTH = { interval: 'month', interval_count: 1 } as const
