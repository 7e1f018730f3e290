import type * as z from 'zod'
import type { PhaseSettings, SchedulePhase, SubscriptionSchedule } from '../core/subscription-schedule.ts'
import type { View } from '../engine/history/view.ts'
import type { UnitOfWork } from '../engine/machine/unit.ts'
import { updateSchedule } from '../engine/resources/schedule-update.ts'
import {
  cancelScheduleNow,
  createSchedule,
  createScheduleFrom,
  releaseSchedule,
} from '../engine/resources/subscription-schedule.ts'
import type { Api } from './api.ts'
import { presentPlanned } from './discount.ts'
import { listObjects } from './pagination.ts'
import { type Resource, retrieve } from './resource.ts'
import {
  cancelParams,
  createParams,
  listParams,
  newScheduleParams,
  PHASE_TEXTS,
  releaseParams,
  requiredToCreate,
  scheduleFilters,
  updateParams,
} from './schedule-params.ts'
import {
  type SubscriptionScheduleShape,
  subscriptionScheduleList,
  subscriptionScheduleSchema,
} from './schemas/subscription-schedule.ts'
import { ShownObject } from './shown-object.ts'

const PATH = '/v1/subscription_schedules'
const WRITE_ERRORS = {
  400: ['parameter_missing', 'invalid_state_transition', 'amount_too_large'],
  404: ['resource_missing'],
  422: ['unsupported_psp_capability'],
} as const

function subscriptionScheduleRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: PATH,
      summary: 'Creates a schedule that starts a subscription, or one for an existing subscription.',
      params: createParams,
      requires: requiredToCreate,
      status: 201,
      returns: subscriptionScheduleSchema,
      errors: WRITE_ERRORS,
    },
    ({ unit, view, params }) => presentSchedule(view, createFromParams(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: PATH,
      summary: 'Lists subscription schedules, newest first.',
      params: listParams,
      returns: subscriptionScheduleList,
    },
    (call) => {
      const filters = scheduleFilters(call.params)
      return listObjects(call, 'subscription_schedule', filters, presentSchedule)
    },
  )
  api.read(
    {
      method: 'get',
      path: `${PATH}/:id`,
      summary: 'Retrieves a subscription schedule.',
      returns: subscriptionScheduleSchema,
    },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'subscription_schedule', id), presentSchedule),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id`,
      summary: 'Updates the given fields of a schedule. A change of the current phase takes effect now.',
      params: updateParams,
      returns: subscriptionScheduleSchema,
      errors: WRITE_ERRORS,
    },
    ({ unit, view, params, id }) => presentSchedule(view, updateSchedule(unit, id, params)),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id/release`,
      summary: 'Releases a schedule: its subscription goes on without it.',
      params: releaseParams,
      returns: subscriptionScheduleSchema,
      errors: { 400: ['invalid_state_transition'] },
    },
    ({ unit, view, params, id }) => presentSchedule(view, releaseSchedule(unit, id, params)),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id/cancel`,
      summary: 'Cancels a schedule and its subscription immediately.',
      params: cancelParams,
      returns: subscriptionScheduleSchema,
      errors: { 400: ['invalid_state_transition'] },
    },
    ({ unit, view, params, id }) => presentSchedule(view, cancelScheduleNow(unit, id, params)),
  )
}

/** Creates a schedule from the parameters of a request. Throws what `createSchedule` and `createScheduleFrom` throw. */
export const createFromParams = (
  unit: UnitOfWork,
  { from_subscription, ...params }: z.infer<ReturnType<typeof createParams>>,
): SubscriptionSchedule =>
  from_subscription === undefined
    ? createSchedule(unit, newScheduleParams().parse(params))
    : createScheduleFrom(unit, from_subscription)

function presentSchedule(view: View, schedule: SubscriptionSchedule): SubscriptionScheduleShape {
  const { default_settings } = schedule
  return {
    id: schedule.id,
    object: 'subscription_schedule',
    created: schedule.created,
    livemode: false,
    merchant_id: view.merchant.id,
    status: schedule.status,
    customer: schedule.customer,
    subscription: schedule.subscription,
    released_subscription: schedule.released_subscription,
    current_phase: schedule.current_phase,
    phases: schedule.phases.map((phase) => presentPhase(view, phase)),
    default_settings: {
      billing_cycle_anchor: 'automatic',
      ...presentSettings(default_settings),
      collection_method: default_settings.collection_method,
      invoice_settings: { days_until_due: default_settings.days_until_due },
    },
    end_behavior: schedule.end_behavior,
    canceled_at: schedule.canceled_at,
    completed_at: schedule.completed_at,
    released_at: schedule.released_at,
    metadata: schedule.metadata,
    test_clock: schedule.test_clock,
  }
}

const presentSettings = ({ default_payment_method, description }: PhaseSettings) => ({
  default_payment_method,
  description,
})

const presentPhase = (view: View, phase: SchedulePhase): SubscriptionScheduleShape['phases'][number] => ({
  start_date: phase.start_date,
  end_date: phase.end_date,
  currency: phase.currency,
  items: phase.items.map(({ price, quantity, metadata, discounts }) => ({
    ...{ price, quantity, metadata },
    discounts: discounts ? presentPlanned(view, discounts) : null,
  })),
  trial_end: phase.trial_end,
  proration_behavior: phase.proration_behavior,
  billing_cycle_anchor: phase.billing_cycle_anchor,
  collection_method: phase.collection_method,
  ...presentSettings(phase),
  discounts: phase.discounts ? presentPlanned(view, phase.discounts) : null,
  invoice_settings: phase.days_until_due === null ? null : { days_until_due: phase.days_until_due },
  metadata: phase.metadata,
})

export const subscriptionScheduleResource: Resource<'subscription_schedule'> = {
  collection: 'subscription_schedules',
  present: presentSchedule,
  routes: subscriptionScheduleRoutes,
  params: {
    ...PHASE_TEXTS,
    customer: 'The customer of the new subscription. Required unless from_subscription is given.',
    start_date: 'When the first phase starts: Unix seconds in the future, or now. Default: now.',
    from_subscription:
      'A running subscription to manage, whose current period becomes the first phase. No other parameter is allowed.',
    proration_behavior:
      'How a change of the current phase is billed: create_prorations (the default), always_invoice or none.',
    preserve_cancel_date: 'Whether the subscription keeps the cancellation that the schedule has planned.',
    invoice_now: 'Whether to bill pending items at once. Default: true.',
    prorate: 'Whether to credit the unused time of the current period. Default: true.',
    scheduled: 'Whether to list only schedules that have not started.',
    canceled_at: 'Only schedules canceled at this instant, or within these bounds, in Unix seconds.',
    completed_at: 'Only schedules completed at this instant, or within these bounds, in Unix seconds.',
    released_at: 'Only schedules released at this instant, or within these bounds, in Unix seconds.',
    ...Object.fromEntries(
      ['canceled_at', 'completed_at', 'released_at'].flatMap((name) => [
        [`${name}.gt`, 'Only those after this instant.'],
        [`${name}.gte`, 'Only those at or after this instant.'],
        [`${name}.lt`, 'Only those before this instant.'],
        [`${name}.lte`, 'Only those at or before this instant.'],
      ]),
    ),
  },
  queryParams: { customer: 'Only schedules of this customer.' },
}
