export const COLLECTION_METHODS = ['charge_automatically', 'send_invoice'] as const
export type CollectionMethod = (typeof COLLECTION_METHODS)[number]

const DEFAULT_DAYS_UNTIL_DUE = 30

/**
 * Returns the days between finalizing an invoice and its due date; null for one that is charged automatically.
 * @param requested - the value in the request, if any
 * See docs/contract/invoices.md#due-dates.
 */
export function daysToPay(
  collection_method: CollectionMethod,
  requested: number | null | undefined,
): number | null {
  return collection_method === 'send_invoice' ? (requested ?? DEFAULT_DAYS_UNTIL_DUE) : null
}

/** The error message for `days_until_due` on something that is not sent. */
export const DUE_DATE_REQUIRES_SENDING = 'days_until_due applies only when collection_method is send_invoice'
