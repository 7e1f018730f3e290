import type { Address, Contact } from './contact.ts'
import type { Customer } from './customer.ts'

/** What an invoice shows of its customer. What is unknown, or the default, is absent. */
export type InvoicedCustomer = {
  readonly name?: string
  readonly email?: string
  readonly address?: Address
  readonly phone?: string
  readonly tax_exempt?: NonNullable<Contact['tax_exempt']>
}

/** Returns what a new invoice would show of a customer. */
export const detailsOf = ({ name, email, contact }: Customer): InvoicedCustomer => ({
  ...(name !== null && { name }),
  ...(email !== null && { email }),
  ...(contact?.address && { address: contact.address }),
  ...(contact?.phone && { phone: contact.phone }),
  ...(contact?.tax_exempt && { tax_exempt: contact.tax_exempt }),
})

/** The fields of an invoice that decide what it shows. */
type Invoiced = { readonly finalized_at: number | null; readonly customer_details: InvoicedCustomer | null }

/**
 * Returns what an invoice shows of its customer: as of its finalization if that was recorded. The journal does not contain the details,
 * so a past draft has them too: `finalized_at` decides.
 * @param customer - the customer at the same moment as the invoice
 */
export function invoicedCustomer(
  { finalized_at, customer_details }: Invoiced,
  customer: Customer | undefined,
): InvoicedCustomer {
  if (finalized_at !== null && customer_details !== null) return customer_details
  return customer ? detailsOf(customer) : {}
}
