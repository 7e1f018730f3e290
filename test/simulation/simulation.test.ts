import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { read, type Step, stepsOf, write } from './commands.ts'
import { periodBegin } from './model-calendar.ts'
import { runThoroughly } from './run.ts'
import { shrink } from './shrink.ts'

describe('a simulation', () => {
  test('finds no failure, and gives one history at every pace', async () => {
    const { failure, renewals, events } = await runThoroughly(stepsOf(1, 130), { seed: 1 })
    expect(failure?.message).toBeUndefined()
    // A seed with few events would find no defects.
    expect(renewals).toBeGreaterThan(50)
    expect(events).toBeGreaterThan(300)
  })

  test('is the same for the same seed, and another for another', () => {
    expect(stepsOf(1, 200)).toEqual(stepsOf(1, 200))
    expect(stepsOf(1, 200).slice(0, 50)).toEqual(stepsOf(1, 50))
    expect(stepsOf(1, 200)).not.toEqual(stepsOf(2, 200))
    const [varied, again] = [1, 1].map((seed) => stepsOf(seed, 200, { isVaried: true }))
    expect(varied).toEqual(again)
    expect(varied).not.toEqual(stepsOf(1, 200))
  })

  test('can be formatted and parsed again', () => {
    expect(read(write(stepsOf(1, 200)))).toEqual(stepsOf(1, 200))
  })
})

/** Realistic defects: the replaced function of a module, the kind of failure that reveals it, and a seed that finds it soon. */
const DEFECTS = [
  {
    what: 'a last retry that is a day late',
    path: '../../src/core/dunning.ts',
    replace: () => ({
      nextRetryAt: (failedAt: number, attempts: number) =>
        attempts > 4 ? null : failedAt + ([1, 2, 2, 3][attempts - 1] ?? 0) * 86_400,
    }),
    kind: 'history',
    seed: 23,
  },
  {
    what: 'a period that is counted from the previous one, not from the anchor',
    path: '../../src/core/calendar.ts',
    replace: ({ addIntervals }: Record<string, (...given: unknown[]) => unknown>) => ({
      nextBoundary: (_: number, recurring: unknown, after: number) => addIntervals?.(after, recurring, 1),
    }),
    kind: 'history',
    seed: 24,
  },
  {
    what: 'a proration that is rounded down',
    path: '../../src/core/money.ts',
    replace: () => ({
      sumOfShares: (shares: readonly { amount: number; part: number; whole: number }[]) =>
        Math.floor(shares.reduce((sum, { amount, part, whole }) => sum + (amount * part) / whole, 0)),
    }),
    kind: 'history',
    seed: 27,
  },
  {
    what: 'a phase of a schedule that begins without its proration',
    path: '../../src/core/subscription-schedule.ts',
    replace: ({ nextPhase }: Record<string, (...given: unknown[]) => unknown>) => ({
      nextPhase: (schedule: unknown) => {
        const phase = nextPhase?.(schedule)
        return phase ? { ...phase, proration_behavior: 'none' } : phase
      },
    }),
    kind: 'history',
    seed: 10,
  },
  {
    what: 'a schedule that goes on without its subscription',
    path: '../../src/core/billing/schedule.ts',
    replace: () => ({ endSchedule: () => undefined }),
    kind: 'history',
    seed: 16,
  },
] as const

describe('a defect is found, and shortened to few steps:', () => {
  afterEach(() => {
    for (const { path } of DEFECTS) vi.doUnmock(path)
    vi.resetModules()
  })

  test.each(DEFECTS)('$what', async ({ path, replace, kind, seed: first }) => {
    vi.resetModules()
    vi.doMock(path, async (original) => {
      const real = (await original()) as Record<string, (...given: unknown[]) => unknown>
      return { ...real, ...replace(real) }
    })
    const { run } = await import('./run.ts')
    const failsAs = async (seed: number, steps: readonly Step[]) =>
      (await run(steps, { seed, auditEvery: 1_000 })).failure?.kind
    // Other steps may need another seed.
    for (let seed = first; seed < first + 12; seed += 1) {
      const steps = stepsOf(seed, 130)
      if ((await failsAs(seed, steps)) !== kind) continue
      const shortest = await shrink(steps, async (shorter) => (await failsAs(seed, shorter)) === kind, 16)
      expect(await failsAs(seed, shortest)).toBe(kind)
      expect(shortest.length).toBeLessThan(60)
      return
    }
    expect.unreachable('no seed finds it')
  })
})

describe('the model', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.startsWith('model'))

  test.each(files)('%s imports nothing from paytwin', (name) => {
    const text = readFileSync(join(import.meta.dirname, name), 'utf8')
    const imports = [...text.matchAll(/from '([^']+)'/g)].map(([, to]) => to)
    expect(imports.filter((to) => !/^\.\/(model[\w-]*|dice)\.ts$/.test(to ?? ''))).toEqual([])
  })

  test.each([
    ['2026-01-31T10:00:00Z', 'month', 1, 1, '2026-02-28T10:00:00Z'],
    ['2026-01-31T10:00:00Z', 'month', 1, 2, '2026-03-31T10:00:00Z'],
    ['2027-11-30T23:59:59Z', 'month', 3, 1, '2028-02-29T23:59:59Z'],
    ['2028-02-29T00:00:00Z', 'year', 1, 1, '2029-02-28T00:00:00Z'],
    ['2028-02-29T00:00:00Z', 'year', 1, 4, '2032-02-29T00:00:00Z'],
    ['2026-12-31T12:00:00Z', 'week', 2, 1, '2027-01-14T12:00:00Z'],
    ['2028-02-28T12:00:00Z', 'day', 2, 1, '2028-03-01T12:00:00Z'],
  ] as const)('counts from %s by %s × %i, %i times: %s', (anchor, interval, interval_count, n, begin) => {
    const from = Date.parse(anchor) / 1000
    expect(periodBegin(from, { interval, interval_count }, n)).toBe(Date.parse(begin) / 1000)
  })
})

describe('a failing sequence', () => {
  const numbers = Array.from({ length: 100 }, (_, index) => index)

  test('is shortened to the necessary steps', async () => {
    const needs = async (entries: readonly number[]) => [7, 50, 93].every((each) => entries.includes(each))
    expect(await shrink(numbers, needs)).toEqual([7, 50, 93])
  })

  test('is unchanged if every part is necessary', async () => {
    const needsAll = async (entries: readonly number[]) => entries.length === 100
    expect(await shrink(numbers, needsAll)).toEqual(numbers)
  })

  test('is shortened within the budget', async () => {
    let tried = 0
    const needs = async (entries: readonly number[]) => {
      tried += 1
      return entries.includes(50)
    }
    const shortest = await shrink(numbers, needs, 5)
    expect(tried).toBe(5)
    expect(shortest).toContain(50)
  })
})
