import type Stripe from 'stripe'
import * as z from 'zod'
import { resourceMissing } from '../../../core/errors.ts'
import {
  attachPaymentMethod,
  createPaymentMethod,
  detachPaymentMethod,
  updatePaymentMethod,
} from '../../../engine/resources/payment-method.ts'
import { deferred } from '../../deferred.ts'
import { metadata, reference } from '../../fields.ts'
import { equals, pageParams } from '../../pagination.ts'
import { expiry } from '../../payment-method.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { card, cardOf } from '../card-param.ts'
import { billingChangesOf, billingDetails, billingDetailsOf } from '../contact-params.ts'
import { presentPaymentMethod } from '../present/payment-method.ts'
import { listKind, returning, returningList } from '../returns.ts'
import type { Wire } from '../wire.ts'

const method = returning<Wire<Stripe.PaymentMethod>>('payment_method')
const methods = returningList<Wire<Stripe.PaymentMethod>>('payment_method')

const createParams = deferred(() =>
  z.object({
    type: z.literal('card'),
    card: card(),
    billing_details: billingDetails(),
    metadata,
  }),
)
const updateParams = deferred(() =>
  z.object({
    billing_details: billingDetails(),
    card: z.object(expiry).optional(),
    metadata,
  }),
)
const type = deferred(() => z.literal('card').optional())
const listParams = deferred(() => z.object({ ...pageParams, customer: reference.optional(), type: type() }))

export function paymentMethodRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/payment_methods',
      summary:
        'Creates a payment method from a test card or a test token, also from a browser with a publishable key.',
      params: createParams,
      returns: method,
      isPublic: true,
    },
    ({ unit, view, params }) =>
      presentPaymentMethod(
        view,
        createPaymentMethod(unit, {
          ...params,
          card: cardOf(params.card),
          billing_details: billingDetailsOf(params.billing_details),
        }),
      ),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/payment_methods',
      summary: 'Lists payment methods.',
      params: listParams,
      returns: methods,
    },
    (call) => {
      const { customer } = call.params
      return listKind(call, 'payment_method', equals('customer', customer), presentPaymentMethod)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/payment_methods/:id',
      summary: 'Retrieves a payment method.',
      returns: method,
    },
    ({ view, id }) => presentPaymentMethod(view, retrieve(view, 'payment_method', id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_methods/:id',
      summary: 'Updates the billing details, expiry and metadata of a payment method.',
      params: updateParams,
      returns: method,
    },
    ({ unit, view, params, id }) =>
      presentPaymentMethod(
        view,
        updatePaymentMethod(unit, id, {
          ...params,
          billing_details: billingChangesOf(params.billing_details),
        }),
      ),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_methods/:id/attach',
      summary: 'Attaches a payment method to a customer. A card that is declined is refused.',
      params: deferred(() => z.object({ customer: reference })),
      returns: method,
    },
    ({ unit, view, params, id }) =>
      presentPaymentMethod(view, attachPaymentMethod(unit, id, params.customer)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_methods/:id/detach',
      summary: 'Detaches a payment method from its customer.',
      returns: method,
    },
    ({ unit, view, id }) => presentPaymentMethod(view, detachPaymentMethod(unit, id)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/customers/:id/payment_methods',
      summary: 'Lists the payment methods of a customer.',
      params: deferred(() => z.object({ ...pageParams, type: type() })),
      returns: methods,
    },
    (call) => {
      const { id } = retrieve(call.view, 'customer', call.id)
      return listKind(call, 'payment_method', equals('customer', id), presentPaymentMethod)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/customers/:id/payment_methods/:method',
      summary: 'Retrieves a payment method of a customer.',
      returns: method,
    },
    ({ c, view, id }) => {
      const customer = retrieve(view, 'customer', id)
      const found = retrieve(view, 'payment_method', c.req.param('method') ?? '')
      if (found.customer !== customer.id) throw resourceMissing('payment method', found.id)
      return presentPaymentMethod(view, found)
    },
  )
}
