import { expect, test } from 'vitest'
import { createMeter } from '../../src/engine/resources/meter.ts'
import { leastProcessorTime } from '../processor-time.ts'
import { startTwin } from '../twin.ts'

const DAY = 86_400
const NOW = 20_000 * DAY

/** Many events of one instant, as they arrive while a test clock stands. */
const COUNT = 4_000
/** The time to compare each with each is some 1,000 ms of the processor, and the time to read each once some 5 ms. */
const ALLOWED_MS = 150

test('the last of many events of one instant is read without comparing each with each', async () => {
  const twin = await startTwin()
  const { engine, merchant } = twin.sandbox
  const customer = (await twin.post('/v1/customers')).id
  const windows = await engine.command(merchant, null, (unit) => {
    const meter = createMeter(unit, {
      display_name: 'Disk',
      event_name: 'disk',
      default_aggregation: { formula: 'last' },
    }).id
    const { meterEvents } = unit.store
    const add = (n: number, timestamp: number) =>
      meterEvents.add({
        merchant: unit.owner,
        customer,
        meter,
        timestamp,
        created: NOW,
        whole: n,
        fraction: 0,
        identifier: `event-${n}`,
      })
    for (let n = 1; n <= COUNT; n += 1) add(n, NOW)
    add(COUNT + 1, NOW - 1)
    add(COUNT + 2, NOW - DAY)
    const span = { customer, meter, start: 0, end: NOW + DAY }
    expect(meterEvents.windows('last', span, DAY)).toEqual([
      { start: NOW, quantity: BigInt(COUNT) * 10n ** 12n },
      { start: NOW - DAY, quantity: BigInt(COUNT + 1) * 10n ** 12n },
    ])
    // A canceled event does not count.
    meterEvents.cancel(meterEvents.find(unit.owner, `event-${COUNT}`)?.seq ?? 0, NOW)
    expect(meterEvents.windows('last', span, DAY)[0]?.quantity).toBe(BigInt(COUNT - 1) * 10n ** 12n)
    return () => meterEvents.windows('last', span, DAY)
  })
  expect(await leastProcessorTime(windows, ALLOWED_MS)).toBeLessThan(ALLOWED_MS)
  await twin.close()
})
