import { type Kind, kindOfId, type Objects } from '../core/kinds.ts'
import type { Facts } from './facts.ts'
import { JOB_SENTENCES } from './job-sentences.ts'
import { instant, next, type Sentence } from './sentence.ts'

/** An object that can have jobs. */
type Subject = Objects[Extract<
  Kind,
  | 'subscription'
  | 'invoice'
  | 'payment_intent'
  | 'subscription_schedule'
  | 'dispute'
  | 'setup_intent'
  | 'checkout_session'
>]

/** paytwin: how many jobs have a sentence. A subscription can have thousands, such as the due dates of unpaid invoices. */
const MAX_JOBS = 20

/**
 * Writes a sentence for each job of an object, in order, and one for all beyond the first 20. A projected job, which runs only if
 * nothing changes, is part of the sentence of the job before it.
 */
export function nextSentences(subject: Subject, facts: Facts): Sentence[] {
  const jobs = facts.upcoming.filter(({ projected }) => !projected)
  if (jobs.length === 0) return [nothing(subject)]
  const sentences = jobs.slice(0, MAX_JOBS).map((job) => {
    const following = facts.upcoming.filter(
      ({ projected, kind, object }) => projected && kind === job.kind && object === job.object,
    )
    return JOB_SENTENCES[job.kind](job, { facts, following, subject: subject.id })
  })
  return [...sentences, ...furtherJobs(jobs.slice(MAX_JOBS))]
}

function furtherJobs(jobs: Facts['upcoming']): Sentence[] {
  const last = jobs.at(-1)
  if (!last) return []
  const what = jobs.length === 1 ? 'One further job is queued' : `Then ${jobs.length} further jobs are queued`
  return [next(`${what}, the last for ${instant(last.due)}.`, 'clocks.md#jobs', { at: last.due })]
}

/** The heading of the contract on the status of each kind. */
const RULES: Partial<Record<Kind, string>> = {
  subscription: 'subscriptions.md#status',
  invoice: 'invoices.md#status',
  payment_intent: 'payments.md#payment-intent-status',
  setup_intent: 'setup-intents.md#status',
  subscription_schedule: 'schedules.md#status-of-a-schedule',
  dispute: 'disputes.md#status',
  checkout_session: 'checkout-sessions.md#status',
}

/** The statuses that no request changes. */
const FINAL: Partial<Record<Kind, readonly string[]>> = {
  subscription: ['canceled', 'incomplete_expired'],
  invoice: ['void'],
  payment_intent: ['canceled'],
  setup_intent: ['succeeded', 'canceled'],
  subscription_schedule: ['completed', 'released', 'canceled'],
  dispute: ['won', 'lost'],
  checkout_session: ['complete', 'expired'],
}

function nothing({ id, status }: Subject): Sentence {
  const kind = kindOfId(id) ?? 'invoice'
  return next(
    FINAL[kind]?.includes(status)
      ? 'Nothing further happens: this status is final.'
      : 'Nothing further happens by itself: only a request changes it.',
    RULES[kind] ?? '',
  )
}
