import * as z from 'zod'
import { COLLECTION_METHODS } from '../../core/collection-method.ts'
import { PRORATION_BEHAVIORS } from '../../core/proration.ts'
import { END_BEHAVIORS, PHASE_ANCHORS, SCHEDULE_STATUSES } from '../../core/subscription-schedule.ts'
import { component, type Shape } from './component.ts'
import { commonOf, currency, listOf, metadata, reference, seconds, testClock, text } from './fields.ts'

const invoiceSettings = () =>
  z
    .object({
      days_until_due: z.int().nullable().describe('The days between a sent invoice and its due date.'),
    })
    .describe('Settings of invoices.')

const paymentMethod = () =>
  reference(
    'The payment method to charge; null for the default one of the customer.',
    'PaymentMethod',
  ).nullable()

const discounts = (description: string) =>
  z
    .array(
      z.object({
        coupon: text('The id of the coupon that is redeemed when the phase begins.').nullable(),
        promotion_code: reference('The promotion code that is redeemed then.', 'PromotionCode').nullable(),
        discount: reference('A discount that it had already.', 'Discount').nullable(),
      }),
    )
    .nullable()
    .describe(description)

const phase = () =>
  z.object({
    start_date: seconds('The start of the phase'),
    end_date: seconds('The end of the phase, where the next one starts'),
    currency: currency(),
    items: z
      .array(
        z.object({
          price: reference('The price.', 'Price'),
          quantity: z.int().nullable().describe('The number of units; null for a metered price.'),
          discounts: discounts('The discounts of the item; null to leave them as they are.'),
          metadata: metadata(),
        }),
      )
      .describe('The items of the subscription in this phase.'),
    trial_end: seconds('The end of the trial; null without a trial').nullable(),
    proration_behavior: z
      .enum(PRORATION_BEHAVIORS)
      .describe('How the change at the start of the phase is billed if it is within a period.'),
    billing_cycle_anchor: z
      .enum(PHASE_ANCHORS)
      .nullable()
      .describe('phase_start begins a new period with the phase. automatic does so only for a new interval.'),
    collection_method: z
      .enum(COLLECTION_METHODS)
      .nullable()
      .describe('How invoices are collected; null for the default of the schedule.'),
    default_payment_method: paymentMethod(),
    description: text('The description of the subscription in this phase.').nullable(),
    discounts: discounts('The discounts of the subscription; null to leave them as they are.'),
    invoice_settings: invoiceSettings().nullable().describe('Settings of invoices; null if not set.'),
    metadata: metadata(),
  })

export const subscriptionScheduleSchema = component('SubscriptionSchedule', () =>
  z
    .object({
      ...commonOf('subscription_schedule'),
      status: z
        .enum(SCHEDULE_STATUSES)
        .describe('The status. active: a phase is in force. released: the subscription goes on without it.'),
      customer: reference('The customer.', 'Customer', 'DeletedCustomer'),
      subscription: reference(
        'The managed subscription; null before the first phase and after a release.',
        'Subscription',
      ).nullable(),
      released_subscription: reference(
        'The subscription that it managed before it was released.',
        'Subscription',
      ).nullable(),
      current_phase: z
        .object({ start_date: seconds('The start'), end_date: seconds('The end') })
        .nullable()
        .describe('The phase in force; null unless active.'),
      phases: z.array(phase()).describe('The phases in order, also those that have ended.'),
      default_settings: z
        .object({
          billing_cycle_anchor: z.literal('automatic').describe('Always automatic.'),
          collection_method: z.enum(COLLECTION_METHODS).describe('How invoices are collected.'),
          default_payment_method: paymentMethod(),
          description: text('The description of the subscription.').nullable(),
          invoice_settings: invoiceSettings(),
        })
        .describe('What holds in phases that do not set it.'),
      end_behavior: z
        .enum(END_BEHAVIORS)
        .describe('What happens after the last phase: release keeps the subscription, cancel cancels it.'),
      canceled_at: seconds('When it was canceled; null if not').nullable(),
      completed_at: seconds('When it was completed; null if not').nullable(),
      released_at: seconds('When it was released; null if not').nullable(),
      metadata: metadata(),
      test_clock: testClock(),
    })
    .describe('Plans the changes of a subscription in phases.'),
)
export type SubscriptionScheduleShape = Shape<typeof subscriptionScheduleSchema>
export const subscriptionScheduleList = listOf(subscriptionScheduleSchema)
