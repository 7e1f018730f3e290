import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { Change } from '../../src/core/change.ts'
import { MAX_PAGE_LENGTH } from '../../src/core/json-text.ts'
import type { Subscription } from '../../src/core/subscription.ts'
import { apply } from '../../src/engine/machine/apply.ts'
import { type Body, makePrice, startTwin, type Twin } from '../twin.ts'
import { charactersReadBy } from './characters-read.ts'
import { enlarge } from './enlarge.ts'
import { asOperator, idsOf } from './support.ts'

const LARGE = 1_500_000
const COUNT = 12

describe.each([
  ['rows', [LARGE]],
  ['keyframes', [LARGE, 0]],
  ['replaced values', [100_000, 200_000, 300_000, 400_000, 0]],
] as const)('events of customers that were small, with large %s', (_, lengths) => {
  let twin: Twin
  let created: string[]
  beforeAll(async () => {
    twin = await startTwin()
    for (let n = 0; n < COUNT; n += 1) await twin.post('/v1/customers', { name: `${n}` })
    const customers = idsOf((await twin.get('/v1/customers?limit=100')).data)
    created = idsOf((await twin.get('/v1/events?type=customer.created&limit=100')).data)
    for (const id of customers) for (const length of lengths) await enlarge(twin, 'customer', id, { length })
    twin.sandbox.engine.store.objects.forget()
  })
  afterAll(() => twin.close())

  test.each(['merchant', 'operator'] as const)(
    'end a page of the %s before much more is read than a page may have, and are each in one page',
    async (reader) => {
      const operator = asOperator(twin)
      const page = async (query: string): Promise<Body> =>
        reader === 'merchant'
          ? twin.get(`/v1/events?${query}`)
          : (await operator('GET', `events?${query}`)).body
      const found: string[] = []
      for (let more = true; more; ) {
        const cursor = found.length === 0 ? '' : `&starting_after=${found.at(-1)}`
        const query = `type=customer.created&limit=100${cursor}`
        const { result, read, together } = await charactersReadBy(() => page(query))
        expect(result.data.length).toBeGreaterThan(0)
        expect(read).toBeLessThan(2 * MAX_PAGE_LENGTH)
        expect(together).toBeLessThan(MAX_PAGE_LENGTH)
        found.push(...idsOf(result.data))
        more = result.has_more
      }
      expect(found).toEqual(created)
    },
  )
})

test('events of upcoming invoices end a page early, too', async () => {
  const twin = await startTwin()
  onTestFinished(() => twin.close())
  const { engine, merchant } = twin.sandbox
  const customer = await twin.post('/v1/customers')
  const price = await makePrice(twin)
  const made = await twin.post('/v1/subscriptions', {
    ...{ customer: customer.id, currency: 'usd', collection_method: 'send_invoice', days_until_due: 30 },
    items: [{ price: price.id }],
  })
  const [invoice] = (await twin.get('/v1/invoices')).data
  await engine.command(merchant, null, (unit) => {
    for (let n = 0; n < COUNT; n += 1) {
      const change = new Change()
      const preview = { ...unit.need('invoice', invoice.id), description: 'x'.repeat(LARGE) }
      const rule = (before: Subscription) => ({ ...before, description: `${n}` })
      const announced = { event: 'invoice.upcoming', preview } as const
      change.announce('subscription', unit.need('subscription', made.id), rule, announced)
      apply(unit, change)
    }
  })
  const page = () => twin.get('/v1/events?type=invoice.upcoming&limit=100')
  const { result, read } = await charactersReadBy(page)
  expect([result.data.length > 0, result.has_more]).toEqual([true, true])
  expect(read).toBeLessThan(2 * MAX_PAGE_LENGTH)
})
