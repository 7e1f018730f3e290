import * as z from 'zod'
import { INTERVAL_UNITS } from '../../core/calendar.ts'
import { CONSEQUENCES } from '../../core/future-job.ts'
import { JOB_KINDS } from '../../core/jobs.ts'
import { ALL_EVENT_TYPES } from '../../core/kinds.ts'
import { component, type Shape } from './component.ts'
import { customerOrStub, customerSchema, deletedCustomer } from './customer.ts'
import { listOf, money, reference, seconds, text } from './fields.ts'
import { invoiceList, invoiceSchema } from './invoice.ts'
import { paymentMethodList } from './payment-method.ts'
import { subscriptionList, subscriptionSchema } from './subscription.ts'

const RESOURCES = [
  'customer',
  'payment_method',
  'subscription',
  'subscription_schedule',
  'invoice',
  'payment_intent',
  'charge',
  'refund',
  'discount',
  'credit_note',
  'dispute',
] as const

const owners = () => ({
  customer: reference('The customer.', 'Customer', 'DeletedCustomer').nullable(),
  subscription: reference('The subscription, if any.', 'Subscription').nullable(),
  invoice: reference('The invoice, if any.', 'Invoice').nullable(),
})

const cost = () => ({
  amount: money(
    'The amount of the payment, of the invoice, or of a period of the subscription; null if there is none',
  ).nullable(),
  currency: text('The currency of the amount.').nullable(),
})

const attempt = () =>
  z
    .object({
      number: z.int().describe('The number of scheduled payment attempts so far, this one included.'),
      scheduled: z
        .boolean()
        .describe('Whether the attempt was scheduled; false for a manual one, which does not count.'),
      next: seconds('The next scheduled attempt; null if there is none').nullable(),
    })
    .nullable()
    .describe('The payment attempt of an invoice, if the entry is one.')

/** paytwin: an entry of a timeline's past, made from an event. */
const timelineEntrySchema = component('TimelineEntry', () =>
  z
    .object({
      id: text('The id of the event.'),
      object: z.literal('timeline_entry').describe('The type of the object.'),
      created: seconds('The time of the event'),
      type: z.enum(ALL_EVENT_TYPES).describe('The type of the event.'),
      resource: z.enum(RESOURCES).describe('The type of the changed object.'),
      resource_id: text('The id of the changed object.'),
      ...owners(),
      label: text('A name for people: the number of an invoice, or a card with its last digits.').nullable(),
      status: text('The new status of the object, if it has one.').nullable(),
      previous_status: text('The former status, if it changed.').nullable(),
      ...cost(),
      applied_balance: money(
        'For a finalized invoice: what the balance of the customer added to its total; negative if a credit was used',
      ).nullable(),
      credited: money(
        'For an invoice: what credit notes took off its amount due; null if nothing',
      ).nullable(),
      reason: text(
        'The reason: the billing_reason of an invoice, the decline of a failed payment, or the reason of a cancellation.',
      ).nullable(),
      attempt: attempt(),
      finalizes_at: seconds(
        'For a draft that is finalized by itself: when, as of the entry; null for all others',
      ).nullable(),
      changes: z
        .record(
          z.string(),
          z.object({
            from: z.unknown().describe('The former value.'),
            to: z.unknown().describe('The new value.'),
          }),
        )
        .optional()
        .describe('The changed fields, if it changed any.'),
      prorations: z
        .array(
          z.object({
            description: text('What it corrects.'),
            amount: money('The amount: negative for a credit'),
          }),
        )
        .optional()
        .describe('For a change of a subscription within a period: its credits and charges.'),
      request: text('The Request-Id of the request; null if a job made the change.').nullable(),
    })
    .describe('A past change of an object or of a related one.'),
)
export type TimelineEntryShape = Shape<typeof timelineEntrySchema>

/** paytwin: an entry of a timeline's future. */
const timelineJobSchema = component('TimelineJob', () =>
  z
    .object({
      object: z.literal('timeline_job').describe('The type of the object.'),
      due: seconds('The due time, on the clock of the object'),
      kind: z.enum(JOB_KINDS).describe('The kind of job.'),
      projected: z
        .boolean()
        .describe(
          'Whether it is a projection that assumes no changes: a renewal after the next one, or a retry after the next one fails.',
        ),
      subscription: reference('The subscription of the job, if any.', 'Subscription').nullable(),
      invoice: reference('The invoice of the job, if any.', 'Invoice').nullable(),
      label: text('The number of the invoice.').nullable(),
      ...cost(),
      usage_amount: money(
        'The part of the amount that bills usage, as it is so far; null if the job bills no usage',
      ).nullable(),
      period: z
        .object({ start: seconds('The start'), end: seconds('The end') })
        .nullable()
        .describe('The billed period.'),
      attempt: z
        .int()
        .nullable()
        .describe('For a retry: the number of the attempt, counted from the first payment.'),
      uncollected: z
        .enum(['draft', 'void', 'uncollectible'])
        .nullable()
        .describe(
          'The status of its invoice if collection is skipped: for an unpaid or paused subscription.',
        ),
      phase: z
        .object({
          number: z.int().describe('The number of the phase, from 1.'),
          interval: z.enum(INTERVAL_UNITS).describe('The unit of the interval of its prices.'),
          interval_count: z.int().describe('The number of units.'),
        })
        .nullable()
        .describe('For the job schedule_phase: the phase that begins; null if the schedule ends.'),
      consequence: z
        .enum(CONSEQUENCES)
        .nullable()
        .describe(
          'The action on the subscription if the last retry fails, or if a trial ends without a payment method. null with at, because the former settings of the merchant are not stored.',
        ),
    })
    .describe('A future job of an object or of a related one.'),
)
export type TimelineJobShape = Shape<typeof timelineJobSchema>

const timelineEntryList = listOf(timelineEntrySchema)
const timelineJobList = listOf(timelineJobSchema)

/** paytwin: the past and the future of an object. */
const timelineSchema = component('Timeline', () =>
  z
    .object({
      object: z.literal('timeline').describe('The type of the object.'),
      now: seconds('The current time of its clock'),
      as_of: seconds('The time that is shown: now, or the parameter at'),
      max_attempts: z
        .int()
        .describe(
          'The number of scheduled attempts to charge an invoice, the first one included, on the present retry schedule of the merchant.',
        ),
      happened: timelineEntryList.schema.describe(
        'The past changes up to as_of, oldest first. If has_more is true, older ones are left out.',
      ),
      upcoming: timelineJobList.schema.describe('The future jobs as of as_of, next due first.'),
    })
    .describe('The past changes of an object, and its future jobs.'),
)
export type TimelineShape = Shape<typeof timelineSchema>

/** paytwin: the related objects of an object. */
const relatedSchema = component('Related', () =>
  z
    .object({
      customer: customerOrStub.schema.describe('The customer.'),
      subscriptions: subscriptionList.schema.describe(
        'For a customer: all its subscriptions. For an invoice: its subscription.',
      ),
      invoices: invoiceList.schema.describe(
        'For a customer or subscription: the open invoices, newest first, and the latest one of the subscription. For an invoice: itself.',
      ),
      payment_methods: paymentMethodList.schema.describe('The payment methods of the customer.'),
      owed: z
        .array(
          z.object({
            amount: money('The amount'),
            currency: text('The currency.'),
          }),
        )
        .describe('The remaining amounts of all open invoices, by currency.'),
    })
    .describe('The related objects as of the same time, at most 100 of each type.'),
)
export type RelatedShape = Shape<typeof relatedSchema>

const shown = () => ({
  related: relatedSchema.schema.describe('The related objects.'),
  timeline: timelineSchema.schema.describe('The timeline.'),
})

export const subscriptionTimeline = component('SubscriptionTimeline', () =>
  subscriptionSchema.schema
    .extend(shown())
    .describe('A subscription as of a time, with related objects and its timeline.'),
)
export type SubscriptionTimelineShape = Shape<typeof subscriptionTimeline>

export const invoiceTimeline = component('InvoiceTimeline', () =>
  invoiceSchema.schema
    .extend(shown())
    .describe('An invoice as of a time, with related objects and its timeline.'),
)
export type InvoiceTimelineShape = Shape<typeof invoiceTimeline>

const existingCustomerTimeline = component('ExistingCustomerTimeline', () =>
  customerSchema.schema
    .extend(shown())
    .describe('A customer as of a time, with related objects and its timeline.'),
)
const deletedCustomerTimeline = component('DeletedCustomerTimeline', () =>
  deletedCustomer.schema
    .extend(shown())
    .describe('The deletion stub of a customer, with related objects and its timeline.'),
)
export const customerTimeline = component('CustomerTimeline', () =>
  z
    .union([existingCustomerTimeline.schema, deletedCustomerTimeline.schema])
    .describe('A customer or its deletion stub as of a time, with related objects and its timeline.'),
)
export type CustomerTimelineShape = Shape<typeof customerTimeline>
