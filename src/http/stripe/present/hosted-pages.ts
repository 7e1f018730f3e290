import { timingSafeEqual } from 'node:crypto'
import { resourceMissing } from '../../../core/errors.ts'
import type { View } from '../../../engine/history/view.ts'
import { digest } from '../../../engine/machine/digest.ts'

/** What the addresses of pages need of a view. */
type Place = Pick<View, 'ids' | 'merchant' | 'url'>

const KEY_LENGTH = 24

type Page = 'invoice' | 'receipt'

/** Computes the part of a page's address that cannot be guessed. */
const pageKey = ({ ids }: Pick<View, 'ids'>, page: Page, id: string): string =>
  ids.derived(`hosted ${page} ${id}`, KEY_LENGTH)

/** Returns the address of an invoice's page. See docs/contract/hosted-invoices.md#addresses. */
export const invoiceUrl = (place: Place, id: string): string =>
  `${place.url}/i/${place.merchant.id}/${id}/${pageKey(place, 'invoice', id)}`

/** Returns the address of an invoice's PDF. */
export const invoicePdfUrl = (place: Place, id: string): string => `${invoiceUrl(place, id)}/pdf`

/** Returns the address of a charge's receipt. */
export const receiptUrl = (place: Place, id: string): string =>
  `${place.url}/receipts/${place.merchant.id}/${id}/${pageKey(place, 'receipt', id)}`

/**
 * Checks the part of an address that cannot be guessed, in constant time.
 * @throws ApiError resource_missing, as for an id that does not exist
 */
export function checkPageKey(
  view: Pick<View, 'ids'>,
  { page, id, key }: { readonly page: Page; readonly id: string; readonly key: string },
): void {
  if (!timingSafeEqual(digest(key), digest(pageKey(view, page, id)))) throw resourceMissing(page, id)
}
