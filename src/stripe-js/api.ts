import type { ApiObject, StripeError } from './types.ts'

declare const process: { readonly env: Readonly<Record<string, string | undefined>> } | undefined
declare global {
  var PAYTWIN_URL: string | undefined
}

/** The default address of the daemon. */
const DEFAULT_URL = 'http://127.0.0.1:4242'

/**
 * Returns the address of the sandbox: the global PAYTWIN_URL, which a test or a bundler sets; in tests that run in Node, the
 * variable PAYTWIN_URL, which `paytwin run` sets; otherwise the default address.
 */
export const sandboxUrl = (): string =>
  (
    globalThis.PAYTWIN_URL ??
    (typeof process === 'object' ? process.env.PAYTWIN_URL : undefined) ??
    DEFAULT_URL
  ).replace(/\/$/, '')

export type Kind = 'payment_intent' | 'setup_intent'
export type Answer =
  | { readonly object: ApiObject; readonly error?: undefined }
  | { readonly error: StripeError; readonly object?: undefined }

/** Sends requests to the sandbox with a publishable key. */
export class Api {
  readonly #key: string

  constructor(key: string) {
    this.#key = key
  }

  async send(method: 'GET' | 'POST', path: string, params: object): Promise<Answer> {
    const form = new URLSearchParams(pairsOf(params)).toString()
    const url = `${sandboxUrl()}/v1/${path}`
    const headers = { Authorization: `Bearer ${this.#key}` }
    let response: Response
    try {
      response =
        method === 'GET'
          ? await fetch(`${url}?${form}`, { headers })
          : await fetch(url, { method, headers, body: new URLSearchParams(form) })
    } catch (cause) {
      const message = `paytwin/stripe-js got no answer that it may read from ${url}: ${cause}. The address is that of globalThis.PAYTWIN_URL, and the key must be one of the sandbox.`
      return { error: { type: 'api_connection_error', message } }
    }
    const body = await response.json()
    return response.ok ? { object: body } : { error: body.error }
  }

  /** @throws Error for a text that is not the client secret of an intent */
  retrieve(clientSecret: string): Promise<Answer> {
    const { path } = intentOf(clientSecret)
    return this.send('GET', path, { client_secret: clientSecret })
  }

  /** @throws Error for a text that is not the client secret of an intent */
  confirm(clientSecret: string, params: object): Promise<Answer> {
    const { path } = intentOf(clientSecret)
    return this.send('POST', `${path}/confirm`, { client_secret: clientSecret, ...params })
  }
}

/** Returns the intent that a client secret belongs to. @throws Error for another text */
export function intentOf(clientSecret: string): {
  readonly kind: Kind
  readonly id: string
  readonly path: string
} {
  const [, id = '', prefix] = /^((pi|seti)_\w+?)_secret_\w+$/.exec(clientSecret) ?? []
  if (prefix === undefined)
    throw new Error(`Invalid client secret '${clientSecret}': expected pi_…_secret_… or seti_…_secret_…`)
  const kind = prefix === 'pi' ? 'payment_intent' : 'setup_intent'
  return { kind, id, path: `${kind}s/${id}` }
}

/** Returns the pairs of a form: nested names as in `card[number]`. Undefined values are left out. */
function pairsOf(params: object, within?: string): [string, string][] {
  return Object.entries(params).flatMap(([key, value]): [string, string][] => {
    const name = within === undefined ? key : `${within}[${key}]`
    if (value === undefined) return []
    return typeof value === 'object' && value !== null
      ? pairsOf(value, name)
      : [[name, value === null ? '' : String(value)]]
  })
}
