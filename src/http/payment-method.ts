import * as z from 'zod'
import { PAYMENT_METHOD_TYPES, type PaymentMethod } from '../core/payment-method.ts'
import type { View } from '../engine/history/view.ts'
import {
  attachPaymentMethod,
  createPaymentMethod,
  detachPaymentMethod,
  scriptPaymentMethod,
} from '../engine/resources/payment-method.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { metadata, reference } from './fields.ts'
import { equals, listObjects, pageParams } from './pagination.ts'
import { common, type Resource, retrieve } from './resource.ts'
import { type PaymentMethodShape, paymentMethodList, paymentMethodSchema } from './schemas/payment-method.ts'
import { ShownObject } from './shown-object.ts'

/** The expiry of a card. */
export const expiry = {
  exp_month: z.int().min(1).max(12).optional(),
  exp_year: z.int().min(2000).max(2999).optional(),
}

export const card = deferred(() =>
  z.object({
    number: z
      .string()
      .regex(/^[0-9 ]{12,24}$/, { error: 'expected the digits of a card number' })
      .transform((number) => number.replaceAll(' ', '')),
    ...expiry,
    // Accepted and ignored: the number of a test card alone decides its behavior.
    cvc: z.string().optional(),
  }),
)
const createParams = deferred(() =>
  z.object({
    type: z.enum(PAYMENT_METHOD_TYPES),
    card: card().optional(),
    metadata,
  }),
)
const listParams = deferred(() =>
  z.object({ ...pageParams, customer: reference.optional(), type: z.string().optional() }),
)
const attachParams = deferred(() => z.object({ customer: reference }))
const outcomesParams = deferred(() =>
  z.object({
    outcomes: z.array(z.string()).max(1000),
    // biome-ignore lint/suspicious/noThenProperty: the contract's name, and never a function
    then: z.string().default('succeed'),
  }),
)

function paymentMethodRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/payment_methods',
      summary: 'Creates a payment method that is not attached to a customer. Cards must have a test number.',
      params: createParams,
      requires: (raw) => (raw.type === 'card' && raw.card === undefined ? 'card' : undefined),
      status: 201,
      returns: paymentMethodSchema,
    },
    ({ unit, view, params }) => presentPaymentMethod(view, createPaymentMethod(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/payment_methods',
      summary: 'Lists payment methods, newest first.',
      params: listParams,
      returns: paymentMethodList,
    },
    (call) =>
      listObjects(
        call,
        'payment_method',
        [...equals('customer', call.params.customer), ...equals('type', call.params.type)],
        presentPaymentMethod,
      ),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/payment_methods/:id',
      summary: 'Retrieves a payment method.',
      returns: paymentMethodSchema,
    },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'payment_method', id), presentPaymentMethod),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_methods/:id/attach',
      summary: 'Attaches a payment method to a customer. A test id creates a new payment method.',
      params: attachParams,
      returns: paymentMethodSchema,
    },
    ({ unit, view, params, id }) =>
      presentPaymentMethod(view, attachPaymentMethod(unit, id, params.customer)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/payment_methods/:id/detach',
      summary: 'Detaches a payment method from its customer. It can no longer be charged.',
      returns: paymentMethodSchema,
    },
    ({ unit, view, id }) => presentPaymentMethod(view, detachPaymentMethod(unit, id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/test_helpers/payment_methods/:id/outcomes',
      summary: 'Sets the outcomes of the next charges of a card.',
      params: outcomesParams,
      returns: paymentMethodSchema,
    },
    ({ unit, view, params, id }) => presentPaymentMethod(view, scriptPaymentMethod(unit, id, params)),
  )
}

export const presentPaymentMethod = (view: View, method: PaymentMethod): PaymentMethodShape => ({
  ...common(view, 'payment_method', method),
  type: method.type,
  customer: method.customer,
  [method.type]: method.card ?? {},
  metadata: method.metadata,
})

export const paymentMethodResource: Resource<'payment_method'> = {
  collection: 'payment_methods',
  present: presentPaymentMethod,
  routes: paymentMethodRoutes,
  params: {
    customer: 'The customer to attach it to.',
    card: 'A test card; required when the type is card.',
    'card.number': 'The full number of a test card, such as 4242424242424242.',
    'card.cvc': 'The security code. Accepted and ignored: the number alone decides the behavior.',
    outcomes:
      'The outcomes of the next charges, one entry for each charge: succeed, or decline: with a code or decline_code, such as decline:insufficient_funds.',
    // biome-ignore lint/suspicious/noThenProperty: the contract's name, and never a function
    then: 'The outcome of all charges after those in outcomes.',
  },
  queryParams: {
    customer: 'Only payment methods of this customer.',
  },
}
