import * as z from 'zod'
import { BALANCE_TRANSACTION_TYPES } from '../../core/customer-balance.ts'
import { component, type Shape } from './component.ts'
import { common, currency, listOf, metadata, money, reference, testClock, text } from './fields.ts'

export const balanceTransactionSchema = component('CustomerBalanceTransaction', () =>
  z
    .object({
      ...common('customer_balance_transaction', 'cbtxn'),
      customer: reference('The customer.', 'Customer', 'DeletedCustomer'),
      type: z
        .enum(BALANCE_TRANSACTION_TYPES)
        .describe(
          'Why the balance changed: by a request, by finalizing or voiding an invoice, or by a credit note.',
        ),
      amount: money('The change of the balance; negative for a credit to the customer'),
      currency: currency(),
      ending_balance: money('The balance after the transaction'),
      invoice: reference('The invoice that changed the balance, if any.', 'Invoice').nullable(),
      credit_note: reference('The credit note that credited the balance, if any.', 'CreditNote').nullable(),
      description: text('A description for your own use.').nullable(),
      metadata: metadata(),
      test_clock: testClock(),
    })
    .describe("A change of a customer's balance."),
)
export type BalanceTransactionShape = Shape<typeof balanceTransactionSchema>
export const balanceTransactionList = listOf(balanceTransactionSchema)
