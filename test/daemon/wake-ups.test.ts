import { describe, expect, test } from 'vitest'
import { WakeUps } from '../../src/daemon/wake-ups.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** The wall clock at the beginning, on a full minute. */
const NOON = Date.UTC(2026, 0, 31, 12)

/**
 * A daemon's time, which passes only when a test lets it. Housekeeping is due at the 30th second of each minute; jobs are due at
 * times of the wall clock, and each runs when it is due.
 */
function makeTime() {
  let wall = NOON
  let passed = 0
  let timer: { readonly at: number; readonly call: () => void } | undefined
  let timersSet = 0
  let jobs: number[] = []
  let isDiskFull = false
  const done: string[] = []
  const sinceNoon = () => (wall - NOON) / SECOND
  const wakeUps = new WakeUps(
    {
      nextDue: () => Math.min(Number.POSITIVE_INFINITY, ...jobs),
      runDue: () => {
        done.push(`woke at ${sinceNoon()} s`)
        if (isDiskFull) return
        for (const due of jobs) if (due <= wall) done.push(`ran the job of ${(due - NOON) / SECOND} s`)
        jobs = jobs.filter((due) => due > wall)
      },
      untilHousekeeping: () => MINUTE - ((wall + MINUTE / 2) % MINUTE),
      doHousekeeping: () => done.push('kept house'),
    },
    {
      wall: () => wall,
      stopwatch: () => passed,
      callAfter: (ms, call) => {
        expect(timer, 'only one timer is set at a time').toBeUndefined()
        timersSet += 1
        const set = { at: passed + ms, call }
        timer = set
        return () => {
          if (timer === set) timer = undefined
        }
      },
    },
  )
  return {
    wakeUps,
    /** Lets time pass for both clocks. @returns what was done since this was last called */
    pass: (ms: number): readonly string[] => {
      const end = passed + ms
      while (timer && timer.at <= end) {
        const { at, call } = timer
        wall += at - passed
        passed = at
        timer = undefined
        call()
      }
      wall += end - passed
      passed = end
      return done.splice(0)
    },
    /** Sets the wall clock; a machine that sleeps does the same, as seen by a process. */
    stepWall: (ms: number) => {
      wall += ms
    },
    /** Adds a job without notifying the wake-ups. */
    addJob: (ms: number) => jobs.push(wall + ms),
    /** Adds a job as a commit does. */
    queue: (ms: number) => {
      jobs.push(wall + ms)
      wakeUps.wakeBy(wall + ms)
    },
    fillDisk: (isFull: boolean) => {
      isDiskFull = isFull
    },
    get timersSet() {
      return timersSet
    },
  }
}

function started() {
  const time = makeTime()
  time.wakeUps.start()
  expect(time.pass(0)).toEqual(['woke at 0 s'])
  return time
}

describe('a daemon', () => {
  test('with nothing due wakes up once a minute, for housekeeping', () => {
    const time = started()
    expect(time.pass(3 * MINUTE)).toEqual(
      [30, 90, 150].flatMap((second) => [`woke at ${second} s`, 'kept house']),
    )
  })

  test('runs due jobs at its start', () => {
    const time = makeTime()
    time.addJob(-HOUR)
    time.wakeUps.start()
    expect(time.pass(10 * SECOND)).toEqual(['woke at 0 s', 'ran the job of -3600 s'])
  })

  test('wakes up when a job is due, and not again before the next one', () => {
    const time = started()
    time.queue(20 * SECOND)
    time.queue(5 * SECOND)
    expect(time.pass(29 * SECOND)).toEqual([
      'woke at 5 s',
      'ran the job of 5 s',
      'woke at 20 s',
      'ran the job of 20 s',
    ])
  })

  test('sets no timer for a job that is due later than the next wake-up', () => {
    const time = started()
    const before = time.timersSet
    for (let count = 0; count < 100; count += 1) time.queue(HOUR + count)
    expect(time.timersSet).toBe(before)
  })

  test('runs at once a job that a commit made due', () => {
    const time = started()
    time.pass(10 * SECOND)
    time.queue(0)
    expect(time.pass(0)).toEqual(['woke at 10 s', 'ran the job of 10 s'])
  })

  test('retries failed jobs each second, and does housekeeping meanwhile', () => {
    const time = started()
    time.fillDisk(true)
    time.queue(29 * SECOND)
    expect(time.pass(32 * SECOND)).toEqual([
      'woke at 29 s',
      'woke at 30 s',
      'kept house',
      'woke at 31 s',
      'woke at 32 s',
    ])
    time.fillDisk(false)
    expect(time.pass(10 * SECOND)).toEqual(['woke at 33 s', 'ran the job of 29 s'])
  })

  test('wakes up a second after a failure without due jobs', () => {
    const time = started()
    time.pass(10 * SECOND)
    time.wakeUps.retrySoon()
    time.wakeUps.retrySoon()
    expect(time.pass(10 * SECOND)).toEqual(['woke at 11 s'])
  })

  test('does not wake up after stop()', () => {
    const time = started()
    time.wakeUps.stop()
    time.queue(SECOND)
    time.wakeUps.retrySoon()
    expect(time.pass(HOUR)).toEqual([])
  })
})

describe('when the wall clock jumps', () => {
  test.each([8 * HOUR, 10 * DAY, 10_000 * DAY])(
    'forward by %i ms, as after a sleep, one wake-up runs all due jobs, regardless of the length',
    (jump) => {
      const time = started()
      time.queue(HOUR)
      time.queue(2 * HOUR)
      time.stepWall(jump)
      const done = time.pass(2 * MINUTE)
      expect(done.filter((line) => line.startsWith('ran'))).toHaveLength(2)
      expect(done.filter((line) => line.startsWith('woke'))).toHaveLength(2)
      expect(time.timersSet).toBeLessThan(5)
    },
  )

  test('forward, a job that is queued then is not late', () => {
    const time = started()
    time.stepWall(HOUR)
    time.queue(5 * SECOND)
    expect(time.pass(5 * SECOND)).toEqual(['woke at 3605 s', 'ran the job of 3605 s'])
  })

  test('back, housekeeping continues each minute, and a job waits until it is due again', () => {
    const time = started()
    time.queue(10 * SECOND)
    time.stepWall(-2 * HOUR)
    const done = time.pass(2 * HOUR)
    expect(done.filter((line) => line === 'kept house')).toHaveLength(120)
    expect(done.filter((line) => line.startsWith('ran'))).toEqual([])
    expect(time.pass(10 * SECOND)).toEqual(['woke at 10 s', 'ran the job of 10 s'])
  })

  test('back, a job that is queued then is not late, and no job runs twice', () => {
    const time = started()
    time.queue(10 * SECOND)
    time.pass(20 * SECOND)
    time.stepWall(-HOUR)
    time.queue(2 * SECOND)
    expect(time.pass(2 * SECOND)).toEqual(['woke at -3578 s', 'ran the job of -3578 s'])
    expect(time.pass(HOUR).filter((line) => line.startsWith('ran'))).toEqual([])
  })

  test('forward and back each second, the number of timers does not grow', () => {
    const time = started()
    for (let count = 0; count < 600; count += 1) {
      time.stepWall((count % 2 === 0 ? 5 : -5) * HOUR)
      time.pass(SECOND)
    }
    expect(time.timersSet).toBeLessThan(30)
  })
})
