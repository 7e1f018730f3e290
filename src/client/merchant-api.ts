import { type Address, requestJson } from './transport.ts'
import type { List } from './types.ts'

/** Parameters by name; those without a value are left out. */
export type Params = Readonly<Record<string, string | number | undefined>>

export type MerchantRequest = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below /v1, with or without a query: `customers?limit=3`. */
  readonly path: string
  /** Sent in the query of a GET, otherwise as a form. */
  readonly params?: URLSearchParams | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Calls /v1 as one merchant, with the admin token in place of a key.
 * @throws Refused, Unreachable: see Client
 * See docs/contract/operator.md#requests-for-a-merchant.
 */
export class MerchantApi {
  readonly #address: Address
  readonly #merchant: string

  constructor(address: Address, merchant: string) {
    this.#address = address
    this.#merchant = merchant
  }

  send<ResponseBody>({ method, path, params, headers }: MerchantRequest): Promise<ResponseBody> {
    const given = params?.toString() ?? ''
    const query = method === 'GET' && given !== '' ? `${path.includes('?') ? '&' : '?'}${given}` : ''
    return requestJson(this.#address, {
      method,
      path: `/_paytwin/merchants/${encodeURIComponent(this.#merchant)}/v1/${path}${query}`,
      ...(method !== 'GET' && given !== '' && { form: given }),
      ...(headers && { headers }),
    })
  }

  /** Lists a resource, newest first. @param path - such as `payment_intents` */
  list<Item>(path: string, params: Params = {}): Promise<List<Item>> {
    const given = Object.entries(params).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    )
    return this.send({ method: 'GET', path, params: new URLSearchParams(given) })
  }
}
