import { expect, onTestFinished, test, vi } from 'vitest'
import { Turns } from '../../../src/engine/machine/turns.ts'

/** Adds an item for each owner that its text names, and returns them in the order in which they are taken. */
function orderOf(...added: [owners: string, item: string][]): string {
  const turns = new Turns<string, string>()
  for (const [owners, item] of added) turns.add([...owners], item)
  const taken: string[] = []
  for (let item = turns.take(); item !== undefined; item = turns.take()) taken.push(item)
  expect(turns.isEmpty).toBe(true)
  return taken.join(' ')
}

test('the items of one owner are taken in the order of their arrival', () => {
  expect(orderOf(['a', '1'], ['a', '2'], ['a', '3'])).toBe('1 2 3')
})

test('owners take turns', () => {
  expect(orderOf(['a', 'a1'], ['a', 'a2'], ['a', 'a3'], ['b', 'b1'], ['c', 'c1'], ['b', 'b2'])).toBe(
    'a1 b1 c1 a2 b2 a3',
  )
})

test('an item of several owners is taken after all earlier ones of each of them, and later ones pass it until then', () => {
  const ofBoth: [string, string] = ['ab', 'both']
  expect(orderOf(['b', 'b1'], ['b', 'b2'], ofBoth, ['a', 'a1'], ['c', 'c1'])).toBe('b1 a1 c1 b2 both')
  const ofAll: [string, string] = ['abc', 'all']
  expect(orderOf(['b', 'b1'], ofBoth, ofAll, ['a', 'a1'], ['c', 'c1'], ['a', 'a2'])).toBe(
    'b1 both all a1 c1 a2',
  )
  expect(orderOf(['a', 'a1'], ['aba', 'both'], ['b', 'b1'], ['a', 'a2'])).toBe('a1 both a2 b1')
})

test('an owner that comes while another one has many items does not wait for them', () => {
  const turns = new Turns<string, string>()
  for (let count = 0; count < 100; count += 1) turns.add(['a'], `a${count}`)
  expect(turns.take()).toBe('a0')
  turns.add(['b'], 'b0')
  expect([turns.take(), turns.take()]).toEqual(['a1', 'b0'])
})

test('looking for the next item takes no longer for an item of very many owners', () => {
  const turns = new Turns<object, string>()
  const owners = Array.from({ length: 3_000 }, () => ({}))
  const [busy] = owners
  const begun = process.cpuUsage()
  for (let count = 0; count < 500; count += 1) turns.add([busy ?? {}], 'of one')
  turns.add(owners, 'of all')
  for (let count = 0; count < 500; count += 1) expect(turns.take()).toBe('of one')
  expect(turns.take()).toBe('of all')
  const { user, system } = process.cpuUsage(begun)
  // About 100 ms. It was 30 s.
  expect((user + system) / 1_000).toBeLessThan(3_000)
})

test('taking an item from a long line does not move all others', () => {
  const turns = new Turns<string, number>()
  for (let count = 0; count < 1_000; count += 1) turns.add(['a'], count)
  const splice = vi.spyOn(Array.prototype, 'splice')
  onTestFinished(() => splice.mockRestore())
  for (let count = 0; count < 1_000; count += 1) turns.take()
  const { length } = splice.mock.calls
  splice.mockRestore()
  expect(length).toBeLessThan(20)
})

/** A queue in which a hundred owners have a backlog, and have had turns. */
function busyTurns() {
  const turns = new Turns<string, string>()
  const busy = Array.from({ length: 100 }, (_, index) => `busy ${index}`)
  for (let count = 0; count < 10; count += 1) for (const owner of busy) turns.add([owner], owner)
  const take = (count: number) => Array.from({ length: count }, () => turns.take())
  take(150)
  return { turns, take }
}

test('an owner that has had no turn in this round does not wait for owners with a backlog', () => {
  const { turns, take } = busyTurns()
  turns.add(['light'], 'light 1')
  expect(take(1)).toEqual(['light 1'])
  // Its next item in the same round waits, like those of the others. After the round it is a newcomer again.
  turns.add(['light'], 'light 2')
  expect(take(101).indexOf('light 2')).toBe(100)
  take(101)
  turns.add(['light'], 'light 3')
  expect(take(1)).toEqual(['light 3'])
})

test('owners that are always new at most double the wait of the others', () => {
  const { turns, take } = busyTurns()
  let fresh = 0
  let since = 0
  let most = Number.POSITIVE_INFINITY
  let rounds = 0
  for (let count = 0; count < 2_000; count += 1) {
    turns.add([`new ${count}`], 'new')
    fresh += 1
    const [taken] = take(1)
    since += 1
    if (taken === 'new') fresh -= 1
    if (taken !== 'busy 50') continue
    expect(since).toBeLessThanOrEqual(most)
    // All who wait come first once, and as many newcomers.
    most = 2 * (100 + fresh)
    since = 0
    rounds += 1
  }
  expect(rounds).toBeGreaterThan(2)
})

test('newcomers do not delay the owners behind one that waits for an item of several', () => {
  const turns = new Turns<string, string>()
  for (const owner of ['a', 'b', 'c']) turns.add([owner], `${owner}0`)
  for (const item of ['b1', 'b2']) turns.add(['b'], item)
  turns.add(['a', 'b'], 'ab')
  turns.add(['c'], 'c1')
  expect([turns.take(), turns.take(), turns.take()]).toEqual(['a0', 'b0', 'c0'])
  const taken: (string | undefined)[] = []
  for (let count = 0; count < 20; count += 1) {
    turns.add([`new ${count}`], 'new')
    taken.push(turns.take())
  }
  expect(taken.filter((item) => item !== 'new')).toEqual(['b1', 'c1', 'b2', 'ab'])
})
