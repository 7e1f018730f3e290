import { getJson } from './admin-requests.ts'
import type { Address } from './transport.ts'
import type { Explanation } from './types.ts'

/**
 * Explains why an object is in its status, and what will happen to it.
 * @throws Refused, Unreachable: see Client
 */
export const explanationOf = (
  address: Address,
  id: string,
  query: { readonly at?: string | undefined } = {},
): Promise<Explanation> => getJson(address, `explanations/${encodeURIComponent(id)}`, query)
