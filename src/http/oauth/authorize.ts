import type { Context, Hono } from 'hono'
import { getCookie } from 'hono/cookie'
import * as z from 'zod'
import { ApiError, parameterInvalid, parameterMissing } from '../../core/errors.ts'
import { CONSENT_SECONDS } from '../../core/oauth.ts'
import { redirectTo } from '../../core/redirect-uri.ts'
import { digest } from '../../engine/digest.ts'
import type { Engine } from '../../engine/engine.ts'
import { findMerchant } from '../../engine/merchant.ts'
import type { MerchantState } from '../../engine/merchant-state.ts'
import {
  type Authorization,
  type AuthorizationRequest,
  authorizationOfConsent,
  decideAs,
  isOffered,
  requestInBrowser,
} from '../../engine/oauth-authorization.ts'
import { checkHost } from '../admin/guard.ts'
import type { AdminServices } from '../admin/services.ts'
import { Exchange } from '../exchange.ts'
import { omittableText, text } from '../fields.ts'
import { checkParams } from '../params.ts'
import { type Given, MAX_V1_BODY_BYTES, readBody, readParams } from '../request.ts'
import { responseOf } from '../respond.ts'
import type { Registered } from '../route.ts'
import { consentPage } from '../schemas/oauth.ts'
import { once, retryIfReplaced } from '../start-over.ts'
import { type AuthorizationParams, authorizationRequest, type RequestingApp, requestingApp } from './asked.ts'
import { withoutEmpty } from './client-api.ts'
import { plain } from './errors.ts'

const AUTHORIZE_PATH = '/v1/oauth/authorize'
const DECISION_PATH = '/v1/oauth/authorize/decision'

const authorizeParams = z.object({
  response_type: text,
  client_id: text,
  redirect_uri: text,
  scope: omittableText,
  state: omittableText,
  code_challenge: omittableText,
  code_challenge_method: omittableText,
})

const decisionParams = z.object({
  /** Longer than other texts, because it contains a number for each merchant. */
  nonce: z.string(),
  decision: z.enum(['approve', 'deny']),
  merchant: omittableText,
})

/**
 * Registers the consent page, on which a merchant approves or denies an authorization request.
 * See docs/contract/oauth.md#consent-page; RFC 6749 4.1.1, 4.1.2; RFC 9700 4.2, 4.16.
 */
export function consentRoutes(app: Hono, site: AdminServices): Registered[] {
  // Hono routes HEAD to GET handlers. The contract has no HEAD.
  app.get(AUTHORIZE_PATH, (c, next) =>
    c.req.method === 'HEAD' ? next() : serveBrowser(c, site, showConsent),
  )
  app.post(DECISION_PATH, (c) => serveBrowser(c, site, takeDecision))
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

/** A request of a browser. */
type BrowserRequest = {
  readonly c: Context
  readonly site: AdminServices
  readonly exchange: Exchange
  readonly read: () => Promise<Given>
}

/** Answers a browser, and shows an error as a page. */
async function serveBrowser(
  c: Context,
  site: AdminServices,
  answer: (request: BrowserRequest) => Promise<Response>,
): Promise<Response> {
  const exchange = new Exchange(c, site, { isPublicRoute: false, ignoresIdempotencyKey: true })
  const read = once(() => readParams(c, () => readBody(c, MAX_V1_BODY_BYTES), { onlyOnce: true }))
  try {
    return await retryIfReplaced(async () => {
      await exchange.authenticateWithoutKey(() =>
        checkHost({ host: c.req.header('host'), origin: c.req.header('origin') }, site.allowedHosts),
      )
      return exchange.stamp(await answer({ c, site, exchange, read }).catch(errorPageFor))
    })
  } catch (error) {
    return responseOf(exchange.fail(error))
  }
}

async function errorPageFor(error: unknown): Promise<Response> {
  if (!(error instanceof ApiError) || error.status >= 500) throw error
  const { errorPage } = await pages()
  return errorPage(error.message)
}

async function showConsent({ c, site: { engine }, exchange }: BrowserRequest): Promise<Response> {
  const { searchParams } = new URL(c.req.url)
  const app = requestingApp(engine, theOnly(searchParams, 'client_id'), theOnly(searchParams, 'redirect_uri'))
  const unknown = [...new Set(searchParams.keys())].filter((name) => !(name in authorizeParams.shape))
  if (unknown.length > 0) exchange.ignore(unknown)
  const { asked, mistake } = readRequest(app, searchParams)
  return mistake ? redirectToApp(redirectTo(app.redirect_uri, mistake)) : showPage(engine, asked)
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
      if (name in authorizeParams.shape && params.getAll(name).length > 1)
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

async function takeDecision({ c, site: { engine }, exchange, read }: BrowserRequest): Promise<Response> {
  // Another origin is already refused. Without an Origin, the request is not from a browser that shows the page.
  if (c.req.header('origin') === undefined) {
    throw parameterInvalid('Origin', 'The decision must come from the consent page')
  }
  const { raw, isForm } = await read()
  const { nonce, decision, merchant: named } = checkParams(decisionParams, withoutEmpty(raw), { isForm })
  const authorization = authorizationOfConsent(engine, {
    nonce,
    cookie: getCookie(c, cookieName(nonce)) ?? '',
  })
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

/** FixtureIds the cookie of a page. Each page has its own, so that several can be open, also of daemons on other ports. */
const cookieName = (nonce: string): string => `paytwin_consent_${digest(nonce).toString('hex').slice(0, 12)}`

const cookie = (nonce: string, value: string, seconds: number): string =>
  `${cookieName(nonce)}=${value}; Max-Age=${seconds}; Path=${AUTHORIZE_PATH}; HttpOnly; SameSite=Strict`

async function redirectToApp(address: string): Promise<Response> {
  const { redirectPage } = await pages()
  return redirectPage(address)
}

/** Loads the pages at the first use, to keep the start fast. */
const pages = () => import('./page.tsx')
