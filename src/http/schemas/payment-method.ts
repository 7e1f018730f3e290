import * as z from 'zod'
import { PAYMENT_METHOD_TYPES } from '../../core/payment-method.ts'
import { component, type Shape } from './component.ts'
import { commonOf, listOf, metadata, reference, text } from './fields.ts'

const cardSchema = () =>
  z
    .object({
      brand: text('visa, mastercard or amex.'),
      last4: text('The last four digits of the number.'),
      exp_month: z.int().describe('The month of expiry, 1 to 12.'),
      exp_year: z.int().describe('The year of expiry.'),
      fingerprint: text('Identifies the card number: equal for all payment methods with the same number.'),
    })
    .optional()
    .describe('The card, if the type is card. Its number is not stored.')

const pushSchema = (type: string) =>
  z.object({}).optional().describe(`An empty object, only if the type is ${type}.`)

/** The fields that depend on the type of the payment method. */
export const methodDetails = () => ({
  card: cardSchema(),
  pix: pushSchema('pix'),
  boleto: pushSchema('boleto'),
  oxxo: pushSchema('oxxo'),
  konbini: pushSchema('konbini'),
  promptpay: pushSchema('promptpay'),
  bank_transfer: pushSchema('bank_transfer'),
})

export const methodType = () =>
  z
    .enum(PAYMENT_METHOD_TYPES)
    .describe('card, or a push method with which the customer sends the money. Push methods cannot recur.')

export const paymentMethodSchema = component('PaymentMethod', () =>
  z
    .object({
      ...commonOf('payment_method'),
      type: methodType(),
      customer: reference(
        'The customer that it is attached to; null if not attached.',
        'Customer',
        'DeletedCustomer',
      ).nullable(),
      ...methodDetails(),
      metadata: metadata(),
    })
    .describe(
      'A card or another way to pay. A test id such as pm_card_visa can be used wherever a payment method is accepted. Attaching a test id creates a payment method.',
    ),
)
export type PaymentMethodShape = Shape<typeof paymentMethodSchema>
export const paymentMethodList = listOf(paymentMethodSchema)
