import { ApiError } from '../core/errors.ts'
import { type PageContext, redirectTo, type Section } from './context.ts'
import { given } from './pager.tsx'

/** The sections by how the ids of their objects begin. */
const SECTIONS: readonly (readonly [prefix: RegExp, section: string])[] = [
  [/^cus_/, 'customers'],
  [/^sub_/, 'subscriptions'],
  [/^in_/, 'invoices'],
  [/^pi_/, 'payments'],
  [/^evt_/, 'events'],
  [/^we_/, 'webhooks'],
]

/** Opens the page of an id, or the subscriptions of an email address: the field at the top of every page. */
export const findPage: Section = (context) =>
  context.method === 'GET' && context.rest.length === 0 ? find(context) : undefined

async function find({ base, query }: PageContext): Promise<Response> {
  const wanted = given(query, 'id') ?? ''
  const section = SECTIONS.find(([prefix]) => prefix.test(wanted))?.[1]
  if (section !== undefined) return redirectTo(`${base}/${section}/${encodeURIComponent(wanted)}`)
  if (wanted.includes('@')) return redirectTo(`${base}/customers?${new URLSearchParams({ email: wanted })}`)
  throw new ApiError({
    status: 404,
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `Nothing has the id '${wanted}'. Give the id of a customer, subscription, invoice, payment, event or webhook endpoint, or an email address`,
  })
}
