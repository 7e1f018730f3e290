import type { Customer } from './customer.ts'
import type { PaymentMethod } from './payment-method.ts'

/**
 * Reports whether it is known in which country a customer is taxed: by the address of deliveries, its own, or that of its default
 * payment method. See docs/contract/subscriptions.md#automatic-tax.
 */
export function hasTaxLocation(
  { contact }: Pick<Customer, 'contact'>,
  method: Pick<PaymentMethod, 'billing_details'> | undefined,
): boolean {
  const addresses = [contact?.shipping?.address, contact?.address, method?.billing_details?.address]
  return addresses.some((address) => address != null && address.country !== null)
}
