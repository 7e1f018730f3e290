import * as z from 'zod'
import { INTERVAL_UNITS } from '../core/calendar.ts'
import { COLLECTION_METHODS } from '../core/collection-method.ts'
import { PRORATION_BEHAVIORS } from '../core/proration.ts'
import { MAX_ITEMS } from '../core/subscription.ts'
import { END_BEHAVIORS, PHASE_ANCHORS } from '../core/subscription-schedule.ts'
import type { Filter } from '../engine/history/view.ts'
import { deferred } from './deferred.ts'
import { discountsTexts, phaseDiscountsParam, plannedDiscountsOf } from './discount-params.ts'
import { currency, daysUntilDue, instant, metadata, optionalText, reference } from './fields.ts'
import { createdFilters, createdParam, equals, filtersOf, pageParams } from './pagination.ts'
import { priceDataTexts } from './price-texts.ts'
import { subscriptionItem } from './subscription-params.ts'

const instantOrNow = deferred(() =>
  z.union([instant, z.literal('now')], { error: "expected Unix seconds, or 'now'" }),
)

const settings = {
  collection_method: z.enum(COLLECTION_METHODS).optional(),
  default_payment_method: reference.nullable().optional(),
  description: optionalText,
  invoice_settings: z.object({ days_until_due: daysUntilDue.optional() }).optional(),
}

const MAX_INTERVALS = 10_000

/** The parameters of which a phase takes at most one. */
const ENDS = ['end_date', 'iterations', 'duration'] as const

/** paytwin: the maximum number of phases in a request; a schedule allows fewer that have not ended. */
const MAX_LISTED = 100

const phase = deferred(() =>
  z
    .object({
      items: z
        .array(
          subscriptionItem()
            .safeExtend({ discounts: phaseDiscountsParam() })
            .transform(({ discounts, ...item }) => ({ ...item, discounts: plannedDiscountsOf(discounts) })),
        )
        .min(1)
        .max(MAX_ITEMS),
      start_date: instantOrNow().optional(),
      end_date: instantOrNow().optional(),
      iterations: z.int().min(1).max(MAX_INTERVALS).optional(),
      duration: z
        .object({
          interval: z.enum(INTERVAL_UNITS),
          interval_count: z.int().min(1).max(MAX_INTERVALS).default(1),
        })
        .optional(),
      trial: z.boolean().optional(),
      trial_end: instant.optional(),
      currency: currency.optional(),
      proration_behavior: z.enum(PRORATION_BEHAVIORS).optional(),
      billing_cycle_anchor: z.enum(PHASE_ANCHORS).optional(),
      ...settings,
      discounts: phaseDiscountsParam(),
      metadata,
    })
    .superRefine((given, context) => {
      const [first, ...others] = ENDS.filter((name) => given[name] !== undefined)
      for (const name of others)
        context.addIssue({ code: 'custom', path: [name], message: `use ${first} or ${name}, not both` })
    })
    .refine(({ trial, trial_end }) => !trial || trial_end === undefined, {
      path: ['trial_end'],
      error: 'use trial or trial_end, not both',
    })
    .transform(({ discounts, ...given }) => ({ ...given, discounts: plannedDiscountsOf(discounts) })),
)

const phases = deferred(() => z.array(phase()).min(1).max(MAX_LISTED))

const common = {
  default_settings: z
    .object({ ...settings, billing_cycle_anchor: z.literal('automatic').optional() })
    .optional(),
  end_behavior: z.enum(END_BEHAVIORS).optional(),
  metadata,
}

/** The parameters that a schedule of an existing subscription cannot have. */
const OF_NEW = ['customer', 'start_date', 'phases', 'default_settings', 'end_behavior', 'metadata'] as const

export const createParams = deferred(() =>
  z
    .object({
      customer: reference.optional(),
      start_date: instantOrNow().optional(),
      phases: phases().optional(),
      ...common,
      from_subscription: reference.optional(),
    })
    .superRefine((given, context) => {
      if (given.from_subscription === undefined) return
      for (const name of OF_NEW)
        if (given[name] !== undefined)
          context.addIssue({
            code: 'custom',
            path: [name],
            message: 'not allowed with from_subscription; update the schedule afterwards',
          })
    }),
)

/** Parameters of a schedule that creates its subscription. */
export const newScheduleParams = deferred(() =>
  z.object({
    customer: reference,
    start_date: instantOrNow().default('now'),
    phases: phases(),
    ...common,
  }),
)

export const updateParams = deferred(() =>
  z.object({
    phases: phases().optional(),
    ...common,
    proration_behavior: z.enum(PRORATION_BEHAVIORS).optional(),
  }),
)

export const releaseParams = deferred(() => z.object({ preserve_cancel_date: z.boolean().default(false) }))

export const cancelParams = deferred(() =>
  z.object({
    invoice_now: z.boolean().default(true),
    prorate: z.boolean().default(true),
  }),
)

export const listParams = deferred(() =>
  z.object({
    ...pageParams,
    customer: reference.optional(),
    scheduled: z.boolean().optional(),
    created: createdParam(),
    canceled_at: createdParam(),
    completed_at: createdParam(),
    released_at: createdParam(),
  }),
)

/** Descriptions of the parameters of phases. */
export const PHASE_TEXTS: Readonly<Record<string, string>> = {
  phases: 'The phases in order, at most 10 that have not ended. In an update: all from the current one on.',
  'phases.items': 'The prices to bill in the phase: at most 20, of one currency and interval.',
  'phases.items.price': 'The id of a recurring price. An item needs price or price_data.',
  'phases.items.price_data': 'A recurring price to create for this item only, in place of price.',
  ...priceDataTexts('phases.items.price_data'),
  ...discountsTexts('phases.items.discounts', 'the item in this phase'),
  ...discountsTexts('phases.discounts', 'the subscription in this phase'),
  'phases.items.quantity': 'The number of units. Default: 1. Not for a metered price.',
  'phases.items.metadata':
    'Keys and values that the item of the subscription gets with the phase. An empty value removes its key.',
  'phases.start_date':
    'The start of the phase in Unix seconds, or now. It must be the end of the previous phase. Required in the first phase of an update.',
  'phases.end_date': 'The end of the phase in Unix seconds; in an update also now.',
  'phases.iterations':
    'The length of the phase as a number of intervals of its prices. Default: up to the start of the next phase, else 1.',
  'phases.duration': 'The length of the phase, in place of iterations.',
  'phases.duration.interval': 'The unit of the length.',
  'phases.duration.interval_count': 'The number of units.',
  'phases.trial': 'Whether the whole phase is a trial.',
  'phases.trial_end': 'The end of a trial within the phase, in Unix seconds.',
  'phases.currency': 'A three-letter ISO 4217 code, which must be that of the prices.',
  'phases.proration_behavior':
    'How the change at the start of the phase is billed if it is within a period. Default: create_prorations.',
  'phases.billing_cycle_anchor':
    'phase_start begins a new period with the phase. automatic does so only for a new interval.',
  'phases.collection_method': 'How invoices are collected. Default: that of default_settings.',
  'phases.default_payment_method':
    'The payment method to charge. A test id is attached to the customer first.',
  'phases.description': 'The description of the subscription in this phase.',
  'phases.invoice_settings': 'Settings of invoices.',
  'phases.invoice_settings.days_until_due': 'The days between a sent invoice and its due date. Default: 30.',
  'phases.metadata':
    'Keys and values that the subscription gets with the phase. An empty value removes its key.',
  'default_settings.default_payment_method':
    'The payment method to charge. A test id is attached to the customer first.',
  'default_settings.invoice_settings.days_until_due':
    'The days between a sent invoice and its due date. Default: 30.',
}

/** Returns the first required parameter that is missing from a request to create a schedule. */
export const requiredToCreate = ({
  from_subscription,
  ...given
}: Record<string, unknown>): string | undefined =>
  from_subscription === undefined
    ? ['customer', 'phases'].find((name) => given[name] === undefined)
    : undefined

/** Converts the parameters of a list to filters. */
export const scheduleFilters = (params: z.infer<ReturnType<typeof listParams>>): Filter[] => [
  ...(params.scheduled ? equals('status', 'not_started') : []),
  ...filtersOf(params, 'customer'),
  ...(['canceled_at', 'completed_at', 'released_at'] as const).flatMap((time) =>
    createdFilters(params[time], time),
  ),
]
