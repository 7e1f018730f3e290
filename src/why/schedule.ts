import {
  currentIndex,
  endOf,
  firstPhase,
  isOver,
  type ScheduleStatus,
  type SubscriptionSchedule,
} from '../core/subscription-schedule.ts'
import { type Facts, lastStep } from './facts.ts'
import { nextSentences } from './next.ts'
import { type Cause, detail, instant, type Sentence, statusSince } from './sentence.ts'

type Since = { readonly since: number | null; readonly cause: Cause }

const END = 'schedules.md#when-a-schedule-ends'

const STATUSES: Readonly<Record<ScheduleStatus, (schedule: SubscriptionSchedule, facts: Facts) => Since>> = {
  not_started: (schedule) => ({
    since: schedule.created,
    cause: {
      text: `its first phase begins at ${instant(firstPhase(schedule).start_date)}`,
      rule: 'schedules.md#status-of-a-schedule',
    },
  }),
  active: (schedule) => ({
    since: firstPhase(schedule).start_date,
    cause: {
      text: `it is in phase ${currentIndex(schedule) + 1} of ${schedule.phases.length}`,
      rule: 'schedules.md#phases',
      ...(schedule.subscription !== null && { object: schedule.subscription }),
    },
  }),
  completed: ({ completed_at, subscription }) => ({
    since: completed_at,
    cause: {
      text: 'its last phase ended, and its end_behavior canceled the subscription',
      rule: END,
      ...(subscription !== null && { object: subscription }),
    },
  }),
  released: (schedule, facts) => {
    const { id, released_at, released_subscription } = schedule
    const isByRequest = lastStep(facts, id, 'subscription_schedule.released')?.request != null
    const isEarly = released_at !== null && released_at < endOf(schedule)
    return {
      since: released_at,
      cause: {
        text:
          isByRequest || isEarly
            ? 'a request released its subscription, which goes on without it'
            : 'its last phase ended, and its end_behavior released the subscription, which goes on',
        rule: isByRequest || isEarly ? 'schedules.md#releasing' : END,
        ...(released_subscription !== null && { object: released_subscription }),
      },
    }
  },
  canceled: ({ id, canceled_at, subscription }, facts) => {
    const isAborted = lastStep(facts, id, 'subscription_schedule.aborted') !== undefined
    return {
      since: canceled_at,
      cause: {
        text: isAborted
          ? 'its subscription ended in another way, or its customer was deleted'
          : 'a request canceled it',
        rule: isAborted ? 'schedules.md#when-the-subscription-ends' : 'schedules.md#canceling-a-schedule',
        ...(subscription !== null && { object: subscription }),
      },
    }
  },
}

/** Explains a schedule: its status, its phases, and what will happen. */
export const whySchedule = (schedule: SubscriptionSchedule, facts: Facts): Sentence[] => [
  statusSince('status of the schedule', schedule.status, STATUSES[schedule.status](schedule, facts)),
  ...(isOver(schedule) ? [] : [endDetail(schedule)]),
  ...nextSentences(schedule, facts),
]

const endDetail = (schedule: SubscriptionSchedule): Sentence =>
  detail(
    `Its last phase ends at ${instant(endOf(schedule))}; its end_behavior is ${schedule.end_behavior}.`,
    END,
    { at: endOf(schedule) },
  )
