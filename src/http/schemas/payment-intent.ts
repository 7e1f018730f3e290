import { z } from 'zod'
import { PAYMENT_INTENT_STATUSES } from '../../core/payment-intent.ts'
import { component, type Shape } from './component.ts'
import { common, currency, listOf, metadata, money, reference, seconds, text } from './fields.ts'

const lastPaymentError = () =>
  z
    .object({
      type: z.literal('payment_error').describe('What kind of error it was.'),
      code: text('The code of the error.'),
      decline_code: text("The issuer's reason, where it gave one.").nullable(),
      message: text('What happened, for people.'),
      charge: reference(
        'The declined charge; null when nothing could be charged, and for publishable keys.',
        'Charge',
      ).nullable(),
      payment_method: reference('What was to be charged.', 'PaymentMethod').nullable(),
    })
    .nullable()
    .describe('Why the latest attempt failed; null when none did.')

const nextAction = () =>
  z
    .object({
      type: text('What the customer has to do.'),
      settle_with: text('The test helper that does it in their place.'),
    })
    .nullable()
    .describe('What an intent waits for that requires action; null otherwise.')

/** A browser does not see it. See docs/contract/authentication.md#publishable-keys. */
const hidden = <Field extends z.ZodType>(field: Field) => field.optional()

export const paymentIntentSchema = component('PaymentIntent', () =>
  z
    .object({
      ...common('payment_intent', 'pi'),
      status: z.enum(PAYMENT_INTENT_STATUSES).describe('How far the payment has come.'),
      amount: money('What is to be paid, 1 to 99999999'),
      amount_received: money('What has been paid'),
      currency: currency(),
      client_secret: text('With it and a publishable key a browser may show and confirm this intent.'),
      customer: hidden(
        reference('Who pays. Left out for publishable keys.', 'Customer', 'DeletedCustomer').nullable(),
      ),
      description: text('Words for your own use.').nullable(),
      invoice: hidden(
        reference(
          'The invoice that it pays, when it belongs to one. Left out for publishable keys.',
          'Invoice',
        ).nullable(),
      ),
      latest_charge: hidden(
        reference(
          'The charge of the latest attempt, a declined one too. Left out for publishable keys.',
          'Charge',
        ).nullable(),
      ),
      last_payment_error: lastPaymentError(),
      next_action: nextAction(),
      payment_method: reference('What is charged when it is confirmed.', 'PaymentMethod').nullable(),
      payment_method_types: z.array(z.string()).describe('The type of its payment method.'),
      canceled_at: seconds('When it was canceled; null while it is not').nullable(),
      cancellation_reason: text('Why it was canceled, as the request said.').nullable(),
      metadata: hidden(metadata()),
    })
    .describe('One payment, from the intention to its success.'),
)
export type PaymentIntentShape = Shape<typeof paymentIntentSchema>
export const paymentIntentList = listOf(paymentIntentSchema)
