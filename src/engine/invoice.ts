import type { Collected } from '../core/billing/collect.ts'
import { payByHand } from '../core/billing/dunning.ts'
import { Change } from '../core/change.ts'
import { apply } from './apply.ts'
import { intentsOf, loadCustomerAccount } from './billing.ts'
import type { Unit } from './unit.ts'

/**
 * Pays an invoice by hand. A declined payment is written, and told to the caller.
 * @throws ApiError resource_missing; invalid_state_transition, param status
 * Source: decisions.md 6, 7 (`pay`).
 */
export function payInvoice(unit: Unit, id: string): Collected {
  const invoice = unit.find('invoice', id)
  const subscription = invoice.subscription === null ? null : unit.need('subscription', invoice.subscription)
  const account = loadCustomerAccount(unit, invoice.customer, subscription)
  const change = new Change()
  // A written-off invoice is not among the open ones, and yet can be paid.
  const intents = new Map([...account.intents, ...intentsOf(unit, [invoice])])
  const collected = payByHand(change, { ...account, intents }, invoice, subscription)
  apply(unit, change, unit.clockOf(invoice.test_clock))
  return collected
}
