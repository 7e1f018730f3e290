import * as z from 'zod'
import { ERROR_TYPES } from '../../core/errors.ts'
import { ERROR_CODES, type ErrorCode } from '../error-codes.ts'
import { FLAT_CODES } from '../oauth/error-form.ts'
import { component } from './component.ts'
import { livemode, reference, text } from './fields.ts'
import { paymentIntentSchema } from './payment-intent.ts'

/** A mistake in fixtures. See docs/contract/fixtures.md#mistakes. */
const mistake = () =>
  z.object({
    file: text('The name of the file.'),
    path: text(
      'The path in the file, such as subscriptions[2].items[0].price; null for the whole file.',
    ).nullable(),
    code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]).describe('The error code.'),
    message: text('A message for people.'),
  })

const errorFields = () => ({
  type: z.enum(ERROR_TYPES).describe('The category of the error.'),
  code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]).describe('The error code.'),
  message: text('A message for people.'),
  param: text('The parameter that caused the error; null if there is none.').nullable(),
  doc_url: text('The url of the explanation of the code.').optional(),
  mistakes: z.array(mistake()).optional().describe('Of fixtures: all mistakes, up to 100.'),
})

/** See docs/contract/errors.md#envelope. */
export const errorSchema = component('Error', () =>
  z
    .object({ error: z.object(errorFields()).describe('The error.'), livemode: livemode() })
    .describe('The response to a request that failed.'),
)

/** See docs/contract/errors.md#declines. */
export const paymentFailureSchema = component('PaymentFailure', () =>
  z
    .object({
      error: z
        .object({
          ...errorFields(),
          decline_code: text('The reason of the issuer, if it gave one.').nullable(),
          charge: reference(
            'The declined charge; null if there is none, and for publishable keys.',
          ).nullable(),
          payment_intent: paymentIntentSchema.schema
            .nullable()
            .describe('The payment intent after the charge attempt; null if it does not exist.'),
        })
        .describe('The error.'),
      livemode: livemode(),
    })
    .describe('The response to a request whose payment failed.'),
)

/** See docs/contract/errors.md#authentication-failures. */
export const authenticationErrorSchema = component('AuthenticationError', () =>
  z
    .object({
      error: z
        .object({
          type: z.literal('authentication_error').describe('The category of the error.'),
          message: text('A message for people. It never reveals whether a key once existed.'),
        })
        .describe('The error.'),
      livemode: livemode(),
    })
    .describe('The response to a request without a valid key.'),
)

/** See docs/contract/oauth.md#errors. */
export const oauthErrorSchema = component('OAuthError', () =>
  z
    .object({
      error: z.object(errorFields()).describe('The error.'),
      error_description: text('The same as message, for OAuth clients.'),
      livemode: livemode(),
    })
    .describe('The response to an OAuth request that failed.'),
)

/** See docs/contract/oauth.md#flat-errors; RFC 6749 5.2. */
export const oauthFlatErrorSchema = component('OAuthFlatError', () =>
  z
    .object({
      error: z.enum(FLAT_CODES).describe('The error code.'),
      error_description: text('A message for people.'),
      error_uri: text('The url of the explanation of the code.').optional(),
      livemode: livemode(),
    })
    .describe('An OAuth error in the form of RFC 6749. Only with --oauth-errors rfc6749.'),
)
