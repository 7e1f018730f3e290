import * as z from 'zod'
import { component, type Shape } from './component.ts'
import { commonOf, currency, listOf, metadata, money, reference, text } from './fields.ts'
import { methodDetails, methodType } from './payment-method.ts'

const outcome = () =>
  z
    .object({
      network_status: z
        .enum(['approved_by_network', 'declined_by_network'])
        .describe('The response of the card network.'),
      reason: text('The reason of the decline; null if it succeeded.').nullable(),
      seller_message: text('A message for the merchant.').nullable(),
      type: z.enum(['authorized', 'issuer_declined']).describe('The kind of outcome.'),
    })
    .describe('The outcome from the processor.')

export const chargeSchema = component('Charge', () =>
  z
    .object({
      ...commonOf('charge'),
      status: z.enum(['succeeded', 'failed']).describe('Whether the charge succeeded.'),
      amount: money('The charged amount'),
      amount_refunded: money('The refunded amount'),
      refunded: z.boolean().describe('Whether the charge is fully refunded.'),
      paid: z.boolean().describe('Whether the charge succeeded.'),
      currency: currency(),
      customer: reference('The customer who was charged.', 'Customer', 'DeletedCustomer').nullable(),
      invoice: reference('The invoice that the charge pays, if any.', 'Invoice').nullable(),
      payment_intent: reference('The payment intent of the charge.', 'PaymentIntent'),
      payment_method: reference('The charged payment method.', 'PaymentMethod').nullable(),
      payment_method_details: z
        .object({ type: methodType(), ...methodDetails() })
        .nullable()
        .describe('The details of the payment method.'),
      failure_code: text('The error code of the decline; null if it succeeded.').nullable(),
      failure_message: text('The message of the decline, for people; null if it succeeded.').nullable(),
      disputed: z.boolean().describe('Whether the charge was disputed.'),
      dispute: reference('The dispute of the charge, if any.', 'Dispute').nullable(),
      outcome: outcome(),
      metadata: metadata(),
    })
    .describe('An attempt to charge a payment method, successful or declined.'),
)
export type ChargeShape = Shape<typeof chargeSchema>
export const chargeList = listOf(chargeSchema)
