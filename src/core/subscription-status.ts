import type { Transitions } from './transitions.ts'

export const SUBSCRIPTION_STATUSES = [
  'active',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'past_due',
  'paused',
  'trialing',
  'unpaid',
] as const
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number]

export type SubscriptionEvent = 'begin' | 'recover' | 'fail' | 'expire' | 'mark_unpaid' | 'pause' | 'cancel'

/**
 * The events: begin, a trial or a pause ends with a new period; recover, no invoice is outstanding any more; fail, an
 * attempt failed or a due date passed; expire, an incomplete subscription was never paid; mark_unpaid, the final action
 * of dunning; pause, a trial ended without a payment method.
 * See docs/contract/subscriptions.md#status.
 */
export const SUBSCRIPTION_TRANSITIONS: Transitions<SubscriptionStatus, SubscriptionEvent> = {
  incomplete: { recover: 'active', expire: 'incomplete_expired', cancel: 'canceled' },
  trialing: { begin: 'active', fail: 'past_due', pause: 'paused', cancel: 'canceled' },
  active: { fail: 'past_due', cancel: 'canceled' },
  past_due: { recover: 'active', mark_unpaid: 'unpaid', cancel: 'canceled' },
  unpaid: { recover: 'active', cancel: 'canceled' },
  paused: { begin: 'active', cancel: 'canceled' },
  canceled: {},
  incomplete_expired: {},
}

type StatusFacts = {
  /** Whether it can never bill again. */
  readonly hasEnded: boolean
  /** Whether a cancellation or a pause of collection can be scheduled. */
  readonly isRunning: boolean
  /** Whether its first invoice is still unpaid. When it ends, that invoice is voided; when all retries fail, it expires. */
  readonly awaitsFirstPayment: boolean
  /** Whether its next period starts only on request. */
  readonly isPaused: boolean
  /** Whether a failed payment or a passed due date changes its status. */
  readonly isPaidUp: boolean
  /** Whether a payment is overdue. */
  readonly isOverdue: boolean
  /** The job at the end of the current period. */
  readonly atPeriodEnd: 'incomplete_expiry' | 'trial_end' | 'renewal' | null
  /** Whether its current period is billed, so that a change within it is prorated. */
  readonly isBilled: boolean
  /** Whether a renewal collects its invoice; otherwise the invoice stays a draft. */
  readonly collectsRenewals: boolean
}

const NOTHING: StatusFacts = {
  hasEnded: false,
  isRunning: false,
  awaitsFirstPayment: false,
  isPaused: false,
  isPaidUp: false,
  isOverdue: false,
  atPeriodEnd: null,
  isBilled: false,
  collectsRenewals: true,
}
const RUNNING: StatusFacts = { ...NOTHING, isRunning: true, atPeriodEnd: 'renewal' }
const ENDED: StatusFacts = { ...NOTHING, hasEnded: true }

/** The facts about each status. Other code reads these facts and does not compare statuses. See docs/contract/subscriptions.md#status. */
const STATUS_FACTS: Readonly<Record<SubscriptionStatus, StatusFacts>> = {
  incomplete: {
    ...NOTHING,
    awaitsFirstPayment: true,
    isOverdue: true,
    atPeriodEnd: 'incomplete_expiry',
  },
  trialing: { ...RUNNING, atPeriodEnd: 'trial_end' },
  active: { ...RUNNING, isPaidUp: true, isBilled: true },
  past_due: { ...RUNNING, isOverdue: true, isBilled: true },
  unpaid: { ...RUNNING, isOverdue: true, isBilled: true, collectsRenewals: false },
  paused: { ...NOTHING, isPaused: true },
  canceled: ENDED,
  incomplete_expired: ENDED,
}

type WithStatus = { readonly status: SubscriptionStatus }

/** Returns the facts about a subscription's status. */
export const factsOf = ({ status }: WithStatus): StatusFacts => STATUS_FACTS[status]

/** Reports whether a subscription is in its trial. */
export const isInTrial = (subscription: WithStatus): boolean =>
  factsOf(subscription).atPeriodEnd === 'trial_end'

/** The first status of a subscription, by the result of its creation. See docs/contract/subscriptions.md#status. */
export const FIRST_STATUS: Readonly<Record<'trial' | 'paid' | 'sent' | 'failed', SubscriptionStatus>> = {
  trial: 'trialing',
  paid: 'active',
  sent: 'active',
  failed: 'incomplete',
}

/** Reports whether the subscription can never bill again. */
export const hasEnded = (subscription: WithStatus): boolean => factsOf(subscription).hasEnded

/**
 * Reports whether a cancellation or a pause of collection can be scheduled in the subscription's status.
 * See docs/contract/subscriptions.md#updating.
 */
export const isRunning = (subscription: WithStatus): boolean => factsOf(subscription).isRunning
