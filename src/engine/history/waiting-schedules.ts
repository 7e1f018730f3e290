import { isOver, type SubscriptionSchedule } from '../../core/subscription-schedule.ts'
import { each, firstWithin } from './first-within.ts'
import { type Found, MAX_RELATED } from './timeline-invoices.ts'

/** Lists the customer's schedules that had not started at the moment, up to the length of a page. */
export function waitingSchedules({
  engine,
  merchant,
  view,
  customer,
  isPast,
}: Found): readonly SubscriptionSchedule[] {
  const { objects } = engine.store
  const ofCustomer = [{ field: 'customer', is: customer.id }]
  const ids = isPast
    ? objects.ids('subscription_schedule', merchant.settings.ordinal, ofCustomer, {
        limit: Number.MAX_SAFE_INTEGER,
      })
    : objects.idsOfActive('subscription_schedule', customer.id)
  const waiting = function* () {
    for (const schedule of each(view, 'subscription_schedule', ids))
      if (schedule.subscription === null && !isOver(schedule)) yield schedule
  }
  return firstWithin(waiting(), MAX_RELATED + 1).rows
}
