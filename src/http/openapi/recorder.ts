import { decodeForm } from '../form.ts'
import type { Json } from '../json.ts'
import { coerce } from '../params.ts'
import type { Registered } from '../route.ts'
import type { Example, Examples } from './examples.ts'
import { errorExampleName } from './responses.ts'

/** A deterministic sandbox that answers requests without a socket. */
export type ExampleSandbox = {
  request(path: string, init: RequestInit): Response | Promise<Response>
  readonly secretKey: string
  readonly adminToken: string
  close(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: a story knows the shape of each response
export type ResponseBody = Record<string, any>

type Method = Registered['method']

/** Sends requests to an example sandbox, and records the first success of each route and the first error of each kind. */
export class Recorder {
  readonly #exampleSandbox: ExampleSandbox
  readonly #routes: readonly (Registered & { pattern: RegExp })[]
  readonly #successes = new Map<string, Example>()
  readonly #errors = new Map<string, Json>()
  readonly #streams = new Map<string, string>()
  readonly #requestIds = new Map<string, string>()
  readonly #secrets = new Map<string, string>()
  readonly #realIds = new Map<string, string>()

  constructor(exampleSandbox: ExampleSandbox, routes: readonly Registered[]) {
    this.#exampleSandbox = exampleSandbox
    this.#routes = routes
      .map((route) => ({ ...route, pattern: patternOf(route.path) }))
      // Literal paths come before paths with an id.
      .sort((left, right) => Number(left.path.includes(':')) - Number(right.path.includes(':')))
  }

  get = (path: string) => this.#succeed('get', path)
  post = (path: string, body?: Json, headers?: Record<string, string>) =>
    this.#succeed('post', path, body, headers)
  delete = (path: string, body?: Json) => this.#succeed('delete', path, body)

  /** Sends a request that must fail, and records the error. @param name - the name of an error without a code */
  async refused(
    method: Method,
    path: string,
    { body, headers, name }: { body?: Json; headers?: Record<string, string>; name?: string } = {},
  ): Promise<void> {
    const { status, json } = await this.#send(method, path, body, headers)
    const code = name ?? json.error?.code
    if (status < 400 || code === undefined) throw new Error(`${method} ${path} did not fail`)
    const key = errorExampleName(status, code)
    if (!this.#errors.has(key)) this.#errors.set(key, json)
  }

  /** Records the beginning of a stream, up to its first event. */
  async stream(path: string): Promise<void> {
    const response = await this.#exampleSandbox.request(this.#real(path), {
      headers: { ...this.#headers(path), Accept: 'text/event-stream' },
    })
    const reader = response.body?.getReader()
    let text = ''
    while (reader && !text.includes('data:')) text += new TextDecoder().decode((await reader.read()).value)
    await reader?.cancel()
    const { route } = this.#find('get', path)
    this.#streams.set(keyOf(route), this.#stable(text))
  }

  /** Replaces the example secrets in a text with the real ones. */
  real(text: string): string {
    return text.replaceAll(SECRET, (shown) => {
      const found = [...this.#secrets].find(([, known]) => known === shown)
      return found?.[0] ?? shown
    })
  }

  examples(): Examples {
    return { successes: this.#successes, errors: this.#errors, streams: this.#streams }
  }

  async #succeed(
    method: Method,
    path: string,
    body?: Json,
    headers?: Record<string, string>,
  ): Promise<ResponseBody> {
    const { status, json } = await this.#send(method, path, body, headers)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`)
    const { route, ids } = this.#find(method, path)
    const given = decodeForm(path.split('?')[1] ?? '')
    const query = (route.params ? coerce(route.params(), given) : given) as Json
    const example: Example = { request: { ids, query, body }, status, body: json }
    if (!this.#successes.has(keyOf(route))) this.#successes.set(keyOf(route), example)
    return json
  }

  async #send(method: Method, path: string, body?: Json, headers?: Record<string, string>) {
    const response = await this.#exampleSandbox.request(this.#real(path), {
      method: method.toUpperCase(),
      headers: {
        ...this.#headers(path),
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: this.real(JSON.stringify(body)) }),
    })
    const json: ResponseBody = JSON.parse(this.#stable(await response.text()))
    return { status: response.status, json }
  }

  #headers(path: string): Record<string, string> {
    const { secretKey, adminToken } = this.#exampleSandbox
    const token = path.startsWith('/_paytwin/') ? adminToken : secretKey
    return { Host: 'localhost', Authorization: `Bearer ${token}` }
  }

  #find(method: Method, path: string): { route: Registered; ids: Record<string, string> } {
    const [plain = ''] = path.split('?')
    for (const route of this.#routes) {
      const match = route.method === method ? route.pattern.exec(plain) : null
      if (match) return { route, ids: { ...match.groups } }
    }
    throw new Error(`no route for ${method} ${path}`)
  }

  /** Replaces the example request ids in a path with the real ones. */
  #real(path: string): string {
    return path.replaceAll(/\breq_\d+/g, (id) => this.#realIds.get(id) ?? id)
  }

  /**
   * Replaces all values that differ from run to run: random request ids, OAuth secrets, codes of links, the process id and durations.
   */
  #stable(text: string): string {
    return text
      .replaceAll(/\breq_[A-Za-z0-9]+/g, (id) => {
        const known = this.#requestIds.get(id) ?? `req_${String(this.#requestIds.size + 1).padStart(20, '0')}`
        this.#requestIds.set(id, known)
        this.#realIds.set(known, id)
        return known
      })
      .replaceAll(SECRET, (secret, prefix) => {
        const known = this.#secrets.get(secret) ?? exampleSecret(prefix, this.#secrets.size + 1)
        this.#secrets.set(secret, known)
        return known
      })
      .replace(/"pid":\d+/, '"pid":4242')
      .replaceAll(/"duration_ms":[\d.]+/g, '"duration_ms":1.5')
  }
}

/** An authorization code, a token or a client secret, or the code of a link to the dashboard. */
const SECRET = /\b((?:o[a-z]{2}|dlk)_test_)[A-Za-z0-9]{32}\b/g

const exampleSecret = (prefix: string, number: number): string =>
  `${prefix}${'Example'.repeat(4)}${String(number).padStart(4, '0')}`

const keyOf = ({ method, path }: Registered): string => `${method} ${path}`

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
