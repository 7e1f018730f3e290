import { type Address, requestJson } from './transport.ts'
import type { List } from './types.ts'

/** The parameters of a query. Those that are undefined are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>

/**
 * Sends a GET to a path of the admin API. The functions of this file return the JSON of the response.
 * @param search - further parameters, which precede those of the query
 * @throws Refused, Unreachable: see requestJson
 */
export function getJson<ResponseBody>(
  address: Address,
  path: string,
  query: Query = {},
  search: URLSearchParams = new URLSearchParams(),
): Promise<ResponseBody> {
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value))
  }
  return requestJson(address, { method: 'GET', path: `/_paytwin/${path}?${search}` })
}

/** Sends a POST to a path of the admin API. The signal cancels the wait for the response. */
export function postJson<ResponseBody>(
  address: Address,
  path: string,
  { body = {}, signal }: { readonly body?: object | undefined; readonly signal?: AbortSignal | undefined },
): Promise<ResponseBody> {
  return requestJson(address, { method: 'POST', path: `/_paytwin/${path}`, body, signal })
}

/** Sends a DELETE to a path of the admin API. */
export const deleteJson = <ResponseBody>(address: Address, path: string): Promise<ResponseBody> =>
  requestJson(address, { method: 'DELETE', path: `/_paytwin/${path}` })

/** Reads all pages of a list. @param read - reads the page after an id, or the first one */
export async function allPages<Item extends { readonly id: string }>(
  read: (starting_after: string | undefined) => Promise<List<Item>>,
): Promise<List<Item>> {
  const data: Item[] = []
  for (;;) {
    const page = await read(data.at(-1)?.id)
    data.push(...page.data)
    if (!page.has_more) return { ...page, data }
  }
}
