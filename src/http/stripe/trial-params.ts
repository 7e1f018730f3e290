/** The parameters of a new subscription about its trial. */
type Trial = {
  readonly trial_period_days?: number | undefined
  readonly trial_end?: unknown
  readonly billing_cycle_anchor?: unknown
}

/** The arguments of `refine` of a schema. */
type Check = [isValid: (given: Trial) => boolean, mistake: { path: string[]; error: string }]

/** The check that a trial has only one end, for `refine`. */
export const ONE_END_OF_TRIAL: Check = [
  ({ trial_period_days, trial_end }: Trial): boolean =>
    trial_period_days === undefined || trial_end === undefined,
  { path: ['trial_end'], error: 'use trial_period_days or trial_end, not both' },
]

/** The check that a subscription with an anchor has no trial, for `refine`. */
export const NO_ANCHOR_WITH_TRIAL: Check = [
  ({ billing_cycle_anchor, trial_period_days, trial_end }: Trial): boolean =>
    billing_cycle_anchor === undefined || (trial_period_days === undefined && trial_end === undefined),
  { path: ['billing_cycle_anchor'], error: 'paytwin does not know a trial with a billing_cycle_anchor yet' },
]
