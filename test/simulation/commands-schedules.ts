import { attachTestCard } from './commands-objects.ts'
import { planPhases } from './commands-phases.ts'
import { CHANGEABLE } from './commands-subscriptions.ts'
import { DAY } from './model-calendar.ts'
import { copyOf } from './model-copy.ts'
import { Operation } from './model-events.ts'
import { startSchedule } from './model-phases.ts'
import {
  broken,
  type Command,
  done,
  isOfLiving,
  livingCustomers,
  methodsOf,
  refused,
  type Table,
} from './model-play.ts'
import { managing, planEnd, type Schedule, type Settings } from './model-schedule.ts'
import { ref } from './model-shown.ts'
import { keepScripts, newKey, nowOf } from './model-state.ts'

const PATH = '/v1/subscription_schedules'

/** Creates a schedule that starts a subscription, now or later. See docs/contract/schedules.md#creating-a-schedule. */
export const createSchedule: Command = (table) => {
  const { merchant, faults, dice } = table
  const customer = dice.any(livingCustomers(table).slice(-8))
  if (!customer) return null
  const at = nowOf(merchant, customer.key)
  const before = copyOf(merchant)
  const isLater = dice.chance(35)
  const start = isLater ? at + (dice.chance(5) ? -1 : dice.of([60, DAY, 10 * DAY, 31 * DAY])) : at
  const grid = { anchor: start, interval: null, isTrial: true }
  const planned = planPhases(table, { customer: customer.key, start, grid, count: dice.of([1, 2, 2, 3, 4]) })
  if (!planned) return null
  const { defaults, body: settings, makes } = defaultsOf(table, customer.key)
  const endBehavior = dice.of(['release', 'release', 'cancel'] as const)
  const body = {
    customer: ref(customer.key),
    ...(isLater ? { start_date: start } : dice.chance(50) && { start_date: 'now' }),
    ...(Object.keys(settings).length > 0 && { default_settings: settings }),
    phases: planned.bodies,
    ...((endBehavior === 'cancel' || dice.chance(30)) && { end_behavior: endBehavior }),
  }
  const play = { method: 'POST' as const, path: PATH, body }
  const takeBack = () => void Object.assign(merchant, keepScripts(before, merchant))
  if (planned.isRefused || start < at) {
    takeBack()
    return refused(play)
  }
  const schedule = newSchedule({
    ...{ key: newKey(merchant, 'sched'), customer: customer.key },
    ...{ phases: [...planned.phases], defaults, endBehavior },
  })
  merchant.schedules.push(schedule)
  const named = { [schedule.key]: 'id', ...makes }
  if (isLater) {
    const operation = new Operation(merchant, faults, { at, schedule })
    operation.tellOfSchedule('created')
    return done({ ...play, emitted: operation.end(), makes: named })
  }
  const { operation, outcome } = startSchedule(merchant, faults, { schedule, at, isNew: true })
  if (outcome === 'timed out') {
    takeBack()
    return broken(play)
  }
  return done({
    ...play,
    emitted: operation.end(),
    makes: { ...named, [schedule.subscription ?? '']: 'subscription' },
  })
}

/** Manages a running subscription. See docs/contract/schedules.md#from-a-subscription. */
export const scheduleSubscription: Command = (table) => {
  const { merchant, faults, dice } = table
  const isRunning = (status: string) => CHANGEABLE.some((each) => each === status)
  const subscription = dice.any(
    merchant.subscriptions
      .filter(({ status, customer }) => isOfLiving(table, customer) && (isRunning(status) || dice.chance(5)))
      .slice(-12),
  )
  if (!subscription) return null
  const play = { method: 'POST' as const, path: PATH, body: { from_subscription: ref(subscription.key) } }
  const { customer, status, pending, items, start, end, trialEnd, cancelAt, collection } = subscription
  if (!isRunning(status) || pending || managing(merchant, subscription)) return refused(play)
  const at = nowOf(merchant, customer)
  const schedule = newSchedule({
    ...{ key: newKey(merchant, 'sched'), customer },
    defaults: {
      ...{ collection, daysUntilDue: subscription.daysUntilDue },
      ...{ method: subscription.method, description: subscription.description },
    },
    phases: [
      {
        ...{
          start,
          end: cancelAt ?? end,
          trialEnd: status === 'trialing' ? Math.min(trialEnd ?? end, cancelAt ?? end) : null,
        },
        items: items.map(({ price, quantity, isMetered }) => ({ price, quantity, isMetered })),
        ...{ behavior: 'create_prorations', isAnchored: false },
        ...{ collection: null, daysUntilDue: null, method: null, description: null },
      },
    ],
    endBehavior: cancelAt === null ? 'release' : 'cancel',
  })
  merchant.schedules.push(schedule)
  const operation = new Operation(merchant, faults, { at, subscription, schedule })
  operation.tellOfSchedule('created')
  Object.assign(schedule, { status: 'active', subscription: subscription.key, current: 0 })
  Object.assign(subscription, { schedule: schedule.key, cancelAtPeriodEnd: false })
  planEnd(schedule, subscription, at)
  return done({ ...play, emitted: operation.end(), makes: { [schedule.key]: 'id' } })
}

const newSchedule = (
  given: Pick<Schedule, 'key' | 'customer' | 'phases' | 'defaults' | 'endBehavior'>,
): Schedule => ({
  ...given,
  status: 'not_started',
  subscription: null,
  released: null,
  current: -1,
  canceledAt: null,
  completedAt: null,
  releasedAt: null,
  expiringAt: null,
})

/** The default settings of a new schedule, mostly with a payment method. */
function defaultsOf(table: Table, customer: string) {
  const { dice } = table
  const isSent = dice.chance(12)
  const old = dice.chance(60) ? dice.any(methodsOf(table, customer)) : undefined
  const place = 'default_settings.default_payment_method'
  const given = dice.chance(85)
    ? old
      ? { key: old.key, given: ref(old.key), makes: {} }
      : attachTestCard(table, customer, place)
    : null
  const daysUntilDue = isSent && dice.chance(70) ? dice.of([0, 7, 30]) : null
  const defaults: Settings = {
    collection: isSent ? 'send_invoice' : 'charge_automatically',
    daysUntilDue,
    method: given?.key ?? null,
    description: dice.chance(10) ? 'by default' : null,
  }
  const { description } = defaults
  const body = {
    ...(isSent && { collection_method: 'send_invoice' }),
    ...(daysUntilDue !== null && { invoice_settings: { days_until_due: daysUntilDue } }),
    ...(given && { default_payment_method: given.given }),
    ...(description !== null && { description }),
  }
  return { defaults, body, makes: given?.makes ?? {} }
}
