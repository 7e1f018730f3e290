/** The closed set of error types. See docs/contract/errors.md#types. */
export const ERROR_TYPES = [
  'api_error',
  'authentication_error',
  'invalid_request_error',
  'rate_limit_error',
  'payment_error',
] as const
export type ErrorType = (typeof ERROR_TYPES)[number]

type ErrorShape = {
  readonly status: 400 | 401 | 402 | 403 | 404 | 422 | 429 | 500
  readonly type: ErrorType
  /** null only in bodies of failed authentication. See docs/contract/errors.md#authentication-failures. */
  readonly code: string | null
  readonly message: string
  readonly param?: string | null
  /** Further fields of the error body, such as decline_code. */
  readonly details?: Readonly<Record<string, unknown>>
  /** For a 401: a further challenge of `WWW-Authenticate`, beside the plain `Bearer`. */
  readonly challenge?: string
}

/**
 * A mistake of the caller, or a declined payment that the caller requested. It rolls the command back and becomes the
 * error envelope (docs/contract/errors.md#envelope). Expected outcomes of billing are values, not errors.
 */
export class ApiError extends Error {
  readonly status: ErrorShape['status']
  readonly type: ErrorType
  readonly code: string | null
  readonly param: string | null
  readonly details: Readonly<Record<string, unknown>>
  readonly challenge: string | null

  constructor(shape: ErrorShape) {
    super(shortened(shape.message, MAX_MESSAGE))
    this.name = 'ApiError'
    this.status = shape.status
    this.type = shape.type
    this.code = shape.code
    this.param = shape.param === undefined || shape.param === null ? null : shortened(shape.param, MAX_PARAM)
    this.details = shape.details ?? {}
    this.challenge = shape.challenge ?? null
  }
}

/** Limits on the size of an error: it quotes values of the request, which can be as long as a body. */
const MAX_MESSAGE = 1_000
const MAX_PARAM = 200

const shortened = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length)}…` : text

const invalidRequest = (status: 400 | 404 | 422, code: string, message: string, param: string | null) =>
  new ApiError({ status, type: 'invalid_request_error', code, message, param })

/** Reports a missing object. `param` is "id" for a path, the parameter's name for a reference in a body or query. */
export const resourceMissing = (what: string, id: string, param = 'id') =>
  invalidRequest(404, 'resource_missing', `No such ${what}: '${id}'`, param)

/** Reports that a customer or subscription has no discount to delete. */
export const discountMissing = (owner: 'customer' | 'subscription', id: string) =>
  invalidRequest(404, 'resource_missing', `No active discount for ${owner}: '${id}'`, 'id')

/** paytwin: the object did not exist yet at the requested instant. The instants are formatted for people. */
export const resourceNotYetCreated = (
  what: string,
  id: string,
  { at, createdAt }: { at: string; createdAt: string },
) =>
  invalidRequest(
    404,
    'resource_missing',
    `No such ${what} at ${at}: '${id}' was created at ${createdAt}`,
    'id',
  )

/** paytwin: an unknown path or method. See docs/contract/requests.md#status-codes. */
export const routeMissing = (method: string, path: string) =>
  invalidRequest(404, 'resource_missing', `Unrecognized request URL (${method} ${path})`, null)

export const parameterMissing = (param: string, message = `Missing required parameter: ${param}`) =>
  invalidRequest(400, 'parameter_missing', message, param)

/** `param` is null where no single parameter is wrong (a malformed body). */
export const parameterInvalid = (param: string | null, message: string) =>
  invalidRequest(400, 'parameter_invalid', message, param)

/** paytwin: with `serve --strict-params`, and always in fixtures. See docs/contract/requests.md#unknown-parameters. */
export const parameterUnknown = (param: string, message = `Received unknown parameter: ${param}`) =>
  invalidRequest(400, 'parameter_unknown', message, param)

/** See docs/contract/requests.md#amounts. */
export const amountInvalid = (message = 'Amount must be a positive integer in the smallest currency unit') =>
  invalidRequest(400, 'amount_invalid', message, 'amount')

/** See docs/contract/requests.md#amounts. */
export const amountTooLarge = (message: string) => invalidRequest(400, 'amount_too_large', message, 'amount')

export const paymentIntentUnexpectedState = (message: string) =>
  invalidRequest(400, 'payment_intent_unexpected_state', message, null)

/** Only in Stripe's API, like setup intents. */
export const setupIntentUnexpectedState = (message: string) =>
  invalidRequest(400, 'setup_intent_unexpected_state', message, null)

/** See docs/contract/disputes.md#refunds. */
export const chargeDisputed = (charge: string) =>
  invalidRequest(400, 'charge_disputed', `The charge '${charge}' is disputed and cannot be refunded`, null)

/** See docs/contract/README.md#reading. */
export const invalidStateTransition = (message: string, param: 'status' | null = 'status') =>
  invalidRequest(400, 'invalid_state_transition', message, param)

/** Has the status 400 although its type is payment_error. See docs/contract/errors.md#types. */
export const paymentNotInitialized = (message: string) =>
  new ApiError({
    status: 400,
    type: 'payment_error',
    code: 'payment_not_initialized',
    message,
    param: 'payment_method',
  })

/** See docs/contract/payments.md#push-methods. */
export const unsupportedPspCapability = (type: string) =>
  invalidRequest(
    422,
    'unsupported_psp_capability',
    `Recurring billing supports card payments only; a payment method of type '${type}' cannot recur`,
    'default_payment_method',
  )

/** Reports a decline. `details` are the further fields of the body. See docs/contract/errors.md#declines. */
export const paymentFailed = (code: string, message: string, details: Readonly<Record<string, unknown>>) =>
  new ApiError({ status: 402, type: 'payment_error', code, message, details })

/** Does not reveal whether a key once existed. See docs/contract/authentication.md#authentication-failures. */
export const invalidApiKey = () =>
  new ApiError({
    status: 401,
    type: 'authentication_error',
    code: null,
    message: 'Invalid API Key provided',
  })

/** Reports a publishable key on a route that needs a secret key. Only Stripe's API has this error. */
export const secretKeyRequired = () =>
  new ApiError({
    status: 403,
    type: 'invalid_request_error',
    code: 'secret_key_required',
    message: 'This API call cannot be made with a publishable API key. Please use a secret API key.',
  })

/** Has the status 422, unlike other services. See docs/contract/README.md#differences-from-similar-services. */
export const idempotencyKeyReuse = () =>
  invalidRequest(
    422,
    'idempotency_key_reuse',
    'This idempotency key was used with other parameters. Use a new key, or send the same parameters.',
    null,
  )

/** See docs/contract/requests.md#rate-limit. */
export const rateLimited = () =>
  new ApiError({
    status: 429,
    type: 'rate_limit_error',
    code: 'rate_limit',
    message: 'Too many requests. Back off exponentially, and try again.',
  })

/** Does not claim that the key is invalid. See docs/contract/authentication.md#key-resolution-outage. */
export const keyResolutionUnavailable = () =>
  new ApiError({
    status: 401,
    type: 'authentication_error',
    code: null,
    message: 'We could not authenticate the request. Please try again shortly.',
  })

/**
 * Has the message of invalidApiKey, so that it does not reveal whether the token once existed.
 * See docs/contract/oauth.md#access-tokens.
 */
export const invalidToken = () =>
  new ApiError({
    status: 401,
    type: 'authentication_error',
    code: null,
    message: 'Invalid API Key provided',
    challenge: 'Bearer error="invalid_token"',
  })

/** The only failure of a key or token that has a code. See docs/contract/oauth.md#scopes. */
export const insufficientScope = () =>
  new ApiError({
    status: 401,
    type: 'authentication_error',
    code: 'insufficient_scope',
    message: 'The access token has the scope read_only, which does not allow writes',
    challenge: 'Bearer error="insufficient_scope"',
  })

/** The same for an unknown app and for a wrong secret. See docs/contract/oauth.md#errors; RFC 6749 5.2. */
export const invalidClient = () =>
  new ApiError({
    status: 401,
    type: 'authentication_error',
    code: 'invalid_client',
    message: 'Invalid client_id or client_secret. Send them with HTTP Basic.',
    challenge: 'Basic realm="paytwin", charset="UTF-8"',
  })

/** See docs/contract/oauth.md#errors; RFC 6749 5.2. */
export const invalidGrant = (message: string) => invalidRequest(400, 'invalid_grant', message, null)

/** See docs/contract/oauth.md#errors; RFC 6749 5.2. */
export const invalidScope = (message: string) => invalidRequest(400, 'invalid_scope', message, 'scope')

/** See docs/contract/oauth.md#errors; RFC 6749 5.2. */
export const unsupportedGrantType = (type: string) =>
  invalidRequest(
    400,
    'unsupported_grant_type',
    `grant_type '${type}' is not supported: use authorization_code or refresh_token`,
    'grant_type',
  )

export const internalError = () =>
  new ApiError({
    status: 500,
    type: 'api_error',
    code: 'internal_error',
    message: 'An unexpected error occurred. Retry with backoff and the same idempotency key.',
  })

/** It is unknown whether the card was charged, so nothing is written. See docs/contract/faults.md#charge-faults. */
export const processorTimeout = () =>
  new ApiError({
    status: 500,
    type: 'api_error',
    code: 'internal_error',
    message:
      'The card processor did not answer in time, and nothing was written. Retry with backoff and the same idempotency key.',
  })

/**
 * paytwin: fixtures use a name that no object in them has.
 * @param hint - the probable name, as the end of the sentence
 */
export const nameMissing = (what: string, name: string, param: string, hint: string) =>
  invalidRequest(404, 'resource_missing', `no ${what} is named '${name}'${hint}`, param)

/** Fails on a defect of this program: the transaction is rolled back and the response is 500. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Assertion failed: ${message}`)
}
