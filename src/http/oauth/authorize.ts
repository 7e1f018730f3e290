import type { Context, Hono } from 'hono'
import { getCookie } from 'hono/cookie'
import { z } from 'zod'
import { ApiError, parameterInvalid, parameterMissing } from '../../core/errors.ts'
import { CONSENT_SECONDS } from '../../core/oauth.ts'
import { redirectTo } from '../../core/redirect-uri.ts'
import { digest } from '../../engine/digest.ts'
import type { Engine } from '../../engine/engine.ts'
import { findMerchant } from '../../engine/merchant.ts'
import type { MerchantState } from '../../engine/merchant-state.ts'
import {
  type Asked,
  type Authorization,
  askInBrowser,
  decideFor,
  sealedAuthorization,
} from '../../engine/oauth-authorization.ts'
import { checkHost } from '../admin/guard.ts'
import type { AdminSite } from '../admin/site.ts'
import { Exchange } from '../exchange.ts'
import { omittableText, text } from '../fields.ts'
import { checkParams } from '../params.ts'
import { type Given, MAX_V1_BODY_BYTES, readBody, readParams } from '../request.ts'
import { responseOf } from '../respond.ts'
import type { Registered } from '../route.ts'
import { consentPage } from '../schemas/oauth.ts'
import { inOneState, once } from '../start-over.ts'
import { type Asker, askedOf, askerOf, type Request } from './asked.ts'
import { withoutEmpty } from './client-api.ts'
import { plain } from './errors.ts'

const ASK = '/v1/oauth/authorize'
const DECIDE = '/v1/oauth/authorize/decision'

const askParams = z.object({
  response_type: text,
  client_id: text,
  redirect_uri: text,
  scope: omittableText,
  state: omittableText,
  code_challenge: omittableText,
  code_challenge_method: omittableText,
})

const decideParams = z.object({
  nonce: text,
  decision: z.enum(['approve', 'deny']),
  merchant: omittableText,
})

/**
 * The page on which a merchant lets an app in, or does not.
 * See docs/contract/oauth.md#consent-page; RFC 6749 4.1.1, 4.1.2; RFC 9700 4.2, 4.16.
 */
export function consentRoutes(app: Hono, site: AdminSite): Registered[] {
  // Hono takes HEAD for GET; the contract has no HEAD.
  app.get(ASK, (c, next) => (c.req.method === 'HEAD' ? next() : withPerson(c, site, ask)))
  app.post(DECIDE, (c) => withPerson(c, site, takeDecision))
  return [
    {
      method: 'get',
      path: ASK,
      summary:
        'Shows a page on which a merchant lets an app in or does not, and sends the browser back to the app.',
      params: askParams,
      returns: consentPage,
      isPage: true,
      audience: 'everybody',
    },
    {
      method: 'post',
      path: DECIDE,
      summary: 'Takes what was decided on that page, from that page alone.',
      params: decideParams,
      status: 303,
      returns: consentPage,
      isPage: true,
      audience: 'everybody',
    },
  ]
}

/** A browser that asks, and what is answered. */
type Visit = {
  readonly c: Context
  readonly site: AdminSite
  readonly exchange: Exchange
  readonly read: () => Promise<Given>
}

/** Answers a browser: with a page that says so when what it asks cannot be. */
async function withPerson(
  c: Context,
  site: AdminSite,
  answer: (visit: Visit) => Promise<Response>,
): Promise<Response> {
  const exchange = new Exchange(c, site, { isPublicRoute: false, forgetsKeys: true })
  const read = once(() => readParams(c, () => readBody(c, MAX_V1_BODY_BYTES), { onlyOnce: true }))
  try {
    return await inOneState(async () => {
      await exchange.admitStranger(() =>
        checkHost({ host: c.req.header('host'), origin: c.req.header('origin') }, site.allowedHosts),
      )
      return exchange.stamp(await answer({ c, site, exchange, read }).catch(refusal))
    })
  } catch (error) {
    return responseOf(exchange.fail(error))
  }
}

async function refusal(error: unknown): Promise<Response> {
  if (!(error instanceof ApiError) || error.status >= 500) throw error
  const { refusalPage } = await pages()
  return refusalPage(error.message)
}

async function ask({ c, site: { engine }, exchange }: Visit): Promise<Response> {
  const { searchParams } = new URL(c.req.url)
  const asker = askerOf(engine, theOnly(searchParams, 'client_id'), theOnly(searchParams, 'redirect_uri'))
  const unknown = [...new Set(searchParams.keys())].filter((name) => !(name in askParams.shape))
  if (unknown.length > 0) exchange.ignore(unknown)
  const { asked, mistake } = readRequest(asker, searchParams)
  return mistake ? toApp(redirectTo(asker.redirect_uri, mistake)) : showPage(engine, asked)
}

/** @throws ApiError parameter_missing, parameter_invalid */
function theOnly(params: URLSearchParams, name: string): string {
  const [value = '', ...others] = params.getAll(name)
  if (value === '') throw parameterMissing(name)
  if (others.length > 0) throw parameterInvalid(name, `The parameter '${name}' is given twice`)
  return value
}

type Mistake = { readonly error: string; readonly error_description: string; readonly state: string | null }

/** What is asked for, or what the app is told to be wrong with it. Source: RFC 6749 3.1, 4.1.2.1. */
function readRequest(
  asker: Asker,
  params: URLSearchParams,
): { asked: Asked; mistake?: never } | { asked?: never; mistake: Mistake } {
  const request: Request = withoutEmpty(Object.fromEntries(params))
  try {
    for (const name of params.keys()) {
      if (name in askParams.shape && params.getAll(name).length > 1)
        throw parameterInvalid(null, `The parameter '${name}' is given twice`)
    }
    return { asked: askedOf(asker, request) }
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

async function showPage(engine: Engine, asked: Asked): Promise<Response> {
  const { consentPage: page } = await pages()
  const seal = await askInBrowser(engine, asked)
  const merchants = [...engine.merchants.values()].map(({ settings: { id, name } }) => ({ id, name }))
  const response = page({ asked, nonce: seal.nonce, merchants, action: DECIDE })
  response.headers.set('Set-Cookie', cookie(seal.nonce, seal.cookie, CONSENT_SECONDS))
  return response
}

async function takeDecision({ c, site: { engine }, exchange, read }: Visit): Promise<Response> {
  // Of another origin it was refused already; of none it is no browser that shows the page.
  if (c.req.header('origin') === undefined) {
    throw parameterInvalid('Origin', 'A decision comes from the page that asks for it')
  }
  const { raw, isForm } = await read()
  const { nonce, decision, merchant: named } = checkParams(decideParams, withoutEmpty(raw), { isForm })
  const authorization = sealedAuthorization(engine, { nonce, cookie: getCookie(c, cookieName(nonce)) ?? '' })
  if (!authorization) {
    throw parameterInvalid('nonce', 'This page was not shown to this browser, or too long ago')
  }
  checkUndecided(authorization)
  const merchant = named === undefined ? null : findMerchant(engine, named, 'merchant')
  const { redirect_to } = await decideFor(engine, authorization.id, decisionOf(decision, merchant))
  if (merchant) exchange.speaksOf(merchant)
  const response = await toApp(redirect_to)
  response.headers.set('Set-Cookie', cookie(nonce, '', 0))
  return response
}

/** @throws ApiError parameter_invalid */
function checkUndecided({ status }: Authorization): void {
  if (status === 'expired')
    throw parameterInvalid('nonce', 'This request has expired: nobody decided in time')
  if (status !== 'pending') throw parameterInvalid('nonce', 'This was decided already')
}

/** @throws ApiError parameter_missing for an approval on nobody's behalf */
function decisionOf(decision: 'approve' | 'deny', merchant: MerchantState | null) {
  if (decision === 'deny') return { decision, merchant }
  if (!merchant) throw parameterInvalid('merchant', 'Choose the merchant on whose behalf you let the app in')
  return { decision, merchant }
}

/** Each page has a cookie of its own, so that several can be open at a time; cookies do not tell ports apart either. */
const cookieName = (nonce: string): string => `paytwin_consent_${digest(nonce).toString('hex').slice(0, 12)}`

const cookie = (nonce: string, value: string, seconds: number): string =>
  `${cookieName(nonce)}=${value}; Max-Age=${seconds}; Path=${ASK}; HttpOnly; SameSite=Strict`

async function toApp(address: string): Promise<Response> {
  const { leavingPage } = await pages()
  return leavingPage(address)
}

/** Loaded when somebody looks at a page: no start waits for it. */
const pages = () => import('./page.tsx')
