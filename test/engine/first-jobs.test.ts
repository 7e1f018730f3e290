import { expect, test } from 'vitest'
import { type FutureJob, inOrder, withoutDetails } from '../../src/core/future-job.ts'
import { subscriptionJobs } from '../../src/core/jobs.ts'
import type { Subscription } from '../../src/core/subscription.ts'
import { firstJobsOf } from '../../src/engine/history/first-jobs.ts'
import { aSubscription, DAY } from '../core/objects.ts'
import { dice } from '../long.ts'

const LIMIT = 10

/** The renewal of a subscription and three later ones; with a schedule also an earlier job. */
const jobsOf = (each: Subscription): FutureJob[] =>
  subscriptionJobs(each).flatMap((job) => [
    ...[0, 1, 2, 3].map((later) => ({ ...withoutDetails(job), due: job.due + later * DAY })),
    ...(each.schedule === null ? [] : [{ ...withoutDetails(job), due: 1 }]),
  ])

const shown = (jobs: readonly FutureJob[]) =>
  inOrder(jobs)
    .slice(0, LIMIT)
    .map(({ due, kind }) => ({ due, kind }))

test.each([1, 2, 3, 4, 5])('the first jobs are those of all subscriptions (seed %i)', (seed) => {
  const roll = dice(seed)
  const all = Array.from({ length: 200 }, (_, index) =>
    aSubscription({
      id: `sub_${index}`,
      current_period_end: 1000 + Math.floor(roll(seed)) * DAY + Math.floor(roll(30)) * DAY,
      schedule: index % 50 === 0 ? 'sub_sched_1' : null,
    }),
  )
  let projected = 0
  const first = firstJobsOf(all, LIMIT, (each) => {
    projected += 1
    return jobsOf(each)
  })
  expect(shown(first)).toEqual(shown(all.flatMap(jobsOf)))
  expect(first.length).toBeGreaterThan(LIMIT)
  expect(projected).toBeLessThan(20)
})

test('few subscriptions are all projected', () => {
  const few = [aSubscription(), aSubscription({ id: 'sub_2' })]
  expect(firstJobsOf(few, LIMIT, jobsOf)).toEqual(few.flatMap(jobsOf))
})
