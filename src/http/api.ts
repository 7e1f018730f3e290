import type { Context, Hono } from 'hono'
import * as z from 'zod'
import { parameterInvalid, parameterUnknown } from '../core/errors.ts'
import { type CurrentView, currentView } from '../engine/history/view.ts'
import { AdvanceStalled } from '../engine/machine/advance-stalled.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'
import { PaymentRefused, type RequestContext, type UnitOfWork } from '../engine/machine/unit.ts'
import type { Caller } from './caller.ts'
import { deferred } from './deferred.ts'
import { type DialectForm, type OtherDialect, OWN_FORM } from './dialect.ts'
import { Exchange } from './exchange.ts'
import type { ExchangeOptions } from './exchange-options.ts'
import { expandPaths } from './expand.ts'
import type { Raw } from './form.ts'
import { ownerOf, turnOfCaller } from './held-body.ts'
import type { Incoming, Serve } from './incoming.ts'
import type { Json, RouteResult } from './json.ts'
import { describedBody } from './oauth/errors.ts'
import { checkParams, type Schema, unknownParams } from './params.ts'
import { MISSING_ROUTE, type Steps, serve } from './pipeline.ts'
import { nextResponseTurn } from './read-turn.ts'
import { type Given, MAX_BODY_BYTES, readBody } from './request.ts'
import { asResponse, isResponse, type Rendered } from './respond.ts'
import { CORS, preflight } from './response-headers.ts'
import type { Registered, RouteOf } from './route.ts'
import type { HttpServices } from './services.ts'
import type { ShownObject } from './shown-object.ts'

/** A request that passed all checks, as its handler gets it. */
export type Call<Params> = {
  readonly c: Incoming
  readonly services: HttpServices
  readonly merchant: MerchantState
  /** The owner whose limits the request counts against. */
  readonly owner: object
  readonly view: CurrentView
  readonly params: Params
  /** The parameters before conversion, unknown ones included. */
  readonly given: Raw
  /** The `:id` of the path. */
  readonly id: string
  /** Whether the caller has a publishable key. */
  readonly isPublic: boolean
  readonly version: string
  /** Stores a preliminary response for the idempotency key, in the transaction of an action: a retry does not repeat it. */
  readonly storePreliminary: (body: Json) => void
  /** Checks that the caller's credentials are still valid, after a wait. @throws ApiError authentication_error */
  readonly checkCredentials: () => void
}

export type WriteCall<Params> = Call<Params> & { readonly unit: UnitOfWork }

export type Route<Params, Body> = RouteOf<Params, Body> & {
  /** Whether the route accepts publishable keys. */
  readonly isPublic?: true
}

/** Handles a checked request, and renders its response. */
type Run<Params> = (call: Call<Params>, exchange: Exchange) => Promise<Rendered | Response>

/** Waits until a request may run; undefined if it may at once. */
type Wait = (exchange: Exchange, sender: Caller) => Promise<void> | undefined

const NO_PARAMS = deferred(() => z.object({}))

/**
 * Registers the routes of /v1. Each request passes the same checks in the same order before its handler runs.
 * See docs/contract/requests.md#order-of-checks.
 */
export class Api {
  /** The registered routes, for the OpenAPI document. */
  readonly routes: Registered[] = []
  /** The functions that serve requests without hono's context, by the handlers in hono's router. See direct.ts. */
  readonly serves = new WeakMap<object, Serve>()
  readonly #app: Hono
  readonly #services: HttpServices
  readonly #served: Pick<ExchangeOptions, 'form' | 'otherDialect'>
  readonly #form: DialectForm

  /** @param options.otherDialect - serves the requests of merchants with another dialect than `form` */
  constructor(
    app: Hono,
    services: HttpServices,
    { otherDialect, form = OWN_FORM }: { readonly otherDialect?: OtherDialect; readonly form?: DialectForm },
  ) {
    this.#app = app
    this.#services = services
    this.#form = form
    this.#served = { form, ...(otherDialect && { otherDialect }) }
  }

  /** Registers a route whose handler writes nothing itself. An advance is one too: the engine writes. */
  read<Params = Raw, Body extends Json = Json>(
    route: Route<Params, Body>,
    handle: (
      call: Call<Params>,
    ) => RouteResult<NoInfer<Body>> | ShownObject<NoInfer<Body>> | Promise<RouteResult<NoInfer<Body>>>,
  ): void {
    const status = route.status ?? 200
    const run: Run<Params> = async (call, exchange) => {
      exchange.checkCredentials()
      const { engine } = this.#services
      const handled = exchange.isIdempotent
        ? this.#removeStoredOnError(call, exchange, () => handle(call))
        : handle(call)
      // Without an await, the response is rendered in the turn of the read.
      const result = handled instanceof Promise ? await handled : handled
      if (isResponse(result)) return result
      if (!exchange.isIdempotent) {
        const rendered = exchange.render(call.view, result, status)
        await nextResponseTurn(engine)
        return rendered
      }
      // Storing the response is a write, and has to be committed.
      const store = () => {
        const rendered = exchange.render(call.view, result, status)
        // After a restore, which has undone the advance, the response is not replayed.
        if (call.merchant.presence === 'present') exchange.store(rendered)
        return rendered
      }
      return engine.operatorCommand(store, { turnOf: call.merchant })
    }
    this.#add(route, run, ({ c: { env } }, sender) => turnOfCaller(this.#services, sender, env))
  }

  /** Registers a route whose handler runs as one command. All its writes are committed before the response is sent. */
  write<Params = Raw, Body extends Json = Json>(
    route: Route<Params, Body>,
    handle: (call: WriteCall<Params>) => RouteResult<NoInfer<Body>>,
  ): void {
    const run: Run<Params> = (call, exchange) => {
      const request: RequestContext = { id: exchange.id, idempotency_key: exchange.idempotencyKey ?? null }
      const renderAndStore = (body: RouteResult<Body>, as: number) => {
        const rendered = exchange.render(call.view, body, as)
        exchange.store(rendered)
        return rendered
      }
      return this.#services.engine.command(call.merchant, request, (unit) => {
        exchange.checkCredentials()
        try {
          // Assigned, not copied, because every write runs this.
          return renderAndStore(handle(Object.assign(call, { unit })), route.status ?? 200)
        } catch (error) {
          if (!(error instanceof PaymentRefused)) throw error
          throw error.alsoWrite(() => renderAndStore(error.error, error.error.status))
        }
      })
    }
    this.#add(route, run, (_exchange, { merchant }) => this.#services.engine.runDueJobs(merchant))
  }

  /**
   * Runs a handler. If it fails, deletes the preliminary response of its idempotency key, so that a retry runs it again. An
   * advance that the engine will continue keeps its response.
   */
  async #removeStoredOnError<T>(
    { merchant }: Pick<Call<unknown>, 'merchant'>,
    exchange: Exchange,
    handle: () => T | Promise<T>,
  ): Promise<T> {
    try {
      return await handle()
    } catch (error) {
      const remove = () => {
        // After a restore, the response under the key is that of another request.
        if (merchant.presence === 'present') exchange.removeStored()
      }
      if (!(error instanceof AdvanceStalled))
        await this.#services.engine.operatorCommand(remove, { turnOf: merchant })
      throw error
    }
  }

  /** Registers the response to requests that match no route. */
  missing(): void {
    this.#app.all('/v1/*', async (c) =>
      asResponse(await this.serveMissing(c, (reading) => readBody(c, MAX_BODY_BYTES, reading))),
    )
  }

  #add<Params, Body>(route: Route<Params, Body>, run: Run<Params>, wait: Wait): void {
    const method = route.method.toUpperCase()
    this.routes.push({ ...route, audience: route.isPublic ? 'public' : 'merchant' })
    if (route.isPublic) this.#app.options(route.path, () => preflight(method))
    const options: ExchangeOptions = {
      ...this.#served,
      ...(route.isPublic && { headers: CORS }),
      ...(route.path.startsWith('/v1/oauth/') && OAUTH),
    }
    const steps = this.#stepsOf(route, run, wait)
    const serveRoute: Serve = (incoming, body) =>
      serve(new Exchange(incoming, this.#services, options, body), steps)
    const handler = async (c: Context) =>
      asResponse(await serveRoute(c, (reading) => readBody(c, MAX_BODY_BYTES, reading)))
    this.#app.on(method, route.path, handler)
    this.serves.set(handler, serveRoute)
  }

  /** Serves a request that matches no route. */
  readonly serveMissing: Serve = (c, read) => {
    const exchange = new Exchange(c, this.#services, this.#served, read)
    return serve(exchange, { ...this.#admission(false), ...MISSING_ROUTE })
  }

  /** The steps that admit a request with a merchant's key or access token. */
  #admission(allowsPublic: boolean) {
    return {
      authenticate: (exchange: Exchange) => exchange.authenticate(allowsPublic),
      checkHeaders: (exchange: Exchange, { merchant }: Caller) => {
        exchange.checkVersion()
        this.#form.checkAccount(exchange.c.req, merchant.settings.id)
      },
      limitRate: (_exchange: Exchange, { merchant, isOperator }: Caller) =>
        isOperator ? undefined : this.#services.rateLimit?.count(merchant.settings.ordinal),
      applyFaults: (exchange: Exchange) => exchange.applyFaults(),
    }
  }

  #stepsOf<Params, Body>(
    route: Route<Params, Body>,
    run: Run<Params>,
    wait: Wait,
  ): Steps<Exchange, Caller, Given, Params> {
    const name = `${route.method.toUpperCase()} ${route.path}`
    return {
      ...this.#admission(route.isPublic ?? false),
      read: (exchange) => exchange.readParams(),
      replay: (exchange, { sender, given }) =>
        route.method === 'get' || exchange.idempotencyKey === undefined
          ? undefined
          : exchange.replay(sender, given.raw),
      check: (exchange, { sender, given }) => this.#check(route, name, { exchange, sender, given }),
      act: (exchange, request) => {
        const runNow = () => run(this.#callOf(route, exchange, request), exchange)
        return wait(exchange, request.sender)?.then(runNow) ?? runNow()
      },
    }
  }

  #callOf<Params, Body>(
    { status = 200 }: Route<Params, Body>,
    exchange: Exchange,
    request: { readonly sender: Caller; readonly given: Given; readonly params: Params },
  ): Call<Params> {
    const services = this.#services
    const { store, ids, url } = services.engine
    const { c, checkCredentials } = exchange
    const { merchant, isPublic } = request.sender
    const view = currentView({ store, ids, url, merchant: merchant.settings })
    return {
      c,
      services,
      merchant,
      owner: ownerOf(request.sender),
      view,
      params: request.params,
      given: request.given.raw,
      isPublic,
      version: exchange.version,
      storePreliminary: (body) => exchange.store(exchange.render(view, body, status)),
      checkCredentials,
      id: c.req.param('id') ?? '',
    }
  }

  /** Converts the parameters to the newest version, checks them, and reports unknown ones. */
  #check<Params, Body>(
    route: Route<Params, Body>,
    name: string,
    request: { readonly exchange: Exchange; readonly sender: Caller; readonly given: Given },
  ): Params {
    const { exchange, sender } = request
    const { raw, isForm } = request.given
    const { expand, ...given } = this.#services.versions.upgrade(exchange.version, name, raw)
    exchange.expands = expandPaths(expand)
    // Expansion would show a browser more than the fields of the intent.
    if (sender.isPublic && exchange.expands.length > 0) {
      throw parameterInvalid('expand', 'expand cannot be used with a publishable key')
    }
    const schema = (route.params ?? NO_PARAMS)() as Schema<Params>
    this.#form.refuseQuery(exchange.c.req)
    this.#form.refuseUnsupported(schema, given)
    const params = checkParams(schema, given, { isForm, requires: route.requires })
    this.#form.checkExpands(route.returns, exchange.expands, exchange.version)
    const ignored = unknownParams(given, params)
    if (ignored[0] !== undefined && this.#services.strictParams) throw parameterUnknown(ignored[0])
    if (ignored.length > 0) exchange.ignore(ignored)
    return params
  }
}

/** OAuth routes have OAuth's error format, and ignore idempotency keys. See docs/contract/oauth.md#errors. */
const OAUTH = { errorBody: describedBody, ignoresIdempotencyKey: true } satisfies ExchangeOptions
