import * as z from 'zod'
import { parameterInvalid } from '../../core/errors.ts'
import type { UnitOfWork } from '../../engine/machine/unit.ts'
import { deferred } from '../deferred.ts'

const MAX_TRIAL_DAYS = 730

/** The days of a trial; 0 for none. */
export const trialDays = deferred(() =>
  z
    .int()
    .min(0)
    .max(MAX_TRIAL_DAYS)
    .transform((days) => (days === 0 ? undefined : days))
    .optional(),
)

/** What a new subscription cannot have together with a trial yet. */
const NOT_WITH_TRIAL = ['billing_cycle_anchor', 'backdate_start_date', 'add_invoice_items'] as const

type PlanTrial = { readonly trial_from_plan?: boolean | undefined } & Trial & {
    readonly items: readonly { readonly price?: string | undefined }[]
  } & Partial<Record<(typeof NOT_WITH_TRIAL)[number], unknown>>

/**
 * Returns the days of the trial of a new subscription: those of the request, or with `trial_from_plan` the longest of its prices.
 * @throws ApiError resource_missing; parameter_invalid, param trial_from_plan
 */
export function trialDaysOf(unit: UnitOfWork, params: PlanTrial): number | undefined {
  if (!params.trial_from_plan || params.trial_period_days !== undefined) return params.trial_period_days
  if (params.trial_end !== undefined)
    throw parameterInvalid('trial_from_plan', 'Use trial_from_plan or trial_end, not both')
  const days = params.items.map(({ price }, index) =>
    price === undefined
      ? 0
      : (unit.find('price', price, `items[${index}][price]`).recurring?.trial_period_days ?? 0),
  )
  const longest = Math.max(...days)
  if (longest === 0) return undefined
  const other = NOT_WITH_TRIAL.find((name) => params[name] !== undefined)
  if (other === undefined) return longest
  throw parameterInvalid('trial_from_plan', `paytwin does not know a trial with ${other} yet`)
}

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
