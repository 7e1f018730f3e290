import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Change } from '../../src/core/change.ts'
import { MAX_PAGE_LENGTH } from '../../src/core/json-text.ts'
import type { Kind, Objects } from '../../src/core/kinds.ts'
import { apply } from '../../src/engine/machine/apply.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { charactersReadBy } from './characters-read.ts'
import { idsOf } from './support.ts'

/** The length of each object beside an entry. */
const LARGE = 500_000
const COUNT = 12
/** What the entries of a page and their other objects have in all. */
const REST = 100_000
/** The last version whose lines have whole prices. */
const OLD = { 'Stripe-Version': '2024-06-20' }

const large = { large: 'x'.repeat(LARGE) }

/** Changes fields of an object to values that the API would refuse. */
async function change<K extends Kind>(
  twin: Twin,
  kind: K,
  id: string,
  fields: (before: Objects[K]) => Partial<Objects[K]>,
): Promise<void> {
  const { engine, merchant } = twin.sandbox
  await engine.command(merchant, null, (unit) => {
    const made = new Change()
    const object = unit.need(kind, id)
    made.update(kind, object, (before) => ({ ...before, ...fields(before) }))
    apply(unit, made)
  })
}

const enlarge = (twin: Twin, kind: 'price' | 'charge', id: string) =>
  change(twin, kind, id, () => ({ metadata: large }))

/** Reads all pages of a list, and checks that each ends early and that they have each entry once, in both directions. */
async function expectShortPages(twin: Twin, path: string, headers: Record<string, string> = {}) {
  const all: string[] = []
  const sizes: number[] = []
  const list = async (cursor: string) => {
    twin.sandbox.engine.store.objects.forget()
    const { result, read } = await charactersReadBy(() =>
      twin.request('GET', `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`, undefined, headers),
    )
    expect(result.status).toBe(200)
    // The page, and the object that crosses the limit. Cursors are found with their objects, which are small.
    expect(read).toBeLessThan(MAX_PAGE_LENGTH + 2 * LARGE + REST)
    expect(JSON.stringify(result.body.data).length).toBeLessThan(MAX_PAGE_LENGTH + 2 * LARGE + REST)
    sizes.push(result.body.data.length)
    return result.body
  }
  for (let more = true; more; ) {
    const { data, has_more } = await list(all.length === 0 ? '' : `&starting_after=${all.at(-1)}`)
    all.push(...idsOf(data))
    more = has_more
  }
  expect(new Set(all).size).toBe(all.length)
  expect(all).toHaveLength(COUNT)
  expect(sizes.length).toBeGreaterThan(1)
  const { data, has_more } = await list(`&ending_before=${all.at(-1)}`)
  expect(has_more).toBe(true)
  expect(idsOf(data)).toEqual(all.slice(0, -1).slice(-data.length))
}

/** Runs work for each of the entries of a list, one after the other. */
async function times<T>(make: (n: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let n = 0; n < COUNT; n += 1) made.push(await make(n))
  return made
}

describe('a page of Stripe objects ends early if large objects are read for its entries', () => {
  let twin: Twin
  let customer: string
  let product: string
  beforeAll(async () => {
    twin = await startTwin({ dialect: 'stripe' })
    customer = (await twin.post('/v1/customers', { payment_method: 'pm_card_visa' })).id
    const [card] = (await twin.get(`/v1/customers/${customer}/payment_methods`)).data
    await twin.post(`/v1/customers/${customer}`, { invoice_settings: { default_payment_method: card.id } })
    product = (await twin.post('/v1/products', { name: 'Pro' })).id
  })
  afterAll(() => twin.close())

  const priceOf = (params: Body = {}) =>
    twin.post('/v1/prices', { product, currency: 'usd', unit_amount: 2000, ...params })

  const ownerOfDrafts = async (): Promise<string> => (await twin.post('/v1/customers', {})).id

  /** Creates a draft with one line. */
  async function draft(owner: string, price: string): Promise<Body> {
    const invoice = await twin.post('/v1/invoices', { customer: owner, auto_advance: false })
    await twin.post('/v1/invoiceitems', { customer: owner, invoice: invoice.id, pricing: { price } })
    return invoice
  }

  test('subscriptions of invoices', async () => {
    const price = await priceOf({ recurring: { interval: 'month' } })
    await times(async () => {
      const { id } = await twin.post('/v1/subscriptions', { customer, items: [{ price: price.id }] })
      await change(twin, 'subscription', id, ({ items }) => ({
        items: items.map((item) => ({ ...item, metadata: large })),
      }))
    })
    await expectShortPages(twin, `/v1/invoices?customer=${customer}`)
  })

  test('prices and products of the lines of invoices, and of invoice items', async () => {
    const owner = await ownerOfDrafts()
    await times(async () => {
      const made = await twin.post('/v1/prices', {
        product_data: { name: 'Basic' },
        currency: 'usd',
        unit_amount: 500,
      })
      await draft(owner, made.id)
      await enlarge(twin, 'price', made.id)
    })
    for (const headers of [{}, OLD]) {
      await expectShortPages(twin, `/v1/invoices?customer=${owner}`, headers)
      await expectShortPages(twin, `/v1/invoiceitems?customer=${owner}`, headers)
    }
  })

  test('charges of refunds', async () => {
    await times(async () => {
      const payment = { amount: 500, currency: 'usd', payment_method: 'pm_card_visa', confirm: true }
      const { latest_charge } = await twin.post('/v1/payment_intents', payment)
      await twin.post('/v1/refunds', { charge: latest_charge })
      await enlarge(twin, 'charge', latest_charge)
    })
    await expectShortPages(twin, '/v1/refunds')
  })

  test('one price that an older version shows in each line, and that is read once', async () => {
    const owner = await ownerOfDrafts()
    const { id } = await priceOf()
    const drafts = await times(() => draft(owner, id))
    await enlarge(twin, 'price', id)
    const { data, has_more } = await twin.get(`/v1/invoices?customer=${owner}&limit=100`)
    expect(idsOf(data)).toEqual(drafts.map((invoice) => invoice.id).reverse())
    expect(has_more).toBe(false)
    await expectShortPages(twin, `/v1/invoices?customer=${owner}`, OLD)
    const { body } = await twin.request('GET', `/v1/invoices?customer=${owner}&limit=2`, undefined, OLD)
    expect(body.data[0].lines.data[0].price.metadata).toEqual(large)
  })
})
