import { ApiError, keyResolutionUnavailable } from '../core/errors.ts'
import type { CurrentView } from '../engine/history/view.ts'
import { stopwatch } from '../engine/machine/clock.ts'
import type { RequestFault } from '../engine/machine/faults.ts'
import { requestId } from '../engine/machine/ids.ts'
import { checkCurrent, MerchantDeleted, type MerchantState } from '../engine/machine/merchant-state.ts'
import { maskSecrets } from '../text/secret.ts'
import { authErrorOf, authenticate } from './auth.ts'
import type { Caller } from './caller.ts'
import { checkDialect, checkDialectOfStranger, type DialectForm, OtherDialect, OWN_FORM } from './dialect.ts'
import type { ExchangeOptions } from './exchange-options.ts'
import type { Raw } from './form.ts'
import { HeldBody, NOBODY, ownerOf } from './held-body.ts'
import { type IdempotentEntry, isStored, openEntry, storeResponse } from './idempotency.ts'
import type { Incoming, ReadBody, Reply } from './incoming.ts'
import type { Json, RouteResult } from './json.ts'
import { logExchange } from './logged-exchange.ts'
import { operatorCaller } from './operator-caller.ts'
import { namesAsHeader, namesForLog } from './params.ts'
import type { Served } from './pipeline.ts'
import { readTurnOf } from './read-turn.ts'
import { NO_HEADERS, renderBody, renderError } from './render.ts'
import { type Given, paramsReader } from './request.ts'
import { applyRequestFaults, hangUp } from './request-faults.ts'
import { type Headers, isResponse, knownError, type Rendered } from './respond.ts'
import { JSON_CONTENT, responseHeaders, setHeaders } from './response-headers.ts'
import type { HttpServices } from './services.ts'
import { ShownObject } from './shown-object.ts'

/**
 * A request to /v1 and its response. Holds the caller, the version and the idempotency key of the request, renders the response
 * with its headers, and logs the request. The pipeline decides the order in which its methods are called.
 * See docs/contract/requests.md#response-headers.
 */
export class Exchange implements Served {
  readonly id = requestId()
  readonly c: Incoming
  /** Reads the parameters: the query of a GET, otherwise the body. @throws ApiError parameter_invalid */
  readonly readParams: () => Given | Promise<Given>
  readonly #services: HttpServices
  readonly #options: ExchangeOptions
  readonly #form: DialectForm
  readonly #readBody: ReadBody
  readonly #held: HeldBody
  readonly #time: number
  readonly #begun = stopwatch()
  #caller: Caller | undefined
  #merchant: MerchantState | undefined
  #version = ''
  /** The parameters of the body; undefined if it has none or could not be read. */
  #body: Given | undefined
  #ignored: readonly string[] = []
  #ignoredHeader: string | undefined
  #entry: IdempotentEntry | undefined
  expands: readonly string[] = []

  constructor(c: Incoming, services: HttpServices, options: ExchangeOptions, readBody: ReadBody) {
    this.c = c
    this.#held = new HeldBody(services, c.env, () => ownerOf(this.#caller) ?? options.owner)
    this.readParams = paramsReader(
      c,
      () => this.#countedBody(),
      { onlyOnce: options.onlyOnce === true, turn: this.turn, count: this.#held.addParsed },
      (body) => {
        this.#body = body
      },
    )
    this.#services = services
    this.#options = options
    this.#form = options.form ?? OWN_FORM
    this.#readBody = readBody
    this.#time = services.engine.wall()
  }

  /** Such as `POST /v1/customers`. */
  get #route(): string {
    return `${this.c.req.method} ${this.c.req.path}`
  }

  get version(): string {
    return this.#version
  }

  get idempotencyKey(): string | undefined {
    return this.#options.ignoresIdempotencyKey ? undefined : this.c.req.header('idempotency-key')
  }

  /** Whether the response is stored for a replay. */
  get isIdempotent(): boolean {
    return this.#entry !== undefined
  }

  /** Forgets the caller. Until the next authentication, the version is the requested one if it exists, otherwise the newest. */
  reset(): void {
    this.#caller = undefined
    this.#merchant = undefined
    this.#version = this.#services.versions.knownOrNewest(this.#requestedVersion)
  }

  /**
   * Authenticates the caller by its key or access token. The fault key_resolution_unavailable applies to valid and invalid keys.
   * @param allowsPublic - whether the route accepts publishable keys
   * @throws ApiError authentication_error
   */
  authenticate(allowsPublic: boolean): Caller {
    try {
      const { method, path } = this.c.req
      const header = this.c.req.header('authorization')
      // The dialect of its merchant decides how a publishable key is refused.
      const target = { method, path, allowsPublic: true }
      const caller =
        operatorCaller(this.#services, this.c.env) ?? authenticate(this.#services, header, target)
      checkDialect(caller, this.#options)
      if (caller.isPublic && !allowsPublic) throw this.#form.publishableKeyError()
      this.#caller = caller
      if (!this.#take('key_resolution_unavailable')) return this.#admit(this.#caller)
    } catch (error) {
      if (error instanceof OtherDialect) throw error
      checkDialectOfStranger(this.#services, this.c, this.#options)
      if (!this.#take('key_resolution_unavailable')) throw error
    }
    this.#caller = undefined
    throw keyResolutionUnavailable()
  }

  /** Serves the request in the dialect of its merchant. */
  handOver({ serve }: OtherDialect): Promise<Reply | Response> {
    return serve(this.c, this.#readBody)
  }

  get #requestedVersion(): string | undefined {
    return this.c.req.header(this.#form.versionHeader.toLowerCase())
  }

  #admit(caller: Caller): Caller {
    this.showClockOf(caller.merchant)
    // The operator sees a merchant with another dialect in the newest version of paytwin's own API.
    this.#version = this.#services.versions.knownOrNewest(caller.merchant.settings.api_version)
    return caller
  }

  /**
   * Checks that the credentials are still valid when the request acts. They are not if the caller's merchant was replaced:
   * after a restore, another merchant may have its id.
   * @throws ApiError authentication_error; StateReplaced, MerchantDeleted
   */
  readonly checkCredentials = (): void => {
    if (this.#caller) checkCurrent(this.#caller.merchant)
    if (this.#caller?.isValid()) return
    this.reset()
    throw authErrorOf(this.c.req.header('authorization'))
  }

  /** Shows the clock of a merchant in the header Paytwin-Now of the response. */
  showClockOf(merchant: MerchantState): void {
    this.#merchant = merchant
  }

  /** Checks the version that the request names. @throws ApiError parameter_invalid, param X-API-Version */
  checkVersion(): void {
    this.#version = this.#services.versions.check(this.#requestedVersion) ?? this.#version
  }

  /**
   * Applies the faults that match the request: refuses or delays it.
   * @returns undefined if no faults are set, so that nothing has to be awaited
   * @throws ApiError rate_limit; internal_error
   */
  applyFaults(): Promise<void> | undefined {
    if (this.#services.faults.isEmpty || this.#caller?.isOperator) return undefined
    return applyRequestFaults(this.#services, (kind) => this.#take(kind))
  }

  /** Reports ignored parameters in the header Paytwin-Ignored-Params, in the log and in the request log. */
  ignore(names: readonly string[]): void {
    // Empty if the first name alone is too long for a header.
    this.#ignoredHeader = namesAsHeader(names) || undefined
    this.#ignored = namesForLog(names).map(maskSecrets)
    this.#services.logIgnoredParams(this.#route, this.#ignored)
  }

  /**
   * Returns the stored response for the idempotency key of the request. Without one, its response can be stored.
   * @throws ApiError parameter_invalid, param Idempotency-Key; authentication_error; idempotency_key_reuse
   */
  async replay({ scope, merchant: owner }: Caller, raw: Raw): Promise<Reply | undefined> {
    const { method, path } = this.c.req
    const { idempotencyKey: key, checkCredentials } = this
    this.#entry = await openEntry(this.#services, { scope, owner, key, method, path, raw, checkCredentials })
    const stored = this.#entry?.stored
    if (!stored) return undefined
    this.#version = stored.api_version
    const { status, body: text } = stored
    const code = status < 400 ? null : JSON.parse(text).error.code
    return this.send({ status, text, headers: { 'Idempotent-Replayed': 'true' }, code })
  }

  /** Renders a response in the version of the request, with the objects that it expands. */
  render(view: CurrentView, result: RouteResult | ShownObject<Json>, status: number): Rendered {
    if (isResponse(result)) throw new Error('a stream is not rendered')
    if (result instanceof ApiError) return renderError(this.#rendering, result, view)
    if (result instanceof ShownObject && this.#isPlain)
      return { status, text: result.text(), headers: NO_HEADERS }
    return renderBody(this.#rendering, view, result, status)
  }

  get #rendering() {
    const { version, expands } = this
    return { services: this.#services, options: this.#options, version, expands }
  }

  /** Whether objects are shown unchanged: in the newest version, nothing expanded, and not stored for a replay. */
  get #isPlain(): boolean {
    return this.expands.length === 0 && this.#version === this.#services.versions.newest && !this.#entry
  }

  /**
   * Stores a response for the idempotency key of the request; without a key, or for a response that is not replayed, does nothing.
   * Call it in the transaction that writes what the response reports.
   * @throws ApiError parameter_invalid for a response that is too long to be stored
   */
  store(rendered: Rendered): void {
    if (this.#entry && isStored(rendered)) storeResponse(this.#entry, rendered, this)
  }

  /** Deletes the stored response. Call it in a transaction. */
  removeStored(): void {
    this.#entry?.remove()
  }

  /** Releases the idempotency key for the next request with it. */
  release(): void {
    this.#entry?.release()
    this.#entry = undefined
  }

  /** Waits for a turn to parse a query: many requests may arrive in one instant. @throws ApiError rate_limit if too many wait */
  readonly turn = (): Promise<void> | undefined =>
    readTurnOf(this.#services, this.#caller?.merchant ?? NOBODY, this.c.env, ownerOf(this.#caller))

  #countedBody(): Promise<string> {
    this.#held.reserve()
    return this.#readBody(this.#held)
  }

  end(): void {
    this.#held.release()
  }

  send({ status, text, headers, code = null }: Rendered): Reply {
    if (this.#take('response_lost')) hangUp(this.c.env)
    this.#logRequest(status, code, text)
    return { status, text, headers: this.#headers(JSON_CONTENT, headers) }
  }

  fail(error: unknown): Reply {
    // The keys and OAuth grants of a deleted merchant are deleted too, but the operator's token is not.
    const losesKey = error instanceof MerchantDeleted && !this.#caller?.isOperator
    if (error instanceof MerchantDeleted) this.reset()
    const reported = losesKey ? authErrorOf(this.c.req.header('authorization')) : error
    const known = knownError(this.#services, reported, this.#route)
    const { status, text, headers } = renderError(this.#rendering, known)
    this.#logRequest(status, known.code, text)
    return { status, text, headers: this.#headers(JSON_CONTENT, headers) }
  }

  stamp(response: Response): Response {
    this.#logRequest(response.status, null, null)
    return setHeaders(response, this.#headers([], NO_HEADERS))
  }

  #logRequest(status: number, code: string | null, text: string | null): void {
    const { c, id, idempotencyKey } = this
    const isReplay = this.#entry?.stored !== undefined
    logExchange(this.#services.requests, {
      ...{ c, id, idempotencyKey, isReplay, status, code, text },
      time: this.#time,
      begun: this.#begun,
      caller: this.#caller,
      merchant: this.#merchant,
      body: this.#body,
      ignored: this.#ignored,
    })
  }

  #headers(first: readonly string[], own: Headers): string[] {
    const version = { header: this.#form.versionHeader, value: this.#version }
    const request = { id: this.id, version, now: this.#merchant?.clock.now }
    const shown = { ...request, ignored: this.#ignoredHeader, ofRoute: this.#options.headers }
    return responseHeaders(first, shown, own)
  }

  #take(kind: RequestFault) {
    if (this.#services.faults.isEmpty || this.#caller?.isOperator) return undefined
    return this.#services.faults.take(kind, {
      route: this.#route,
      merchant: this.#caller?.merchant.settings.id ?? null,
    })
  }
}
