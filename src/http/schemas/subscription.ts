import { z } from 'zod'
import { COLLECTION_METHODS } from '../../core/invoice.ts'
import { MISSING_PAYMENT_METHOD, PAUSE_BEHAVIORS, SUBSCRIPTION_STATUSES } from '../../core/subscription.ts'
import { component, type Shape } from './component.ts'
import { common, currency, listOf, metadata, reference, seconds, testClock, text } from './fields.ts'
import { priceSchema } from './price.ts'

const subscriptionItemSchema = component('SubscriptionItem', () =>
  z
    .object({
      ...common('subscription_item', 'si'),
      subscription: reference('The subscription that it is part of.', 'Subscription'),
      price: priceSchema.schema.nullable().describe('What it bills.'),
      quantity: z.int().describe('How many units.'),
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
            .describe('What happens when there is no payment method.'),
        })
        .describe('What happens when the trial ends.'),
    })
    .describe('How a trial ends.')

const cancellation = () => ({
  cancel_at: seconds('When it is going to be canceled; null for never').nullable(),
  cancel_at_period_end: z.boolean().describe('Whether it is canceled when the current period ends.'),
  canceled_at: seconds('When its cancellation was asked for; null while it was not').nullable(),
  ended_at: seconds('When it ended; null while it has not').nullable(),
  cancellation_details: z
    .object({
      reason: z
        .enum(['cancellation_requested', 'payment_failed', 'payment_method_missing'])
        .nullable()
        .describe('Why.'),
    })
    .describe('Why it was canceled.'),
})

const pauseCollection = () =>
  z
    .object({
      behavior: z.enum(PAUSE_BEHAVIORS).describe('What becomes of the invoices made meanwhile.'),
      resumes_at: seconds('When the pause ends by itself; null for never').nullable(),
    })
    .nullable()
    .describe('How collection is paused; null when it is not.')

export const subscriptionSchema = component('Subscription', () =>
  z
    .object({
      ...common('subscription', 'sub'),
      status: z
        .enum(SUBSCRIPTION_STATUSES)
        .describe('Where it stands: active ones are paid for, past_due ones are being collected.'),
      customer: reference('Who pays.', 'Customer', 'DeletedCustomer'),
      currency: currency(),
      collection_method: z
        .enum(COLLECTION_METHODS)
        .describe('Whether its invoices are charged automatically or sent to the customer.'),
      days_until_due: z
        .int()
        .nullable()
        .describe('Days between a sent invoice and its due date; null when it is charged automatically.'),
      default_payment_method: reference(
        "What its invoices are charged to; null for the customer's default.",
        'PaymentMethod',
      ).nullable(),
      description: text('Words for your own use.').nullable(),
      latest_invoice: reference(
        'Its newest finalized invoice; null until one of them has been paid.',
        'Invoice',
      ).nullable(),
      start_date: seconds('When it began'),
      billing_cycle_anchor: seconds('The instant from which all periods are counted'),
      current_period_start: seconds('Where the current period begins'),
      current_period_end: seconds('Where the current period ends, and the next is billed'),
      trial_start: seconds('When its trial began; null without one').nullable(),
      trial_end: seconds('When its trial ends; null without one').nullable(),
      trial_settings: trialSettings(),
      ...cancellation(),
      pause_collection: pauseCollection(),
      items: subscriptionItemList.schema.describe('What it bills, at most 20 prices.'),
      metadata: metadata(),
      test_clock: testClock(),
    })
    .describe('Bills a customer at each interval, and collects: by itself, and again when a payment fails.'),
)
export type SubscriptionShape = Shape<typeof subscriptionSchema>
export type SubscriptionItemShape = Shape<typeof subscriptionItemSchema>
export const subscriptionList = listOf(subscriptionSchema)
