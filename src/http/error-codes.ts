import type { ErrorType } from '../core/errors.ts'

/** What a code means: what happened, which parameter is named, and what to do about it. */
export type CodePage = {
  readonly type: ErrorType
  readonly means: string
  /** What `param` holds. */
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
 * Every code of an error, in the order in which they are explained. The page at /docs/errors is made from it.
 * See docs/contract/errors.md#codes.
 */
export const ERROR_CODES = {
  resource_missing: invalid({
    means:
      'There is no such object, or this key may not see it. An unknown path or a wrong method says so too.',
    param: 'id for an id in the path, the name of the parameter for a reference, null for an unknown path',
    remedy: 'Check the id, and that it belongs to the merchant of the key that you send.',
  }),
  parameter_invalid: invalid({
    means: 'A parameter or a header has a value that it cannot have, or the body cannot be read.',
    param: 'the parameter, as in items[0][price]; null when the whole body is to blame',
    remedy: 'The message says what was expected. In JSON numbers and booleans are not written as strings.',
  }),
  parameter_missing: invalid({
    means: 'A parameter is absent that this request has to have.',
    param: 'the first missing one',
    remedy: 'Give it. Some are required only beside others: a payment method unless there is a trial, say.',
  }),
  parameter_unknown: invalid({
    means:
      'The daemon was started with --strict-params, and this route has no such parameter; or fixtures hold a name that is none of theirs.',
    param: 'the first unknown one',
    remedy: 'Correct its name or leave it out. In a request, without the option, it would have been ignored.',
  }),
  amount_invalid: invalid({
    means: 'The amount is not a positive integer.',
    param: 'amount',
    remedy: 'Give it in the smallest currency unit: 2000 for 20.00 USD.',
  }),
  amount_too_large: invalid({
    means:
      'The amount exceeds 99999999, or what is left to refund of the charge, or the items add up to too much.',
    param: 'amount',
    remedy: 'Give a smaller amount. A charge shows what was refunded already.',
  }),
  payment_intent_unexpected_state: invalid({
    means: 'The status of the payment intent, or of its charge, does not allow this.',
    param: 'null',
    remedy:
      'Retrieve the intent and look at its status. One that succeeded or was canceled cannot be used again.',
  }),
  invalid_state_transition: invalid({
    means: 'The object is in a status from which this cannot be done.',
    param: 'status, or null',
    remedy: 'Retrieve the object and look at its status; the message names it.',
  }),
  payment_not_initialized: payment({
    means: 'There is nothing to charge: no payment method is attached.',
    remedy: 'Give a payment_method, or set one on the intent, the subscription or the customer first.',
  }),
  idempotency_key_reuse: invalid({
    means: 'This Idempotency-Key came with other parameters before.',
    param: 'null',
    remedy: 'Send the same parameters to repeat a request, and a new key with a new one.',
  }),
  unsupported_psp_capability: invalid({
    means: 'Only cards recur, and this payment method is none.',
    param: 'default_payment_method',
    remedy: 'Subscribe with a card.',
  }),
  card_declined: payment({
    means: 'The card was declined; decline_code says why, where the issuer told.',
    remedy: 'Ask for another card, or have a renewal tried again on schedule.',
  }),
  expired_card: payment({
    means: 'The card has expired.',
    remedy: 'Ask for another card.',
  }),
  incorrect_cvc: payment({
    means: "The card's security code is wrong.",
    remedy: 'Ask for the code again.',
  }),
  processing_error: payment({
    means: 'The processor could not process the card.',
    remedy: 'Try again in a while.',
  }),
  rate_limit: {
    type: 'rate_limit_error',
    means: 'The merchant sent more requests in this second than the daemon was told to take.',
    param: 'null',
    remedy: 'Wait for as long as Retry-After says, then longer each time.',
  },
  internal_error: {
    type: 'api_error',
    means: 'Something is wrong with the daemon itself. Nothing was written.',
    param: 'null',
    remedy: 'Try again with the same Idempotency-Key. The log of the daemon says what happened.',
  },
  invalid_client: {
    type: 'authentication_error',
    means: 'The client_id or the client_secret of the app is not right.',
    param: 'null',
    remedy: 'Send both with HTTP Basic, each form-url-encoded.',
  },
  invalid_grant: invalid({
    means: 'The code or the refresh token is unknown, expired, used already, or was made for somebody else.',
    param: 'null',
    remedy: 'Send the merchant through the authorization again.',
  }),
  invalid_scope: invalid({
    means: 'The scope is none that there is, or more than was granted.',
    param: 'scope, or null',
    remedy: 'Ask for read_only or read_write.',
  }),
  unsupported_grant_type: invalid({
    means: 'The grant_type is not one that this service knows.',
    param: 'grant_type, or null',
    remedy: 'Use authorization_code or refresh_token.',
  }),
  insufficient_scope: {
    type: 'authentication_error',
    means: 'The access token may only read.',
    param: 'null',
    remedy: 'Ask the merchant for the scope read_write.',
  },
} as const satisfies Readonly<Record<string, CodePage>>

export type ErrorCode = keyof typeof ERROR_CODES

/** Where a code is explained; undefined for one that has no page. See docs/contract/errors.md#envelope. */
export const docUrl = (url: string, code: string): string | undefined =>
  Object.hasOwn(ERROR_CODES, code) ? `${url}/docs/errors#${code}` : undefined
