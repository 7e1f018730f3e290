import * as z from 'zod'
import { component, type Shape } from './component.ts'
import { livemode, money, seconds, text } from './fields.ts'

const byStatus = (noun: string) => z.record(z.string(), z.int()).describe(`The number of ${noun}, by status.`)

export const overviewSchema = component('Overview', () =>
  z
    .object({
      object: z.literal('overview').describe('The type of the object.'),
      customers: z.int().describe('The number of customers.'),
      subscriptions: byStatus('subscriptions'),
      invoices: byStatus('invoices, deleted drafts included'),
      payments: z
        .object({
          since: seconds('The start of the first day'),
          has_more: z
            .boolean()
            .describe('Whether older payments of these days are left out: the newest 10,000 are summed.'),
          days: z
            .array(
              z.object({
                start: seconds('The start of the day'),
                currency: text('The currency.'),
                succeeded: money('The sum of the successful charges'),
                succeeded_count: z.int().describe('The number of successful charges.'),
                failed: money('The sum of the failed charges'),
                failed_count: z.int().describe('The number of failed charges.'),
              }),
            )
            .describe('The days with charges, oldest first, one entry for each currency.'),
        })
        .describe('The payments of the last 30 days (UTC) of the main clock, today included.'),
      livemode: livemode(),
      merchant_id: text('The merchant.'),
    })
    .describe('The counts and sums of a merchant.'),
)
export type OverviewShape = Shape<typeof overviewSchema>
