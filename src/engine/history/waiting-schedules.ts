import { isOver, type SubscriptionSchedule } from '../../core/subscription-schedule.ts'
import { firstWithin } from './first-within.ts'
import { type Found, MAX_RELATED } from './timeline-invoices.ts'

/** Lists the customer's schedules that had not started at the moment, up to the length of a page. */
export function waitingSchedules({
  engine,
  view,
  customer,
  as_of,
  isPast,
}: Found): readonly SubscriptionSchedule[] {
  const { objects, past } = engine.store
  const ids = isPast
    ? past.idsInState('unfinished', { owner: { customer: customer.id }, instant: as_of })
    : objects.idsOfWaitingSchedules(customer.id)
  const isWaiting = (schedule: SubscriptionSchedule) => schedule.subscription === null && !isOver(schedule)
  return firstWithin(view, { kind: 'subscription_schedule', ids, isWanted: isWaiting }, MAX_RELATED + 1).rows
}
