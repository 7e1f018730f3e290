import type { Context, Hono } from 'hono'
import { invalidClient, parameterInvalid, parameterUnknown } from '../../core/errors.ts'
import type { MerchantState } from '../../engine/merchant-state.ts'
import { authenticateApp, type OAuthApp } from '../../engine/oauth-app.ts'
import { Exchange } from '../exchange.ts'
import type { Raw } from '../form.ts'
import type { Json } from '../json.ts'
import { checkParams, type Schema, unknownParams } from '../params.ts'
import { type Given, MAX_V1_BODY_BYTES, readBody, readParams } from '../request.ts'
import { type Headers, responseOf, textOf } from '../respond.ts'
import type { Registered, RouteOf } from '../route.ts'
import type { HttpServices } from '../services.ts'
import { once, retryIfReplaced } from '../start-over.ts'
import { errorBodyOf } from './errors.ts'

/** Source: RFC 6749 5.1. */
const NO_STORE: Headers = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }

export type ClientCall<Params> = {
  readonly site: HttpServices
  /** Authenticates the app again, because the request may have waited. @throws ApiError invalid_client */
  readonly client: () => OAuthApp
  readonly params: Params
  /** Shows the clock of a merchant in the header Paytwin-Now of the answer. */
  readonly showClockOf: (merchant: MerchantState) => void
}

/**
 * Registers the routes that apps call with their client_id and client_secret. Requests pass the checks of /v1 in the same
 * order. Idempotency-Key is ignored.
 * See docs/contract/oauth.md#token-endpoint; RFC 6749 3.2, 5.
 */
export class ClientApi {
  readonly routes: Registered[] = []
  readonly #app: Hono
  readonly #site: HttpServices

  constructor(app: Hono, site: HttpServices) {
    this.#app = app
    this.#site = site
  }

  post<Params, Body extends Json>(
    route: Omit<RouteOf<Params, Body>, 'method'> & { readonly params: Schema<Params> },
    answer: (call: ClientCall<Params>) => Promise<NoInfer<Body>>,
  ): void {
    const registered = { ...route, method: 'post' as const }
    this.routes.push({ ...registered, audience: 'app' })
    this.#app.post(route.path, (c) => this.#handle(c, registered, answer))
  }

  async #handle<Params, Body extends Json>(
    c: Context,
    route: RouteOf<Params, Body> & { readonly params: Schema<Params> },
    answer: (call: ClientCall<Params>) => Promise<Body>,
  ): Promise<Response> {
    const site = this.#site
    const exchange = new Exchange(c, site, {
      isPublicRoute: false,
      ignoresIdempotencyKey: true,
      errorBody: errorBodyOf(site.oauthErrors),
      headers: NO_STORE,
    })
    const read = once(() => readParams(c, () => readBody(c, MAX_V1_BODY_BYTES), { onlyOnce: true }))
    try {
      return await retryIfReplaced(async () => {
        const client = () => authenticate(site, c.req.header('authorization'))
        const app = await exchange.authenticateWithoutKey(client)
        const params = check(site, { route, app, given: await read() }, exchange)
        const body = await answer({
          site,
          client,
          params,
          showClockOf: (merchant) => exchange.showClockOf(merchant),
        })
        return responseOf(exchange.send({ status: 200, text: textOf(body), headers: {} }))
      })
    } catch (error) {
      return responseOf(exchange.fail(error))
    }
  }
}

/** Checks the parameters, and reports unknown ones. */
function check<Params, Body>(
  { strictParams }: HttpServices,
  {
    route: { params: schema, requires },
    app,
    given: { raw, isForm },
  }: { route: RouteOf<Params, Body> & { readonly params: Schema<Params> }; app: OAuthApp; given: Given },
  exchange: Exchange,
): Params {
  const given = withoutEmpty(raw)
  refuseBodyCredentials(given, app)
  const params = checkParams(schema, given, { isForm, requires })
  const ignored = unknownParams(given, params)
  if (ignored[0] !== undefined && strictParams) throw parameterUnknown(ignored[0])
  if (ignored.length > 0) exchange.ignore(ignored)
  return params
}

/** Removes empty parameters, which count as absent. Source: RFC 6749 3.2. */
export const withoutEmpty = <Given extends object>(given: Given): Partial<Given> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')) as Partial<Given>

/**
 * Authenticates an app by its client_id and client_secret in HTTP Basic, each form-url-encoded.
 * @throws ApiError invalid_client
 * See docs/contract/oauth.md#token-endpoint; RFC 6749 2.3.1.
 */
function authenticate({ engine }: HttpServices, header: string | undefined): OAuthApp {
  const [, credentials = ''] = /^basic +(\S+) *$/i.exec(header ?? '') ?? []
  const decoded = Buffer.from(credentials, 'base64').toString('utf8')
  const [id = '', ...secret] = decoded.split(':')
  const app = authenticateApp(engine, formDecoded(id), formDecoded(secret.join(':')))
  if (!app) throw invalidClient()
  return app
}

/** Decodes form-url-encoded text; '' if the encoding is invalid. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return ''
  }
}

/** Refuses credentials in the body: only HTTP Basic is accepted. Source: RFC 6749 2.3. @throws ApiError parameter_invalid */
function refuseBodyCredentials(given: Raw, app: OAuthApp): void {
  if (given.client_id !== undefined && given.client_id !== app.id) {
    throw parameterInvalid('client_id', 'client_id differs from the one in HTTP Basic')
  }
  if (given.client_secret !== undefined) {
    throw parameterInvalid('client_secret', 'client_secret is accepted only in HTTP Basic')
  }
}
