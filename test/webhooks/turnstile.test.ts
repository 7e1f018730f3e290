import { expect, test, vi } from 'vitest'
import { FairSemaphore } from '../../src/webhooks/turnstile.ts'

/** A turnstile with this many places, and the order in which owners entered. */
function turnstileOf(places: number) {
  const turnstile = new FairSemaphore<string>(places)
  const entered: string[] = []
  const enter = (owners: string) => {
    for (const owner of owners) {
      const turn = turnstile.enter(owner)
      if (turn === true) entered.push(owner)
      else void Promise.resolve(turn).then(() => entered.push(owner))
    }
  }
  const leave = async (owners: string) => {
    for (const owner of owners) {
      turnstile.leave(owner)
      await Promise.resolve()
    }
  }
  return { enter, leave, inOrder: () => entered.join('') }
}

test('one owner gets three quarters of the places, others get the rest', () => {
  const { enter, inOrder } = turnstileOf(8)
  enter('AAAAAAAAAA')
  expect(inOrder()).toBe('AAAAAA')
  enter('BBC')
  expect(inOrder()).toBe('AAAAAABB')
})

test('a place that becomes free goes to the waiting owner that has the fewest', async () => {
  const { enter, leave, inOrder } = turnstileOf(4)
  enter('AAABABBCC')
  expect(inOrder()).toBe('AAAB')
  await leave('AAAB')
  expect(inOrder()).toBe('AAABCABC')
})

test('owners with the same share take turns', async () => {
  const { enter, leave, inOrder } = turnstileOf(2)
  enter('XYABAB')
  await leave('XYAB')
  expect(inOrder()).toBe('XYABAB')
})

test('an owner that waits for its own share gets a place when it leaves', async () => {
  const { enter, leave, inOrder } = turnstileOf(4)
  enter('AAAA')
  await leave('A')
  expect(inOrder()).toBe('AAAA')
})

test('one place is enough', async () => {
  const { enter, leave, inOrder } = turnstileOf(1)
  enter('AAB')
  await leave('AB')
  expect(inOrder()).toBe('AAB')
})

test('entries take as much as their size, and one leaving admits all that fit', async () => {
  const turnstile = new FairSemaphore<string>(10, { most: 8 })
  const entered: number[] = []
  const enter = async (size: number) => {
    if (await turnstile.enter('A', size)) entered.push(size)
  }
  expect(turnstile.enter('A', 7)).toBe(true)
  // The second one would fit, but does not overtake the first.
  const waiting = [enter(3), enter(1), enter(4)]
  turnstile.leave('A', 7)
  await Promise.all(waiting)
  expect(entered).toEqual([3, 1, 4])
})

test('an owner always gets its ensured share, and one entry of any size', () => {
  const turnstile = new FairSemaphore<string>(10, { most: 8, ensured: 2 })
  expect(turnstile.enter('A', 8)).toBe(true)
  expect(turnstile.enter('B', 20)).toBe(true)
  expect(turnstile.enter('C', 1)).toBe(true)
  expect(turnstile.enter('C', 1)).toBe(true)
  expect(turnstile.enter('C', 1)).toBeInstanceOf(Promise)
})

test('an aborted wait ends without a place, and lets those behind it in', async () => {
  const turnstile = new FairSemaphore<string>(10, { most: 8 })
  const aborting = new AbortController()
  turnstile.enter('A', 5)
  const large = turnstile.enter('A', 6, aborting.signal)
  const small = turnstile.enter('A', 3)
  expect([large, small]).toEqual([expect.any(Promise), expect.any(Promise)])
  aborting.abort()
  expect(await Promise.all([large, small])).toEqual([false, true])
  turnstile.leave('A', 8)
  // The places of the aborted one are not taken.
  expect(turnstile.enter('A', 8)).toBe(true)
})

test('a wait that has ended ignores its signal, and an aborted signal lets nobody in', async () => {
  const turnstile = new FairSemaphore<string>(1)
  const aborting = new AbortController()
  turnstile.enter('A')
  const waiting = turnstile.enter('A', 1, aborting.signal)
  turnstile.leave('A')
  aborting.abort()
  expect(await waiting).toBe(true)
  turnstile.leave('A')
  expect(turnstile.enter('A', 1, aborting.signal)).toBe(false)
  expect(turnstile.enter('A')).toBe(true)
})

test('an aborted wait looks only at its own owner', async () => {
  const turnstile = new FairSemaphore<number>(1)
  turnstile.enter(-1)
  const owners = Array.from({ length: 200 }, (_, owner) => owner)
  const ended = new AbortController()
  const waits = owners.map((owner) => turnstile.enter(owner, 1, ended.signal))
  const lookUps = vi.spyOn(Map.prototype, 'get')
  ended.abort()
  const count = lookUps.mock.calls.length
  lookUps.mockRestore()
  expect(count).toBeLessThan(10 * owners.length)
  expect(await Promise.all(waits)).toEqual(owners.map(() => false))
})
