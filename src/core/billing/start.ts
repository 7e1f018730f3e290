import { Change } from '../change.ts'
import { FIRST_STATUS, type Subscription, withInvoice } from '../subscription.ts'
import { type Account, updateDelinquency } from './account.ts'
import { bill } from './bill.ts'
import type { Collected } from './collect.ts'

/**
 * Starts a subscription: bills and collects the first period at once, unless it begins with a trial.
 * subscription.created comes first and shows the state at the end of the operation.
 * @param given - the requested subscription; its status and latest invoice are set here
 * @returns the result of the first invoice; null during a trial
 * See docs/contract/subscriptions.md#creating.
 */
export function start(change: Change, account: Account, given: Subscription): Collected | null {
  if (given.status === FIRST_STATUS.trial) {
    change.create('subscription', given, 'subscription.created')
    return null
  }
  const invoicing = new Change()
  const period = { start: given.current_period_start, end: given.current_period_end }
  const collected = bill(invoicing, account, given, { period, reason: 'subscription_create' })
  const subscription = { ...withInvoice(given, collected), status: FIRST_STATUS[collected.result] }
  change.create('subscription', subscription, 'subscription.created')
  change.append(invoicing)
  updateDelinquency(change, account)
  return collected
}
