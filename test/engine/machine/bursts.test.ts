import { afterEach, beforeEach, expect, test } from 'vitest'
import { IdempotencyKeys } from '../../../src/engine/access/idempotency.ts'
import { nextTurn } from '../../../src/engine/machine/gate.ts'
import { createMerchant } from '../../../src/engine/resources/merchant.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { SnapshotsInMemory } from '../../../src/store/snapshots-in-memory.ts'
import { Store } from '../../../src/store/store.ts'
import { startTwin, type Twin } from '../../twin.ts'

/** A turn takes 10 to 50 ms, and a margin for compilation and garbage collection. */
const MAX_TURN_MS = 120

/** The merchant whose turn it takes to read responses. */
const owner = {}

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(() => twin.close())

/** Returns the longest processor time of a turn of the event loop until all work is done, in milliseconds. */
async function longestTurn(work: Promise<unknown>[]): Promise<number> {
  let isDone = false
  const done = Promise.all(work).then(() => {
    isDone = true
  })
  let longest = 0
  while (!isDone) {
    const before = process.cpuUsage()
    await nextTurn()
    const { user, system } = process.cpuUsage(before)
    longest = Math.max(longest, (user + system) / 1_000)
  }
  await done
  return longest
}

function work(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

test('commands that arrive together run in order, in turns of limited time', async () => {
  const { engine, merchant } = twin.sandbox
  const order: number[] = []
  const commands = Array.from({ length: 120 }, (_, index) =>
    engine.command(merchant, null, () => {
      order.push(index)
      work(5)
    }),
  )
  expect(await longestTurn(commands)).toBeLessThan(MAX_TURN_MS)
  expect(order).toEqual(commands.map((_, index) => index))
})

test('commands that waited for an advance run in order, in turns of limited time', async () => {
  const { engine, merchant } = twin.sandbox
  const order: number[] = []
  // The first response of a kind takes longer.
  await twin.advance({ by: '1d' })
  const advance = twin.advance({ by: '1d' })
  while (merchant.held.size === 0) await nextTurn()
  const commands = Array.from({ length: 120 }, (_, index) =>
    engine.command(merchant, null, () => {
      order.push(index)
      work(5)
    }),
  )
  expect(await longestTurn([advance, ...commands])).toBeLessThan(MAX_TURN_MS)
  expect(order).toEqual(commands.map((_, index) => index))
})

test('a command that arrives while others wait for their turn runs after them', async () => {
  const { engine, merchant } = twin.sandbox
  const order: string[] = []
  const command = (name: string) =>
    engine.command(merchant, null, () => {
      order.push(name)
      work(30)
    })
  const early = [command('first'), command('second'), command('third')]
  await early[0]
  await Promise.all([command('late'), ...early])
  expect(order).toEqual(['first', 'second', 'third', 'late'])
})

test('the commands of one merchant do not delay those of another one or of the operator', async () => {
  const { engine, merchant } = twin.sandbox
  const other = await createMerchant(engine, { name: 'Other', clock: merchant.clock.now })
  const order: string[] = []
  const make = (name: string) => () => {
    order.push(name)
    work(5)
  }
  const many = Array.from({ length: 60 }, () => engine.command(merchant, null, make('many')))
  const others = [engine.command(other, null, make('other')), engine.operatorCommand(make('operator'))]
  await Promise.all([...many, ...others])
  expect(order.slice(0, 3)).toEqual(['many', 'other', 'operator'])
})

test('many requests that wait for one idempotency key are admitted in order, in turns of limited time', async () => {
  const database = await openDatabase(':memory:', 'normal')
  const store = new Store(database, new SnapshotsInMemory(database))
  const keys = new IdempotencyKeys(store, () => 0)
  const order: number[] = []
  const requests = Array.from({ length: 8_000 }, async (_, index) => {
    const entry = await keys.acquire({ scope: 'merchant', key: 'key', owner })
    order.push(index)
    entry.release()
  })
  expect(await longestTurn(requests)).toBeLessThan(MAX_TURN_MS)
  expect(order).toEqual(requests.map((_, index) => index))
  store.close()
})

test('requests that wait for many idempotency keys are admitted in turns of limited time', async () => {
  const database = await openDatabase(':memory:', 'normal')
  const store = new Store(database, new SnapshotsInMemory(database))
  const keys = new IdempotencyKeys(store, () => 0)
  const names = Array.from({ length: 60 }, (_, n) => `key ${n}`)
  const held = await Promise.all(names.map((name) => keys.acquire({ scope: 'merchant', key: name, owner })))
  const waiting = names.map(async (name) => {
    const entry = await keys.acquire({ scope: 'merchant', key: name, owner })
    work(5)
    entry.release()
  })
  for (const entry of held) entry.release()
  expect(await longestTurn(waiting)).toBeLessThan(MAX_TURN_MS)
  store.close()
})
