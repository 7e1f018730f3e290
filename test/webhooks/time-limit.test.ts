import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { TimeLimit } from '../../src/webhooks/time-limit.ts'

const NEVER = new AbortController().signal

test('a limit that was lifted stays lifted when work ends for which it was paused', async () => {
  const limit = new TimeLimit(1, NEVER)
  const work = limit.pausedFor(delay(5))
  limit.lift()
  await work
  await delay(20)
  expect([limit.isOver, limit.signal.aborted]).toEqual([false, false])
})
