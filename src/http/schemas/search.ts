import * as z from 'zod'
import { component, type Shape } from './component.ts'
import { customerSchema } from './customer.ts'
import { listOf } from './fields.ts'
import { invoiceSchema } from './invoice.ts'
import { paymentIntentSchema } from './payment-intent.ts'
import { subscriptionSchema } from './subscription.ts'

/** The kinds of objects that can be searched. */
export const FOUND_KINDS = ['customer', 'subscription', 'invoice', 'payment_intent'] as const

const foundSchema = component('FoundObject', () =>
  z
    .union([
      customerSchema.schema,
      subscriptionSchema.schema,
      invoiceSchema.schema,
      paymentIntentSchema.schema,
    ])
    .describe('An object that a search found.'),
)
export type FoundShape = Shape<typeof foundSchema>
export const foundList = listOf(foundSchema)
