import { z } from 'zod'
import { PAYMENT_METHOD_TYPES } from '../../core/payment-method.ts'
import { component, type Shape } from './component.ts'
import { common, listOf, metadata, reference, text } from './fields.ts'

const cardSchema = () =>
  z
    .object({
      brand: text('visa, mastercard or amex.'),
      last4: text('The last four digits of its number.'),
      exp_month: z.int().describe('The month in which it expires, 1 to 12.'),
      exp_year: z.int().describe('The year in which it expires.'),
      fingerprint: text('The same for every payment method with this number.'),
    })
    .optional()
    .describe('The card, when the type is card. Its number is not kept.')

const pushSchema = (type: string) =>
  z.object({}).optional().describe(`Empty, and there only when the type is ${type}.`)

/** What only a method of one type has. */
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
    .describe('A card, or one of the types with which the customer pushes the money; these cannot recur.')

export const paymentMethodSchema = component('PaymentMethod', () =>
  z
    .object({
      ...common('payment_method', 'pm'),
      type: methodType(),
      customer: reference(
        'Whose it is; null when it is attached to nobody.',
        'Customer',
        'DeletedCustomer',
      ).nullable(),
      ...methodDetails(),
      metadata: metadata(),
    })
    .describe(
      'How somebody pays. A test id such as pm_card_visa can be given wherever a payment method is accepted; attaching one makes a payment method.',
    ),
)
export type PaymentMethodShape = Shape<typeof paymentMethodSchema>
export const paymentMethodList = listOf(paymentMethodSchema)
