import * as z from 'zod'
import { parameterInvalid } from '../../../core/errors.ts'
import { nounOf, type Objects } from '../../../core/kinds.ts'
import type { CurrentView, View } from '../../../engine/history/view.ts'
import { deferred } from '../../deferred.ts'
import { expandPaths } from '../../expand.ts'
import type { Json } from '../../json.ts'
import { countReads } from '../../page-reads.ts'
import { page, pageParams } from '../../pagination.ts'
import { readInSteps } from '../../read-turn.ts'
import type { StripeApi } from '../api.ts'
import { returning } from '../returns.ts'
import { asSearch, type SearchableKind } from './fields.ts'
import { parseQuery } from './parse.ts'

/** A page of a search over the wire. */
type SearchResult<Entry> = {
  object: 'search_result'
  url: string
  has_more: boolean
  next_page: string | null
  data: Entry[]
  total_count?: number
}

const params = deferred(() =>
  z.object({
    query: z.string().min(1).max(5_000),
    limit: pageParams.limit,
    page: z.string().max(500).optional(),
  }),
)

/** The total count is exact up to this number, as Stripe's. */
const MAX_COUNT = 10_000

/**
 * Registers the search of a kind. Call it before the route that retrieves an object, whose path would match too.
 * @param path - the path of the kind's lists
 */
export function searchRoute<K extends SearchableKind, Entry extends Json>(
  api: StripeApi,
  { kind, path, present }: { kind: K; path: string; present: (view: View, object: Objects[K]) => Entry },
): void {
  api.read(
    {
      method: 'get',
      path: `${path}/search`,
      summary: `Searches for ${nounOf(kind)}s with a query, newest first.`,
      params,
      returns: returning<SearchResult<Entry>>(`${kind} search`),
    },
    async (call) => {
      const { c, services, view, owner, given, checkCredentials, params } = call
      const { query, limit, page: token } = params
      const search = asSearch(kind, path.slice('/v1/'.length), parseQuery(query))
      const after = token === undefined ? undefined : placeAfter(view, kind, token)
      const inTurns = <T>(steps: Generator<void, T>) =>
        readInSteps(services, { owner, env: c.env, check: checkCredentials }, steps)
      // The page is read last, so that it is not kept while other requests run.
      const total_count = expandPaths(given.expand).includes('total_count')
        ? await inTurns(view.countFound(kind, search, MAX_COUNT))
        : undefined
      const { rows, isCut } = await inTurns(view.search(kind, search, { limit: limit + 1, after }))
      const reads = countReads(call)
      const shape = { limit, isBackward: false, isCut, ...reads.lengths }
      const { data, has_more } = page(c.req.path, rows, shape, (object) => present(reads.view, object))
      const last = has_more ? rows[data.length - 1] : undefined
      return {
        object: 'search_result' as const,
        url: c.req.path,
        has_more,
        next_page: last ? tokenOf(last.id) : null,
        data,
        ...(total_count !== undefined && { total_count }),
      }
    },
  )
}

/** Makes the token of the page after an object. */
const tokenOf = (id: string): string => Buffer.from(id).toString('base64url')

/** Returns the place of the object before a page. @throws ApiError parameter_invalid, param page */
function placeAfter(view: CurrentView, kind: SearchableKind, token: string): number {
  const place = view.placeOf(kind, Buffer.from(token, 'base64url').toString())
  if (place === undefined) throw parameterInvalid('page', 'page must be the next_page of an earlier response')
  return place
}
