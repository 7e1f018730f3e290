import * as z from 'zod'
import type { Customer } from '../core/customer.ts'
import type { View } from '../engine/history/view.ts'
import { createCustomer, deleteCustomer, updateCustomer } from '../engine/resources/customer.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { presentDiscount } from './discount.ts'
import { clearableReference } from './discount-params.ts'
import { metadata, optionalText, reference } from './fields.ts'
import { createdParam, equals, filtersOf, listObjects, NOT_DELETED, pageParams } from './pagination.ts'
import { presentPaymentMethod } from './payment-method.ts'
import { common, deletedStub, type Resource, retrieve } from './resource.ts'
import type { Shape } from './schemas/component.ts'
import {
  type CustomerShape,
  customerList,
  customerOrStub,
  customerSchema,
  deletedCustomer,
} from './schemas/customer.ts'
import { paymentMethodList } from './schemas/payment-method.ts'
import { ShownObject } from './shown-object.ts'

/** The discount of a customer, and its check. */
export const discountFields = { coupon: clearableReference(), promotion_code: clearableReference() }
export const hasOneDiscount = ({ coupon, promotion_code }: { coupon?: unknown; promotion_code?: unknown }) =>
  !coupon || !promotion_code
export const oneDiscount = { path: ['promotion_code'], error: 'use coupon or promotion_code, not both' }

const fields = {
  email: optionalText,
  name: optionalText,
  description: optionalText,
  invoice_prefix: z
    .string()
    .regex(/^[A-Z0-9]{8}$/, { error: 'expected 8 characters of A-Z and 0-9' })
    .optional(),
  invoice_settings: z.object({ default_payment_method: reference.nullable().optional() }).optional(),
  ...discountFields,
}
export const createParams = deferred(() =>
  z.object({ ...fields, test_clock: reference.optional(), metadata }).refine(hasOneDiscount, oneDiscount),
)
const updateParams = deferred(() => z.object({ ...fields, metadata }).refine(hasOneDiscount, oneDiscount))
const listParams = deferred(() =>
  z.object({ ...pageParams, created: createdParam(), email: z.string().optional() }),
)
const methodListParams = deferred(() => z.object({ ...pageParams, type: z.string().optional() }))

function customerRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/customers',
      summary: 'Creates a customer.',
      params: createParams,
      status: 201,
      returns: customerSchema,
      errors: { 404: ['resource_missing'] },
    },
    ({ unit, view, params }) => presentCustomer(view, createCustomer(unit, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/customers',
      summary: 'Lists customers, newest first.',
      params: listParams,
      returns: customerList,
    },
    (call) =>
      listObjects(call, 'customer', [NOT_DELETED, ...filtersOf(call.params, 'email')], presentCustomer),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/customers/:id',
      summary: 'Retrieves a customer, or the deletion stub of a deleted one.',
      returns: customerOrStub,
    },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'customer', id), presentCustomerOrStub),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/customers/:id',
      summary: 'Updates the given fields of a customer.',
      params: updateParams,
      returns: customerSchema,
    },
    ({ unit, view, params, id }) => presentCustomer(view, updateCustomer(unit, id, params)),
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/customers/:id',
      summary: 'Deletes a customer and cancels its subscriptions immediately.',
      returns: deletedCustomer,
    },
    ({ unit, id }) => deletedStub('customer', deleteCustomer(unit, id).id),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/customers/:id/payment_methods',
      summary: 'Lists the payment methods of a customer, newest first.',
      params: methodListParams,
      returns: paymentMethodList,
    },
    (call) => {
      const { id } = retrieve(call.view, 'customer', call.id)
      return listObjects(
        call,
        'payment_method',
        [...equals('customer', id), ...equals('type', call.params.type)],
        presentPaymentMethod,
      )
    },
  )
}

/** Presents a customer; a deleted one as its deletion stub. See docs/contract/requests.md#deletion-stubs. */
export const presentCustomerOrStub = (view: View, customer: Customer): Shape<typeof customerOrStub> =>
  customer.deleted ? deletedStub('customer', customer.id) : presentCustomer(view, customer)

function presentCustomer(view: View, customer: Customer): CustomerShape {
  const { email, name, description, invoice_prefix, default_payment_method, delinquent, test_clock } =
    customer
  const discount = customer.discount === null ? undefined : view.get('discount', customer.discount)
  const [[currency, balance] = [null, 0]] = Object.entries(customer.balances)
  return {
    ...common(view, 'customer', customer),
    email,
    name,
    description,
    invoice_prefix,
    invoice_settings: { default_payment_method },
    delinquent,
    currency,
    balance,
    invoice_credit_balance: customer.balances,
    discount: discount ? presentDiscount(view, discount) : null,
    test_clock,
    metadata: customer.metadata,
  }
}

export const customerResource: Resource<'customer'> = {
  collection: 'customers',
  present: presentCustomer,
  presentFound: presentCustomerOrStub,
  routes: customerRoutes,
  params: {
    amount:
      'The change of the balance, in the smallest currency unit. Negative for a credit to the customer.',
    coupon: 'The id of a coupon to redeem for all invoices. An empty value removes the discount.',
    promotion_code: 'The id of a promotion code to redeem, instead of coupon.',
    test_clock: "The id of the customer's test clock. Default: the merchant's main clock.",
  },
}
