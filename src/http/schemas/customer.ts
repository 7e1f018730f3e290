import * as z from 'zod'
import { component, type Shape } from './component.ts'
import { discountSchema } from './discount.ts'
import { commonOf, deletedStub, listOf, metadata, money, reference, testClock, text } from './fields.ts'

export const customerSchema = component('Customer', () =>
  z
    .object({
      ...commonOf('customer'),
      email: text('The email address.').nullable(),
      name: text('The name.').nullable(),
      description: text('A description for your own use.').nullable(),
      invoice_prefix: text('The prefix of its invoice numbers, 8 characters.'),
      invoice_settings: z
        .object({
          default_payment_method: reference(
            'The payment method for invoices whose subscription has none.',
            'PaymentMethod',
          ).nullable(),
        })
        .describe('Settings for its invoices.'),
      delinquent: z
        .boolean()
        .describe('Whether a finalized invoice is outstanding: open and charged automatically, or overdue.'),
      currency: text('The currency of the balance; null if there is none.').nullable(),
      balance: money('What the next invoices in that currency add; negative for a credit to the customer'),
      invoice_credit_balance: z
        .record(z.string(), z.int())
        .describe('The balances by currency, in the smallest currency unit.'),
      discount: discountSchema.schema
        .nullable()
        .describe('The discount on invoices whose subscription has none; null if there is none.'),
      test_clock: testClock(),
      metadata: metadata(),
    })
    .describe('A customer, with payment methods, subscriptions and invoices.'),
)
export type CustomerShape = Shape<typeof customerSchema>

export const customerList = listOf(customerSchema)
export const deletedCustomer = deletedStub('DeletedCustomer', 'customer')

/** A deleted customer is still returned, as a stub. See docs/contract/requests.md#deletion-stubs. */
export const customerOrStub = component('CustomerOrStub', () =>
  z
    .union([customerSchema.schema, deletedCustomer.schema])
    .describe('A customer, or the deletion stub of one.'),
)
