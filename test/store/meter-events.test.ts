import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createMeter } from '../../src/engine/resources/meter.ts'
import type { MeterEventTable } from '../../src/store/meter-events.ts'
import { blocksOf } from '../../src/store/usage-cache.ts'
import { leastProcessorTime } from '../processor-time.ts'
import { startTwin, type Twin } from '../twin.ts'

const HOUR = 3_600
const DAY = 86_400
const NOW = 20_000 * DAY
const UNIT = 10n ** 12n

/** Many events of one instant, as they arrive while a test clock stands. */
const COUNT = 4_000

let twin: Twin
let customer: string
let events: MeterEventTable
beforeEach(async () => {
  twin = await startTwin()
  customer = (await twin.post('/v1/customers')).id
  events = twin.sandbox.engine.store.meterEvents
})
afterEach(() => twin.close())

/** Creates a meter and writes events, as one command. */
const report = (formula: 'sum' | 'count' | 'last', timestamps: readonly number[]): Promise<string> =>
  twin.sandbox.engine.command(twin.sandbox.merchant, null, (unit) => {
    const meter = createMeter(unit, {
      ...{ display_name: 'Disk', event_name: 'disk', default_aggregation: { formula } },
    }).id
    for (const [index, timestamp] of timestamps.entries())
      unit.store.meterEvents.add({
        ...{ merchant: unit.owner, customer, meter, timestamp, created: NOW },
        ...{ whole: index + 1, fraction: 0, identifier: `event-${index + 1}` },
      })
    return meter
  })

const cancel = (identifier: string, before = () => {}) =>
  twin.sandbox.engine.command(twin.sandbox.merchant, null, (unit) => {
    const { meterEvents } = unit.store
    meterEvents.cancel(meterEvents.find(unit.owner, identifier)?.seq ?? 0, NOW)
    before()
  })

const atNow = Array.from({ length: COUNT }, () => NOW)

describe('the windows of a span', () => {
  const days = { seconds: DAY, limit: 10, order: 'newest first' } as const

  test('have the last event of each, without comparing each with each', async () => {
    const meter = await report('last', [...atNow, NOW - 1, NOW - DAY])
    const span = { customer, meter, start: 0, end: NOW + DAY }
    expect(events.windows('last', span, days)).toEqual([
      { start: NOW, quantity: BigInt(COUNT) * UNIT },
      { start: NOW - DAY, quantity: BigInt(COUNT + 1) * UNIT },
    ])
    // A canceled event does not count.
    await cancel(`event-${COUNT}`)
    expect(events.windows('last', span, days)[0]?.quantity).toBe(BigInt(COUNT - 1) * UNIT)
    // To compare each with each takes some 1,000 ms of the processor, to read each once some 5 ms.
    expect(await leastProcessorTime(() => events.windows('last', span, days), 150)).toBeLessThan(150)
  })

  test('are read in both orders, up to a limit, and without the events of other windows', async () => {
    const meter = await report('count', [NOW, NOW + 1, NOW - HOUR, NOW - 30 * HOUR, NOW - 31 * HOUR])
    const span = { customer, meter, start: NOW - 31 * HOUR, end: NOW + HOUR }
    const read = (limit: number, order: 'newest first' | 'oldest first') =>
      events
        .windows('count', span, { seconds: HOUR, limit, order })
        .map(({ start, quantity }) => `${(start - NOW) / HOUR}: ${quantity / UNIT}`)
    expect(read(10, 'newest first')).toEqual(['0: 2', '-1: 1', '-30: 1', '-31: 1'])
    expect(read(2, 'newest first')).toEqual(['0: 2', '-1: 1'])
    expect(read(3, 'oldest first')).toEqual(['-31: 1', '-30: 1', '-1: 1'])
  })

  test('cost what the windows of the page cost, however many there are', async () => {
    const every = Array.from({ length: 20_000 }, (_, hour) => NOW - hour * HOUR)
    const meter = await report('sum', every)
    const page = (start: number) => () => {
      events.forget()
      return events.windows(
        ...(['sum', { customer, meter, start, end: NOW + HOUR }] as const),
        ...([{ seconds: HOUR, limit: 11, order: 'newest first' }] as const),
      )
    }
    expect(page(0)()).toHaveLength(11)
    // To read all windows takes some 15 ms.
    expect(await leastProcessorTime(page(0), 3)).toBeLessThan(3)
  })
})

describe('an aggregate', () => {
  /** Instants between which many spans begin and end. */
  const SPREAD = 5_000
  const START = NOW - SPREAD
  const spread = Array.from({ length: COUNT }, (_, index) => START + ((index * 7_919) % SPREAD))

  test.each(['sum', 'count', 'last'] as const)(
    'of many events is that of each %s, whatever was asked before',
    async (formula) => {
      const meter = await report(formula, spread)
      const expected = (start: number, end: number) => {
        const inSpan = spread
          .map((timestamp, index) => ({ timestamp, value: index + 1 }))
          .filter(({ timestamp }) => timestamp >= start && timestamp < end)
          .sort((left, right) => left.timestamp - right.timestamp || left.value - right.value)
        const sum = inSpan.reduce((total, { value }) => total + value, 0)
        return { sum, count: inSpan.length, last: inSpan.at(-1)?.value ?? 0 }[formula]
      }
      for (let index = 0; index < 40; index += 1) {
        const start = START + ((index * 541) % 2_000)
        const end = start + 1 + ((index * 1_301) % 3_000)
        const read = events.aggregate(formula, { customer, meter, start, end })
        expect([start, end, read / UNIT]).toEqual([start, end, BigInt(expected(start, end))])
      }
    },
  )

  test('counts an event that is added or canceled after it was read', async () => {
    const meter = await report('sum', atNow)
    const span = { customer, meter, start: NOW - 5, end: NOW + 5 }
    const sum = (BigInt(COUNT) * BigInt(COUNT + 1)) / 2n
    const read = () => [events.aggregate('sum', span), events.aggregate('sum', { ...span, end: NOW + 6 })]
    expect(read()).toEqual([sum * UNIT, sum * UNIT])
    await cancel('event-1')
    expect(read()).toEqual([(sum - 1n) * UNIT, (sum - 1n) * UNIT])
  })

  test('that was read before a rollback is read again', async () => {
    const meter = await report('sum', [NOW, NOW])
    const span = { customer, meter, start: NOW, end: NOW + 5 }
    const refused = cancel('event-2', () => {
      expect(events.aggregate('sum', span)).toBe(1n * UNIT)
      throw new Error('refused')
    })
    await expect(refused).rejects.toThrow('refused')
    expect(events.aggregate('sum', span)).toBe(3n * UNIT)
  })

  test.each(['counted', 'canceled'])('of many spans reads each %s event a few times', async (which) => {
    const meter = await report('sum', atNow)
    if (which === 'canceled')
      await twin.sandbox.engine.command(twin.sandbox.merchant, null, ({ store: { meterEvents }, owner }) => {
        for (const [index] of atNow.entries())
          meterEvents.cancel(meterEvents.find(owner, `event-${index + 1}`)?.seq ?? 0, NOW)
      })
    const read = () => {
      events.forget()
      for (let n = 0; n < 400; n += 1)
        events.aggregate('sum', { customer, meter, start: NOW - 15 * DAY - n, end: NOW + 15 * DAY + n })
    }
    // To read all events for each span takes some 400 ms.
    expect(await leastProcessorTime(read, 100)).toBeLessThan(100)
  })
})

test('a span is divided into blocks of powers of two', () => {
  const texts = blocksOf({ start: 5, end: 22 }).map(({ start, end }) => `${start}-${end}`)
  expect(texts).toEqual(['5-6', '6-8', '8-16', '16-20', '20-22'])
  expect(blocksOf({ start: 8, end: 16 })).toHaveLength(1)
  expect(blocksOf({ start: 4, end: 4 })).toEqual([])
})
