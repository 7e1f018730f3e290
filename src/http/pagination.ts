import * as z from 'zod'
import { parameterInvalid, resourceMissing } from '../core/errors.ts'
import { jsonLength, MAX_PAGE_LENGTH } from '../core/json-text.ts'
import { type Kind, nounOf, type Objects } from '../core/kinds.ts'
import type { WebhookDelivery } from '../core/webhook.ts'
import type { Cut, Filter, Page, TimeField, View } from '../engine/history/view.ts'
import type { Call } from './api.ts'
import { deferred } from './deferred.ts'
import { instant } from './fields.ts'
import type { Json } from './json.ts'
import { countReads, type PageRequest } from './page-reads.ts'

/** The parameters of every list. See docs/contract/requests.md#lists. */
export const pageParams = {
  limit: z.int().min(1).max(100).default(10),
  starting_after: z.string().optional(),
  ending_before: z.string().optional(),
}

/** The parameter `created`: an instant or bounds. paytwin: the instant. See docs/contract/requests.md#lists. */
export const createdParam = deferred(() =>
  z
    .union(
      [
        instant,
        z.object({
          gt: instant.optional(),
          gte: instant.optional(),
          lt: instant.optional(),
          lte: instant.optional(),
        }),
      ],
      { error: 'expected Unix seconds, or bounds: gt, gte, lt, lte' },
    )
    .optional(),
)

export type PageParams = {
  limit: number
  starting_after?: string | undefined
  ending_before?: string | undefined
}
type CreatedParam = z.infer<ReturnType<typeof createdParam>>

const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** Converts the parameter `created`, or that of another time, to filters. */
export function createdFilters(created: CreatedParam, field: TimeField = 'created') {
  const at = (compare: '=' | (typeof OPERATORS)[keyof typeof OPERATORS], to: number | undefined) =>
    to === undefined ? [] : [{ field, compare, to }]
  if (typeof created === 'number') return at('=', created)
  return (['gt', 'gte', 'lt', 'lte'] as const).flatMap((bound) => at(OPERATORS[bound], created?.[bound]))
}

const COMPARISONS = {
  '=': (left: number, right: number) => left === right,
  '>': (left: number, right: number) => left > right,
  '>=': (left: number, right: number) => left >= right,
  '<': (left: number, right: number) => left < right,
  '<=': (left: number, right: number) => left <= right,
}

/** Reports whether a time, in Unix seconds, is within the parameter `created`, for lists that are not read by filters. */
export const isWithin = (created: CreatedParam, time: number): boolean =>
  createdFilters(created).every(({ compare, to }) => COMPARISONS[compare](time, to))

/** Returns a filter for a parameter, or none if it is absent. */
export const equals = (field: string, is: string | undefined): Filter[] =>
  is === undefined ? [] : [{ field, is }]

/** Leaves out deleted objects. */
export const NOT_DELETED: Filter = { field: 'deleted', is: 0 }

/** Creates the filters of a list: those parameters of `fields` that are given, and the bounds of `created`. */
export const filtersOf = <Field extends string>(
  params: { readonly [F in Field]?: string | undefined } & { readonly created?: CreatedParam },
  ...fields: readonly Field[]
): Filter[] => [...fields.flatMap((field) => equals(field, params[field])), ...createdFilters(params.created)]

/** Returns a filter for a parameter with several values, or none if it is absent. */
export const isOneOf = (field: string, isIn: readonly string[] | undefined): Filter[] =>
  isIn === undefined ? [] : [{ field, isIn }]

export type List<Entry> = {
  object: 'list'
  url: string
  has_more: boolean
  data: Entry[]
  livemode: boolean
}

/** Makes a list object. */
export const list = <Entry>(url: string, data: Entry[], has_more = false): List<Entry> => ({
  object: 'list',
  url,
  has_more,
  data,
  livemode: false,
})

/**
 * Presents a page of a merchant's objects, newest first.
 * @throws ApiError parameter_invalid for two cursors; resource_missing for an unknown one
 */
export function listObjects<K extends Kind, Body extends Json>(
  call: ListCall,
  kind: K,
  filters: readonly Filter[],
  present: PresentEntry<Objects[K], Body>,
): List<Body> {
  const { view, lengths } = countReads(call)
  const list = (page: Page) => {
    const found = call.view.listPage(kind, filters, page)
    const [first] = found.rows
    // Intents and charges are shown with details of their payment methods.
    if (first && 'payment_method' in first)
      call.view.load?.('payment_method', found.rows.flatMap(paymentMethodOf))
    return found
  }
  const placeOf = (id: string) => call.view.placeOf(kind, id)
  return listFrom(call, { noun: nounOf(kind), placeOf, list, lengths }, (object) => present(view, object))
}

const paymentMethodOf = (object: object): string[] =>
  'payment_method' in object && typeof object.payment_method === 'string' ? [object.payment_method] : []

/** Presents a page of webhook deliveries, newest first. Throws what `listObjects` throws. */
export const listDeliveries = <Body>(
  call: Pick<ListCall, 'c' | 'view' | 'params'>,
  filters: readonly Filter[],
  present: (delivery: WebhookDelivery) => Body,
): List<Body> => {
  const { deliveries } = call.view
  const list = (page: Page) => deliveries.listPage(filters, page)
  return listFrom(call, { noun: 'webhook delivery', placeOf: deliveries.placeOf, list }, present)
}

/** Converts the cursors of a page, where ids of the API are not those of the listed objects. */
export const withCursors = <Params extends PageParams>(
  params: Params,
  idOf: (id: string, param: string) => string,
): Params => ({
  ...params,
  starting_after: params.starting_after && idOf(params.starting_after, 'starting_after'),
  ending_before: params.ending_before && idOf(params.ending_before, 'ending_before'),
})

/** The request for a list. */
export type ListCall = Pick<Call<PageParams>, 'c' | 'view' | 'params'> & PageRequest

/** Presents an entry with a view that counts what is read. */
type PresentEntry<T, Body> = (view: View, entry: T) => Body

type Source<T, Body> = {
  /** The name of an entry in messages. */
  readonly noun: string
  readonly placeOf: (id: string) => number | undefined
  readonly list: (page: Page) => Cut<T>
  readonly lengths?: PageLengths<T, Body>
}

/** Presents a page of a source, newest first. Throws what `listObjects` throws. */
export function listFrom<T, Body>(
  { c, params }: Pick<ListCall, 'c' | 'params'>,
  { list, lengths, ...source }: Source<T, Body>,
  present: (entry: T) => Body,
): List<Body> {
  const read = rowsOfPage(params, source)
  const { rows, isCut } = list(read)
  const isBackward = read.before !== undefined
  return page(c.req.path, rows, { limit: params.limit, isBackward, isCut, ...lengths }, present)
}

/** Returns the rows to read for a page: one more than are shown. Throws what `listObjects` throws. */
export function rowsOfPage(
  params: PageParams,
  { noun, placeOf }: Omit<Source<unknown, unknown>, 'list'>,
): Page {
  const limit = params.limit + 1
  const cursor = cursorOf(params)
  if (!cursor) return { limit }
  const place = placeOf(cursor.id)
  if (place === undefined) throw resourceMissing(noun, cursor.id, cursor.param)
  return { limit, [cursor.param === 'starting_after' ? 'after' : 'before']: place }
}

/** How the length of a page is counted. By default, its entries count as they are. */
type PageLengths<T, Body> = {
  /** Returns the length of an entry as it will be shown. */
  readonly shownLength?: (body: Body) => number
  /** Returns the length of all that was read up to an entry, if more may be read than is shown. */
  readonly readLength?: (entry: T) => number
}

type PageShape<T, Body> = PageLengths<T, Body> & {
  readonly limit: number
  readonly isBackward: boolean
  /** Whether further entries follow those that are given. */
  readonly isCut?: boolean
}

/**
 * Makes a page of up to limit + 1 entries. It ends early if it would become too long, or once as much was read for it as a page may
 * have. `has_more` is true if an entry was left out. No more entries are read than needed. Entries that were read backward are
 * reversed.
 */
export function page<T, Body>(
  url: string,
  found: Iterable<T>,
  shape: PageShape<T, Body>,
  present: (entry: T) => Body,
): List<Body> {
  const { limit, isBackward, isCut = false, readLength = () => 0, shownLength = jsonLength } = shape
  const data: Body[] = []
  let length = 0
  let read = 0
  let isFull = false
  for (const entry of found) {
    isFull = data.length === limit || read > MAX_PAGE_LENGTH
    if (isFull) break
    const body = present(entry)
    length += shownLength(body)
    isFull = length > MAX_PAGE_LENGTH && data.length > 0
    if (isFull) break
    data.push(body)
    read = Math.max(read, readLength(entry))
  }
  return list(url, isBackward ? data.reverse() : data, isFull || isCut)
}

/**
 * Presents a page of the entries of an object, such as the lines of an invoice, in their order.
 * @throws ApiError parameter_invalid for two cursors; resource_missing for an unknown one
 */
export function pageOf<T extends { readonly id: string }, Body>(
  url: string,
  entries: readonly T[],
  params: PageParams,
  present: (entry: T) => Body,
  lengths?: PageLengths<T, Body>,
): List<Body> {
  const cursor = cursorOf(params)
  const place = cursor ? entries.findIndex(({ id }) => id === cursor.id) : -1
  if (cursor && place === -1) throw resourceMissing('entry', cursor.id, cursor.param)
  const isBackward = cursor?.param === 'ending_before'
  const found = isBackward ? entries.slice(0, place).reverse() : entries.slice(place + 1)
  return page(url, found, { limit: params.limit, isBackward, ...lengths }, present)
}

/** Presents a page as `pageOf` does, of entries for which other objects are read. */
export function pageOfRead<T extends { readonly id: string }, Body extends Json>(
  call: ListCall,
  entries: readonly T[],
  present: PresentEntry<T, Body>,
): List<Body> {
  const { view, lengths } = countReads(call)
  return pageOf(call.c.req.path, entries, call.params, (entry) => present(view, entry), lengths)
}

/**
 * Returns the cursor of a page. @throws ApiError parameter_invalid if there are two.
 * See docs/contract/requests.md#parameter-errors.
 */
export function cursorOf({
  starting_after,
  ending_before,
}: PageParams): { param: 'starting_after' | 'ending_before'; id: string } | undefined {
  if (starting_after !== undefined && ending_before !== undefined) {
    throw parameterInvalid('ending_before', 'Use starting_after or ending_before, not both')
  }
  if (starting_after !== undefined) return { param: 'starting_after', id: starting_after }
  return ending_before === undefined ? undefined : { param: 'ending_before', id: ending_before }
}
