import type { Context, Hono } from 'hono'
import * as z from 'zod'
import { parameterInvalid, parameterUnknown, routeMissing } from '../core/errors.ts'
import { AdvanceStalled } from '../engine/advances.ts'
import type { MerchantState } from '../engine/merchant-state.ts'
import { PaymentRefused, type RequestContext, type UnitOfWork } from '../engine/unit.ts'
import { type CurrentView, currentView } from '../engine/view.ts'
import { type AnswerOptions, Exchange, type Rendered } from './exchange.ts'
import { checkExpands, expandPaths } from './expand.ts'
import type { Raw } from './form.ts'
import { enterIdempotent } from './idempotency.ts'
import type { Incoming, Reply, Serve } from './incoming.ts'
import type { Answer, Json } from './json.ts'
import { describedBody } from './oauth/errors.ts'
import { checkParams, type Schema, unknownParams } from './params.ts'
import { type Given, MAX_V1_BODY_BYTES, queryParams, readBody, readParams } from './request.ts'
import { isResponse, responseOf } from './respond.ts'
import type { Registered, RouteOf } from './route.ts'
import type { HttpServices } from './services.ts'
import type { ShownObject } from './shown-object.ts'
import { once, retryIfReplaced } from './start-over.ts'

/** A request that passed all checks, as its handler gets it. */
export type Call<Params> = {
  readonly c: Incoming
  readonly site: HttpServices
  readonly merchant: MerchantState
  readonly view: CurrentView
  readonly params: Params
  /** The parameters before conversion, unknown ones included. */
  readonly given: Raw
  /** The `:id` of the path. */
  readonly id: string
  /** Whether the caller has a publishable key. */
  readonly isPublic: boolean
  /** The id of the caller's key. */
  readonly key: string
  /**
   * Stores a preliminary answer for the idempotency key of the request, so that a retry after a crash does not start the
   * action again. Call it in the transaction that starts the action.
   */
  readonly keep: (body: Json) => void
  /** Checks that the caller's credentials are still valid, after a wait. @throws ApiError authentication_error */
  readonly checkCredentials: () => void
}

export type WriteCall<Params> = Call<Params> & { readonly unit: UnitOfWork }

export type Route<Params, Body> = RouteOf<Params, Body> & {
  /** Whether the route accepts publishable keys. */
  readonly isPublic?: true
}

/** A route with its handler. */
type RouteHandler<Params, Body> = {
  readonly route: Route<Params, Body>
  /** Such as `POST /v1/customers/:id`. */
  readonly name: string
  readonly options: AnswerOptions
  readonly run: Run<Params>
}

/** Handles a checked request. */
type Run<Params> = (call: Call<Params>, exchange: Exchange) => Promise<Rendered | Response>

const NO_PARAMS = z.object({})

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
  readonly #site: HttpServices

  constructor(app: Hono, site: HttpServices) {
    this.#app = app
    this.#site = site
  }

  /** Registers a route whose handler writes nothing itself. An advance is one too: the engine writes. */
  read<Params = Raw, Body extends Json = Json>(
    route: Route<Params, Body>,
    answer: (
      call: Call<Params>,
    ) => Answer<NoInfer<Body>> | ShownObject<NoInfer<Body>> | Promise<Answer<NoInfer<Body>>>,
  ): void {
    this.#add(route, async (call, exchange) => {
      exchange.checkCredentials()
      const result = await (exchange.entry
        ? this.#forgetOnError(call, exchange, () => answer(call))
        : answer(call))
      if (isResponse(result)) return exchange.stamp(result)
      const render = () => exchange.render(call.view, result, route.status ?? 200)
      if (!exchange.entry) {
        const rendered = render()
        await this.#site.engine.nextResponseTurn()
        return rendered
      }
      // Storing the answer is a write, and has to be committed.
      return this.#site.engine.operatorCommand(() => {
        // A restore has undone the advance: answer, but do not store the answer for a replay.
        if (call.merchant.presence !== 'present') exchange.leave()
        return render()
      })
    })
  }

  /** Registers a route whose handler runs as one command. All its writes are committed before the answer is sent. */
  write<Params = Raw, Body extends Json = Json>(
    route: Route<Params, Body>,
    answer: (call: WriteCall<Params>) => Answer<NoInfer<Body>>,
  ): void {
    this.#add(route, (call, exchange) => {
      const request: RequestContext = { id: exchange.id, idempotency_key: exchange.idempotencyKey ?? null }
      return this.#site.engine.command(call.merchant, request, (unit) => {
        exchange.checkCredentials()
        try {
          // Assigned, not copied, because every write runs this.
          return exchange.render(call.view, answer(Object.assign(call, { unit })), route.status ?? 200)
        } catch (error) {
          if (!(error instanceof PaymentRefused)) throw error
          throw error.alsoWrite(() => exchange.render(call.view, error.error, error.error.status))
        }
      })
    })
  }

  /**
   * Runs a handler. If it fails, deletes the preliminary answer of its idempotency key, so that a retry runs it again. An
   * advance that the engine will continue keeps its answer.
   */
  async #forgetOnError<T>(
    { merchant }: Pick<Call<unknown>, 'merchant'>,
    exchange: Exchange,
    answer: () => T | Promise<T>,
  ): Promise<T> {
    try {
      return await answer()
    } catch (error) {
      if (exchange.entry && !(error instanceof AdvanceStalled))
        await this.#site.engine.operatorCommand(() => {
          // After a restore, the answer under the key is that of another request.
          if (merchant.presence === 'present') exchange.entry?.forget()
        })
      throw error
    }
  }

  /** Registers the answer to requests that match no route. */
  missing(): void {
    this.#app.all('/v1/*', (c) => this.#handleMissing(c))
  }

  #add<Params, Body>(route: Route<Params, Body>, run: Run<Params>): void {
    const method = route.method.toUpperCase()
    this.routes.push({ ...route, audience: route.isPublic ? 'public' : 'merchant' })
    if (route.isPublic) this.#app.options(route.path, () => preflight(method))
    const options: AnswerOptions = {
      isPublicRoute: route.isPublic ?? false,
      ...(route.path.startsWith('/v1/oauth/') && OAUTH),
    }
    const routeHandler = { route, name: `${method} ${route.path}`, options, run }
    const serve: Serve = (incoming, body) => this.#handle(incoming, routeHandler, body)
    const handler = async (c: Context) => {
      // Hono routes HEAD to GET handlers. The contract has no HEAD.
      if (c.req.method === 'HEAD') return this.#handleMissing(c)
      const answered = await serve(c, () => readBody(c, MAX_V1_BODY_BYTES))
      return isResponse(answered) ? answered : responseOf(answered)
    }
    this.#app.on(method, route.path, handler)
    this.serves.set(handler, serve)
  }

  async #handleMissing(c: Context): Promise<Response> {
    const exchange = new Exchange(c, this.#site, { isPublicRoute: false })
    try {
      exchange.loadMerchant()
      await exchange.applyFaults()
      throw routeMissing(c.req.method, c.req.path)
    } catch (error) {
      return responseOf(exchange.fail(error))
    }
  }

  async #handle<Params, Body>(
    c: Incoming,
    handler: RouteHandler<Params, Body>,
    body: () => Promise<string>,
  ): Promise<Reply | Response> {
    const exchange = new Exchange(c, this.#site, handler.options)
    // The body can be read only once, but the request may be served again.
    const read = once(() => readParams(c, body))
    try {
      return await retryIfReplaced(() => this.#serve(c, handler, exchange, read))
    } catch (error) {
      return exchange.fail(error)
    }
  }

  async #serve<Params, Body>(
    c: Incoming,
    handler: RouteHandler<Params, Body>,
    exchange: Exchange,
    read: () => Promise<Given>,
  ): Promise<Reply | Response> {
    const site = this.#site
    try {
      // Each await costs a turn of the microtask queue, so nothing is awaited without need.
      const { merchant, isPublic, scope, keyId } = exchange.loadMerchant()
      const fault = exchange.applyFaults()
      if (fault) await fault
      const { method, path } = c.req
      const given = method === 'GET' ? queryParams(c) : await read()
      const key = exchange.idempotencyKey
      const checkCredentials = () => exchange.checkCredentials()
      if (key !== undefined) {
        const request = { scope, key, method, path, raw: given.raw, checkCredentials }
        exchange.entry = await enterIdempotent(site, request)
        const replayed = exchange.replay()
        if (replayed) return replayed
      }
      const params = this.#check(handler, given, exchange)
      const settled = site.engine.runDueJobs(merchant)
      if (settled) await settled
      const view = currentView({
        store: site.engine.store,
        ids: site.engine.ids,
        merchant: merchant.settings,
      })
      const call = {
        c,
        site,
        merchant,
        view,
        params,
        given: given.raw,
        isPublic,
        key: keyId,
        keep: (body: Json) => {
          exchange.render(view, body, handler.route.status ?? 200)
        },
        checkCredentials,
        id: c.req.param('id') ?? '',
      }
      const result = await handler.run(call, exchange)
      return isResponse(result) ? result : exchange.send(result)
    } finally {
      exchange.leave()
    }
  }

  /** Converts the parameters to the newest version, checks them, and reports unknown ones. */
  #check<Params, Body>(
    { route, name }: RouteHandler<Params, Body>,
    { raw, isForm }: Given,
    exchange: Exchange,
  ): Params {
    const { expand, ...given } = this.#site.versions.upgrade(exchange.version, name, raw)
    exchange.expands = expandPaths(expand)
    // Expansion would show a browser more than the fields of the intent.
    if (exchange.isPublic && exchange.expands.length > 0) {
      throw parameterInvalid('expand', 'expand cannot be used with a publishable key')
    }
    const schema = (route.params ?? NO_PARAMS) as Schema<Params>
    const params = checkParams(schema, given, { isForm, requires: route.requires })
    checkExpands(route.returns, exchange.expands)
    const ignored = unknownParams(given, params)
    const [first] = ignored
    if (first !== undefined && this.#site.strictParams) throw parameterUnknown(first)
    if (first !== undefined) exchange.ignore(ignored)
    return params
  }
}

/** OAuth routes have OAuth's error format, and ignore idempotency keys. See docs/contract/oauth.md#errors. */
const OAUTH = { errorBody: describedBody, ignoresIdempotencyKey: true } satisfies Partial<AnswerOptions>

/** The answer to a CORS preflight of a route that accepts publishable keys. See docs/contract/authentication.md#publishable-keys. */
const preflight = (method: string): Response =>
  new Response('', {
    status: 200,
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': method,
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, X-API-Version',
      'Access-Control-Max-Age': '86400',
    },
  })
