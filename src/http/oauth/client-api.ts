import type { Hono } from 'hono'
import { invalidClient, parameterInvalid, parameterUnknown } from '../../core/errors.ts'
import { authenticateApp, type OAuthApp } from '../../engine/access/oauth-app.ts'
import type { MerchantState } from '../../engine/machine/merchant-state.ts'
import { Exchange } from '../exchange.ts'
import type { Raw } from '../form.ts'
import { APPS } from '../held-body.ts'
import type { Json } from '../json.ts'
import { checkParams, type Schema, unknownParams } from '../params.ts'
import { type Steps, serve } from '../pipeline.ts'
import { type Given, MAX_BODY_BYTES, readBody } from '../request.ts'
import { asResponse, textOf } from '../respond.ts'
import type { Registered, RouteOf } from '../route.ts'
import type { HttpServices } from '../services.ts'
import { errorBodyOf } from './errors.ts'

/** Responses contain tokens, which no cache may keep. Source: RFC 6749 5.1. */
const UNCACHED = ['Cache-Control', 'no-store', 'Pragma', 'no-cache']

export type ClientCall<Params> = {
  readonly services: HttpServices
  /** Authenticates the app again, because the request may have waited. @throws ApiError invalid_client */
  readonly client: () => OAuthApp
  readonly params: Params
  /** Shows the clock of a merchant in the header Paytwin-Now of the response. */
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
  readonly #services: HttpServices

  constructor(app: Hono, services: HttpServices) {
    this.#app = app
    this.#services = services
  }

  post<Params, Body extends Json>(
    route: Omit<RouteOf<Params, Body>, 'method'> & { readonly params: () => Schema<Params> },
    handle: (call: ClientCall<Params>) => Promise<NoInfer<Body>>,
  ): void {
    const registered = { ...route, method: 'post' as const }
    this.routes.push({ ...registered, audience: 'app' })
    const steps = stepsOf(this.#services, registered, handle)
    const options = {
      headers: UNCACHED,
      errorBody: errorBodyOf(this.#services.oauthErrors),
      ignoresIdempotencyKey: true,
      onlyOnce: true,
      owner: APPS,
    }
    this.#app.post(route.path, async (c) => {
      const exchange = new Exchange(c, this.#services, options, (reading) =>
        readBody(c, MAX_BODY_BYTES, reading),
      )
      return asResponse(await serve(exchange, steps))
    })
  }
}

type ClientRoute<Params, Body> = RouteOf<Params, Body> & { readonly params: () => Schema<Params> }

/** The steps of a request with the credentials of an app. */
const stepsOf = <Params, Body extends Json>(
  services: HttpServices,
  route: ClientRoute<Params, Body>,
  handle: (call: ClientCall<Params>) => Promise<Body>,
): Steps<Exchange, OAuthApp, Given, Params> => ({
  authenticate: ({ c }) => authenticate(services, c.req.header('authorization')),
  checkHeaders: (exchange) => exchange.checkVersion(),
  applyFaults: (exchange) => exchange.applyFaults(),
  read: (exchange) => exchange.readParams(),
  check: (exchange, { sender, given }) => check(services, { route, app: sender, given }, exchange),
  act: async (exchange, { params }) => {
    const client = () => authenticate(services, exchange.c.req.header('authorization'))
    const showClockOf = (merchant: MerchantState) => exchange.showClockOf(merchant)
    const body = await handle({ services, client, params, showClockOf })
    return { status: route.status ?? 200, text: textOf(body), headers: {} }
  },
})

/** Checks the parameters, and reports unknown ones. */
function check<Params, Body>(
  { strictParams }: HttpServices,
  {
    route: { params: schema, requires },
    app,
    given: { raw, isForm },
  }: { route: ClientRoute<Params, Body>; app: OAuthApp; given: Given },
  exchange: Exchange,
): Params {
  const given = withoutEmpty(raw)
  refuseBodyCredentials(given, app)
  const params = checkParams(schema(), given, { isForm, requires })
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
