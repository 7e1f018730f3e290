import { z } from 'zod'
import { component, type Shape } from './component.ts'
import { common, deletedStub, listOf, metadata, reference, testClock, text } from './fields.ts'

export const customerSchema = component('Customer', () =>
  z
    .object({
      ...common('customer', 'cus'),
      email: text('An address for its mail.').nullable(),
      name: text('What it is called.').nullable(),
      description: text('Words for your own use.').nullable(),
      invoice_prefix: text('The 8 characters with which the numbers of its invoices begin.'),
      invoice_settings: z
        .object({
          default_payment_method: reference(
            'What its invoices are charged to when their subscription names nothing else.',
            'PaymentMethod',
          ).nullable(),
        })
        .describe('How its invoices are paid.'),
      delinquent: z
        .boolean()
        .describe(
          'Whether one of its finalized invoices is outstanding: open and charged automatically, or overdue.',
        ),
      test_clock: testClock(),
      metadata: metadata(),
    })
    .describe('Somebody who pays: it owns payment methods, subscriptions and invoices.'),
)
export type CustomerShape = Shape<typeof customerSchema>

export const customerList = listOf(customerSchema)
export const deletedCustomer = deletedStub('DeletedCustomer', 'customer')

/** A deleted customer is still answered, as a stub. See docs/contract/requests.md#deletion-stubs. */
export const customerOrStub = component('CustomerOrStub', () =>
  z
    .union([customerSchema.schema, deletedCustomer.schema])
    .describe('A customer, or what is left of a deleted one.'),
)
