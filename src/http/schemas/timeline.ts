import { z } from 'zod'
import { EVENT_TYPES } from '../../core/event.ts'
import { JOB_KINDS } from '../../core/jobs.ts'
import { CONSEQUENCES } from '../../core/prospect.ts'
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
  'invoice',
  'payment_intent',
  'charge',
  'refund',
] as const

const owners = () => ({
  customer: reference('The customer whose it is.', 'Customer', 'DeletedCustomer').nullable(),
  subscription: reference('The subscription that it belongs to, if any.', 'Subscription').nullable(),
  invoice: reference('The invoice that it belongs to, if any.', 'Invoice').nullable(),
})

const cost = () => ({
  amount: money(
    'What it is about: a payment, an invoice, or a period of a subscription; null where no money is asked for',
  ).nullable(),
  currency: text('The currency of the amount.').nullable(),
})

const attempt = () =>
  z
    .object({
      number: z.int().describe('How many attempts were made on schedule so far, this one included.'),
      scheduled: z
        .boolean()
        .describe('Whether billing made it; false for one by hand, which does not count.'),
      next: seconds('When the next one is made; null for never').nullable(),
    })
    .nullable()
    .describe('Of an invoice that was paid or not: which attempt it was.')

/** paytwin: what `show` tells of an event. */
const happeningSchema = component('Happening', () =>
  z
    .object({
      id: text('The event that tells of it in full.'),
      object: z.literal('happening').describe('What kind of object this is.'),
      created: seconds('When it happened'),
      type: z.enum(EVENT_TYPES).describe('What happened.'),
      resource: z.enum(RESOURCES).describe('What kind of object it happened to.'),
      resource_id: text('The object that it happened to.'),
      ...owners(),
      label: text("What people call it: an invoice's number, or a card with its last digits.").nullable(),
      status: text('The status that it led to, of what has one.').nullable(),
      previous_status: text('The status before, when it changed.').nullable(),
      ...cost(),
      reason: text(
        'Why: the billing_reason of an invoice, the decline of a payment that failed, the reason of a cancellation.',
      ).nullable(),
      attempt: attempt(),
      changes: z
        .record(
          z.string(),
          z.object({
            from: z.unknown().describe('What the field held before.'),
            to: z.unknown().describe('What it held afterwards.'),
          }),
        )
        .optional()
        .describe('Of an update: the fields that changed.'),
      request: text('The Request-Id of the request that made it happen; null for what time did.').nullable(),
    })
    .describe('Something that happened to an object or to what belongs to it.'),
)
export type HappeningShape = Shape<typeof happeningSchema>

/** paytwin: what `show` tells of what is to come. */
const prospectSchema = component('Prospect', () =>
  z
    .object({
      object: z.literal('prospect').describe('What kind of object this is.'),
      due: seconds('When it happens, on its clock'),
      kind: z.enum(JOB_KINDS).describe('What happens.'),
      projected: z
        .boolean()
        .describe(
          'Whether it only follows if nothing changes until then: a renewal after the next, a retry after the next fails.',
        ),
      subscription: reference('The subscription that it happens to, if any.', 'Subscription').nullable(),
      invoice: reference('The invoice that it happens to, if any.', 'Invoice').nullable(),
      label: text('The number of that invoice.').nullable(),
      ...cost(),
      period: z
        .object({ start: seconds('Its beginning'), end: seconds('Its end') })
        .nullable()
        .describe('The period that is billed.'),
      attempt: z.int().nullable().describe('Of a retry: which attempt it is, the first one included.'),
      uncollected: z
        .enum(['draft', 'void', 'uncollectible'])
        .nullable()
        .describe('What its invoice becomes when it is not collected: the subscription is unpaid or paused.'),
      consequence: z
        .enum(CONSEQUENCES)
        .nullable()
        .describe(
          "What becomes of the subscription when the last retry fails, or when a trial ends without a payment method. Null with at: the merchant's setting of then is not known.",
        ),
    })
    .describe('Something that is going to happen to an object or to what belongs to it.'),
)
export type ProspectShape = Shape<typeof prospectSchema>

const happeningList = listOf(happeningSchema)
const prospectList = listOf(prospectSchema)

/** paytwin: the past and the future of an object on one axis. */
const timelineSchema = component('Timeline', () =>
  z
    .object({
      object: z.literal('timeline').describe('What kind of object this is.'),
      now: seconds('What its clock shows'),
      as_of: seconds('The moment that is shown: now, or what at said'),
      happened: happeningList.schema.describe(
        'What happened until then, the oldest first. The newest are told: has_more says that more happened before.',
      ),
      upcoming: prospectList.schema.describe('What was to come then, the next first.'),
    })
    .describe('What happened to an object, and what is going to.'),
)
export type TimelineShape = Shape<typeof timelineSchema>

/** paytwin: what one wants to see beside an object. */
const relatedSchema = component('Related', () =>
  z
    .object({
      customer: customerOrStub.schema.describe('Whose it is.'),
      subscriptions: subscriptionList.schema.describe('Of a customer all, of an invoice its own.'),
      invoices: invoiceList.schema.describe(
        'The open ones, and the latest of a subscription; of an invoice itself. The newest first.',
      ),
      payment_methods: paymentMethodList.schema.describe('What the customer can be charged to.'),
      owed: z
        .array(
          z.object({
            amount: money('What is left to pay'),
            currency: text('In this currency.'),
          }),
        )
        .describe('What is left to pay of all open invoices, by currency.'),
    })
    .describe('What belongs to an object, as of the same moment; at most 100 of each.'),
)
export type RelatedShape = Shape<typeof relatedSchema>

const shown = () => ({
  related: relatedSchema.schema.describe('What belongs to it.'),
  timeline: timelineSchema.schema.describe('What happened, and what is going to.'),
})

export const subscriptionTimeline = component('SubscriptionTimeline', () =>
  subscriptionSchema.schema
    .extend(shown())
    .describe('A subscription as of a moment, with what belongs to it and its timeline.'),
)
export type SubscriptionTimelineShape = Shape<typeof subscriptionTimeline>

export const invoiceTimeline = component('InvoiceTimeline', () =>
  invoiceSchema.schema
    .extend(shown())
    .describe('An invoice as of a moment, with what belongs to it and its timeline.'),
)
export type InvoiceTimelineShape = Shape<typeof invoiceTimeline>

const livingCustomerTimeline = component('LivingCustomerTimeline', () =>
  customerSchema.schema
    .extend(shown())
    .describe('A customer as of a moment, with what belongs to it and its timeline.'),
)
const deletedCustomerTimeline = component('DeletedCustomerTimeline', () =>
  deletedCustomer.schema
    .extend(shown())
    .describe('What is left of a deleted customer, with what belonged to it and its timeline.'),
)
export const customerTimeline = component('CustomerTimeline', () =>
  z
    .union([livingCustomerTimeline.schema, deletedCustomerTimeline.schema])
    .describe(
      'A customer, or what is left of a deleted one, as of a moment, with what belongs to it and its timeline.',
    ),
)
export type CustomerTimelineShape = Shape<typeof customerTimeline>
