import { expect, test } from 'vitest'
import { FRAMES_PER_SECOND, FrameLoop, type Timing } from '../../src/ui/frame-loop.ts'

/** A fake clock and timer, which a test moves. */
function tested() {
  const frames: number[] = []
  const clock = { at: 1_000 }
  let due: { at: number; work: () => void } | undefined
  const timing: Timing = {
    now: () => clock.at,
    later: (work, delayMs) => {
      due = { at: clock.at + delayMs, work }
      return () => {
        due = undefined
      }
    },
  }
  const loop = new FrameLoop(() => frames.push(clock.at), timing)
  const pass = (ms: number, eachMs: () => void = () => undefined) => {
    for (let n = 0; n < ms; n += 1) {
      eachMs()
      if (due && due.at <= clock.at) {
        const { work } = due
        due = undefined
        work()
      }
      clock.at += 1
    }
  }
  return { loop, frames, pass }
}

test('a change after a pause is drawn at once', () => {
  const { loop, frames, pass } = tested()
  loop.request()
  pass(1)
  expect(frames).toEqual([1_000])
  pass(500)
  loop.request()
  pass(1)
  expect(frames).toEqual([1_000, 1_501])
})

test('a thousand changes a second are drawn fifteen times', () => {
  const { loop, frames, pass } = tested()
  pass(10_000, () => loop.request())
  expect(frames.length).toBeGreaterThan(10 * FRAMES_PER_SECOND - 5)
  expect(frames.length).toBeLessThanOrEqual(10 * FRAMES_PER_SECOND)
})

test('the last change is always drawn, and nothing after that', () => {
  const { loop, frames, pass } = tested()
  pass(10, () => loop.request())
  pass(1_000)
  expect(frames).toEqual([1_000, 1_067])
})

test('nothing is drawn after its end', () => {
  const { loop, frames, pass } = tested()
  loop.request()
  loop.end()
  loop.request()
  pass(1_000)
  expect(frames).toEqual([])
})
