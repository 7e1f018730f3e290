import type Stripe from 'stripe'
import type { SchedulePhase, SubscriptionSchedule } from '../../../core/subscription-schedule.ts'
import type { View } from '../../../engine/history/view.ts'
import { presentPlanned } from '../../discount.ts'
import type { Wire } from '../wire.ts'

export function presentSchedule(
  view: View,
  schedule: SubscriptionSchedule,
): Wire<Stripe.SubscriptionSchedule> {
  const { default_settings } = schedule
  return {
    id: schedule.id,
    object: 'subscription_schedule',
    application: null,
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible' },
    canceled_at: schedule.canceled_at,
    completed_at: schedule.completed_at,
    created: schedule.created,
    current_phase: schedule.current_phase && { ...schedule.current_phase },
    customer: schedule.customer,
    customer_account: null,
    default_settings: {
      application_fee_percent: null,
      billing_cycle_anchor: 'automatic',
      billing_thresholds: null,
      collection_method: default_settings.collection_method,
      default_payment_method: default_settings.default_payment_method,
      description: default_settings.description,
      invoice_settings: {
        account_tax_ids: null,
        custom_fields: null,
        days_until_due: default_settings.days_until_due,
        description: null,
        footer: null,
        issuer: { type: 'self' },
      },
      on_behalf_of: null,
      transfer_data: null,
    },
    end_behavior: schedule.end_behavior,
    livemode: false,
    metadata: schedule.metadata,
    pause_schedules: [],
    phases: schedule.phases.map((phase) => presentPhase(view, phase)),
    released_at: schedule.released_at,
    released_subscription: schedule.released_subscription,
    status: schedule.status,
    subscription: schedule.subscription,
    test_clock: schedule.test_clock,
  }
}

const presentPhase = (view: View, phase: SchedulePhase): Wire<Stripe.SubscriptionSchedule.Phase> => ({
  add_invoice_items: [],
  application_fee_percent: null,
  billing_cycle_anchor: phase.billing_cycle_anchor,
  billing_thresholds: null,
  collection_method: phase.collection_method,
  currency: phase.currency,
  default_payment_method: phase.default_payment_method,
  description: phase.description,
  discounts: presentPlanned(view, phase.discounts ?? []),
  end_date: phase.end_date,
  invoice_settings:
    phase.days_until_due === null
      ? null
      : {
          account_tax_ids: null,
          custom_fields: null,
          days_until_due: phase.days_until_due,
          description: null,
          footer: null,
          issuer: null,
        },
  items: phase.items.map(({ price, quantity, metadata, discounts = [] }) => ({
    billing_thresholds: null,
    discounts: presentPlanned(view, discounts),
    metadata,
    plan: price,
    price,
    ...(quantity !== null && { quantity }),
  })),
  metadata: phase.metadata,
  on_behalf_of: null,
  proration_behavior: phase.proration_behavior,
  start_date: phase.start_date,
  transfer_data: null,
  trial_end: phase.trial_end,
})
