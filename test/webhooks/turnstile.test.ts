import { expect, test } from 'vitest'
import { FairSemaphore } from '../../src/webhooks/turnstile.ts'

/** A turnstile with this many places, and the order in which owners entered. */
function turnstileOf(places: number) {
  const turnstile = new FairSemaphore<string>(places)
  const entered: string[] = []
  const enter = (owners: string) => {
    for (const owner of owners) {
      const turn = turnstile.enter(owner)
      if (turn) void turn.then(() => entered.push(owner))
      else entered.push(owner)
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
  const enter = (size: number) => turnstile.enter('A', size)?.then(() => entered.push(size))
  expect(enter(7)).toBeUndefined()
  // The second one would fit, but does not overtake the first.
  const waiting = [enter(3), enter(1), enter(4)]
  expect(waiting.every(Boolean)).toBe(true)
  turnstile.leave('A', 7)
  await Promise.all(waiting)
  expect(entered).toEqual([3, 1, 4])
})

test('an owner always gets its ensured share, and one entry of any size', () => {
  const turnstile = new FairSemaphore<string>(10, { most: 8, ensured: 2 })
  expect(turnstile.enter('A', 8)).toBeUndefined()
  expect(turnstile.enter('B', 20)).toBeUndefined()
  expect(turnstile.enter('C', 1)).toBeUndefined()
  expect(turnstile.enter('C', 1)).toBeUndefined()
  expect(turnstile.enter('C', 1)).toBeInstanceOf(Promise)
})
