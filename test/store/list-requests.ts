import type * as z from 'zod'
import type { Registered } from '../../src/http/route.ts'

/** A request for an object or a list that was answered before. */
export type Played = { readonly path: string }

/** Ids of existing objects that parameters may name. */
export type Known = { readonly merchant: string; readonly test_clock: string; readonly object: string }

// biome-ignore lint/suspicious/noExplicitAny: a list can have any entries
type Entry = Record<string, any>
type Ask = (path: string) => Promise<{ status: number; body: Entry }>

const CURSORS = ['starting_after', 'ending_before']
const PAGE = ['limit', ...CURSORS]

/**
 * Lists the requests for every list: all combinations of its parameters, from the beginning, after and before an entry.
 * They are derived from the descriptions of the routes, so that they include new parameters.
 * @param played - earlier requests, with existing ids, at least one for each list
 */
export async function* listRequests(
  routes: readonly Registered[],
  played: readonly Played[],
  known: Known,
  ask: Ask,
): AsyncGenerator<string> {
  for (const route of routes) {
    const shape = shapeOf(route)
    if (route.method !== 'get' || !('limit' in shape)) continue
    // A list with required parameters is requested by the story.
    if ('start_time' in shape || 'events' in shape || 'query' in shape) continue
    const path = await pathOf(route, played, known, ask)
    // Another merchant's job can be due first, and its id is no cursor of this one's list.
    const own = path === '/_paytwin/upcoming' ? `${path}?merchant=${known.merchant}` : path
    const [entry] = (await ask(own)).body.data ?? []
    const choices = Object.entries(shape)
      .filter(([name]) => !PAGE.includes(name) && !path.includes(`${name}=`))
      .map(([name, type]) => ['', ...valuesOf(name, type, { path, known, created: entry?.created })])
    for (const chosen of combinations(choices)) {
      for (const cursor of ['', ...(entry && 'starting_after' in shape ? CURSORS : [])]) {
        // `upcoming` belongs to one clock of one merchant, which must be named where there are several.
        const isOnClock = chosen.some((given) => given.startsWith('test_clock='))
        const isOfOne = chosen.some((given) => given.startsWith('merchant='))
        // The entry of the unfiltered list is not in this one.
        if (cursor && chosen.some((given) => /^(ignored_params|object)=/.test(given))) continue
        if (cursor && (isOnClock || (path === '/_paytwin/upcoming' && !isOfOne))) continue
        const query = ['limit=1', ...chosen, cursor && `${cursor}=${entry?.id}`].filter(Boolean).join('&')
        yield `${path}${path.includes('?') ? '&' : '?'}${query}`
      }
    }
  }
}

/** Finds a path that a route returns now. */
async function pathOf({ path }: Registered, played: readonly Played[], { merchant }: Known, ask: Ask) {
  const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
  for (const before of played.filter((each) => pattern.test(each.path)).toReversed()) {
    for (const url of [before.path, `${before.path}?merchant=${merchant}`])
      if ((await ask(url)).status === 200) return url
  }
  throw new Error(`nothing that was played shows ${path}`)
}

const shapeOf = ({ params }: Registered): Record<string, z.ZodType> =>
  (params?.() as z.ZodObject<Record<string, z.ZodType>> | undefined)?.shape ?? {}

/** Lists the values of a parameter as they are in a query. */
function valuesOf(
  name: string,
  type: z.ZodType,
  { path, known, created }: { path: string; known: Known; created: number | undefined },
): string[] {
  if (name === 'created') {
    const at = created ?? 0
    return [
      `created=${at}`,
      `created[gt]=${at - 1}&created[lt]=${at + 1}&created[gte]=${at}&created[lte]=${at}`,
    ]
  }
  if (name.endsWith('_at')) return [`${name}[gt]=1`]
  if (path.includes('/events') && name === 'type') return ['type=invoice.*']
  if (name === 'types') return ['types[]=invoice.paid&types[]=customer.created']
  if (name === 'merchant' || name === 'test_clock' || name === 'object') return [`${name}=${known[name]}`]
  if (name === 'at') return [`at=${SEEN_AT}`]
  if (name === 'currency') return ['currency=usd']
  const inner = unwrapped(type)
  if (inner.type === 'enum') return inner.options.map((value: string) => `${name}=${value}`)
  if (inner.type === 'boolean') return [`${name}=true`, `${name}=false`]
  if (inner.type === 'array') return [`${name}[]=one&${name}[]=two`]
  return [`${name}=one`]
}

/** An instant of the story at which all objects exist. */
const SEEN_AT = 1_769_853_600 + 28 * 86_400 + 3_600

function unwrapped(type: z.ZodType): { type: string; options: string[] } {
  // biome-ignore lint/suspicious/noExplicitAny: wrappers are distinguished by their fields
  let inner = type as any
  while (inner.unwrap && inner.type !== 'array') inner = inner.unwrap()
  return inner
}

/** Combines one value of each parameter in all ways. */
const combinations = (choices: readonly (readonly string[])[]): string[][] =>
  choices.reduce<string[][]>(
    (all, choice) => all.flatMap((chosen) => choice.map((value) => [...chosen, value])),
    [[]],
  )
