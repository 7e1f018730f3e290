import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { KEYFRAME_ENTRIES, Keyframes } from '../../src/store/keyframes.ts'
import { Statement } from '../../src/store/statements.ts'
import { makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'

const UPDATES = 24
const START = 1_900_000_000
/** The length of a change as JSON, at least. */
const LARGE = 6 * 25_000

let twin: Twin
/** The number of keyframes that the updates added. */
let keyframes = 0

/** The phases after an update: the metadata of their items is as large as it can be. */
const phasesOf = (prices: readonly string[], update: number) => {
  const value = `${update} `.padEnd(500, 'x')
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key_${n}`, value]))
  const items = prices.map((price) => ({ price, metadata }))
  return [{ start_date: START, iterations: 1, items }]
}

/** Creates a schedule, and replaces large values of it many times. */
beforeAll(async () => {
  twin = await startTwin()
  const { customer } = await makeCustomer(twin)
  const prices: string[] = []
  for (let n = 0; n < 6; n += 1) prices.push((await makePrice(twin)).id)
  const path = '/v1/subscription_schedules'
  const { id } = await twin.post(path, {
    customer: customer.id,
    start_date: START,
    phases: phasesOf(prices, 0).map(({ start_date: _, ...phase }) => phase),
  })
  const add = vi.spyOn(Keyframes.prototype, 'add')
  for (let update = 1; update <= UPDATES; update += 1)
    await twin.post(`${path}/${id}`, { phases: phasesOf(prices, update) })
  keyframes = add.mock.calls.length
  add.mockRestore()
}, 60_000)
afterAll(() => twin.close())

/** Counts the characters of the rows that the store reads during work. */
async function charactersReadBy(act: () => Promise<unknown>): Promise<number> {
  const all = vi.spyOn(Statement.prototype, 'all')
  const get = vi.spyOn(Statement.prototype, 'get')
  try {
    await act()
    return [...all.mock.results, ...get.mock.results].reduce(
      (sum, { value }) => sum + (JSON.stringify(value)?.length ?? 0),
      0,
    )
  } finally {
    all.mockRestore()
    get.mockRestore()
  }
}

test('an event is shown without undoing many large changes that are newer', async () => {
  let cursor = ''
  for (let update = UPDATES; update > 0; update -= 1) {
    const read = await charactersReadBy(async () => {
      const { data } = await twin.get(`/v1/events?limit=1${cursor && `&starting_after=${cursor}`}`)
      const [event] = data
      expect(event.type).toBe('subscription_schedule.updated')
      const valueIn = (state: { phases: { items: { metadata: { key_0: string } }[] }[] }) =>
        state.phases[0]?.items[0]?.metadata.key_0.trim().split(' ')[0]
      expect([valueIn(event.data.object), valueIn(event.data.previous_attributes)]).toEqual([
        String(update),
        String(update - 1),
      ])
      cursor = event.id
    })
    // The states of a few entries, each as text and as the object that was read from it.
    expect(read).toBeLessThan(12 * LARGE)
  }
})

test('few large changes have a keyframe, which is as large', () => {
  expect(keyframes).toBeGreaterThan(0)
  expect(keyframes).toBeLessThanOrEqual(UPDATES / 4)
})

test('an event is shown without undoing many changes of medium size', async () => {
  const own = await startTwin()
  onTestFinished(() => own.close())
  const { id } = await own.post('/v1/customers', { name: 'Medium' })
  for (let update = 0; update < KEYFRAME_ENTRIES - 2; update += 1) {
    const value = `${update} `.padEnd(500, 'x')
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key_${n}`, value]))
    await own.post(`/v1/customers/${id}`, { metadata })
  }
  own.sandbox.engine.store.objects.forget()
  const { data } = await own.get('/v1/events?limit=1&type=customer.created')
  const read = await charactersReadBy(async () => {
    expect((await own.get(`/v1/events/${data[0].id}`)).data.object).toMatchObject({ id, metadata: {} })
  })
  expect(read).toBeLessThan(1024 * 1024)
})
