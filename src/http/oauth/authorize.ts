import type { Context, Hono } from 'hono'
import * as z from 'zod'
import { ApiError, parameterInvalid, parameterMissing } from '../../core/errors.ts'
import { CONSENT_SECONDS } from '../../core/oauth.ts'
import { redirectTo } from '../../core/redirect-uri.ts'
import {
  type Authorization,
  type AuthorizationRequest,
  authorizationOfConsent,
  decideAs,
  isOffered,
  requestInBrowser,
} from '../../engine/access/oauth-authorization.ts'
import { digest } from '../../engine/machine/digest.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import type { MerchantState } from '../../engine/machine/merchant-state.ts'
import { findMerchant } from '../../engine/resources/merchant.ts'
import { checkHost } from '../admin/guard.ts'
import type { AdminServices } from '../admin/services.ts'
import { cookieOf } from '../cookies.ts'
import { deferred } from '../deferred.ts'
import { Exchange } from '../exchange.ts'
import type { ExchangeOptions } from '../exchange-options.ts'
import { omittableText, text } from '../fields.ts'
import { checkParams } from '../params.ts'
import { type Steps, serve } from '../pipeline.ts'
import { type Given, inTurn, MAX_BODY_BYTES, readBody } from '../request.ts'
import { asResponse } from '../respond.ts'
import type { Registered } from '../route.ts'
import { consentPage } from '../schemas/oauth.ts'
import {
  type AuthorizationParams,
  authorizationRequest,
  type RequestingApp,
  requestingApp,
} from './authorization-request.ts'
import { withoutEmpty } from './client-api.ts'
import { plain } from './errors.ts'

const AUTHORIZE_PATH = '/v1/oauth/authorize'
const DECISION_PATH = '/v1/oauth/authorize/decision'

const OPTIONS: ExchangeOptions = { ignoresIdempotencyKey: true, onlyOnce: true }

const authorizeParams = deferred(() =>
  z.object({
    response_type: text,
    client_id: text,
    redirect_uri: text,
    scope: omittableText,
    state: omittableText,
    code_challenge: omittableText,
    code_challenge_method: omittableText,
  }),
)

const decisionParams = deferred(() =>
  z.object({
    /** Without a maximum length, because it contains a number for each merchant. */
    nonce: z.string(),
    decision: z.enum(['approve', 'deny']),
    merchant: omittableText,
  }),
)
type DecisionParams = z.infer<ReturnType<typeof decisionParams>>

/**
 * Registers the consent page, on which a merchant approves or denies an authorization request.
 * See docs/contract/oauth.md#consent-page; RFC 6749 4.1.1, 4.1.2; RFC 9700 4.2, 4.16.
 */
export function consentRoutes(app: Hono, services: AdminServices): Registered[] {
  const exchangeOf = (c: Context) =>
    new Exchange(c, services, OPTIONS, (reading) => readBody(c, MAX_BODY_BYTES, reading))
  const [consent, decision] = [consentSteps(services), decisionSteps(services)]
  app.get(AUTHORIZE_PATH, async (c) => asResponse(await serve(exchangeOf(c), consent)))
  app.post(DECISION_PATH, async (c) => asResponse(await serve(exchangeOf(c), decision)))
  return [
    {
      method: 'get',
      path: AUTHORIZE_PATH,
      summary: 'Shows the consent page, on which a merchant approves or denies an authorization request.',
      params: authorizeParams,
      returns: consentPage,
      isPage: true,
      audience: 'everybody',
    },
    {
      method: 'post',
      path: DECISION_PATH,
      summary: 'Takes the decision of the consent page, and redirects the browser to the app.',
      params: decisionParams,
      status: 303,
      returns: consentPage,
      isPage: true,
      audience: 'everybody',
    },
  ]
}

/** The steps that a browser's request to the consent page has in common with its decision. */
const browserSteps = (services: AdminServices) => ({
  authenticate: ({ c }: Exchange) => checkHost(c, services),
  checkHeaders: (exchange: Exchange) => exchange.checkVersion(),
  applyFaults: (exchange: Exchange) => exchange.applyFaults(),
  errorPage: errorPageFor,
})

const consentSteps = (
  services: AdminServices,
): Steps<Exchange, void, URLSearchParams, AuthorizationRequest | Redirect> => ({
  ...browserSteps(services),
  read: ({ c, turn }) => inTurn(turn(), () => new URL(c.req.url).searchParams),
  check: (exchange, { given }) => checkRequest(services.engine, exchange, given),
  act: (_exchange, { params }) =>
    'redirect_to' in params ? redirectToApp(params.redirect_to) : showPage(services.engine, params),
})

const decisionSteps = (services: AdminServices): Steps<Exchange, void, Given, DecisionParams> => ({
  ...browserSteps(services),
  read: (exchange) => {
    // Another origin is already refused. Without an Origin, the request is not from a browser that shows the page.
    if (exchange.c.req.header('origin') === undefined) {
      throw parameterInvalid('Origin', 'The decision must come from the consent page')
    }
    return exchange.readParams()
  },
  check: (_exchange, { given: { raw, isForm } }) =>
    checkParams(decisionParams(), withoutEmpty(raw), { isForm }),
  act: (exchange, { params }) => takeDecision(services.engine, exchange, params),
})

/** Shows an error of an admitted request as a page. */
async function errorPageFor(error: unknown): Promise<Response> {
  if (!(error instanceof ApiError) || error.status >= 500) throw error
  const { errorPage } = await pages()
  return errorPage(error.message)
}

/** The redirect that reports a mistake to the app. */
type Redirect = { readonly redirect_to: string }

/** Checks an authorization request. @throws ApiError as long as the app and its redirect_uri are not valid */
function checkRequest(
  engine: Engine,
  exchange: Exchange,
  params: URLSearchParams,
): AuthorizationRequest | Redirect {
  const app = requestingApp(engine, theOnly(params, 'client_id'), theOnly(params, 'redirect_uri'))
  const unknown = [...new Set(params.keys())].filter((name) => !(name in authorizeParams().shape))
  if (unknown.length > 0) exchange.ignore(unknown)
  const { asked, mistake } = readRequest(app, params)
  return mistake ? { redirect_to: redirectTo(app.redirect_uri, mistake) } : asked
}

/** Returns a parameter that must be given once. @throws ApiError parameter_missing, parameter_invalid */
function theOnly(params: URLSearchParams, name: string): string {
  const [value = '', ...others] = params.getAll(name)
  if (value === '') throw parameterMissing(name)
  if (others.length > 0) throw parameterInvalid(name, `The parameter '${name}' is repeated`)
  return value
}

type RequestError = {
  readonly error: string
  readonly error_description: string
  readonly state: string | null
}

/** Reads an authorization request. A mistake is reported to the app by a redirect. Source: RFC 6749 3.1, 4.1.2.1. */
function readRequest(
  app: RequestingApp,
  params: URLSearchParams,
): { asked: AuthorizationRequest; mistake?: never } | { asked?: never; mistake: RequestError } {
  const request: AuthorizationParams = withoutEmpty(Object.fromEntries(params))
  try {
    for (const name of params.keys()) {
      if (name in authorizeParams().shape && params.getAll(name).length > 1)
        throw parameterInvalid(null, `The parameter '${name}' is repeated`)
    }
    return { asked: authorizationRequest(app, request) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const state = request.state ?? null
    return { mistake: { error: codeFor(error), error_description: plain(error.message), state } }
  }
}

function codeFor({ code, param }: ApiError): string {
  if (code === 'invalid_scope') return code
  const isUnsupported = param === 'response_type' && code === 'parameter_invalid'
  return isUnsupported ? 'unsupported_response_type' : 'invalid_request'
}

async function showPage(engine: Engine, asked: AuthorizationRequest): Promise<Response> {
  const { consentPage: page } = await pages()
  const offered = [...engine.merchants.values()]
  const merchants = offered.map(({ settings: { id, name } }) => ({ id, name }))
  const seal = await requestInBrowser(engine, asked, offered)
  const response = page({ asked, nonce: seal.nonce, merchants, action: DECISION_PATH })
  response.headers.set('Set-Cookie', cookie(seal.nonce, seal.cookie, CONSENT_SECONDS))
  return response
}

async function takeDecision(
  engine: Engine,
  exchange: Exchange,
  { nonce, decision, merchant: named }: DecisionParams,
): Promise<Response> {
  const given = cookieOf(exchange.c.req.header('cookie'), cookieName(nonce))
  const authorization = authorizationOfConsent(engine, { nonce, cookie: given ?? '' })
  if (!authorization) {
    throw parameterInvalid('nonce', 'This page was not shown to this browser, or it has expired')
  }
  checkUndecided(authorization)
  const merchant = named === undefined ? null : findMerchant(engine, named, 'merchant')
  if (merchant && !isOffered(nonce, merchant)) {
    throw parameterInvalid('merchant', `The page did not offer this merchant: '${merchant.settings.id}'`)
  }
  const { redirect_to } = await decideAs(engine, authorization.id, decisionOf(decision, merchant))
  if (merchant) exchange.showClockOf(merchant)
  const response = await redirectToApp(redirect_to)
  response.headers.set('Set-Cookie', cookie(nonce, '', 0))
  return response
}

/** Checks that an authorization is pending. @throws ApiError parameter_invalid */
function checkUndecided({ status }: Authorization): void {
  if (status === 'expired') throw parameterInvalid('nonce', 'This authorization request has expired')
  if (status !== 'pending')
    throw parameterInvalid('nonce', 'This authorization request has already been decided')
}

/** Checks that an approval names a merchant. @throws ApiError parameter_invalid */
function decisionOf(decision: 'approve' | 'deny', merchant: MerchantState | null) {
  if (decision === 'deny') return { decision, merchant }
  if (!merchant) throw parameterInvalid('merchant', 'Choose the merchant whose account the app may access')
  return { decision, merchant }
}

/** Names the cookie of a page. Each page has its own, so that several can be open, also of daemons on other ports. */
const cookieName = (nonce: string): string => `paytwin_consent_${digest(nonce).toString('hex').slice(0, 12)}`

const cookie = (nonce: string, value: string, seconds: number): string =>
  `${cookieName(nonce)}=${value}; Max-Age=${seconds}; Path=${AUTHORIZE_PATH}; HttpOnly; SameSite=Strict`

async function redirectToApp(address: string): Promise<Response> {
  const { redirectPage } = await pages()
  return redirectPage(address)
}

/** Loads the pages at the first use, to keep the start fast. */
const pages = () => import('./page.tsx')
