import type { Customer } from '../../core/customer.ts'
import { parameterInvalid } from '../../core/errors.ts'
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
  // One subscription or schedule tells the currency of all, because each was checked when it was created.
  const billed = unit.store.objects.billedCurrency(id)
  const known = billed.currency ?? (billed.hasSchedule ? currencyOfSchedule(unit, id) : undefined)
  if (known !== undefined && known !== currency) return known
  const reduced = discount === null ? null : unit.need('discount', discount).terms.currency
  return reduced === null || reduced === currency ? undefined : reduced
}

/** Returns the currency of a customer's newest schedule that is not over. */
function currencyOfSchedule({ store, owner }: UnitOfWork, customer: string): string | undefined {
  const isNot = ['canceled', 'completed', 'released'].map((status) => ({ field: 'status', isNot: status }))
  const ofCustomer = [{ field: 'customer', is: customer }, ...isNot]
  const [schedule] = store.objects.list('subscription_schedule', owner, ofCustomer, { limit: 1 })
  return schedule?.phases[0]?.currency
}
