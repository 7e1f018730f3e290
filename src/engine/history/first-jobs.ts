import type { FutureJob } from '../../core/future-job.ts'
import { compareJobs, type Job, subscriptionJobs } from '../../core/jobs.ts'
import type { Subscription } from '../../core/subscription.ts'

/**
 * Lists the first future jobs of many subscriptions. A projection takes 0.1 ms, and a customer can have any number of
 * subscriptions, so only those are projected that can have one of the first jobs.
 * @param limit - the number of shown jobs; one more is listed
 * @param jobsOf - returns the future jobs of a subscription, none of which is earlier than its first queued job
 */
export function firstJobsOf(
  subscriptions: readonly Subscription[],
  limit: number,
  jobsOf: (subscription: Subscription) => readonly FutureJob[],
): FutureJob[] {
  if (subscriptions.length <= limit) return subscriptions.flatMap(jobsOf)
  const found = new Map<Subscription, readonly FutureJob[]>()
  let earliest: FutureJob[] = []
  for (const { subscription, first } of inOrderOfFirstJob(subscriptions)) {
    const last = earliest[limit]
    if (last && first && compareJobs(last, first) <= 0) break
    const jobs = jobsOf(subscription)
    found.set(subscription, jobs)
    earliest = [...earliest, ...jobs].sort(compareJobs).slice(0, limit + 1)
  }
  return subscriptions.flatMap((subscription) => found.get(subscription) ?? [])
}

type WithFirstJob = { readonly subscription: Subscription; readonly first: Job | undefined }

/** Sorts subscriptions by their first queued jobs. Those with a schedule, which may have an earlier job, and those without a job come first. */
function inOrderOfFirstJob(subscriptions: readonly Subscription[]): WithFirstJob[] {
  const all = subscriptions.map((subscription): WithFirstJob => {
    const jobs = subscription.schedule === null ? subscriptionJobs(subscription) : []
    return { subscription, first: jobs.toSorted(compareJobs)[0] }
  })
  return [
    ...all.filter(({ first }) => !first),
    ...all
      .filter(({ first }) => first)
      .sort((left, right) => (left.first && right.first ? compareJobs(left.first, right.first) : 0)),
  ]
}
