import { z } from 'zod'
import { component, type Shape } from './component.ts'
import { common, currency, listOf, metadata, money, reference, text } from './fields.ts'
import { methodDetails, methodType } from './payment-method.ts'

const outcome = () =>
  z
    .object({
      network_status: z
        .enum(['approved_by_network', 'declined_by_network'])
        .describe('What the network answered.'),
      reason: text('Why it was declined; null when it was not.').nullable(),
      seller_message: text('What happened, in words for the merchant.').nullable(),
      type: z.enum(['authorized', 'issuer_declined']).describe('The outcome in a word.'),
    })
    .describe('What the processor said.')

export const chargeSchema = component('Charge', () =>
  z
    .object({
      ...common('charge', 'ch'),
      status: z.enum(['succeeded', 'failed']).describe('Whether the money came.'),
      amount: money('What was charged'),
      amount_refunded: money('What of it has been given back'),
      refunded: z.boolean().describe('Whether all of it has been given back.'),
      paid: z.boolean().describe('Whether the money came.'),
      currency: currency(),
      customer: reference('Who paid.', 'Customer', 'DeletedCustomer').nullable(),
      invoice: reference('The invoice that it pays, when it belongs to one.', 'Invoice').nullable(),
      payment_intent: reference('The intent of which it is an attempt.', 'PaymentIntent'),
      payment_method: reference('What was charged.', 'PaymentMethod').nullable(),
      payment_method_details: z
        .object({ type: methodType(), ...methodDetails() })
        .nullable()
        .describe('What the payment method was like when it was charged.'),
      failure_code: text('The code of the decline; null when it succeeded.').nullable(),
      failure_message: text('What went wrong, for people; null when it succeeded.').nullable(),
      outcome: outcome(),
      metadata: metadata(),
    })
    .describe('One attempt to take money, which succeeded or was declined.'),
)
export type ChargeShape = Shape<typeof chargeSchema>
export const chargeList = listOf(chargeSchema)
