import * as z from 'zod'
import { PAYMENT_INTENT_STATUSES } from '../../core/payment-intent.ts'
import { component, type Shape } from './component.ts'
import { commonOf, currency, listOf, metadata, money, reference, seconds, text } from './fields.ts'

const lastPaymentError = () =>
  z
    .object({
      type: z.literal('payment_error').describe('The type of the error.'),
      code: text('The error code.'),
      decline_code: text('The reason of the issuer, if it gave one.').nullable(),
      message: text('A message for people.'),
      charge: reference(
        'The declined charge; null if there was none, and for publishable keys.',
        'Charge',
      ).nullable(),
      payment_method: reference('The payment method of the attempt.', 'PaymentMethod').nullable(),
    })
    .nullable()
    .describe('The error of the latest charge attempt; null if it did not fail.')

const nextAction = () =>
  z
    .object({
      type: text('The kind of action.'),
      settle_with: text('The path of the test helper that completes the action.'),
    })
    .nullable()
    .describe('The pending action of the customer; null unless the status is requires_action.')

/** Marks a field that is absent for publishable keys. See docs/contract/authentication.md#publishable-keys. */
const hidden = <Field extends z.ZodType>(field: Field) => field.optional()

export const paymentIntentSchema = component('PaymentIntent', () =>
  z
    .object({
      ...commonOf('payment_intent'),
      status: z.enum(PAYMENT_INTENT_STATUSES).describe('The status.'),
      amount: money('The amount to pay, 1 to 99999999'),
      amount_received: money('The amount paid'),
      currency: currency(),
      client_secret: text(
        'The secret with which a browser, using a publishable key, can retrieve and confirm the intent.',
      ),
      customer: hidden(
        reference(
          'The customer who pays. Absent for publishable keys.',
          'Customer',
          'DeletedCustomer',
        ).nullable(),
      ),
      description: text('A description for your own use.').nullable(),
      invoice: hidden(
        reference(
          'The invoice that the intent pays, if any. Absent for publishable keys.',
          'Invoice',
        ).nullable(),
      ),
      latest_charge: hidden(
        reference('The latest charge, even if declined. Absent for publishable keys.', 'Charge').nullable(),
      ),
      last_payment_error: lastPaymentError(),
      next_action: nextAction(),
      payment_method: reference('The payment method to charge.', 'PaymentMethod').nullable(),
      payment_method_types: z.array(z.string()).describe('The type of the payment method.'),
      canceled_at: seconds('When it was canceled; null if not canceled').nullable(),
      cancellation_reason: text('The reason that the request gave.').nullable(),
      metadata: hidden(metadata()),
    })
    .describe('A payment, from its creation to its success or cancellation.'),
)
export type PaymentIntentShape = Shape<typeof paymentIntentSchema>
export const paymentIntentList = listOf(paymentIntentSchema)
