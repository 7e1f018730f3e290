import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Change } from '../../src/core/change.ts'
import type { Customer } from '../../src/core/customer.ts'
import { apply } from '../../src/engine/machine/apply.ts'
import { KEYFRAME_ENTRIES } from '../../src/store/keyframes.ts'
import { Statement } from '../../src/store/statements.ts'
import { leastProcessorTime } from '../processor-time.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { asOperator, openStream } from './support.ts'

/** More than V8 allows as arguments of one call. */
const UPDATES = 131_000
const A_DAY = UPDATES / 10
const PAGE = 100

let twin: Twin
let customer: Body
/** The days in Unix seconds: the customer is updated A_DAY times at each of these instants. */
const days: number[] = []

/** Creates a customer with very many updates: update n sets the name n. */
beforeAll(async () => {
  twin = await startTwin()
  customer = await twin.post('/v1/customers', { name: 'new' })
  const { engine, merchant } = twin.sandbox
  for (let first = 0; first < UPDATES; first += A_DAY) {
    const { now } = await twin.advance({ by: '1d' })
    days.push(now)
    await engine.command(merchant, null, (unit) => {
      const change = new Change()
      let latest = unit.need('customer', customer.id) as Customer
      for (let n = first; n < first + A_DAY; n += 1) {
        const name = String(n)
        latest = change.update('customer', latest, (before) => ({ ...before, name }), 'customer.updated')
      }
      apply(unit, change)
    })
  }
}, 120_000)
afterAll(() => twin.close())

/** Returns the id of the event of update n. The first event is the creation. */
const eventOf = (n: number): string =>
  twin.sandbox.engine.ids.of(twin.sandbox.merchant.settings.ordinal, 'evt', n + 2)

const namesOf = (events: readonly Body[]) => events.map(({ data }) => data.object.name)
const namesFrom = (first: number, count: number) => Array.from({ length: count }, (_, n) => String(first + n))

/** Counts the rows that the store reads during work. */
async function rowsReadBy<T>(act: () => Promise<T>): Promise<{ result: T; rows: number }> {
  const all = vi.spyOn(Statement.prototype, 'all')
  const get = vi.spyOn(Statement.prototype, 'get')
  try {
    const result = await act()
    const lists = all.mock.results.reduce((sum, { value }) => sum + value.length, 0)
    return { result, rows: lists + get.mock.calls.length }
  } finally {
    all.mockRestore()
    get.mockRestore()
  }
}

/** Reading an event takes a few rows in addition to those of the history. */
const atMost = (events: number) => events * 10 + 2 * KEYFRAME_ENTRIES

describe('of an object that was updated 131,000 times', () => {
  test.each([
    ['newest', UPDATES - PAGE],
    ['middle', UPDATES / 2],
    ['oldest', 0],
  ])('the %s page of events is correct, and as fast as others', async (_where, first) => {
    const path = `/v1/events?limit=${PAGE}&${first + PAGE === UPDATES ? '' : `starting_after=${eventOf(first + PAGE)}`}`
    const { result, rows } = await rowsReadBy(() => twin.get(path))
    expect(namesOf(result.data)).toEqual(namesFrom(first, PAGE).reverse())
    const previous = result.data.map(({ data }: Body) => data.previous_attributes.name)
    expect(previous).toEqual(
      [...namesFrom(first, PAGE - 1).reverse(), first === 0 ? 'new' : String(first - 1)].slice(-PAGE),
    )
    expect(rows).toBeLessThan(atMost(PAGE))
  })

  test('a page backward is correct, and as fast', async () => {
    const { result, rows } = await rowsReadBy(() =>
      twin.get(`/v1/events?limit=${PAGE}&ending_before=${eventOf(0)}`),
    )
    expect(namesOf(result.data)).toEqual(namesFrom(1, PAGE).reverse())
    expect(rows).toBeLessThan(atMost(PAGE))
  })

  test.each([0, 1, UPDATES / 2, UPDATES - 1])('the event of update %i alone is right', async (n) => {
    const { result, rows } = await rowsReadBy(() => twin.get(`/v1/events/${eventOf(n)}`))
    expect(result.data.object.name).toBe(String(n))
    expect(rows).toBeLessThan(atMost(1))
  })

  test('a stream from the beginning costs the same for each event', async () => {
    const count = 2_000
    const { result, rows } = await rowsReadBy(async () => {
      const stream = await openStream(twin, `/v1/events?starting_after=${eventOf(0)}`)
      const taken = await stream.take(count)
      await stream.close()
      return taken.map(({ data }) => data)
    })
    expect(namesOf(result)).toEqual(namesFrom(1, count))
    // A stream reads ahead, in chunks of 50.
    expect(rows).toBeLessThan((atMost(50) * (count + 1_000)) / 50)
  })

  test.each([0, 4, 8])('the customer as of day %i is right, and takes no longer', async (day) => {
    const operator = asOperator(twin)
    const { result, rows } = await rowsReadBy(() =>
      operator('GET', `customers/${customer.id}?limit=${PAGE}&at=${days[day]}`),
    )
    const last = (day + 1) * A_DAY - 1
    expect(result.body.name).toBe(String(last))
    expect(result.body.timeline.happened.data).toHaveLength(PAGE)
    expect(rows).toBeLessThan(atMost(PAGE))
  })

  test.each([
    ['newest first, from the middle', () => `starting_after=${eventOf(UPDATES / 2)}`, UPDATES / 2 - PAGE],
    ['newest first, to the oldest', () => `starting_after=${eventOf(PAGE)}`, 0],
    ['oldest first, from the oldest', () => `ending_before=${eventOf(0)}`, 1],
    ['oldest first, from the middle', () => `ending_before=${eventOf(UPDATES / 2)}`, UPDATES / 2 + 1],
  ])(
    'a page of its events, %s, is correct, and takes about as long as the newest',
    async (_which, cursor, first) => {
      const operator = asOperator(twin)
      const page = (query: string) => operator('GET', `events?object=${customer.id}&limit=${PAGE}&${query}`)
      const { body } = await page(cursor())
      expect(namesOf(body.data)).toEqual(namesFrom(first, PAGE).reverse())
      const newest = await leastProcessorTime(() => page(''))
      // Reading half of the chain takes 40 ms or more.
      const most = newest + 20
      expect(await leastProcessorTime(() => page(cursor()), most)).toBeLessThan(most)
    },
  )
})
