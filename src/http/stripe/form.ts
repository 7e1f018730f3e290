import { ApiError, parameterInvalid, secretKeyRequired } from '../../core/errors.ts'
import type { DialectForm } from '../dialect.ts'
import type { ErrorCode } from '../error-codes.ts'
import type { Incoming } from '../incoming.ts'
import type { Json } from '../json.ts'
import { queryOf } from '../request.ts'
import type { Component } from '../schemas/component.ts'
import { accountIdOf } from './account-id.ts'
import { expandableAt } from './expandable.ts'
import { docUrlOf } from './present/payment.ts'

/** The page that lists the parts of Stripe's API that paytwin supports. */
const KNOWN_URL = 'https://github.com/paytwin/paytwin/blob/main/docs/stripe.md'

type StripeError = {
  /** undefined for the status of paytwin's own API. */
  readonly status?: ApiError['status']
  readonly type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  /** null for an error without a code. */
  readonly code: string | null
}

const invalid = (code: string | null, status?: ApiError['status']): StripeError => ({
  type: 'invalid_request_error',
  code,
  ...(status !== undefined && { status }),
})
const card = (code: string): StripeError => ({ type: 'card_error', code })

/** Each error code of paytwin's own API as an error of Stripe's. */
const ERRORS: Readonly<Record<ErrorCode, StripeError>> = {
  resource_missing: invalid('resource_missing'),
  parameter_invalid: invalid(null),
  parameter_missing: invalid('parameter_missing'),
  parameter_unknown: invalid('parameter_unknown'),
  amount_invalid: invalid('parameter_invalid_integer'),
  amount_too_large: invalid('amount_too_large'),
  payment_intent_unexpected_state: invalid('payment_intent_unexpected_state'),
  invalid_state_transition: invalid(null),
  payment_not_initialized: invalid('payment_intent_unexpected_state'),
  idempotency_key_reuse: { status: 400, type: 'idempotency_error', code: null },
  unsupported_psp_capability: invalid(null, 400),
  card_declined: card('card_declined'),
  charge_disputed: invalid('charge_disputed'),
  expired_card: card('expired_card'),
  incorrect_cvc: card('incorrect_cvc'),
  processing_error: card('processing_error'),
  rate_limit: invalid('rate_limit'),
  internal_error: { type: 'api_error', code: null },
  invalid_client: invalid(null),
  invalid_grant: invalid(null),
  invalid_scope: invalid(null),
  unsupported_grant_type: invalid(null),
  insufficient_scope: invalid(null),
}

/** Errors that only Stripe's API has, by their codes. */
const STRIPE_ERRORS: readonly StripeError[] = [
  invalid('invoice_upcoming_none'),
  invalid('setup_intent_unexpected_state'),
  invalid('secret_key_required'),
  invalid('customer_tax_location_invalid'),
  card('authentication_required'),
]

function errorOf(code: string | null): StripeError {
  if (code !== null && Object.hasOwn(ERRORS, code)) return ERRORS[code as ErrorCode]
  return STRIPE_ERRORS.find((known) => known.code === code) ?? invalid(null)
}

/** Reports whether an error is about an unknown path: then it has no parameter. */
const isRouteMissing = ({ code, param }: ApiError): boolean => code === 'resource_missing' && param === null

/** Converts the status and the message of an error to Stripe's. A reference in a body is a 400, an id in a path a 404. */
function convert(error: ApiError): ApiError {
  const { code, param, type, details } = error
  const isReference = code === 'resource_missing' && param !== null && param !== 'id'
  const status = isReference ? 400 : (errorOf(code).status ?? error.status)
  return new ApiError({ status, type, code, param, details, message: messageOf(error) })
}

/** Returns the name of an object in Stripe's messages. */
const nameOf = (noun: string): string =>
  noun === 'checkout session' ? 'checkout.session' : noun.replaceAll(' ', '_')

function messageOf(error: ApiError): string {
  const { code, message } = error
  if (isRouteMissing(error)) {
    const [, route = ''] = /\((.*)\)/.exec(message) ?? []
    return `paytwin does not know ${route} yet. What it knows: ${KNOWN_URL}`
  }
  if (code === 'parameter_unknown')
    return `${message}. If Stripe knows it, paytwin does not know it yet. What it knows: ${KNOWN_URL}`
  return message.replace(/^No such ([a-z ]+):/, (_, noun: string) => `No such ${nameOf(noun)}:`)
}

/** Makes the body of an error. Fields that do not apply are absent. */
function errorBody(error: ApiError): Json {
  const { message, param, details } = error
  const { type, code } = isRouteMissing(error) ? invalid(null) : errorOf(error.code)
  const further = Object.entries(details).filter(([, value]) => value !== null && value !== undefined)
  return {
    error: {
      ...(code !== null && { code, doc_url: docUrlOf(code) }),
      ...Object.fromEntries(further),
      message,
      ...(param !== null && { param }),
      type,
    },
  }
}

/** The headers with which a platform names one of its connected accounts. */
const ACCOUNT_HEADERS = ['Stripe-Account', 'Stripe-Context']

/** Refuses a request for a connected account: its objects would be those of the merchant. */
function checkAccount(request: Incoming['req'], merchant: string): void {
  for (const name of ACCOUNT_HEADERS) {
    const given = request.header(name.toLowerCase())
    if (!given || given === accountIdOf(merchant)) continue
    throw parameterInvalid(
      name,
      `The header ${name} does not name the account of the key, and paytwin has no connected accounts. Create a merchant for each account, and use its own key`,
    )
  }
}

/** Refuses a POST with parameters in its query: they belong in its body. */
function refuseQuery({ method, url }: Incoming['req']): void {
  if (method !== 'POST') return
  const [name] = new URLSearchParams(queryOf(url)).keys()
  if (name !== undefined)
    throw parameterInvalid(name, `A POST takes its parameters in its body, but the query has '${name}'`)
}

/** Checks expand paths against the objects of a route in a version. @throws ApiError parameter_invalid */
function checkExpands({ name }: Component, paths: readonly string[], version: string): void {
  paths.forEach((path, index) => {
    const why = expandableAt(name, path, version)
    if (why !== undefined) throw parameterInvalid(`expand[${index}]`, why)
  })
}

/** Stripe's API. */
export const STRIPE_FORM: DialectForm = {
  name: 'stripe',
  versionHeader: 'Stripe-Version',
  textOf: JSON.stringify,
  errorOf: convert,
  errorBody,
  publishableKeyError: secretKeyRequired,
  checkAccount,
  // The schemas already refuse every unknown parameter.
  refuseUnsupported: () => undefined,
  refuseQuery,
  checkExpands,
}
