import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Change } from '../../src/core/change.ts'
import type { Customer } from '../../src/core/customer.ts'
import { MAX_PAGE_LENGTH } from '../../src/core/json-text.ts'
import { listAnyEvents } from '../../src/engine/history/any-events.ts'
import { apply } from '../../src/engine/machine/apply.ts'
import { Statement } from '../../src/store/statements.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { asOperator, idsOf } from './support.ts'

/** The lengths of the names that updates give a customer. An event shows the new name and the one before. */
const LARGE = 500_000
const LENGTHS = [...Array<number>(16).fill(LARGE), 9 * LARGE, LARGE, 10, 10, ...Array<number>(6).fill(LARGE)]
/** Lists, events and their fields beside the names. */
const REST = 20_000

async function rename(twin: Twin, id: string, name: string): Promise<void> {
  const { engine, merchant } = twin.sandbox
  await engine.command(merchant, null, (unit) => {
    const change = new Change()
    const customer = unit.need('customer', id) as Customer
    change.update('customer', customer, (before) => ({ ...before, name }), 'customer.updated')
    apply(unit, change)
  })
}

const nameOf = (n: number) => `${n} ${'x'.repeat(LENGTHS[n] ?? 0)}`

/** Counts the characters of the texts that the store reads during work. */
async function charactersReadBy<T>(act: () => Promise<T>): Promise<{ result: T; read: number }> {
  const spies = [vi.spyOn(Statement.prototype, 'all'), vi.spyOn(Statement.prototype, 'get')]
  try {
    const result = await act()
    const texts = spies
      .flatMap(({ mock }) => mock.results.flatMap(({ value }) => value ?? []))
      .flatMap((row: object) => Object.values(row))
      .filter((value) => typeof value === 'string')
    return { result, read: texts.reduce((sum, { length }) => sum + length, 0) }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

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
    // Each value is read twice: once for its event, and once to undo the event.
    expect(read).toBeLessThan(1.5 * MAX_PAGE_LENGTH)
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
