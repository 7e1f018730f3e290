import { SECONDS_PER_DAY } from './calendar.ts'
import type { CheckoutOutcomes, CheckoutSession } from './checkout-session.ts'

/** Returns the end of the trial of a session that is submitted now; null for none. */
export function trialEndOf({ outcomes }: CheckoutSession, now: number): number | null {
  const { trial_end, trial_period_days } = outcomes.subscription
  if (trial_end !== null || trial_period_days === null) return trial_end
  return now + trial_period_days * SECONDS_PER_DAY
}

/** Returns a session whose page is submitted now. Its trial counts from then, however long an authentication takes. */
export function submittedAt(session: CheckoutSession, now: number): CheckoutSession {
  const submitted_trial_end = trialEndOf(session, now)
  return submitted_trial_end === null ? session : withSubscription(session, { submitted_trial_end })
}

/** Returns a session with the trial of its last submission. */
export function asSubmitted(session: CheckoutSession): CheckoutSession {
  const { submitted_trial_end: trial_end } = session.outcomes.subscription
  return trial_end === undefined ? session : withSubscription(session, { trial_end, trial_period_days: null })
}

const withSubscription = (
  session: CheckoutSession,
  changes: Partial<CheckoutOutcomes['subscription']>,
): CheckoutSession => ({
  ...session,
  outcomes: { ...session.outcomes, subscription: { ...session.outcomes.subscription, ...changes } },
})
