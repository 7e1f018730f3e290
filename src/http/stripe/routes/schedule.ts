import type Stripe from 'stripe'
import { updateSchedule } from '../../../engine/resources/schedule-update.ts'
import { cancelScheduleNow, releaseSchedule } from '../../../engine/resources/subscription-schedule.ts'
import { retrieve } from '../../resource.ts'
import {
  cancelParams,
  createParams,
  listParams,
  releaseParams,
  requiredToCreate,
  scheduleFilters,
  updateParams,
} from '../../schedule-params.ts'
import { createFromParams } from '../../subscription-schedule.ts'
import type { StripeApi } from '../api.ts'
import { presentSchedule } from '../present/schedule.ts'
import { listKind, returning, returningList } from '../returns.ts'
import type { Wire } from '../wire.ts'

const schedule = returning<Wire<Stripe.SubscriptionSchedule>>('subscription_schedule')
const PATH = '/v1/subscription_schedules'

export function scheduleRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: PATH,
      summary: 'Creates a schedule that starts a subscription, or one for an existing subscription.',
      params: createParams,
      requires: requiredToCreate,
      returns: schedule,
    },
    ({ unit, view, params }) => presentSchedule(view, createFromParams(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: PATH,
      summary: 'Lists subscription schedules.',
      params: listParams,
      returns: returningList<Wire<Stripe.SubscriptionSchedule>>('subscription_schedule'),
    },
    (call) => {
      const filters = scheduleFilters(call.params)
      return listKind(call, 'subscription_schedule', filters, presentSchedule)
    },
  )
  api.read(
    { method: 'get', path: `${PATH}/:id`, summary: 'Retrieves a subscription schedule.', returns: schedule },
    ({ view, id }) => presentSchedule(view, retrieve(view, 'subscription_schedule', id)),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id`,
      summary: 'Updates a schedule. A change of the current phase takes effect now.',
      params: updateParams,
      returns: schedule,
    },
    ({ unit, view, id, params }) => presentSchedule(view, updateSchedule(unit, id, params)),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id/release`,
      summary: 'Releases a schedule: its subscription goes on without it.',
      params: releaseParams,
      returns: schedule,
    },
    ({ unit, view, id, params }) => presentSchedule(view, releaseSchedule(unit, id, params)),
  )
  api.write(
    {
      method: 'post',
      path: `${PATH}/:id/cancel`,
      summary: 'Cancels a schedule and its subscription immediately.',
      params: cancelParams,
      returns: schedule,
    },
    ({ unit, view, id, params }) => presentSchedule(view, cancelScheduleNow(unit, id, params)),
  )
}
