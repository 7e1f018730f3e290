import { apply, pathOf, subscriptionOf } from './commands-schedule-changes.ts'
import { isOverfull } from './model-change.ts'
import { enterPhase } from './model-phases.ts'
import { type Command, isOfLiving, methodsOf, type Table } from './model-play.ts'
import { isOver, type Schedule, type Settings } from './model-schedule.ts'
import { ref } from './model-shown.ts'
import { nowOf } from './model-state.ts'

/**
 * Changes default settings of a schedule. They apply now to what the current phase does not set.
 * See docs/contract/schedules.md#updating-a-schedule.
 */
export const changeDefaults: Command = (table) => {
  const { merchant, dice } = table
  const schedule = dice.any(
    merchant.schedules.filter((each) => !isOver(each) && isOfLiving(table, each.customer)).slice(-10),
  )
  if (!schedule) return null
  const at = nowOf(merchant, schedule.customer)
  const subscription = subscriptionOf(merchant, schedule)
  if (subscription && at === subscription.start && isOverfull(merchant, subscription)) return null
  const { defaults, body } = changedDefaults(table, schedule)
  const behavior = dice.chance(40)
    ? dice.of(['none', 'create_prorations', 'always_invoice'] as const)
    : undefined
  const isSame = JSON.stringify(defaults) === JSON.stringify(schedule.defaults)
  const play = {
    ...{ method: 'POST' as const, path: pathOf(schedule) },
    body: { default_settings: body, ...(behavior && { proration_behavior: behavior }) },
  }
  return apply(table, schedule, {
    ...{ play, at, endBehavior: undefined },
    change: (operation) => {
      schedule.defaults = defaults
      if (isSame || !subscription) return 'not tried'
      return enterPhase(operation, subscription, schedule, behavior ?? 'create_prorations')
    },
  })
}

/** Some of the settings, the others stay. */
function changedDefaults(table: Table, { customer, defaults: old }: Schedule) {
  const { dice } = table
  const collection = dice.of([null, 'send_invoice', 'charge_automatically'] as const)
  const isSent = (collection ?? old.collection) === 'send_invoice'
  const days = isSent && dice.chance(50) ? dice.of([0, 7, 30]) : undefined
  const method = dice.chance(50) ? dice.any(methodsOf(table, customer))?.key : undefined
  const description = dice.chance(20) ? 'by other defaults' : undefined
  const defaults: Settings = {
    collection: isSent ? 'send_invoice' : 'charge_automatically',
    daysUntilDue: isSent ? (days ?? old.daysUntilDue) : null,
    method: method ?? old.method,
    description: description ?? old.description,
  }
  const body = {
    ...(collection && { collection_method: collection }),
    ...(days !== undefined && { invoice_settings: { days_until_due: days } }),
    ...(method !== undefined && { default_payment_method: ref(method) }),
    ...(description !== undefined && { description }),
  }
  return { defaults, body }
}
