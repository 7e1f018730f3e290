import { z } from 'zod'
import type { Kind, Objects } from '../core/change.ts'
import { parameterInvalid, resourceMissing } from '../core/errors.ts'
import type { Filter } from '../engine/view.ts'
import type { Call } from './api.ts'
import { instant } from './fields.ts'

/** The parameters that every list has. See docs/contract/requests.md#lists. */
export const pageParams = {
  limit: z.int().min(1).max(100).default(10),
  starting_after: z.string().optional(),
  ending_before: z.string().optional(),
}

/** Bounds of `created`, or the instant itself. See docs/contract/requests.md#lists; paytwin: the instant. */
export const createdParam = z
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
  .optional()

export type PageParams = {
  limit: number
  starting_after?: string | undefined
  ending_before?: string | undefined
}
type CreatedParam = z.infer<typeof createdParam>

const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/** The conditions that `created` stands for. */
export function createdFilters(created: CreatedParam) {
  const at = (compare: '=' | (typeof OPERATORS)[keyof typeof OPERATORS], to: number | undefined) =>
    to === undefined ? [] : [{ field: 'created' as const, compare, to }]
  if (typeof created === 'number') return at('=', created)
  return (['gt', 'gte', 'lt', 'lte'] as const).flatMap((bound) => at(OPERATORS[bound], created?.[bound]))
}

/** A condition for a parameter that may be absent. */
export const equals = (field: string, is: string | undefined): Filter[] =>
  is === undefined ? [] : [{ field, is }]

/** A condition for a parameter that lists values and may be absent. */
export const isOneOf = (field: string, isIn: readonly string[] | undefined): Filter[] =>
  isIn === undefined ? [] : [{ field, isIn }]

export type List<Entry> = {
  object: 'list'
  url: string
  has_more: boolean
  data: Entry[]
  livemode: boolean
}

/** A list as it goes over the wire. */
export const list = <Entry>(url: string, data: Entry[], has_more = false): List<Entry> => ({
  object: 'list',
  url,
  has_more,
  data,
  livemode: false,
})

/**
 * A page of a merchant's objects, newest first.
 * @throws ApiError parameter_invalid for two cursors; resource_missing for an unknown one
 */
export function listObjects<K extends Kind, Body>(
  { c, view, params }: Pick<Call<PageParams>, 'c' | 'view' | 'params'>,
  kind: K,
  filters: readonly Filter[],
  present: (object: Objects[K]) => Body,
): List<Body> {
  const cursor = cursorOf(params)
  const place = cursor && view.placeOf(kind, cursor.id)
  if (cursor && place === undefined) throw resourceMissing(kind.replaceAll('_', ' '), cursor.id, cursor.param)
  const found = view.list(kind, filters, {
    limit: params.limit + 1,
    ...(cursor && { [cursor.param === 'starting_after' ? 'after' : 'before']: place }),
  })
  return page(
    c.req.path,
    found,
    { limit: params.limit, isBackward: cursor?.param === 'ending_before' },
    present,
  )
}

/** Cuts one entry too many into a page and its `has_more`; what was read backward is turned round. */
export function page<T, Body>(
  url: string,
  found: readonly T[],
  { limit, isBackward }: { limit: number; isBackward: boolean },
  present: (entry: T) => Body,
): List<Body> {
  const entries = found.slice(0, limit)
  return list(url, (isBackward ? entries.reverse() : entries).map(present), found.length > limit)
}

/**
 * A page of entries that an object holds itself, in their order.
 * @throws ApiError parameter_invalid for two cursors; resource_missing for an unknown one
 */
export function pageOf<T extends { readonly id: string }, Body>(
  url: string,
  entries: readonly T[],
  params: PageParams,
  present: (entry: T) => Body,
): List<Body> {
  const cursor = cursorOf(params)
  const place = cursor ? entries.findIndex(({ id }) => id === cursor.id) : -1
  if (cursor && place === -1) throw resourceMissing('entry', cursor.id, cursor.param)
  if (cursor?.param === 'ending_before') {
    const found = entries.slice(0, place).reverse()
    return page(url, found, { limit: params.limit, isBackward: true }, present)
  }
  return page(url, entries.slice(place + 1), { limit: params.limit, isBackward: false }, present)
}

/**
 * The cursor of a page. @throws ApiError parameter_invalid when there are two.
 * See docs/contract/requests.md#parameter-errors.
 */
export function cursorOf({
  starting_after,
  ending_before,
}: PageParams): { param: 'starting_after' | 'ending_before'; id: string } | undefined {
  if (starting_after !== undefined && ending_before !== undefined) {
    throw parameterInvalid('ending_before', 'Give starting_after or ending_before, not both')
  }
  if (starting_after !== undefined) return { param: 'starting_after', id: starting_after }
  return ending_before === undefined ? undefined : { param: 'ending_before', id: ending_before }
}
