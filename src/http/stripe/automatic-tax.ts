import * as z from 'zod'
import type { Customer } from '../../core/customer.ts'
import { ApiError } from '../../core/errors.ts'
import { hasTaxLocation } from '../../core/tax-location.ts'
import type { View } from '../../engine/history/view.ts'
import type { UnitOfWork } from '../../engine/machine/unit.ts'
import { deferred } from '../deferred.ts'

/** The parameter `automatic_tax`. The account has no tax registrations, so every tax is zero. */
export const automaticTaxParam = deferred(() =>
  z
    .object({
      enabled: z.boolean(),
      liability: z.object({ type: z.literal('self', { error: 'paytwin knows only self here' }) }).optional(),
    })
    .optional(),
)

type Given = z.output<ReturnType<typeof automaticTaxParam>>

/** Returns what a request chooses about taxes, as a part of settings. */
export const taxOf = (given: Given): { automatic_tax?: true } =>
  given?.enabled ? { automatic_tax: true } : {}

const LIABLE = { type: 'self' } as const

/** Presents the setting of a subscription. */
export const presentTaxSetting = (isEnabled: boolean) => ({
  disabled_reason: null,
  enabled: isEnabled,
  liability: isEnabled ? LIABLE : null,
})

/** Presents the result of a calculation, which needs the location of the customer. */
export function presentTaxResult(view: View, isEnabled: boolean, customer: Customer | undefined) {
  if (!isEnabled) return { enabled: false, liability: null, provider: null, status: null }
  const isKnown = customer !== undefined && hasTaxLocation(customer, defaultMethodOf(view, customer))
  const status = isKnown ? ('complete' as const) : ('requires_location_inputs' as const)
  return { enabled: true, liability: LIABLE, provider: 'stripe', status }
}

const defaultMethodOf = (view: Pick<View, 'get'>, { default_payment_method: id }: Customer) =>
  id === null ? undefined : view.get('payment_method', id)

/**
 * Checks that taxes can be calculated for a customer.
 * @param given.customer - the id of the customer
 * @throws ApiError customer_tax_location_invalid; resource_missing
 * See docs/contract/subscriptions.md#automatic-tax.
 */
export function checkTaxLocation(
  unit: UnitOfWork,
  {
    automatic_tax,
    customer: id,
    default_payment_method,
  }: {
    readonly automatic_tax?: Given
    readonly customer: string
    readonly default_payment_method?: string | undefined
  },
  message = LOCATION_MISSING,
): void {
  if (!automatic_tax?.enabled) return
  const customer = unit.find('customer', id, 'customer')
  const method = default_payment_method && unit.get('payment_method', default_payment_method)
  if (hasTaxLocation(customer, method || defaultMethodOf(unit, customer))) return
  throw new ApiError({
    status: 400,
    type: 'invalid_request_error',
    code: 'customer_tax_location_invalid',
    param: 'automatic_tax[enabled]',
    message,
  })
}

const LOCATION_MISSING =
  "The customer's location isn't recognized. Set a valid customer address in order to automatically calculate tax."

export const CHECKOUT_LOCATION_MISSING =
  'Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set `customer_update[address]` to "auto" to save the address entered in Checkout to the Customer.'
