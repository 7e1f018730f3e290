import type { List } from '../client/types.ts'
import { type PageContext, redirectTo, type Section } from './context.ts'
import { given } from './pager.tsx'

/** The sections by how the ids of their objects begin. */
const SECTIONS: readonly (readonly [prefix: RegExp, section: string])[] = [
  [/^cus_/, 'customers'],
  [/^sub_(?!sched_)/, 'subscriptions'],
  [/^in_/, 'invoices'],
  [/^pi_/, 'payments'],
  [/^evt_/, 'events'],
  [/^req_/, 'requests'],
  [/^we_/, 'webhooks'],
]

/** The kinds of objects that can be found without an id, in the order of the search. */
const FOUND = [
  { kind: 'invoice', section: 'invoices', given: /^[a-z0-9]+-\d+$/i },
  { kind: 'customer', section: 'customers', given: /./ },
] as const

/** Handles the search field at the top of every page. */
export const findPage: Section = (context) =>
  context.method === 'GET' && context.rest.length === 0 ? find(context) : undefined

/**
 * Opens the page of an id. For other texts, opens the only invoice or customer that matches, or lists the customers that match.
 */
async function find({ api, base, merchant, query }: PageContext): Promise<Response> {
  const wanted = given(query, 'id') ?? ''
  const section = SECTIONS.find(([prefix]) => prefix.test(wanted))?.[1]
  if (section !== undefined) return redirectTo(`${base}/${section}/${encodeURIComponent(wanted)}`)
  for (const each of FOUND.filter(({ given: pattern }) => pattern.test(wanted))) {
    const params = { merchant: merchant.id, kind: each.kind, query: wanted, limit: 2 }
    const { data } = await api.get<List<{ readonly id: string }>>('search', params)
    const [only, ...others] = data
    if (only && others.length === 0)
      return redirectTo(`${base}/${each.section}/${encodeURIComponent(only.id)}`)
  }
  return redirectTo(`${base}/customers?${new URLSearchParams({ search: wanted })}`)
}
