import type { Customer } from '../../core/customer.ts'
import type { Kind, Objects } from '../../core/kinds.ts'
import { settlementOf } from '../../core/refund.ts'
import type { Merchant } from '../../store/directory.ts'
import type { Store } from '../../store/store.ts'
import type { Ids } from '../machine/ids.ts'
import { pastWithoutMetadata, type View } from './view.ts'

/** The kinds of objects that follow the merchant's main clock. */
const OF_MERCHANT: ReadonlySet<Kind> = new Set<Kind>([
  'price',
  'product',
  'billing_meter',
  'coupon',
  'promotion_code',
])

/** Derives the private fields, which the journal does not record. */
const PRIVATE: { readonly [K in Kind]?: (object: Objects[K], instant: number) => Objects[K] } = {
  invoice: (invoice, instant) => ({
    ...invoice,
    overdue: invoice.overdue && invoice.due_date !== null && invoice.due_date <= instant,
  }),
  refund: (refund) => ({
    ...refund,
    settles_at: refund.status === 'pending' ? settlementOf(refund) : null,
  }),
}

/**
 * Creates a view of a customer's objects at the end of an instant of the customer's clock. If that is not the
 * merchant's clock, prices have no state at the instant and are shown as they are now.
 * See docs/contract/command-line.md#timelines.
 */
export const viewAt = (
  { store, ids, url, merchant }: { store: Store; ids: Ids; url: string; merchant: Merchant },
  instant: number,
  { id: customer, test_clock }: Customer,
): View => {
  const history = store.openHistory()
  const get = <K extends Kind>(kind: K, id: string): Objects[K] | undefined => {
    if (test_clock !== null && OF_MERCHANT.has(kind)) return store.objects.get(kind, merchant.ordinal, id)
    const seq = store.objects.seqOf(kind, merchant.ordinal, id)
    const object = seq === undefined ? undefined : history.at(kind, seq, instant, customer)
    const complete = PRIVATE[kind] as ((object: Objects[K], instant: number) => Objects[K]) | undefined
    return object && complete ? complete(object, instant) : object
  }
  const withoutMetadata = pastWithoutMetadata({ store, merchant }, get)
  return { merchant, ids, url, get, withoutMetadata, readLength: () => history.readLength }
}
