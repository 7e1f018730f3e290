import type Stripe from 'stripe'
import * as z from 'zod'
import type { CustomerBalanceTransaction } from '../../../core/customer-balance.ts'
import { resourceMissing } from '../../../core/errors.ts'
import { MAX_AMOUNT } from '../../../core/money.ts'
import type { UnitOfWork } from '../../../engine/machine/unit.ts'
import {
  type CustomerParams,
  createCustomer,
  deleteCustomer,
  updateCustomer,
} from '../../../engine/resources/customer.ts'
import { adjustBalance, updateBalanceTransaction } from '../../../engine/resources/customer-balance.ts'
import { attachPaymentMethod } from '../../../engine/resources/payment-method.ts'
import { discountFields, hasOneDiscount, oneDiscount } from '../../customer.ts'
import { deferred } from '../../deferred.ts'
import { currency, metadata, optionalText, reference } from '../../fields.ts'
import { createdParam, equals, filtersOf, NOT_DELETED, pageParams } from '../../pagination.ts'
import { retrieve } from '../../resource.ts'
import type { StripeApi } from '../api.ts'
import { contactFields, contactOf } from '../contact-params.ts'
import { presentBalanceTransaction, presentCustomer, presentFoundCustomer } from '../present/customer.ts'
import { listKind, returning, returningList } from '../returns.ts'
import { searchRoute } from '../search/route.ts'
import { BASIL_VERSION } from '../versions/basil-version.ts'
import { refuseSince } from '../versions/refuse-since.ts'
import type { Wire } from '../wire.ts'
import { ACCOUNT_CURRENCY } from './account.ts'

const customer = returning<Wire<Stripe.Customer>>('customer')
const transaction = returning<Wire<Stripe.CustomerBalanceTransaction>>('customer_balance_transaction')

const fields = {
  email: optionalText,
  name: optionalText,
  description: optionalText,
  invoice_prefix: z
    .string()
    .regex(/^[A-Z0-9]{3,12}$/, { error: 'expected 3 to 12 characters of A-Z and 0-9' })
    .optional(),
  invoice_settings: z.object({ default_payment_method: reference.nullable().optional() }).optional(),
  balance: z.int().min(-MAX_AMOUNT).max(MAX_AMOUNT).optional(),
  metadata,
  ...contactFields,
  ...discountFields,
}
const createParams = deferred(() =>
  z
    .object({ ...fields, payment_method: reference.optional(), test_clock: reference.optional() })
    .refine(hasOneDiscount, oneDiscount),
)
const updateParams = deferred(() => z.object(fields).refine(hasOneDiscount, oneDiscount))
const listParams = deferred(() =>
  z.object({
    ...pageParams,
    created: createdParam(),
    email: z.string().optional(),
    test_clock: reference.optional(),
  }),
)
const transactionParams = deferred(() =>
  z.object({
    amount: z
      .int()
      .min(-MAX_AMOUNT)
      .max(MAX_AMOUNT)
      .refine((amount) => amount !== 0, { error: 'expected an amount other than 0' }),
    currency,
    description: optionalText,
    metadata,
  }),
)

const DISCOUNT_TEXT = `Versions before ${BASIL_VERSION} have coupon and promotion_code.`

/** @throws ApiError parameter_unknown */
const refuseDiscount = (version: string, { coupon, promotion_code }: CustomerParams) =>
  refuseSince(BASIL_VERSION, version, { coupon, promotion_code })

/** Sets the balance of a customer in its currency, by a transaction of the difference. */
function setBalance(unit: UnitOfWork, id: string, balance: number | undefined): void {
  if (balance === undefined) return
  const [[currency, current] = [ACCOUNT_CURRENCY, 0]] = Object.entries(unit.need('customer', id).balances)
  if (balance !== current) adjustBalance(unit, id, { amount: balance - current, currency })
}

export function customerRoutes(api: StripeApi): void {
  api.write(
    {
      method: 'post',
      path: '/v1/customers',
      summary: `Creates a customer. ${DISCOUNT_TEXT}`,
      params: createParams,
      returns: customer,
    },
    ({ unit, view, version, params: { payment_method, invoice_settings, balance, ...params } }) => {
      refuseDiscount(version, params)
      const { id } = createCustomer(unit, { ...params, contact: contactOf(params) })
      setBalance(unit, id, balance)
      if (payment_method !== undefined) attachPaymentMethod(unit, payment_method, id)
      // The default method is often the attached one, which had to be attached first.
      const last = invoice_settings
        ? updateCustomer(unit, id, { invoice_settings })
        : unit.need('customer', id)
      return presentCustomer(view, last)
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/customers',
      summary: 'Lists customers.',
      params: listParams,
      returns: returningList<Wire<Stripe.Customer>>('customer'),
    },
    (call) => {
      const filters = [NOT_DELETED, ...filtersOf(call.params, 'email', 'test_clock')]
      return listKind(call, 'customer', filters, presentCustomer)
    },
  )
  searchRoute(api, { kind: 'customer', path: '/v1/customers', present: presentCustomer })
  api.read(
    {
      method: 'get',
      path: '/v1/customers/:id',
      summary: 'Retrieves a customer.',
      returns: returning<Wire<Stripe.Customer> | Wire<Stripe.DeletedCustomer>>('customer'),
    },
    ({ view, id }) => presentFoundCustomer(view, retrieve(view, 'customer', id)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/customers/:id',
      summary: `Updates a customer. ${DISCOUNT_TEXT}`,
      params: updateParams,
      returns: customer,
    },
    ({ unit, view, version, params: { balance, ...params }, id }) => {
      refuseDiscount(version, params)
      updateCustomer(unit, id, { ...params, contact: contactOf(params) })
      setBalance(unit, id, balance)
      return presentCustomer(view, unit.need('customer', id))
    },
  )
  api.write(
    {
      method: 'delete',
      path: '/v1/customers/:id',
      summary: 'Deletes a customer, and cancels its subscriptions.',
      returns: returning<Wire<Stripe.DeletedCustomer>>('deleted_customer'),
    },
    ({ unit, id }) => ({
      id: deleteCustomer(unit, id).id,
      object: 'customer' as const,
      deleted: true as const,
    }),
  )
  balanceRoutes(api)
}

function balanceRoutes(api: StripeApi): void {
  const path = '/v1/customers/:id/balance_transactions'
  api.write(
    {
      method: 'post',
      path,
      summary: 'Changes the balance of a customer.',
      params: transactionParams,
      returns: transaction,
    },
    ({ unit, view, id, params }) => presentBalanceTransaction(view, adjustBalance(unit, id, params)),
  )
  api.read(
    {
      method: 'get',
      path,
      summary: 'Lists the changes of the balance of a customer.',
      params: deferred(() => z.object(pageParams)),
      returns: returningList<Wire<Stripe.CustomerBalanceTransaction>>('customer_balance_transaction'),
    },
    (call) => {
      const { id } = retrieve(call.view, 'customer', call.id)
      return listKind(call, 'customer_balance_transaction', equals('customer', id), presentBalanceTransaction)
    },
  )
  api.read(
    {
      method: 'get',
      path: `${path}/:transaction`,
      summary: 'Retrieves a change of the balance of a customer.',
      returns: transaction,
    },
    ({ c, view, id }) => {
      const found = retrieve(view, 'customer_balance_transaction', c.req.param('transaction') ?? '')
      return presentBalanceTransaction(view, ownedBy(id, found))
    },
  )
  api.write(
    {
      method: 'post',
      path: `${path}/:transaction`,
      summary: 'Updates a change of the balance of a customer.',
      params: deferred(() => z.object({ description: optionalText, metadata })),
      returns: transaction,
    },
    ({ c, unit, view, id, params }) => {
      const found = unit.find('customer_balance_transaction', c.req.param('transaction') ?? '')
      return presentBalanceTransaction(view, updateBalanceTransaction(unit, ownedBy(id, found), params))
    },
  )
}

/** Returns a transaction of a customer. @throws ApiError resource_missing for that of another customer */
function ownedBy(customerId: string, found: CustomerBalanceTransaction): CustomerBalanceTransaction {
  if (found.customer === customerId) return found
  throw resourceMissing('customer balance transaction', found.id)
}
