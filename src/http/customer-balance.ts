import * as z from 'zod'
import type { CustomerBalanceTransaction } from '../core/customer-balance.ts'
import { resourceMissing } from '../core/errors.ts'
import { MAX_AMOUNT } from '../core/money.ts'
import type { View } from '../engine/history/view.ts'
import { adjustBalance, updateBalanceTransaction } from '../engine/resources/customer-balance.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { currency, metadata, optionalText } from './fields.ts'
import { equals, listObjects, pageParams } from './pagination.ts'
import { common, type Resource, retrieve } from './resource.ts'
import {
  type BalanceTransactionShape,
  balanceTransactionList,
  balanceTransactionSchema,
} from './schemas/customer-balance.ts'

const createParams = deferred(() =>
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
const updateParams = deferred(() => z.object({ description: optionalText, metadata }))
const listParams = deferred(() => z.object(pageParams))

function customerBalanceRoutes(api: Api): void {
  api.write(
    {
      method: 'post',
      path: '/v1/customers/:id/balance_transactions',
      summary: 'Changes the balance of a customer. A negative amount is a credit to the customer.',
      params: createParams,
      status: 201,
      returns: balanceTransactionSchema,
    },
    ({ unit, view, id, params }) => presentBalanceTransaction(view, adjustBalance(unit, id, params)),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/customers/:id/balance_transactions',
      summary: 'Lists the changes of the balance of a customer, newest first.',
      params: listParams,
      returns: balanceTransactionList,
    },
    (call) => {
      const { id } = retrieve(call.view, 'customer', call.id)
      return listObjects(
        call,
        'customer_balance_transaction',
        equals('customer', id),
        presentBalanceTransaction,
      )
    },
  )
  api.read(
    {
      method: 'get',
      path: '/v1/customers/:id/balance_transactions/:transaction',
      summary: 'Retrieves a change of the balance of a customer.',
      returns: balanceTransactionSchema,
    },
    ({ c, view, id }) => {
      const transaction = retrieve(view, 'customer_balance_transaction', c.req.param('transaction') ?? '')
      checkOwner(transaction, id)
      return presentBalanceTransaction(view, transaction)
    },
  )
  api.write(
    {
      method: 'post',
      path: '/v1/customers/:id/balance_transactions/:transaction',
      summary: 'Updates the description and metadata of a change of the balance.',
      params: updateParams,
      returns: balanceTransactionSchema,
    },
    ({ c, unit, view, id, params }) => {
      const transaction = unit.find('customer_balance_transaction', c.req.param('transaction') ?? '')
      checkOwner(transaction, id)
      return presentBalanceTransaction(view, updateBalanceTransaction(unit, transaction, params))
    },
  )
}

/** @throws ApiError resource_missing when the transaction is that of another customer */
function checkOwner({ id, customer }: CustomerBalanceTransaction, owner: string): void {
  if (customer !== owner) throw resourceMissing('customer balance transaction', id)
}

/** Presents a change of a balance. paytwin: its fields. */
const presentBalanceTransaction = (
  view: View,
  transaction: CustomerBalanceTransaction,
): BalanceTransactionShape => ({
  ...common(view, 'customer_balance_transaction', transaction),
  customer: transaction.customer,
  type: transaction.type,
  amount: transaction.amount,
  currency: transaction.currency,
  ending_balance: transaction.ending_balance,
  invoice: transaction.invoice,
  credit_note: transaction.credit_note,
  description: transaction.description,
  metadata: transaction.metadata,
  test_clock: transaction.test_clock,
})

export const customerBalanceResource: Resource<'customer_balance_transaction'> = {
  collection: 'customers/{id}/balance_transactions',
  present: presentBalanceTransaction,
  routes: customerBalanceRoutes,
}
