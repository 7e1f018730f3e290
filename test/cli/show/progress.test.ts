import { expect, test } from 'vitest'
import { progressLine } from '../../../src/cli/show/progress.ts'
import type { Clock } from '../../../src/client/types.ts'

const DAY = 86_400
const clock = (given: Partial<Clock>): Clock => ({
  id: 'clock_1',
  object: 'clock',
  mode: 'frozen',
  now: 0,
  status: 'ready',
  target: null,
  merchant_id: 'mer_1',
  ...given,
})
const summary = { events: 0, invoices_paid: 0, payments_failed: 0, stopped_on: null }

test('progress shows the simulated time, the share, the jobs, their rate and the time left', () => {
  const first = [clock({ status: 'advancing', target: 100 * DAY })]
  const now = [
    clock({ status: 'advancing', now: 25 * DAY, target: 100 * DAY, progress: { ...summary, jobs: 5000 } }),
  ]
  expect(progressLine(first, now, 2)).toBe(
    '1970-01-26T00:00:00Z  ██████░░░░░░░░░░░░░░░░░░ 25%  5,000 jobs  2,500/s  6 s left',
  )
})

test('with several clocks, the one furthest behind is shown with the jobs of all', () => {
  const clocks = [
    clock({ id: 'clock_1', status: 'advancing', now: 60, target: 100, progress: { ...summary, jobs: 1 } }),
    clock({ id: 'clock_2', status: 'advancing', now: 50, target: 100, progress: { ...summary, jobs: 2 } }),
    clock({ id: 'clock_3', now: 100 }),
  ]
  const first = clocks.map((each) => ({ ...each, now: 0 }))
  expect(progressLine(first, clocks, 1)).toBe(
    '1970-01-01T00:00:50Z  ████████████░░░░░░░░░░░░ 50%  3 jobs  3/s  1 s left',
  )
})

test('clocks that do not advance have no progress', () => {
  expect(progressLine([clock({})], [clock({})], 1)).toBeUndefined()
})
