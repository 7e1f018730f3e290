import { ApiError, internalError, keyResolutionUnavailable, rateLimited } from '../core/errors.ts'
import { stopwatch } from '../engine/clock.ts'
import type { RequestFault } from '../engine/faults.ts'
import { requestId } from '../engine/ids.ts'
import { checkCurrent, MerchantDeleted, type MerchantState } from '../engine/merchant-state.ts'
import type { View } from '../engine/view.ts'
import { authErrorOf, authenticate, keyHint } from './auth.ts'
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
import type { HttpServices } from './services.ts'
import { ShownObject } from './shown-object.ts'

const NO_HEADERS: Headers = {}

/** Header names and values alternate. */
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

/** Replaces the secret in a stored answer, because a replay must not contain it. See docs/contract/idempotency.md#secrets. */
const MASKED_SECRET = 'whsec_…'

/** An answer as it is sent. */
export type Rendered = {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** The code, if it is an error. */
  readonly code?: string | null
}

/** How the answers of a route are made. */
export type AnswerOptions = {
  /** Whether the route accepts publishable keys. */
  readonly isPublicRoute: boolean
  /** Whether the route ignores Idempotency-Key. */
  readonly ignoresIdempotencyKey?: boolean
  /** Makes the body of an error; the error envelope by default. */
  readonly errorBody?: (error: ApiError, url: string) => Json
  /** Headers of every answer. */
  readonly headers?: Headers
}

/**
 * A request to /v1 and its answer. Holds the caller and the version of the request, makes the headers of the answer, and logs
 * the request.
 * See docs/contract/requests.md#response-headers.
 */
export class Exchange {
  readonly id = requestId()
  readonly #c: Incoming
  readonly #site: HttpServices
  readonly #options: AnswerOptions
  readonly #time: number
  readonly #begun = stopwatch()
  #caller: Caller | undefined
  #merchant: MerchantState | undefined
  #version: string
  #ignored: string | undefined
  expands: readonly string[] = []
  entry: IdempotentEntry | undefined

  constructor(c: Incoming, site: HttpServices, options: AnswerOptions) {
    this.#c = c
    this.#site = site
    this.#options = options
    this.#time = site.engine.wall()
    this.#version = this.#requestedVersion()
  }

  /** Such as `POST /v1/customers`. */
  get #route(): string {
    return `${this.#c.req.method} ${this.#c.req.path}`
  }

  /** Whether the caller has a publishable key. */
  get isPublic(): boolean {
    return this.#caller?.isPublic ?? false
  }

  /** The API version of the request. */
  get version(): string {
    return this.#version
  }

  get idempotencyKey(): string | undefined {
    return this.#options.ignoresIdempotencyKey ? undefined : this.#c.req.header('idempotency-key')
  }

  /**
   * Authenticates the caller, and checks the API version and the rate limit. Does not apply faults.
   * @throws ApiError authentication_error; parameter_invalid, param X-API-Version; rate_limit
   */
  loadMerchant(): Caller {
    this.#deleteMerchantRows()
    const caller = this.#authenticate()
    this.showClockOf(caller.merchant)
    this.#version = caller.merchant.settings.api_version
    this.#checkVersion()
    this.#site.rateLimit?.count(caller.merchant.settings.ordinal)
    return caller
  }

  /**
   * Checks that the credentials are still valid when the request acts. They are not if the caller's merchant was replaced:
   * after a restore, another merchant may have its id.
   * @throws ApiError authentication_error; StateReplaced, MerchantDeleted
   */
  checkCredentials(): void {
    if (this.#caller) checkCurrent(this.#caller.merchant)
    if (this.#caller?.isValid()) return
    this.#deleteMerchantRows()
    throw authErrorOf(this.#c.req.header('authorization'))
  }

  /**
   * Admits a request without a merchant's key: of an app, or of an unauthenticated browser. Applies faults.
   * @param authenticate - authenticates the sender
   * @throws the errors of `authenticate`; ApiError parameter_invalid, param X-API-Version; rate_limit; internal_error
   */
  async authenticateWithoutKey<Sender>(authenticate: () => Sender): Promise<Sender> {
    this.#deleteMerchantRows()
    const sender = authenticate()
    this.#checkVersion()
    await this.applyFaults()
    return sender
  }

  /** Shows the clock of a merchant in the header Paytwin-Now of the answer. */
  showClockOf(merchant: MerchantState): void {
    this.#merchant = merchant
  }

  #checkVersion(): void {
    this.#version = this.#site.versions.check(this.#c.req.header('x-api-version')) ?? this.#version
  }

  /**
   * Applies the faults that match the request: refuses or delays it.
   * @returns undefined if no faults are set, so that nothing has to be awaited
   * @throws ApiError rate_limit; internal_error
   */
  applyFaults(): Promise<void> | undefined {
    return this.#site.faults.isEmpty ? undefined : this.#applyFaults()
  }

  async #applyFaults(): Promise<void> {
    if (this.#take('rate_limit')) throw rateLimited()
    const latency = this.#take('latency')
    const { closing } = this.#site
    if (latency) await delay(latency.ms ?? 0, closing)
    if (closing.aborted) throw internalError()
    if (this.#take('internal_error')) throw internalError()
  }

  /** Reports ignored parameters in the header Paytwin-Ignored-Params and in the log. */
  ignore(names: readonly string[]): void {
    this.#ignored = namesAsHeader(names)
    this.#site.logIgnoredParams(this.#route, namesForLog(names))
  }

  /** Renders an answer. With an idempotency key, also stores it for a replay. */
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

  /** Whether objects are shown unchanged: in the newest version, nothing expanded, and not stored for a replay. */
  get #isPlain(): boolean {
    return this.expands.length === 0 && this.#version === this.#site.versions.newest && !this.entry
  }

  /** Returns the stored answer for the idempotency key; undefined if there is none. */
  replay(): Reply | undefined {
    const stored = this.entry?.stored
    if (!stored) return undefined
    this.#version = stored.api_version
    const { status, body: text } = stored
    const code = status < 400 ? null : JSON.parse(text).error.code
    return this.send({ status, text, headers: { 'Idempotent-Replayed': 'true' }, code })
  }

  /** Releases the idempotency key for the next request. Answers that are rendered afterwards are not stored. */
  leave(): void {
    this.entry?.leave()
    this.entry = undefined
  }

  send({ status, text, headers, code = null }: Rendered): Reply {
    if (this.#take('response_lost')) this.#hangUp()
    this.#logRequest(status, code)
    return { status, text, headers: this.#headers(headers, JSON_CONTENT) }
  }

  /** Makes the answer to an error. */
  fail(error: unknown): Reply {
    // The keys and OAuth grants of a deleted merchant are deleted too.
    const isMerchantDeleted = error instanceof MerchantDeleted
    if (isMerchantDeleted) this.#deleteMerchantRows()
    const known = knownError(
      this.#site,
      isMerchantDeleted ? authErrorOf(this.#c.req.header('authorization')) : error,
      this.#route,
    )
    const body = this.#site.versions.downgrade(this.#version, this.#errorBody(known))
    this.#logRequest(known.status, known.code)
    const headers = this.#headers(errorHeaders(known), JSON_CONTENT)
    return { status: known.status, text: textOf(body), headers }
  }

  /** Adds the headers to a response that was made elsewhere. */
  stamp(response: Response): Response {
    this.#logRequest(response.status, null)
    const headers = this.#headers(NO_HEADERS)
    for (let at = 0; at < headers.length; at += 2)
      response.headers.set(headers[at] ?? '', headers[at + 1] ?? '')
    return response
  }

  /** Authenticates the caller. The fault key_resolution_unavailable applies whether the key is valid or not. */
  #authenticate(): Caller {
    try {
      const { method, path } = this.#c.req
      const allowsPublic = this.#options.isPublicRoute
      const header = this.#c.req.header('authorization')
      this.#caller = authenticate(this.#site, header, { method, path, allowsPublic })
      if (!this.#take('key_resolution_unavailable')) return this.#caller
    } catch (error) {
      if (!this.#take('key_resolution_unavailable')) throw error
    }
    this.#caller = undefined
    throw keyResolutionUnavailable()
  }

  #errorBody(error: ApiError): Json {
    return (this.#options.errorBody ?? errorBody)(error, this.#site.url())
  }

  /** Forgets the caller. Until the next authentication, the version is the requested one if it exists, else the newest. */
  #deleteMerchantRows(): void {
    this.#caller = undefined
    this.#merchant = undefined
    this.#version = this.#requestedVersion()
  }

  #requestedVersion(): string {
    const { dates, newest } = this.#site.versions
    const requested = this.#c.req.header('x-api-version')
    return requested !== undefined && dates.includes(requested) ? requested : newest
  }

  /** Adds the answered request to the request log. */
  #logRequest(status: number, code: string | null): void {
    const { method, url } = this.#c.req
    this.#site.requests.add({
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

  /** Returns the headers of the answer; names and values alternate. @param first - headers to put first */
  #headers(own: Headers, first: readonly string[] = []): string[] {
    const headers = [...first, 'Request-Id', this.id, 'X-API-Version', this.#version]
    if (this.#merchant) headers.push('Paytwin-Now', String(this.#merchant.clock.now))
    if (this.#ignored) headers.push('Paytwin-Ignored-Params', this.#ignored)
    if (this.#options.isPublicRoute) headers.push(...CORS)
    if (this.#options.headers) addHeaders(headers, this.#options.headers)
    addHeaders(headers, own)
    return headers
  }

  #take(kind: RequestFault) {
    if (this.#site.faults.isEmpty) return undefined
    return this.#site.faults.take(kind, {
      route: this.#route,
      merchant: this.#caller?.merchant.settings.id ?? null,
    })
  }

  /** Closes the connection without an answer, after the write was committed. */
  #hangUp(): void {
    const { outgoing } = (this.#c.env ?? {}) as { outgoing?: { destroy(): void } }
    outgoing?.destroy()
  }
}
