import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Change } from '../../src/core/change.ts'
import type { Customer } from '../../src/core/customer.ts'
import { MAX_PAGE_LENGTH } from '../../src/core/json-text.ts'
import { listAnyEvents } from '../../src/engine/history/any-events.ts'
import { apply } from '../../src/engine/machine/apply.ts'
import { MAX_RESPONSE_LENGTH } from '../../src/http/bounded-text.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { charactersReadBy } from './characters-read.ts'
import { asOperator, idsOf } from './support.ts'

/** The lengths of the names that updates give a customer. An event shows the new name and the one before. */
const LARGE = 500_000
const LENGTHS = [...Array<number>(16).fill(LARGE), 9 * LARGE, LARGE, 10, 10, ...Array<number>(6).fill(LARGE)]
/** Lists, events and their fields beside the names. */
const REST = 20_000

/** Changes fields of a customer to values that the API would refuse. */
async function change(twin: Twin, id: string, fields: Partial<Customer>): Promise<void> {
  const { engine, merchant } = twin.sandbox
  await engine.command(merchant, null, (unit) => {
    const made = new Change()
    const customer = unit.need('customer', id) as Customer
    made.update('customer', customer, (before) => ({ ...before, ...fields }), 'customer.updated')
    apply(unit, made)
  })
}

const rename = (twin: Twin, id: string, name: string) => change(twin, id, { name })

const nameOf = (n: number) => `${n} ${'x'.repeat(LENGTHS[n] ?? 0)}`

describe.each(['paytwin', 'stripe'] as const)('with the dialect %s', (dialect) => {
  let twin: Twin
  let customer: Body
  let lists: Record<string, (query: string) => Promise<Body>>
  beforeAll(async () => {
    twin = await startTwin({ dialect })
    customer = await twin.post('/v1/customers', { name: 'new' })
    for (const n of LENGTHS.keys()) {
      await rename(twin, customer.id, nameOf(n))
      if (n % 5 === 0) await twin.post('/v1/test_helpers/test_clocks', { frozen_time: 1_769_853_600 + n })
    }
    const operator = async (path: string) => (await asOperator(twin)('GET', path)).body
    lists = {
      'a merchant': (query) => twin.get(`/v1/events?${query}`),
      'all merchants': (query) => operator(`events?${query}`),
      'an object': (query) => operator(`events?object=${customer.id}&${query}`),
    }
  })
  afterAll(() => twin.close())

  /** Reads the ids of all events, newest first, with the names that they show. */
  function allEvents(ofCustomer: boolean): string[][] {
    const { engine, merchant } = twin.sandbox
    const filter = { types: [], created: [] }
    return [...listAnyEvents(engine, merchant, filter, { limit: 1_000 })]
      .filter(({ kind }) => !ofCustomer || kind === 'customer')
      .map((event) => [event.id, event.kind === 'test_clock' ? '' : ((event.after as Customer).name ?? '')])
  }
  const shown = (events: readonly Body[]) =>
    events.map(({ id, type, data }) => [id, type.startsWith('customer.') ? data.object.name : ''])

  test.each([
    ['a merchant', false],
    ['all merchants', false],
    ['an object', true],
  ] as const)(
    'pages of events of %s end early, and have each event once in both directions',
    async (which, ofCustomer) => {
      const page = lists[which] as (query: string) => Promise<Body>
      const all = allEvents(ofCustomer)
      const sizes: number[] = []
      const forward: Body[] = []
      for (let more = true; more; ) {
        const cursor = forward.length === 0 ? '' : `&starting_after=${forward.at(-1)?.id}`
        const { data, has_more } = await page(`limit=100${cursor}`)
        forward.push(...data)
        if (data.length > 1) sizes.push(JSON.stringify(data).length)
        more = has_more
      }
      expect(shown(forward)).toEqual(all)
      expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(2 * LARGE)

      const backward = forward.slice(-1)
      for (let more = true; more; ) {
        const { data, has_more } = await page(`limit=100&ending_before=${backward[0]?.id}`)
        backward.unshift(...data)
        if (data.length > 1) sizes.push(JSON.stringify(data).length)
        more = has_more
      }
      expect(shown(backward)).toEqual(all)
      expect(sizes.length).toBeGreaterThan(8)
      expect(Math.max(...sizes)).toBeLessThan(MAX_PAGE_LENGTH + REST)
    },
  )

  test('a page reads no more of the store than it shows', async () => {
    twin.sandbox.engine.store.objects.forget()
    const { result, read } = await charactersReadBy(() => twin.get('/v1/events?limit=100'))
    expect(result).toMatchObject({ has_more: true })
    // Each value is read up to three times: for its event, to undo the event, and as a part of a keyframe.
    expect(read).toBeLessThan(2 * MAX_PAGE_LENGTH)
  })

  test('a stream reads 64 KiB of events at a time, and the last one whole', async () => {
    const [oldest] = allEvents(false).at(-1) ?? []
    const newest = allEvents(false)[0]?.[0] ?? ''
    const { body } = await twin.sandbox.app.request(`/_paytwin/events?starting_after=${oldest}`, {
      headers: {
        Authorization: `Bearer ${twin.sandbox.adminToken}`,
        Accept: 'text/event-stream',
        Host: 'localhost',
      },
    })
    const reader = body?.getReader()
    const ids: string[] = []
    while (ids.at(-1) !== newest) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      expect(done).toBe(false)
      const chunk = new TextDecoder().decode(value)
      expect(chunk.lastIndexOf('event: ')).toBeLessThan(65_536)
      ids.push(...[...chunk.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? ''))
    }
    await reader?.cancel()
    const all = allEvents(false).map(([id]) => id)
    expect(ids).toEqual(all.slice(0, -1).reverse())
  })

  test('a timeline ends early with its newest entries', async () => {
    const operator = asOperator(twin)
    const path = `customers/${customer.id}`
    const { body } = await operator('GET', path)
    const { data, has_more } = body.timeline.happened
    expect(has_more).toBe(true)
    expect(JSON.stringify(data).length).toBeLessThan(MAX_PAGE_LENGTH + REST)
    const names = data.map(({ changes }: Body) => changes.name.to)
    expect(names.length).toBeGreaterThan(1)
    expect(names).toEqual(LENGTHS.map((_, n) => nameOf(n)).slice(-names.length))

    const few = await operator('GET', `${path}?limit=2`)
    expect(few.body.timeline.happened).toMatchObject({ data: data.slice(-2), has_more: true })
  })

  test('a list of large objects ends early', async () => {
    const page = (query: string) => twin.get(`/v1/customers?limit=100${query}`)
    for (let n = 0; n < 12; n += 1) {
      const { id } = await twin.post('/v1/customers', { name: String(n) })
      await rename(twin, id, String(n % 10).repeat(LARGE))
    }
    const first = await page('')
    expect(first).toMatchObject({ has_more: true })
    expect(JSON.stringify(first.data).length).toBeLessThan(MAX_PAGE_LENGTH + REST)
    const rest = await page(`&starting_after=${first.data.at(-1).id}`)
    expect(rest).toMatchObject({ has_more: false })
    expect(new Set(idsOf([...first.data, ...rest.data])).size).toBe(13)
    const before = await page(`&ending_before=${rest.data.at(-1).id}`)
    expect(before).toMatchObject({ has_more: true })
    const all = idsOf([...first.data, ...rest.data])
    expect(idsOf(before.data)).toEqual(all.slice(0, -1).slice(-before.data.length))
  })
})

/** Creates customers whose metadata are large. */
async function createLarge(twin: Twin, count: number, length: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    const { id } = await twin.post('/v1/customers', { name: 'Large' })
    await change(twin, id, { metadata: { large: 'x'.repeat(length) } })
    ids.push(id)
  }
  twin.sandbox.engine.store.objects.forget()
  return ids
}

describe('a list of objects with large values', () => {
  let twin: Twin
  let ids: string[]
  beforeAll(async () => {
    twin = await startTwin()
    ids = await createLarge(twin, 24, LARGE)
    ids.push((await twin.post('/v1/customers', { name: 'Small' })).id)
    ids.reverse()
  })
  afterAll(() => twin.close())

  test.each([
    ['newest first', 'starting_after'],
    ['oldest first', 'ending_before'],
  ])('reads no more of the store than it shows, %s', async (_, cursor) => {
    const from = cursor === 'ending_before' ? ids.at(-1) : ids[0]
    const { result, read } = await charactersReadBy(() =>
      twin.get(`/v1/customers?limit=100&${cursor}=${from}`),
    )
    expect(result).toMatchObject({ has_more: true })
    const length = JSON.stringify(result.data).length
    expect(length).toBeGreaterThan(MAX_PAGE_LENGTH - 2 * LARGE)
    // One more for the cursor.
    expect(read).toBeLessThan(length + LARGE + REST)
  })

  test('has each object once', async () => {
    const found: string[] = []
    for (let more = true; more; ) {
      const cursor = found.length === 0 ? '' : `&starting_after=${found.at(-1)}`
      const { data, has_more } = await twin.get(`/v1/customers?limit=100${cursor}`)
      found.push(...idsOf(data))
      more = has_more
    }
    expect(found).toEqual(ids)
  })

  test('is as long as its limit allows', async () => {
    const { data, has_more } = await twin.get('/v1/customers?limit=3')
    expect(idsOf(data)).toEqual(ids.slice(0, 3))
    expect(has_more).toBe(true)
  })
})

describe('expansions of large objects', () => {
  const EACH = 1_500_000
  let twin: Twin
  beforeAll(async () => {
    twin = await startTwin()
    for (const customer of await createLarge(twin, 40, EACH))
      await twin.post('/v1/payment_intents', { amount: 2000, currency: 'usd', customer })
  })
  afterAll(() => twin.close())

  const list = (query: string) => twin.request('GET', `/v1/payment_intents?${query}&expand[]=data.customer`)

  test('are refused before more of them are read than a response can have', async () => {
    twin.sandbox.engine.store.objects.forget()
    const { result, read } = await charactersReadBy(() => list('limit=100'))
    expect(result.status).toBe(400)
    expect(result.body.error).toMatchObject({
      param: 'expand',
      message:
        'expand adds more than 32 MiB to the response. Expand fewer paths, or request shorter lists with limit',
    })
    expect(read).toBeLessThan(MAX_RESPONSE_LENGTH + EACH + REST)
    expect((await list('limit=20')).body.data).toHaveLength(20)
  })

  test('are refused before the response is written if one object occurs many times', async () => {
    const { data } = await twin.get('/v1/customers?limit=1')
    for (let n = 0; n < 23; n += 1)
      await twin.post('/v1/payment_intents', { amount: 2000, currency: 'usd', customer: data[0].id })
    const write = vi.spyOn(JSON, 'stringify')
    try {
      expect(await list(`customer=${data[0].id}&limit=100`)).toMatchObject({ status: 400 })
      const lengths = write.mock.results.map(({ value }) => value?.length ?? 0)
      expect(Math.max(...lengths)).toBeLessThan(EACH)
    } finally {
      write.mockRestore()
    }
  })
})

test('pages of a search end early too, and have each object once', async () => {
  const twin = await startTwin({ dialect: 'stripe' })
  onTestFinished(() => twin.close())
  const ids = (await createLarge(twin, 12, LARGE)).reverse()
  const found: string[] = []
  let page = ''
  do {
    const query = `query=${encodeURIComponent("name:'Large'")}&limit=100${page}`
    const { result, read } = await charactersReadBy(() => twin.get(`/v1/customers/search?${query}`))
    expect(read).toBeLessThan(MAX_PAGE_LENGTH + LARGE + REST)
    found.push(...idsOf(result.data))
    expect(result.has_more).toBe(result.next_page !== null)
    page = result.has_more ? `&page=${result.next_page}` : ''
  } while (page)
  expect(found).toEqual(ids)
})
