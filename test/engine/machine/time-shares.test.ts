import { expect, test } from 'vitest'
import { stopwatch } from '../../../src/engine/machine/clock.ts'
import { TimeShares } from '../../../src/engine/machine/time-shares.ts'

type Item = { readonly name: string; readonly isSlow?: boolean }

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
  while (shares.takeBriefly(take));
  return taken
}

test('the items of one owner are taken in the order of their arrival, each once', () => {
  const shares = new TimeShares<string, Item>()
  const [first, second] = [{ name: '1' }, { name: '2' }]
  for (const item of [first, second, first]) shares.add('a', item)
  expect(takeAll(shares)).toEqual(['1', '2'])
})

test('owners whose items are slow take turns', () => {
  const shares = new TimeShares<string, Item>()
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) shares.add(name.charAt(0), { name, isSlow: true })
  expect(takeAll(shares)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('the many small items of an owner wait for few slow ones of another', () => {
  const shares = new TimeShares<string, Item>()
  for (let n = 0; n < 20; n += 1) shares.add('a', { name: 'slow', isSlow: true })
  for (let n = 0; n < 1_000; n += 1) shares.add('b', { name: 'small' })
  const taken = takeAll(shares)
  expect(taken).toHaveLength(1_020)
  // One share has time for all of them, unless the process is interrupted.
  expect(taken.slice(0, taken.lastIndexOf('small')).filter((name) => name === 'slow').length).toBeLessThan(10)
})

test('items are added and deleted while others are taken', () => {
  const shares = new TimeShares<string, Item>()
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
  const shares = new TimeShares<string, Item>()
  const item = { name: '1' }
  shares.add('a', item)
  shares.delete('a', item)
  shares.add('b', { name: '2' })
  expect(takeAll(shares)).toEqual(['2'])
  expect(shares.takeBriefly(() => {})).toBe(false)
})
