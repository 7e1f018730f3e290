import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { parameterInvalid, parameterUnknown, routeMissing } from '../core/errors.ts'
import { AdvancePutOff } from '../engine/advances.ts'
import type { MerchantState } from '../engine/merchant-state.ts'
import { RefusedAfterAttempt, type RequestContext, type Unit } from '../engine/unit.ts'
import { type CurrentView, currentView } from '../engine/view.ts'
import { Exchange, type Rendered, type Served } from './exchange.ts'
import { checkExpands } from './expand.ts'
import type { Raw } from './form.ts'
import { enterIdempotent } from './idempotency.ts'
import type { Incoming, Reply, Serve } from './incoming.ts'
import type { Answer, Json } from './json.ts'
import { describedBody } from './oauth/errors.ts'
import { checkParams, entriesOf, type Schema, unknownParams } from './params.ts'
import { type Given, MAX_V1_BODY_BYTES, queryParams, readBody, readParams } from './request.ts'
import { isResponse, responseOf } from './respond.ts'
import type { Registered, RouteOf } from './route.ts'
import type { ShownObject } from './shown-object.ts'
import type { Site } from './site.ts'
import { inOneState, once } from './start-over.ts'

/** paytwin: more paths than any resource has. */
const MAX_EXPANDS = 20

/** What a handler gets of a request that passed all checks. */
export type Call<Params> = {
  readonly c: Incoming
  readonly site: Site
  readonly merchant: MerchantState
  readonly view: CurrentView
  readonly params: Params
  /** The parameters as they came, unknown ones included. */
  readonly given: Raw
  /** The `:id` of the path. */
  readonly id: string
  /** Whether a browser asks, with a publishable key. */
  readonly isPublic: boolean
  /** The id of the key with which the caller asks. */
  readonly key: string
  /**
   * Keeps an answer for the request's idempotency key until the handler has one: what was begun must not begin again when a
   * crash comes between. To be called within the transaction that begins it.
   */
  readonly keep: (body: Json) => void
  /** Makes sure that the caller's credentials still open, for what acts only after it has waited. @throws ApiError authentication_error */
  readonly checkAdmitted: () => void
}

export type WriteCall<Params> = Call<Params> & { readonly unit: Unit }

export type Route<Params, Body> = RouteOf<Params, Body> & {
  /** Whether browsers may call it, with a publishable key. */
  readonly isPublic?: true
}

/** A route, and how it carries out a request. */
type Serving<Params, Body> = {
  readonly route: Route<Params, Body>
  /** As in `POST /v1/customers/:id`. */
  readonly name: string
  readonly served: Served
  readonly run: Run<Params>
}

/** Carries out a checked request. */
type Run<Params> = (call: Call<Params>, exchange: Exchange) => Promise<Rendered | Response>

const NO_PARAMS = z.object({})

/**
 * The routes of /v1. Each request passes the same checks in the same order; a handler sees only what passed them.
 * See docs/contract/requests.md#order-of-checks.
 */
export class Api {
  /** What was registered, for the description. */
  readonly routes: Registered[] = []
  /** How routes serve a request that comes straight from Node, by their handlers in hono's router. */
  readonly serves = new WeakMap<object, Serve>()
  readonly #app: Hono
  readonly #site: Site

  constructor(app: Hono, site: Site) {
    this.#app = app
    this.#site = site
  }

  /** A route that writes nothing, or that only orders others to (an advance). */
  read<Params = Raw, Body extends Json = Json>(
    route: Route<Params, Body>,
    answer: (
      call: Call<Params>,
    ) => Answer<NoInfer<Body>> | ShownObject<NoInfer<Body>> | Promise<Answer<NoInfer<Body>>>,
  ): void {
    this.#add(route, async (call, exchange) => {
      exchange.checkAdmitted()
      const result = await (exchange.entry ? this.#orForget(exchange, () => answer(call)) : answer(call))
      if (isResponse(result)) return exchange.stamp(result)
      const render = () => exchange.render(call.view, result, route.status ?? 200)
      if (!exchange.entry) {
        const rendered = render()
        await this.#site.engine.together()
        return rendered
      }
      // Keeping an answer is a write, and has to be committed.
      return this.#site.engine.administer(() => {
        // What an advance did before a restore has not happened: it can be told, and not be told again.
        if (call.merchant.standing !== 'present') exchange.leave()
        return render()
      })
    })
  }

  /** A route whose handler runs as one command: all that it writes is committed before the answer leaves. */
  write<Params = Raw, Body extends Json = Json>(
    route: Route<Params, Body>,
    answer: (call: WriteCall<Params>) => Answer<NoInfer<Body>>,
  ): void {
    this.#add(route, (call, exchange) => {
      const request: RequestContext = { id: exchange.id, idempotency_key: exchange.idempotencyKey ?? null }
      return this.#site.engine.command(call.merchant, request, (unit) => {
        exchange.checkAdmitted()
        try {
          // Added, not copied: this is the way of every write, and it may be gone again.
          return exchange.render(call.view, answer(Object.assign(call, { unit })), route.status ?? 200)
        } catch (error) {
          if (!(error instanceof RefusedAfterAttempt)) throw error
          throw error.andThen(() => exchange.render(call.view, error.error, error.error.status))
        }
      })
    })
  }

  /**
   * What a handler answers. When it fails, what it had kept is forgotten: it may be tried again with the same key; but for an advance
   * that goes on by itself.
   */
  async #orForget<T>(exchange: Exchange, answer: () => T | Promise<T>): Promise<T> {
    try {
      return await answer()
    } catch (error) {
      if (exchange.entry && !(error instanceof AdvancePutOff))
        await this.#site.engine.administer(() => exchange.entry?.forget())
      throw error
    }
  }

  /** Answers whatever no route answers. */
  missing(): void {
    this.#app.all('/v1/*', (c) => this.#handleMissing(c))
  }

  #add<Params, Body>(route: Route<Params, Body>, run: Run<Params>): void {
    const method = route.method.toUpperCase()
    this.routes.push({ ...route, audience: route.isPublic ? 'public' : 'merchant' })
    if (route.isPublic) this.#app.options(route.path, () => preflight(method))
    const served: Served = {
      isPublicRoute: route.isPublic ?? false,
      ...(route.path.startsWith('/v1/oauth/') && OAUTH),
    }
    const serving = { route, name: `${method} ${route.path}`, served, run }
    const serve: Serve = (incoming, body) => this.#handle(incoming, serving, body)
    const handler = async (c: Context) => {
      // Hono takes HEAD for GET; the contract has no HEAD.
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
      exchange.admit()
      await exchange.applyFaults()
      throw routeMissing(c.req.method, c.req.path)
    } catch (error) {
      return responseOf(exchange.fail(error))
    }
  }

  async #handle<Params, Body>(
    c: Incoming,
    serving: Serving<Params, Body>,
    body: () => Promise<string>,
  ): Promise<Reply | Response> {
    const exchange = new Exchange(c, this.#site, serving.served)
    // A body can be read once only.
    const read = once(() => readParams(c, body))
    try {
      return await inOneState(() => this.#serve(c, serving, exchange, read))
    } catch (error) {
      return exchange.fail(error)
    }
  }

  async #serve<Params, Body>(
    c: Incoming,
    serving: Serving<Params, Body>,
    exchange: Exchange,
    read: () => Promise<Given>,
  ): Promise<Reply | Response> {
    const site = this.#site
    try {
      // An await costs a turn of the microtask queue: there is none where there is nothing to wait for.
      const { merchant, isPublic, scope, keyId } = exchange.admit()
      const fault = exchange.applyFaults()
      if (fault) await fault
      const { method, path } = c.req
      const given = method === 'GET' ? queryParams(c) : await read()
      const key = exchange.idempotencyKey
      if (key !== undefined) {
        exchange.entry = await enterIdempotent(site, { scope, key, method, path, raw: given.raw })
        const replayed = exchange.replay()
        if (replayed) return replayed
      }
      const params = this.#check(serving, given, exchange)
      const settled = site.engine.settle(merchant)
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
          exchange.render(view, body, serving.route.status ?? 200)
        },
        checkAdmitted: () => exchange.checkAdmitted(),
        id: c.req.param('id') ?? '',
      }
      const result = await serving.run(call, exchange)
      return isResponse(result) ? result : exchange.send(result)
    } finally {
      exchange.leave()
    }
  }

  /** Checks the parameters as the newest version knows them, and notes those that nobody asked for. */
  #check<Params, Body>(
    { route, name }: Serving<Params, Body>,
    { raw, isForm }: Given,
    exchange: Exchange,
  ): Params {
    const { expand, ...given } = this.#site.versions.upgrade(exchange.version, name, raw)
    exchange.expands = expandPaths(expand)
    // A browser sees of an intent what it may: nothing behind it.
    if (exchange.isPublic && exchange.expands.length > 0) {
      throw parameterInvalid('expand', 'Nothing can be expanded with a publishable key')
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

/** What lets apps in tells of errors as OAuth does, and forgets idempotency keys. See docs/contract/oauth.md#errors. */
const OAUTH: Pick<Served, 'errorBody' | 'forgetsKeys'> = { errorBody: describedBody, forgetsKeys: true }

/** @throws ApiError parameter_invalid, param expand */
function expandPaths(expand: unknown): string[] {
  if (expand === undefined) return []
  const paths = entriesOf(expand)
  if (paths === undefined || paths.length > MAX_EXPANDS || !paths.every((path) => typeof path === 'string')) {
    throw parameterInvalid(
      'expand',
      `expand is a list of at most ${MAX_EXPANDS} paths, as in expand[]=customer`,
    )
  }
  return paths
}

/** What a browser asks before it calls with a publishable key. See docs/contract/authentication.md#publishable-keys. */
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
