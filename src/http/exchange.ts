import { ApiError, internalError, keyResolutionUnavailable, rateLimited } from '../core/errors.ts'
import { stopwatch } from '../engine/clock.ts'
import type { RequestFault } from '../engine/faults.ts'
import { requestId } from '../engine/ids.ts'
import { MerchantDeleted, type MerchantState } from '../engine/merchant-state.ts'
import type { View } from '../engine/view.ts'
import { authenticate, keyHint, refusalOf } from './auth.ts'
import type { Caller } from './caller.ts'
import { delay } from './delay.ts'
import { expand } from './expand.ts'
import type { IdempotentEntry } from './idempotency.ts'
import { isKept } from './idempotency.ts'
import type { Incoming, Reply } from './incoming.ts'
import type { Answer, Json } from './json.ts'
import { namesAsHeader, namesForLog } from './params.ts'
import { redacted } from './redact.ts'
import { errorBody, errorHeaders, type Headers, isResponse, knownError, textOf } from './respond.ts'
import { ShownObject } from './shown-object.ts'
import type { Site } from './site.ts'

const NO_HEADERS: Headers = {}

/** Names and values alternate. */
const CORS: readonly string[] = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Request-Id, X-API-Version, Paytwin-Now, Idempotent-Replayed',
]

const JSON_CONTENT = ['Content-Type', 'application/json'] as const

function addHeaders(headers: string[], added: Headers): void {
  for (const name in added) headers.push(name, added[name] as string)
}

/** What a replay shows in place of a secret: none is stored for that. See docs/contract/idempotency.md#secrets. */
const MASKED_SECRET = 'whsec_…'

/** What is answered, as it goes over the wire. */
export type Rendered = {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** The code of the error that it is. */
  readonly code?: string | null
}

/** What the route of a request says about its answer. */
export type Served = {
  /** Whether browsers may call it. */
  readonly isPublicRoute: boolean
  /** Whether an Idempotency-Key means nothing to it. */
  readonly forgetsKeys?: boolean
  /** How it tells of errors; in the envelope unless it has a way of its own. */
  readonly errorBody?: (error: ApiError, url: string) => Json
  /** Headers that all its answers carry. */
  readonly headers?: Headers
}

/**
 * One request to /v1 and its answer: who asks, in which version, and the headers that every answer carries.
 * See docs/contract/requests.md#response-headers.
 */
export class Exchange {
  readonly id = requestId()
  readonly #c: Incoming
  readonly #site: Site
  readonly #served: Served
  readonly #time: number
  readonly #begun = stopwatch()
  #caller: Caller | undefined
  #merchant: MerchantState | undefined
  #version: string
  #ignored: string | undefined
  expands: readonly string[] = []
  entry: IdempotentEntry | undefined

  constructor(c: Incoming, site: Site, served: Served) {
    this.#c = c
    this.#site = site
    this.#served = served
    this.#time = site.engine.wall()
    this.#version = this.#askedVersion()
  }

  /** As in `POST /v1/customers`. */
  get #route(): string {
    return `${this.#c.req.method} ${this.#c.req.path}`
  }

  /** Whether a browser asks, with a publishable key. */
  get isPublic(): boolean {
    return this.#caller?.isPublic ?? false
  }

  /** The version in which the caller speaks. */
  get version(): string {
    return this.#version
  }

  get idempotencyKey(): string | undefined {
    return this.#served.forgetsKeys ? undefined : this.#c.req.header('idempotency-key')
  }

  /**
   * Authenticates the caller, and checks the API version and the rate limit. The request's faults are still to be applied.
   * @throws ApiError authentication_error; parameter_invalid, param X-API-Version; rate_limit
   */
  admit(): Caller {
    this.#forget()
    const caller = this.#authenticate()
    this.speaksOf(caller.merchant)
    this.#version = caller.merchant.settings.api_version
    this.#checkVersion()
    this.#site.rateLimit?.count(caller.merchant.settings.ordinal)
    return caller
  }

  /** Makes sure that the credentials still open, when a request acts that may have waited. @throws ApiError authentication_error */
  checkAdmitted(): void {
    if (this.#caller?.opens()) return
    this.#forget()
    throw refusalOf(this.#c.req.header('authorization'))
  }

  /**
   * The same for one who asks without a merchant's key: an app, or a browser that nobody knows.
   * @throws what authenticating throws; ApiError parameter_invalid, param X-API-Version; rate_limit; internal_error
   */
  async admitStranger<Who>(authenticate: () => Who): Promise<Who> {
    this.#forget()
    const who = authenticate()
    this.#checkVersion()
    await this.applyFaults()
    return who
  }

  /** Whose clock the answer tells. */
  speaksOf(merchant: MerchantState): void {
    this.#merchant = merchant
  }

  #checkVersion(): void {
    this.#version = this.#site.versions.check(this.#c.req.header('x-api-version')) ?? this.#version
  }

  /**
   * Applies the faults that are set for the request, once its caller is known: refuses it, or delays it.
   * @returns undefined when there is nothing to wait for, which is nearly always
   * @throws ApiError rate_limit; internal_error
   */
  applyFaults(): Promise<void> | undefined {
    return this.#site.faults.isEmpty ? undefined : this.#applyFaults()
  }

  async #applyFaults(): Promise<void> {
    if (this.#strike('rate_limit')) throw rateLimited()
    const latency = this.#strike('latency')
    const { closing } = this.#site
    if (latency) await delay(latency.ms ?? 0, closing)
    if (closing.aborted) throw internalError()
    if (this.#strike('internal_error')) throw internalError()
  }

  /** Names in a header the parameters that nobody asked for. */
  ignore(names: readonly string[]): void {
    this.#ignored = namesAsHeader(names)
    this.#site.noteIgnored(this.#route, namesForLog(names))
  }

  /** An answer as it goes over the wire; within a command it is kept for the request's idempotency key. */
  render(view: View, answer: Answer | ShownObject<Json>, status: number): Rendered {
    if (isResponse(answer)) throw new Error('a stream is not rendered')
    if (answer instanceof ShownObject && this.#isPlain)
      return { status, text: answer.text(), headers: NO_HEADERS, code: null }
    const body =
      answer instanceof ApiError
        ? this.#errorBody(answer)
        : expand(
            view,
            answer instanceof ShownObject ? answer.body() : answer,
            this.expands,
            this.#site.present,
          )
    const shown = this.#site.versions.downgrade(this.#version, body)
    const rendered = {
      status: answer instanceof ApiError ? answer.status : status,
      text: textOf(shown),
      headers: answer instanceof ApiError ? errorHeaders(answer) : NO_HEADERS,
      code: answer instanceof ApiError ? answer.code : null,
    }
    if (this.entry && isKept(rendered)) {
      this.entry.keep({
        fingerprint: this.entry.fingerprint,
        status: rendered.status,
        api_version: this.#version,
        body: 'secret' in shown ? textOf({ ...shown, secret: MASKED_SECRET }) : rendered.text,
      })
    }
    return rendered
  }

  /** Whether objects are answered as they are: in the newest version, with nothing expanded, and not kept for a replay. */
  get #isPlain(): boolean {
    return this.expands.length === 0 && this.#version === this.#site.versions.newest && !this.entry
  }

  /** The answer that was given under the same idempotency key before; undefined when there was none. */
  replay(): Reply | undefined {
    const stored = this.entry?.stored
    if (!stored) return undefined
    this.checkAdmitted()
    this.#version = stored.api_version
    const { status, body: text } = stored
    const code = status < 400 ? null : JSON.parse(text).error.code
    return this.send({ status, text, headers: { 'Idempotent-Replayed': 'true' }, code })
  }

  /** Lets the next request with the same idempotency key in; what is rendered from here on is not kept. */
  leave(): void {
    this.entry?.leave()
    this.entry = undefined
  }

  send({ status, text, headers, code = null }: Rendered): Reply {
    if (this.#strike('response_lost')) this.#hangUp()
    this.#note(status, code)
    return { status, text, headers: this.#headers(headers, JSON_CONTENT) }
  }

  /** The answer to what went wrong. */
  fail(error: unknown): Reply {
    // With a merchant its keys are gone, and what it granted.
    const isNobodys = error instanceof MerchantDeleted
    if (isNobodys) this.#forget()
    const known = knownError(
      this.#site,
      isNobodys ? refusalOf(this.#c.req.header('authorization')) : error,
      this.#route,
    )
    const body = this.#site.versions.downgrade(this.#version, this.#errorBody(known))
    this.#note(known.status, known.code)
    const headers = this.#headers(errorHeaders(known), JSON_CONTENT)
    return { status: known.status, text: textOf(body), headers }
  }

  /** The headers of a response that is made elsewhere. */
  stamp(response: Response): Response {
    this.#note(response.status, null)
    const headers = this.#headers(NO_HEADERS)
    for (let at = 0; at < headers.length; at += 2)
      response.headers.set(headers[at] ?? '', headers[at + 1] ?? '')
    return response
  }

  /** Faults of key resolution strike before anybody knows whether the key is valid, but may be one merchant's. */
  #authenticate(): Caller {
    try {
      const { method, path } = this.#c.req
      const allowsPublic = this.#served.isPublicRoute
      const header = this.#c.req.header('authorization')
      this.#caller = authenticate(this.#site, header, { method, path, allowsPublic })
      if (!this.#strike('key_resolution_unavailable')) return this.#caller
    } catch (error) {
      if (!this.#strike('key_resolution_unavailable')) throw error
    }
    this.#caller = undefined
    throw keyResolutionUnavailable()
  }

  #errorBody(error: ApiError): Json {
    return (this.#served.errorBody ?? errorBody)(error, this.#site.url())
  }

  /** As long as nobody knows who asks: the version asked for if there is such a one, else the newest. */
  #forget(): void {
    this.#caller = undefined
    this.#merchant = undefined
    this.#version = this.#askedVersion()
  }

  #askedVersion(): string {
    const { dates, newest } = this.#site.versions
    const asked = this.#c.req.header('x-api-version')
    return asked !== undefined && dates.includes(asked) ? asked : newest
  }

  /** Takes note of the request, now that it is answered. */
  #note(status: number, code: string | null): void {
    const { method, url } = this.#c.req
    this.#site.requests.note({
      id: this.id,
      time: this.#time,
      method,
      path: redacted(url.startsWith('/') ? url : url.slice(url.indexOf('/', url.indexOf('//') + 2))),
      status,
      duration_ms: stopwatch() - this.#begun,
      key: this.#caller?.keyHint ?? keyHint(this.#c.req.header('authorization')),
      merchant: this.#merchant?.settings.id ?? null,
      replayed: this.entry?.stored !== undefined,
      code,
    })
  }

  /** The headers of the answer, names and values alternating. @param first - those that come before the others */
  #headers(own: Headers, first: readonly string[] = []): string[] {
    const headers = [...first, 'Request-Id', this.id, 'X-API-Version', this.#version]
    if (this.#merchant) headers.push('Paytwin-Now', String(this.#merchant.clock.now))
    if (this.#ignored) headers.push('Paytwin-Ignored-Params', this.#ignored)
    if (this.#served.isPublicRoute) headers.push(...CORS)
    if (this.#served.headers) addHeaders(headers, this.#served.headers)
    addHeaders(headers, own)
    return headers
  }

  #strike(kind: RequestFault) {
    if (this.#site.faults.isEmpty) return undefined
    return this.#site.faults.strike(kind, {
      route: this.#route,
      merchant: this.#caller?.merchant.settings.id ?? null,
    })
  }

  /** The write has happened, and nobody hears of it. */
  #hangUp(): void {
    const { outgoing } = (this.#c.env ?? {}) as { outgoing?: { destroy(): void } }
    outgoing?.destroy()
  }
}
