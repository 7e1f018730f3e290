import { KINDS, kindNumber } from '../core/kinds.ts'
import { BILLING_COLUMNS } from './columns/billing.ts'
import { CATALOG_COLUMNS } from './columns/catalog.ts'
import { DISCOUNTS_COLUMNS } from './columns/discounts.ts'
import { PAYMENTS_COLUMNS } from './columns/payments.ts'
import { PORTAL_COLUMNS } from './columns/portal.ts'
import { WEBHOOKS_COLUMNS } from './columns/webhooks.ts'
import type { IndexChoice, StoredKind, StoredKinds } from './stored-kind.ts'

/** The columns of every kind of object. A missing kind does not compile. */
const STORED: StoredKinds = {
  ...CATALOG_COLUMNS,
  ...PAYMENTS_COLUMNS,
  ...BILLING_COLUMNS,
  ...DISCOUNTS_COLUMNS,
  ...WEBHOOKS_COLUMNS,
  ...PORTAL_COLUMNS,
}

/** All kinds with a table of their own. */
export const STORED_KINDS: readonly StoredKind[] = [...KINDS, 'webhook_delivery']

/** Deliveries have no journal, but their blocks have this number. No kind may have it (core/kinds.ts). */
const DELIVERY_NUMBER = 11

/** Returns the number of a kind in the journal and in the blocks. */
export const storedNumber = (kind: StoredKind): number =>
  kind === 'webhook_delivery' ? DELIVERY_NUMBER : kindNumber(kind)

/** Returns the columns of a kind with their types. */
export const columnsOf = <K extends StoredKind>(kind: K): StoredKinds[K]['columns'] => STORED[kind].columns

/** Returns the names of a kind's fields that the API never shows. */
export const privateFieldsOf = (kind: StoredKind): readonly string[] => STORED[kind].privateFields ?? []

/** Returns the index choices of a kind's lists, the most selective first. */
export const indexesOf = (kind: StoredKind): readonly IndexChoice[] => [
  ...(STORED[kind].indexes ?? []),
  // A list of a kind with deletable objects shows only those that are not deleted.
  { condition: 'deleted' in STORED[kind].columns ? 'deleted = 0' : '*', index: `${kind}_merchant` },
]
