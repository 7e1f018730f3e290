import { z } from 'zod'
import { ERROR_TYPES } from '../../core/errors.ts'
import { ERROR_CODES, type ErrorCode } from '../error-codes.ts'
import { FLAT_CODES } from '../oauth/error-form.ts'
import { component } from './component.ts'
import { livemode, reference, text } from './fields.ts'
import { paymentIntentSchema } from './payment-intent.ts'

/** See docs/contract/fixtures.md#mistakes. */
const mistake = () =>
  z.object({
    file: text('The file that it is in.'),
    path: text('Where in the file, as in subscriptions[2].items[0].price; null for all of it.').nullable(),
    code: z
      .enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]])
      .describe('What is wrong, for programs.'),
    message: text('What is wrong, for people.'),
  })

const errorFields = () => ({
  type: z.enum(ERROR_TYPES).describe('The category of the error.'),
  code: z
    .enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]])
    .describe('What went wrong, for programs.'),
  message: text('What went wrong, for people.'),
  param: text('The parameter that is to blame; null when none is.').nullable(),
  doc_url: text('Where the code is explained.').optional(),
  mistakes: z
    .array(mistake())
    .optional()
    .describe('Of fixtures: everything that is wrong with them, up to 100 mistakes.'),
})

/** See docs/contract/errors.md#envelope. */
export const errorSchema = component('Error', () =>
  z
    .object({ error: z.object(errorFields()).describe('What went wrong.'), livemode: livemode() })
    .describe('A request that was refused, or that failed.'),
)

/** See docs/contract/errors.md#declines. */
export const paymentFailureSchema = component('PaymentFailure', () =>
  z
    .object({
      error: z
        .object({
          ...errorFields(),
          decline_code: text("The issuer's reason, where it gave one.").nullable(),
          charge: reference(
            'The declined charge; null when there is none, and for publishable keys.',
          ).nullable(),
          payment_intent: paymentIntentSchema.schema
            .nullable()
            .describe('The payment intent after the attempt; null when it does not exist.'),
        })
        .describe('Why the payment failed.'),
      livemode: livemode(),
    })
    .describe('A payment that failed.'),
)

/** See docs/contract/errors.md#authentication-failures. */
export const authenticationErrorSchema = component('AuthenticationError', () =>
  z
    .object({
      error: z
        .object({
          type: z.literal('authentication_error').describe('The category of the error.'),
          message: text('What went wrong, for people; it never says whether a key once existed.'),
        })
        .describe('Why the request was not let in.'),
      livemode: livemode(),
    })
    .describe('A request without a key that opens.'),
)

/** See docs/contract/oauth.md#errors. */
export const oauthErrorSchema = component('OAuthError', () =>
  z
    .object({
      error: z.object(errorFields()).describe('What went wrong.'),
      error_description: text('What went wrong, for people: where OAuth clients look for it.'),
      livemode: livemode(),
    })
    .describe('A request of OAuth that was refused, or that failed.'),
)

/** See docs/contract/oauth.md#flat-errors; RFC 6749 5.2. */
export const oauthFlatErrorSchema = component('OAuthFlatError', () =>
  z
    .object({
      error: z.enum(FLAT_CODES).describe('What went wrong, for programs.'),
      error_description: text('What went wrong, for people.'),
      error_uri: text('Where the code is explained.').optional(),
      livemode: livemode(),
    })
    .describe(
      'The same in the form of RFC 6749, from a daemon that was started with --oauth-errors rfc6749.',
    ),
)
