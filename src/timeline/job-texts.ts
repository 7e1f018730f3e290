import { attemptNumber } from '../core/dunning.ts'
import type { TimelineJobShape as TimelineJob } from '../http/schemas/timeline.ts'
import { money } from './note.ts'

/** The texts for one kind of job. */
type JobTexts = {
  /** Its name in lists. The default is the kind: `trial_end` → trial end. */
  readonly name?: string
  /** Describes a job of this kind in a timeline, in parts between which the text may be wrapped. The default is the name. */
  readonly describe?: (job: TimelineJob, name: string, maxAttempts: number) => string[]
}

const UNCOLLECTED = { draft: 'stays a draft', void: 'void', uncollectible: 'uncollectible' } as const
const CONSEQUENCES = {
  cancel: 'canceled',
  mark_unpaid: 'unpaid',
  leave_past_due: 'stays past_due',
  expire: 'incomplete_expired',
  pause: 'paused',
} as const

/** Describes the usage in an amount, which can still change. The usage of a projected renewal is not known. */
function usage({ usage_amount, currency, projected }: TimelineJob): string {
  if (usage_amount === null) return ''
  return usage_amount === 0 || projected
    ? 'plus usage'
    : `with ${money({ amount: usage_amount, currency })} usage so far`
}

const bill = (job: TimelineJob): string[] => [
  money(job),
  usage(job),
  job.uncollected === null ? '' : UNCOLLECTED[job.uncollected],
]

/** Describes a phase: `phase 2`, `20.00 USD a month`. */
function phaseText(
  job: TimelineJob,
  { number, interval, interval_count }: NonNullable<TimelineJob['phase']>,
): string[] {
  const often = interval_count === 1 ? `a ${interval}` : `every ${interval_count} ${interval}s`
  return [`phase ${number}`, `${money(job)} ${often}`]
}

/** The texts of each kind of job. */
const JOB_TEXTS: { readonly [Kind in TimelineJob['kind']]?: JobTexts } = {
  payment_retry: {
    name: 'retry',
    describe: ({ label, attempt, consequence, ...due }, name, maxAttempts) => [
      `${name} ${label ?? ''}`,
      money(due),
      attempt === null ? '' : `attempt ${attemptNumber(attempt, maxAttempts)}`,
      consequence === null ? '' : `${CONSEQUENCES[consequence]} if it fails`,
    ],
  },
  invoice_due: {
    name: 'invoice due',
    describe: ({ label, ...due }) => [`${label ?? 'invoice'} is due`, money(due)],
  },
  cancellation: { name: 'ends', describe: (end) => ['scheduled cancellation', money(end), usage(end)] },
  incomplete_expiry: { name: 'expires', describe: (_, name) => [`${name} unless paid`] },
  pause_end: { name: 'collection goes on' },
  trial_end: {
    name: 'trial ends',
    describe: (end, name) =>
      end.consequence === null
        ? [name, ...bill(end)]
        : [`${name}: ${CONSEQUENCES[end.consequence]}`, 'nothing to charge'],
  },
  renewal: { describe: (renewal, name) => [name, ...bill(renewal)] },
  refund_settlement: { name: 'refund settles', describe: (refund, name) => [name, money(refund)] },
  invoice_upcoming: { name: 'invoice announced' },
  trial_will_end: { name: 'trial end announced' },
  invoice_will_be_due: {
    name: 'invoice reminder',
    describe: ({ label, ...due }, name) => [`${name} ${label ?? ''}`, money(due)],
  },
  invoice_overdue: {
    name: 'invoice overdue',
    describe: ({ label, ...due }) => [`${label ?? 'invoice'} is reported overdue`, money(due)],
  },
  pending_update_expiry: { name: 'pending update expires', describe: (_, name) => [`${name} unless paid`] },
  dispute_due: {
    describe: (dispute, name) => [name, money(dispute), 'lost without evidence'],
  },
  webhook_retry: { name: 'webhook is sent again' },
  schedule_phase: {
    name: 'schedule',
    describe: (job) => (job.phase === null ? ['schedule ends'] : phaseText(job, job.phase)),
  },
  schedule_expiring: { name: 'schedule expires soon' },
  discount_end: { name: 'discount ends' },
  invoice_finalization: {
    name: 'draft is finalized',
    describe: ({ label, ...due }) => [`${label ?? 'draft'} is finalized and charged`, money(due)],
  },
  checkout_expiry: { name: 'checkout expires' },
}

/** Returns the name of a kind of job. */
export const jobName = (kind: TimelineJob['kind']): string =>
  JOB_TEXTS[kind]?.name ?? kind.replaceAll('_', ' ')

/** Describes a job in a timeline, in parts between which the text may be wrapped. */
export function describeJob(job: TimelineJob, maxAttempts: number): string[] {
  const name = jobName(job.kind)
  return JOB_TEXTS[job.kind]?.describe?.(job, name, maxAttempts) ?? [name]
}
