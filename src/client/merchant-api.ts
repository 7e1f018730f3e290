import { type Address, open, readJson } from './transport.ts'
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

  async send<ResponseBody>(request: MerchantRequest): Promise<ResponseBody> {
    return (await this.exchange<ResponseBody>(request)).body
  }

  /** Sends a request. @returns the response, and the names of the parameters that it ignored */
  async exchange<ResponseBody>({
    method,
    path,
    params,
    headers,
  }: MerchantRequest): Promise<{ body: ResponseBody; ignored: readonly string[] }> {
    const given = params?.toString() ?? ''
    const query = method === 'GET' && given !== '' ? `${path.includes('?') ? '&' : '?'}${given}` : ''
    const response = await open(this.#address, {
      method,
      path: `/_paytwin/merchants/${encodeURIComponent(this.#merchant)}/v1/${path}${query}`,
      ...(method !== 'GET' && given !== '' && { form: given }),
      ...(headers && { headers }),
    })
    const names = String(response.headers['paytwin-ignored-params'] ?? '')
    return {
      body: await readJson<ResponseBody>(this.#address, response),
      ignored: names === '' ? [] : names.split(',').map(decodeURIComponent),
    }
  }

  /** Lists a resource, newest first. @param path - such as `payment_intents` */
  list<Item>(path: string, params: Params = {}): Promise<List<Item>> {
    const given = Object.entries(params).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    )
    return this.send({ method: 'GET', path, params: new URLSearchParams(given) })
  }
}
