import * as z from 'zod'
import { COLLECTION_METHODS } from '../../core/collection-method.ts'
import { MISSING_PAYMENT_METHOD, PAUSE_BEHAVIORS } from '../../core/subscription.ts'
import { SUBSCRIPTION_STATUSES } from '../../core/subscription-status.ts'
import { component, type Shape } from './component.ts'
import { discountRefs } from './discount.ts'
import {
  common,
  commonOf,
  currency,
  listOf,
  metadata,
  reference,
  seconds,
  testClock,
  text,
} from './fields.ts'
import { priceSchema } from './price.ts'

const subscriptionItemSchema = component('SubscriptionItem', () =>
  z
    .object({
      ...common('subscription_item', 'si'),
      subscription: reference('The subscription of the item.', 'Subscription'),
      price: priceSchema.schema.nullable().describe('The price.'),
      quantity: z
        .int()
        .nullable()
        .describe('The number of units; null for a metered price, which bills the usage of a period.'),
      discounts: discountRefs("The discounts of the item, which take the place of the subscription's."),
      metadata: metadata(),
    })
    .describe('A price and a quantity that a subscription bills at each interval.'),
)
export const subscriptionItemList = listOf(subscriptionItemSchema)

const trialSettings = () =>
  z
    .object({
      end_behavior: z
        .object({
          missing_payment_method: z
            .enum(MISSING_PAYMENT_METHOD)
            .describe('The action if there is no payment method.'),
        })
        .describe('The behavior at the end of the trial.'),
    })
    .describe('Settings for the trial.')

const cancellation = () => ({
  cancel_at: seconds('When it will be canceled; null if not scheduled').nullable(),
  cancel_at_period_end: z.boolean().describe('Whether it is canceled at the end of the current period.'),
  canceled_at: seconds('When the cancellation was requested; null if not requested').nullable(),
  ended_at: seconds('When it ended; null if not ended').nullable(),
  cancellation_details: z
    .object({
      reason: z
        .enum(['cancellation_requested', 'payment_failed', 'payment_method_missing'])
        .nullable()
        .describe('The reason.'),
    })
    .describe('Details of the cancellation.'),
})

const pauseCollection = () =>
  z
    .object({
      behavior: z
        .enum(PAUSE_BEHAVIORS)
        .describe('The treatment of invoices that are created during the pause.'),
      resumes_at: seconds('When the pause ends automatically; null if not scheduled').nullable(),
    })
    .nullable()
    .describe('The pause of collection; null if not paused.')

const pendingUpdate = () =>
  z
    .object({
      billing_cycle_anchor: seconds(
        'The new anchor if the update begins a new period; null otherwise',
      ).nullable(),
      expires_at: seconds('When the update is discarded unless it is paid'),
      subscription_items: z
        .array(subscriptionItemSchema.schema)
        .describe('The items of the subscription after the update.'),
      trial_end: z.null().describe('Always null.'),
    })
    .nullable()
    .describe('The update that waits until latest_invoice is paid; null without one.')

export const subscriptionSchema = component('Subscription', () =>
  z
    .object({
      ...commonOf('subscription'),
      status: z
        .enum(SUBSCRIPTION_STATUSES)
        .describe('The status. active: paid. past_due: a payment failed and is being retried.'),
      customer: reference('The billed customer.', 'Customer', 'DeletedCustomer'),
      currency: currency(),
      collection_method: z
        .enum(COLLECTION_METHODS)
        .describe('Whether invoices are charged automatically or sent to the customer.'),
      days_until_due: z
        .int()
        .nullable()
        .describe('The days between a sent invoice and its due date; null if charged automatically.'),
      default_payment_method: reference(
        'The payment method to charge; null for the default one of the customer.',
        'PaymentMethod',
      ).nullable(),
      description: text('A description for your own use.').nullable(),
      latest_invoice: reference(
        'The newest finalized invoice; null until an invoice has been paid.',
        'Invoice',
      ).nullable(),
      start_date: seconds('When it started'),
      billing_cycle_anchor: seconds('The instant from which all periods are counted'),
      current_period_start: seconds('The start of the current period'),
      current_period_end: seconds('The end of the current period, when the next one is billed'),
      trial_start: seconds('The start of the trial; null without a trial').nullable(),
      trial_end: seconds('The end of the trial; null without a trial').nullable(),
      trial_settings: trialSettings(),
      ...cancellation(),
      pause_collection: pauseCollection(),
      pending_update: pendingUpdate(),
      schedule: reference('The schedule that manages it; null for none.', 'SubscriptionSchedule').nullable(),
      discounts: discountRefs('The discounts, in the order in which they apply.'),
      items: subscriptionItemList.schema.describe('The items, at most 20.'),
      metadata: metadata(),
      test_clock: testClock(),
    })
    .describe('Bills a customer at each interval, collects payments, and retries failed ones.'),
)
export type SubscriptionShape = Shape<typeof subscriptionSchema>
export type SubscriptionItemShape = Shape<typeof subscriptionItemSchema>
export const subscriptionList = listOf(subscriptionSchema)
