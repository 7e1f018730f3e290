import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { stopwatch } from '../../../src/engine/machine/clock.ts'
import { Steps } from '../../../src/engine/machine/steps.ts'
import { TimeShares } from '../../../src/engine/machine/time-shares.ts'
import { stopStopwatch } from '../../stopwatch.ts'

type Item = { readonly name: string; readonly isSlow?: boolean }

const ANYBODY = {}

/** Takes so long that a turn has time for one. */
function work(): void {
  for (const end = stopwatch() + 12; stopwatch() < end; );
}

/** Takes items until none waits. @returns their names, in the order in which they are taken */
function takeAll(shares: TimeShares<string, Item>, onTake: (item: Item) => void = () => {}): string[] {
  const taken: string[] = []
  const take = (item: Item) => {
    taken.push(item.name)
    if (item.isSlow) work()
    onTake(item)
  }
  while (shares.takeBriefly(take, () => undefined));
  return taken
}

test('the items of one owner are taken in the order of their arrival, each once', () => {
  const shares = new TimeShares<string, Item>(() => ANYBODY)
  const [first, second] = [{ name: '1' }, { name: '2' }]
  for (const item of [first, second, first]) shares.add('a', item)
  expect(takeAll(shares)).toEqual(['1', '2'])
})

test('owners whose items are slow take turns', () => {
  const shares = new TimeShares<string, Item>(() => ANYBODY)
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) shares.add(name.charAt(0), { name, isSlow: true })
  expect(takeAll(shares)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('the many small items of an owner wait for few slow ones of another', () => {
  const shares = new TimeShares<string, Item>(() => ANYBODY)
  for (let n = 0; n < 20; n += 1) shares.add('a', { name: 'slow', isSlow: true })
  for (let n = 0; n < 1_000; n += 1) shares.add('b', { name: 'small' })
  const taken = takeAll(shares)
  expect(taken).toHaveLength(1_020)
  // One share has time for all of them, unless the process is interrupted.
  expect(taken.slice(0, taken.lastIndexOf('small')).filter((name) => name === 'slow').length).toBeLessThan(10)
})

test('items are added and deleted while others are taken', () => {
  const shares = new TimeShares<string, Item>(() => ANYBODY)
  const [first, second, third] = [{ name: '1' }, { name: '2' }, { name: '3' }]
  for (const item of [first, second]) shares.add('a', item)
  let isFirst = true
  const taken = takeAll(shares, () => {
    if (!isFirst) return
    isFirst = false
    shares.delete('a', second)
    shares.delete('b', third)
    for (const item of [third, first]) shares.add('a', item)
  })
  expect(taken).toEqual(['1', '3', '1'])
})

test('an owner whose items were all deleted has no turn', () => {
  const shares = new TimeShares<string, Item>(() => ANYBODY)
  const item = { name: '1' }
  shares.add('a', item)
  shares.delete('a', item)
  shares.add('b', { name: '2' })
  expect(takeAll(shares)).toEqual(['2'])
  const nothing = () => undefined
  expect(shares.takeBriefly(nothing, nothing)).toBe(false)
})

test('an owner pauses after a long turn, while others take shorter ones', async () => {
  const watch = stopStopwatch()
  const merchants: Record<string, object> = { a: {}, b: {} }
  const turnOf = ({ name }: Item) => merchants[name.charAt(0)] ?? ANYBODY
  const shares = new TimeShares<string, Item>(turnOf, new Steps(30))
  const taken: string[] = []
  const take = ({ name }: Item) => {
    taken.push(name)
    watch.now += name.startsWith('a') ? 100 : 1
  }
  const add = (name: string) => shares.add(name.charAt(0), { name })
  for (const name of ['a1', 'a2', 'b1', 'b2']) add(name)
  const resumed = new Promise<void>((resume) => {
    while (shares.takeBriefly(take, resume));
  })
  expect(taken).toEqual(['a1', 'b1', 'b2'])
  add('b3')
  while (shares.takeBriefly(take, () => undefined));
  expect(taken).toEqual(['a1', 'b1', 'b2', 'b3'])
  watch.now += 100
  await resumed
  for (let turns = 0; turns < 5; turns += 1) {
    shares.takeBriefly(take, () => undefined)
    await turn()
  }
  expect(taken).toEqual(['a1', 'b1', 'b2', 'b3', 'a2'])
})
