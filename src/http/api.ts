import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { API_VERSIONS, NEWEST_API_VERSION } from '../core/api-version.ts'
import { ApiError, parameterInvalid, routeMissing } from '../core/errors.ts'
import { requestId } from '../engine/ids.ts'
import type { MerchantState } from '../engine/merchant.ts'
import type { RequestContext, Unit } from '../engine/unit.ts'
import { type CurrentView, currentView } from '../engine/view.ts'
import { authenticate } from './auth.ts'
import type { Raw } from './form.ts'
import type { Answer } from './json.ts'
import { checkParams, type Requires, type Schema, unknownParams } from './params.ts'
import { type Given, readParams } from './request.ts'
import { failure, json } from './respond.ts'
import type { Site } from './site.ts'

const MAX_BODY_BYTES = 1_048_576
const MAX_IGNORED_HEADER_BYTES = 1_024

/** What a handler gets of a request that passed all checks. */
export type Call<Params> = {
  readonly c: Context
  readonly site: Site
  readonly merchant: MerchantState
  readonly view: CurrentView
  readonly params: Params
  /** The `:id` of the path. */
  readonly id: string
}

export type WriteCall<Params> = Call<Params> & { readonly unit: Unit }

export type Route<Params> = {
  readonly method: 'get' | 'post' | 'delete'
  readonly path: string
  readonly params?: Schema<Params>
  /** A parameter that is required only beside others. */
  readonly requires?: Requires
  /** 201 for a POST that creates a resource. */
  readonly status?: 200 | 201
}

const NO_PARAMS = z.object({})

/**
 * The routes of /v1. Each request passes the same checks in the same order; a handler sees only what passed them.
 * Source: decisions.md 1, "Order of checks".
 */
export class Api {
  readonly #app: Hono
  readonly #site: Site

  constructor(app: Hono, site: Site) {
    this.#app = app
    this.#site = site
  }

  /** A route that writes nothing, or that only orders others to (an advance). */
  read<Params = Raw>(route: Route<Params>, answer: (call: Call<Params>) => Answer | Promise<Answer>): void {
    this.#add(route, (call) => answer(call))
  }

  /** A route whose handler runs as one command: all that it writes is committed before the answer leaves. */
  write<Params = Raw>(route: Route<Params>, answer: (call: WriteCall<Params>) => Answer): void {
    this.#add(route, (call, request) =>
      this.#site.engine.command(call.merchant, request, (unit) => answer({ ...call, unit })),
    )
  }

  /** Answers whatever no route answers. */
  missing(): void {
    const missing: Route<Raw> = { method: 'get', path: '/v1/*' }
    this.#app.all('/v1/*', (c) => this.#handle(c, missing, () => routeMissing(c.req.method, c.req.path)))
  }

  #add<Params>(
    route: Route<Params>,
    answer: (call: Call<Params>, request: RequestContext) => Answer | Promise<Answer>,
  ): void {
    this.#app.on(route.method.toUpperCase(), route.path, (c) =>
      // Hono takes HEAD for GET; the specification knows no HEAD.
      c.req.method === 'HEAD'
        ? this.#handle(c, route as Route<never>, () => routeMissing(c.req.method, c.req.path))
        : this.#handle(c, route, answer),
    )
  }

  async #handle<Params>(
    c: Context,
    route: Route<Params>,
    answer: (call: Call<Params>, request: RequestContext) => Answer | Promise<Answer>,
  ): Promise<Response> {
    const { engine } = this.#site
    const request = { id: requestId(), idempotency_key: null }
    const asked = c.req.header('x-api-version')
    const headers: Record<string, string> = {
      'Request-Id': request.id,
      'X-API-Version': asked !== undefined && API_VERSIONS.includes(asked) ? asked : NEWEST_API_VERSION,
    }
    const stamp = (merchant: MerchantState) => ({ ...headers, 'Paytwin-Now': String(merchant.clock.now) })
    let merchant: MerchantState | undefined
    try {
      merchant = authenticate(this.#site, c.req.header('authorization'))
      headers['X-API-Version'] = merchant.settings.api_version
      headers['X-API-Version'] = checkVersion(asked) ?? merchant.settings.api_version
      const given = await readParams(c, MAX_BODY_BYTES)
      const params = this.#check(route, given, headers)
      await engine.settle(merchant)
      const view = currentView({ store: engine.store, ids: engine.ids, merchant: merchant.settings })
      const id = c.req.param('id') ?? ''
      const result = await answer({ c, site: this.#site, merchant, view, params, id }, request)
      if (result instanceof Response) return result
      if (result instanceof ApiError) throw result
      return json(route.status ?? 200, result, stamp(merchant))
    } catch (error) {
      return failure(this.#site, error, merchant ? stamp(merchant) : headers, `${c.req.method} ${c.req.path}`)
    }
  }

  /** Checks the parameters, and names in a header those that nobody asked for. Source: decisions.md 1. */
  #check<Params>(route: Route<Params>, { raw, isForm }: Given, headers: Record<string, string>): Params {
    const schema = (route.params ?? NO_PARAMS) as Schema<Params>
    const params = checkParams(schema, raw, { isForm, requires: route.requires })
    const ignored = unknownParams(raw, params)
    if (ignored.length > 0) {
      headers['Paytwin-Ignored-Params'] = headerList(ignored)
      this.#site.noteIgnored(`${route.method.toUpperCase()} ${route.path}`, ignored)
    }
    return params
  }
}

/** @throws ApiError parameter_invalid, param X-API-Version. Source: decisions.md 1, "Versions". */
function checkVersion(asked: string | undefined): string | undefined {
  if (asked === undefined || API_VERSIONS.includes(asked)) return asked
  throw parameterInvalid(
    'X-API-Version',
    `Unknown API version '${asked}'. Known ${API_VERSIONS.length === 1 ? 'is' : 'are'} ${API_VERSIONS.join(', ')}.`,
  )
}

/** Names as a header value, cut after the last one that fits. */
function headerList(names: readonly string[]): string {
  let list = ''
  for (const name of names) {
    const next = list === '' ? encodeURIComponent(name) : `${list},${encodeURIComponent(name)}`
    if (next.length > MAX_IGNORED_HEADER_BYTES) break
    list = next
  }
  return list
}
