import * as z from 'zod'
import { CHECKOUT_STATUSES } from '../../core/checkout-session.ts'
import { component, type Shape } from './component.ts'
import { livemode, seconds, text } from './fields.ts'

export const checkoutPageSchema = component('CheckoutPage', () =>
  z
    .object({
      object: z.literal('checkout_page').describe('The type of the object.'),
      session: text('The id of the Checkout session.'),
      status: z.enum(CHECKOUT_STATUSES).describe('The status of the session.'),
      url: text('The url of its page; null if the session is not open and cannot be recovered.').nullable(),
      expires_at: seconds('When the session expires or has expired, on the clock of its customer'),
      livemode: livemode(),
      merchant_id: text('The merchant of the session.'),
    })
    .describe('The page of a Checkout session of a merchant with the dialect stripe.'),
)
export type CheckoutPageShape = Shape<typeof checkoutPageSchema>
