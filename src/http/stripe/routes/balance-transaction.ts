import type Stripe from 'stripe'
import * as z from 'zod'
import {
  BALANCE_TRANSACTION_TYPES,
  BALANCE_TRANSACTIONS,
  type BalanceTransaction,
  type BalanceTransactionType,
  balanceTransaction,
  balanceTransactionId,
  sourceOfBalanceTransaction,
} from '../../../core/balance-transaction.ts'
import type { Charge } from '../../../core/charge.ts'
import type { Dispute } from '../../../core/dispute.ts'
import { assert, resourceMissing } from '../../../core/errors.ts'
import { kindOfId } from '../../../core/kinds.ts'
import type { Refund } from '../../../core/refund.ts'
import { type EventFilter, listEvents } from '../../../engine/history/events.ts'
import { eventOfObject } from '../../../engine/history/object-events.ts'
import { type EventWithObject, readLengthOf } from '../../../engine/history/view.ts'
import type { Call } from '../../api.ts'
import { deferred } from '../../deferred.ts'
import { reference } from '../../fields.ts'
import {
  createdFilters,
  createdParam,
  cursorOf,
  isWithin,
  page,
  pageOf,
  pageParams,
} from '../../pagination.ts'
import type { StripeApi } from '../api.ts'
import { presentAccountTransaction, transactionNamed } from '../present/balance-transaction.ts'
import { returning, returningList, wireList } from '../returns.ts'
import type { Wire } from '../wire.ts'

/** Stripe's names of the types, with paytwin's. */
const TYPES = {
  charge: ['charge'],
  refund: ['refund'],
  refund_failure: ['refund_failure'],
  adjustment: ['dispute', 'dispute_reversal'],
} as const satisfies Record<string, readonly BalanceTransactionType[]>

const listParams = deferred(() =>
  z.object({
    ...pageParams,
    type: z.enum(['charge', 'refund', 'refund_failure', 'adjustment']).optional(),
    source: reference.optional(),
    created: createdParam(),
  }),
)
type ListCall = Call<z.infer<ReturnType<typeof listParams>>>

/** Registers the routes of balance transactions. */
export function balanceTransactionRoutes(api: StripeApi): void {
  api.read(
    {
      method: 'get',
      path: '/v1/balance_transactions',
      summary: "Lists the movements of the account's money: charges, refunds and disputes.",
      params: listParams,
      returns: returningList<Wire<Stripe.BalanceTransaction>>('balance_transaction'),
    },
    (call) => (call.params.source === undefined ? listed(call) : listedBySource(call, call.params.source)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/balance_transactions/:id',
      summary: "Retrieves a movement of the account's money.",
      returns: returning<Wire<Stripe.BalanceTransaction>>('balance_transaction'),
    },
    (call) => presentedWithTime(call, transactionNamed(call.view, call.id) ?? missing(call.id, 'id')),
  )
}

const missing = (id: string, param: string): never => {
  throw resourceMissing('balance transaction', id, param)
}

/** Lists balance transactions by their events, newest first. */
function listed({ c, services, merchant, params }: ListCall) {
  const cursor = cursorOf(params)
  const isBackward = cursor?.param === 'ending_before'
  const types = params.type === undefined ? BALANCE_TRANSACTION_TYPES : TYPES[params.type]
  const filter: EventFilter = {
    types: types.map((type) => BALANCE_TRANSACTIONS[type].event),
    created: createdFilters(params.created),
  }
  const found = listEvents(services.engine, merchant, filter, {
    limit: params.limit + 1,
    cursor: cursor && { ...cursor, isBackward, id: eventOf({ services, merchant }, cursor).id },
  })
  const shape = { limit: params.limit, isBackward, readLength: readLengthOf }
  return wireList(page(c.req.path, found, shape, presentMovement))
}

function presentMovement({ entry, after }: EventWithObject) {
  const type = BALANCE_TRANSACTION_TYPES.find((each) => BALANCE_TRANSACTIONS[each].event === entry.type)
  assert(type, `the event ${entry.type} moves money`)
  return presentAccountTransaction(
    balanceTransaction(type, after as Charge | Refund | Dispute),
    entry.created,
  )
}

/**
 * Lists the balance transactions of one charge, refund or dispute, newest first.
 * @throws ApiError resource_missing, param source
 */
function listedBySource(call: ListCall, source: string) {
  const { c, view, params } = call
  const kind = kindOfId(source)
  if (!kind || !view.get(kind, source)) throw resourceMissing('source', source, 'source')
  const types = params.type === undefined ? BALANCE_TRANSACTION_TYPES : TYPES[params.type]
  const found = types
    .filter((type) => BALANCE_TRANSACTIONS[type].kind === kind)
    .flatMap((type) => transactionNamed(view, balanceTransactionId(type, source)) ?? [])
    .map((each) => presentedWithTime(call, each))
    .filter(({ created }) => isWithin(params.created, created))
    .reverse()
  return wireList(pageOf(c.req.path, found, params, (each) => each))
}

type Place = Pick<Call<unknown>, 'services' | 'merchant'>

const presentedWithTime = (place: Place, found: BalanceTransaction) =>
  presentAccountTransaction(found, eventOf(place, { id: found.id, param: 'id' }).created)

/** Finds the event of a balance transaction. @throws ApiError resource_missing */
function eventOf({ services, merchant }: Place, { id, param }: { id: string; param: string }) {
  const named = sourceOfBalanceTransaction(id)
  if (!named) return missing(id, param)
  const { kind, event } = BALANCE_TRANSACTIONS[named.type]
  const found = eventOfObject(services.engine, merchant, { kind, id: named.source, type: event })
  return found ?? missing(id, param)
}
