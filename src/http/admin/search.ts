import * as z from 'zod'
import { parameterInvalid } from '../../core/errors.ts'
import { INVOICE_STATUSES } from '../../core/invoice-status.ts'
import { type Kind, kindOfId, nounOf, type Objects } from '../../core/kinds.ts'
import { SUBSCRIPTION_STATUSES } from '../../core/subscription-status.ts'
import { type CurrentView, currentView, type Filter, type Page } from '../../engine/history/view.ts'
import { checkCurrent } from '../../engine/machine/merchant-state.ts'
import { OPERATOR } from '../../engine/machine/turns.ts'
import { deferred } from '../deferred.ts'
import type { Json } from '../json.ts'
import { countReads } from '../page-reads.ts'
import { equals, isOneOf, type List, list, NOT_DELETED, page, pageParams, rowsOfPage } from '../pagination.ts'
import { readInSteps } from '../read-turn.ts'
import { present, presentFound } from '../resources.ts'
import { FOUND_KINDS, type FoundShape, foundList } from '../schemas/search.ts'
import { subscriptionFilters } from '../subscription-params.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute, AdminCall } from './services.ts'

const MAX_LENGTH = 200
const MAX_WORDS = 5
/** The objects of up to this many customers are found by customer. For more customers, all objects are read, newest first. */
const MAX_CUSTOMERS = 200

const searchParams = deferred(() =>
  z.object({
    ...pageParams,
    merchant: z.string().optional(),
    kind: z.enum(FOUND_KINDS),
    query: z.string().trim().min(1).max(MAX_LENGTH),
    status: z.string().optional(),
  }),
)
type Params = z.infer<ReturnType<typeof searchParams>>
type FoundKind = (typeof FOUND_KINDS)[number]

/** Registers the search by names, email addresses, numbers and ids. See docs/contract/operator.md#search. */
export function searchRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'search',
      summary:
        'Searches customers, subscriptions, invoices or payments by id, name, email or invoice number.',
      params: searchParams,
      returns: foundList,
      errors: { 400: ['parameter_missing'], 404: ['resource_missing'] },
    },
    search,
  )
}

async function search({ c, services, params, sender }: AdminCall<Params>): Promise<List<FoundShape>> {
  const { engine } = services
  const merchant = theMerchant(engine, params.merchant)
  const { store, ids, url } = engine
  const view = currentView({ store, ids, url, merchant: merchant.settings })
  const { kind, limit } = params
  const status = statusFilters(params)
  const read = rowsOfPage(params, { noun: nounOf(kind), placeOf: (id) => view.placeOf(kind, id) })
  const check = () => {
    checkCurrent(merchant)
    sender.checkCredentials?.()
  }
  const find: Find = (of, filters, page) =>
    readInSteps(services, { owner: OPERATOR, env: c.env, check }, view.idsInSteps(of, filters, page))
  for await (const wanted of meaningsOf(view, params, find)) {
    if ('object' in wanted) return list(c.req.path, [show(view, kind, wanted.object)])
    const found = await find(kind, [...wanted.filters, ...status], read)
    if (found.length === 0) continue
    const reads = countReads({ view, services, version: services.versions.newest })
    const shape = { limit, isBackward: read.before !== undefined, ...reads.lengths }
    const objects = objectsOf(reads.view, kind, found)
    return page(c.req.path, objects, shape, (one) => show(reads.view, kind, one))
  }
  return list(c.req.path, [])
}

/** Lists ids of objects. Other requests are served meanwhile, because it may read all objects of the merchant. */
type Find = (kind: Kind, filters: readonly Filter[], page: Page) => Promise<string[]>

/** Reads objects one after the other, as far as they are needed. */
function* objectsOf(view: CurrentView, kind: FoundKind, ids: readonly string[]): Generator<Objects[Kind]> {
  view.load?.(kind, ids)
  for (const id of ids) {
    const object = view.get(kind, id)
    if (object) yield object
  }
}

/** A meaning of a query: one object in any status, or all objects with some properties. */
type Meaning = { readonly object: Objects[Kind] } | { readonly filters: readonly Filter[] }

/** Yields the possible meanings of a query, the most specific first, because a search by text takes the longest. */
async function* meaningsOf(view: CurrentView, { kind, query }: Params, find: Find): AsyncGenerator<Meaning> {
  yield* byId(view, kind, query)
  if (kind === 'invoice') yield* byNumber(view, query.toUpperCase())
  yield await byText(find, kind, query.split(/\s+/).slice(0, MAX_WORDS))
}

/** The number of an invoice, such as ABCD1234-0001, which begins with a prefix of the customer. */
const NUMBER = /^([A-Z0-9]+)-\d+$/

/** Finds the invoice with a number among those of the customer with its prefix, because numbers have no index of their own. */
function byNumber(view: CurrentView, number: string): Meaning[] {
  const prefix = NUMBER.exec(number)?.[1]
  if (prefix === undefined) return []
  const [customer] = view.list('customer', equals('invoice_prefix', prefix), { limit: 1 })
  if (!customer) return []
  return [{ filters: [...equals('customer', customer.id), ...equals('number', number)] }]
}

/** Finds the object with an id, or objects that are related to it: the customer of a subscription, or its invoices. */
function byId(view: CurrentView, kind: FoundKind, id: string): Meaning[] {
  const named = kindOfId(id)
  const object = named && view.get(named, id)
  if (!object || isDeleted(object)) return []
  if (named === kind) return [{ object }]
  if (named === 'customer' || (named === 'subscription' && kind === 'invoice'))
    return [{ filters: equals(named, id) }]
  const linked = (object as Readonly<Record<string, unknown>>)[kind]
  const owned = typeof linked === 'string' ? view.get(kind, linked) : undefined
  return owned && !isDeleted(owned) ? [{ object: owned }] : []
}

const isDeleted = (object: Objects[Kind]): boolean => 'deleted' in object && object.deleted

/** Finds customers whose name or email address contains each word, and the objects of such customers. */
async function byText(find: Find, kind: FoundKind, words: readonly string[]): Promise<Meaning> {
  const filters = words.map((text): Filter => ({ text }))
  if (kind === 'customer') return { filters }
  const customers = await find('customer', [NOT_DELETED, ...filters], { limit: MAX_CUSTOMERS + 1 })
  return { filters: customers.length > MAX_CUSTOMERS ? filters : isOneOf('customer', customers) }
}

/** @throws ApiError parameter_invalid, param status, for a status that the kind does not have */
function statusFilters({ kind, status, limit }: Params): readonly Filter[] {
  const isDeletable = kind === 'customer' || kind === 'invoice'
  const shown = isDeletable ? [NOT_DELETED] : []
  if (status === undefined) return shown
  const known: readonly string[] =
    kind === 'subscription'
      ? [...SUBSCRIPTION_STATUSES, 'all', 'ended']
      : kind === 'invoice'
        ? INVOICE_STATUSES
        : []
  if (!known.includes(status))
    throw parameterInvalid(
      'status',
      known.length === 0 ? `A search for ${kind} has no status` : `expected one of ${known.join(', ')}`,
    )
  if (kind === 'invoice') return [...shown, ...equals('status', status)]
  return subscriptionFilters({ status: status as 'all', limit })
}

/** Presents an object with its customer in place of the customer's id. */
function show<K extends FoundKind>(view: CurrentView, kind: K, object: Objects[Kind]): FoundShape {
  const shown = present(view, kind, object as Objects[K])
  const customer = typeof shown.customer === 'string' ? view.get('customer', shown.customer) : undefined
  const whole: Json = customer ? { ...shown, customer: presentFound(view, 'customer', customer) } : shown
  return whole as FoundShape
}
