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
  if (billed !== null && billed !== currency) return billed
  const reduced = discount === null ? null : unit.need('discount', discount).terms.currency
  return reduced === null || reduced === currency ? undefined : reduced
}
