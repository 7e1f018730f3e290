import type { ErrorType } from '../core/errors.ts'

/** The explanation of an error code. */
export type CodePage = {
  readonly type: ErrorType
  readonly means: string
  /** The value of `param`. */
  readonly param: string
  readonly remedy: string
}

const invalid = (page: Omit<CodePage, 'type'>) => ({ type: 'invalid_request_error' as const, ...page })
const payment = (page: Omit<CodePage, 'type' | 'param'>) => ({
  type: 'payment_error' as const,
  param: 'null',
  ...page,
})

/**
 * All error codes, in the order of the page at /docs/errors.
 * See docs/contract/errors.md#codes.
 */
export const ERROR_CODES = {
  resource_missing: invalid({
    means:
      'The object does not exist, or belongs to another merchant. Unknown paths and methods have this code too.',
    param: 'id for an id in the path, the parameter for a reference, null for an unknown path',
    remedy: 'Check that the id is right and belongs to the merchant of your key.',
  }),
  parameter_invalid: invalid({
    means: 'A parameter or header has a value that is not allowed, or the body cannot be parsed.',
    param: 'the parameter, such as items[0][price]; null if the whole body is invalid',
    remedy: 'Correct the value as the message says. In JSON, do not write numbers and booleans as strings.',
  }),
  parameter_missing: invalid({
    means: 'A required parameter is absent.',
    param: 'the first missing parameter',
    remedy:
      'Add the parameter. Some are required only with others, such as a payment method without a trial.',
  }),
  parameter_unknown: invalid({
    means:
      'paytwin does not support the parameter yet, or the route has no such parameter and unknown ones are rejected: with --strict-params, in `paytwin run` and in the test library. Fixtures with an unknown name have this code too.',
    param: 'the first unknown parameter',
    remedy:
      'Correct or remove the parameter. Without --strict-params, requests ignore unknown parameters, but not those that paytwin does not support.',
  }),
  amount_invalid: invalid({
    means: 'The amount is not a positive integer.',
    param: 'amount',
    remedy: 'Use the smallest currency unit: 2000 for 20.00 USD.',
  }),
  amount_too_large: invalid({
    means:
      'The amount, or the sum of the items, exceeds 99999999. Or it exceeds what is left to refund of the charge, or to credit of the invoice.',
    param: 'amount',
    remedy:
      'Use a smaller amount. amount_refunded of a charge is the amount already refunded. The credit notes amounts of an invoice are those already credited.',
  }),
  payment_intent_unexpected_state: invalid({
    means: 'The status of the payment intent or of its charge does not allow the action.',
    param: 'null',
    remedy: 'Retrieve the intent and check its status. A succeeded or canceled intent cannot be used again.',
  }),
  charge_disputed: invalid({
    means: 'The charge is disputed, so it cannot be refunded.',
    param: 'null',
    remedy: 'Answer the dispute, or close it. A charge can be refunded after its dispute is won.',
  }),
  invalid_state_transition: invalid({
    means: 'The status of the object does not allow the action.',
    param: 'status, or null',
    remedy: 'Retrieve the object and check its status, which the message names.',
  }),
  payment_not_initialized: payment({
    means: 'The payment intent has no payment method to charge.',
    remedy: 'Pass payment_method, or set one on the intent, the subscription or the customer first.',
  }),
  idempotency_key_reuse: invalid({
    means: 'The Idempotency-Key was used before with other parameters.',
    param: 'null',
    remedy: 'Retry a request with the same parameters. Use a new key for a new request.',
  }),
  unsupported_psp_capability: invalid({
    means: 'The payment method cannot be charged on a schedule. Only cards can.',
    param: 'default_payment_method',
    remedy: 'Use a card for the subscription.',
  }),
  card_declined: payment({
    means: 'The card was declined. decline_code is the reason, if the issuer gave one.',
    remedy: 'Ask the customer for another card. Renewals are retried on a schedule.',
  }),
  expired_card: payment({
    means: 'The card has expired.',
    remedy: 'Ask the customer for another card.',
  }),
  incorrect_cvc: payment({
    means: "The card's security code is wrong.",
    remedy: 'Ask the customer for the security code again.',
  }),
  processing_error: payment({
    means: 'The processor could not process the card.',
    remedy: 'Try again later.',
  }),
  rate_limit: {
    type: 'rate_limit_error',
    means:
      'The merchant exceeded the rate limit for this second, or has too many waiting bodies or open event streams.',
    param: 'null',
    remedy: 'Wait for the seconds of Retry-After, then longer after each failure.',
  },
  internal_error: {
    type: 'api_error',
    means: 'The daemon failed. Nothing was written.',
    param: 'null',
    remedy: 'Retry with the same Idempotency-Key. The log of the daemon has the cause.',
  },
  invalid_client: {
    type: 'authentication_error',
    means: 'The client_id or the client_secret of the app is wrong.',
    param: 'null',
    remedy: 'Send both with HTTP Basic, each form-url-encoded.',
  },
  invalid_grant: invalid({
    means: 'The code or refresh token is unknown, expired, already used, or issued to another app.',
    param: 'null',
    remedy: 'Start the authorization again.',
  }),
  invalid_scope: invalid({
    means: 'The scope is unknown, or exceeds the granted scope.',
    param: 'scope, or null',
    remedy: 'Request read_only or read_write.',
  }),
  unsupported_grant_type: invalid({
    means: 'The grant_type is not supported.',
    param: 'grant_type, or null',
    remedy: 'Use authorization_code or refresh_token.',
  }),
  insufficient_scope: {
    type: 'authentication_error',
    means: 'The access token has the scope read_only, which does not allow writes.',
    param: 'null',
    remedy: 'Request authorization with the scope read_write.',
  },
} as const satisfies Readonly<Record<string, CodePage>>

export type ErrorCode = keyof typeof ERROR_CODES

/** Returns the url of the explanation of a code; undefined if it has none. See docs/contract/errors.md#envelope. */
export const docUrl = (url: string, code: string): string | undefined =>
  Object.hasOwn(ERROR_CODES, code) ? `${url}/docs/errors#${code}` : undefined
