import { resourceMissing } from '../../../core/errors.ts'
import type { View } from '../../../engine/history/view.ts'
import { isSameSecret } from '../../../engine/machine/digest.ts'
import { clientSecretOf } from '../../client-secret.ts'

/** The parts of a view that make the addresses of pages. */
type Place = Pick<View, 'ids' | 'merchant' | 'url'>

const KEY_LENGTH = 24

type Page = 'authentication' | 'invoice' | 'receipt'

/** The names from which the keys of pages are derived. A changed name would make existing addresses invalid. */
const KEYS: Readonly<Record<Page, string>> = {
  authentication: 'authentication',
  invoice: 'hosted invoice',
  receipt: 'hosted receipt',
}

/** Computes the part of a page's address that cannot be guessed. */
const pageKey = ({ ids }: Pick<View, 'ids'>, page: Page, id: string): string =>
  ids.derived(`${KEYS[page]} ${id}`, KEY_LENGTH)

/** Returns the path of an invoice's page. */
export const invoicePath = (place: Pick<Place, 'ids' | 'merchant'>, id: string): string =>
  `/i/${place.merchant.id}/${id}/${pageKey(place, 'invoice', id)}`

/** Returns the address of an invoice's page. See docs/contract/hosted-invoices.md#addresses. */
export const invoiceUrl = (place: Place, id: string): string => `${place.url}${invoicePath(place, id)}`

/** Returns the address of an invoice's PDF. */
export const invoicePdfUrl = (place: Place, id: string): string => `${invoiceUrl(place, id)}/pdf`

/** Returns the address of a charge's receipt. */
export const receiptUrl = (place: Place, id: string): string =>
  `${place.url}/receipts/${place.merchant.id}/${id}/${pageKey(place, 'receipt', id)}`

/** Returns the path of the page on which a customer authenticates for an intent. */
export const authenticationPath = (place: Pick<Place, 'ids' | 'merchant'>, id: string): string =>
  `/c/authenticate/${place.merchant.id}/${id}/${pageKey(place, 'authentication', id)}`

/** Returns the path of a portal session's page. It ends with a secret of 142 bits, in the form of a client_secret. */
export const portalPath = (place: Pick<Place, 'ids' | 'merchant'>, id: string): string =>
  `/p/session/${place.merchant.id}/${clientSecretOf(place.ids, id)}`

/** Returns the address of a portal session's page. */
export const portalUrl = (place: Place, id: string): string => `${place.url}${portalPath(place, id)}`

/**
 * Checks the part of an address that cannot be guessed, in constant time.
 * @throws ApiError resource_missing, as for an id that does not exist
 */
export function checkPageKey(
  view: Pick<View, 'ids'>,
  { page, id, key }: { readonly page: Page; readonly id: string; readonly key: string },
): void {
  if (!isSameSecret(key, pageKey(view, page, id))) throw resourceMissing(page, id)
}
