import type { Customer } from '../../core/customer.ts'
import { parameterInvalid } from '../../core/errors.ts'
import type { Filter } from '../../store/list-query.ts'
import type { UnitOfWork } from '../machine/unit.ts'

/**
 * Checks that nothing bills a customer in another currency, when a subscription or a schedule begins.
 * @throws ApiError parameter_invalid
 * See docs/contract/subscriptions.md#one-currency.
 */
export function checkOneCurrency(unit: UnitOfWork, customer: Customer, currency: string): void {
  if (!unit.rules.billsOneCurrency) return
  const other = otherCurrency(unit, customer, currency)
  if (other === undefined) return
  throw parameterInvalid(
    null,
    `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency ${other}`,
  )
}

/** Returns another currency that bills the customer; undefined without any. */
function otherCurrency(unit: UnitOfWork, { id, discount }: Customer, currency: string): string | undefined {
  const ofCustomer: Filter = { field: 'customer', is: id }
  const others = [ofCustomer, { field: 'currency', isNot: currency }]
  const none = (field: string, ...values: string[]) => values.map((isNot) => ({ field, isNot }))
  const { objects } = unit.store
  const running = [...others, ...none('status', 'canceled', 'incomplete_expired')]
  const [subscription] = objects.list('subscription', unit.owner, running, { limit: 1 })
  if (subscription) return subscription.currency
  const planned = [ofCustomer, ...none('status', 'canceled', 'completed', 'released')]
  const schedules = objects.list('subscription_schedule', unit.owner, planned, {
    limit: Number.MAX_SAFE_INTEGER,
  })
  const phases = schedules.flatMap(({ phases: [first] }) => first ?? [])
  const phase = phases.find((each) => each.currency !== currency)
  if (phase) return phase.currency
  const reduced = discount === null ? null : unit.need('discount', discount).terms.currency
  return reduced === null || reduced === currency ? undefined : reduced
}
