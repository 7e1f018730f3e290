import type Stripe from 'stripe'
import { matchesGlob } from '../../core/glob.ts'
import { ALL_EVENT_TYPES, type EventType } from '../../core/kinds.ts'

/** The name that Stripe gives to each type of event. */
const STRIPE_NAMES: Readonly<Record<EventType, Stripe.Event['type']>> = {
  'subscription.created': 'customer.subscription.created',
  'subscription.updated': 'customer.subscription.updated',
  'subscription.deleted': 'customer.subscription.deleted',
  'subscription.paused': 'customer.subscription.paused',
  'subscription.resumed': 'customer.subscription.resumed',
  'subscription.pending_update_applied': 'customer.subscription.pending_update_applied',
  'subscription.pending_update_expired': 'customer.subscription.pending_update_expired',
  'subscription.trial_will_end': 'customer.subscription.trial_will_end',
  'invoice.upcoming': 'invoice.upcoming',
  'invoice.will_be_due': 'invoice.will_be_due',
  'invoice.overdue': 'invoice.overdue',
  'invoice.created': 'invoice.created',
  'invoice.finalized': 'invoice.finalized',
  'invoice.paid': 'invoice.paid',
  'invoice.payment_failed': 'invoice.payment_failed',
  'invoice.payment_succeeded': 'invoice.payment_succeeded',
  'invoice.payment_action_required': 'invoice.payment_action_required',
  'invoice.payment_paid': 'invoice_payment.paid',
  'invoice.updated': 'invoice.updated',
  'invoice.sent': 'invoice.sent',
  'invoice.voided': 'invoice.voided',
  'invoice.marked_uncollectible': 'invoice.marked_uncollectible',
  'invoice.deleted': 'invoice.deleted',
  'payment_intent.created': 'payment_intent.created',
  'payment_intent.succeeded': 'payment_intent.succeeded',
  'payment_intent.payment_failed': 'payment_intent.payment_failed',
  'payment_intent.canceled': 'payment_intent.canceled',
  'payment_intent.requires_action': 'payment_intent.requires_action',
  'charge.succeeded': 'charge.succeeded',
  'charge.failed': 'charge.failed',
  'checkout.session.completed': 'checkout.session.completed',
  'checkout.session.expired': 'checkout.session.expired',
  'checkout.session.async_payment_succeeded': 'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed': 'checkout.session.async_payment_failed',
  'charge.refunded': 'charge.refunded',
  'refund.created': 'refund.created',
  'refund.failed': 'refund.failed',
  'customer.created': 'customer.created',
  'customer.updated': 'customer.updated',
  'customer.deleted': 'customer.deleted',
  'payment_method.attached': 'payment_method.attached',
  'payment_method.detached': 'payment_method.detached',
  'price.created': 'price.created',
  'price.updated': 'price.updated',
  'product.created': 'product.created',
  'product.updated': 'product.updated',
  'credit_note.created': 'credit_note.created',
  'credit_note.updated': 'credit_note.updated',
  'credit_note.voided': 'credit_note.voided',
  'billing.meter.created': 'billing.meter.created',
  'billing.meter.updated': 'billing.meter.updated',
  'billing.meter.deactivated': 'billing.meter.deactivated',
  'billing.meter.reactivated': 'billing.meter.reactivated',
  'charge.dispute.created': 'charge.dispute.created',
  'charge.dispute.funds_withdrawn': 'charge.dispute.funds_withdrawn',
  'charge.dispute.updated': 'charge.dispute.updated',
  'charge.dispute.closed': 'charge.dispute.closed',
  'charge.dispute.funds_reinstated': 'charge.dispute.funds_reinstated',
  'subscription_schedule.created': 'subscription_schedule.created',
  'subscription_schedule.updated': 'subscription_schedule.updated',
  'subscription_schedule.expiring': 'subscription_schedule.expiring',
  'subscription_schedule.completed': 'subscription_schedule.completed',
  'subscription_schedule.released': 'subscription_schedule.released',
  'subscription_schedule.canceled': 'subscription_schedule.canceled',
  'subscription_schedule.aborted': 'subscription_schedule.aborted',
  'coupon.created': 'coupon.created',
  'coupon.updated': 'coupon.updated',
  'coupon.deleted': 'coupon.deleted',
  'promotion_code.created': 'promotion_code.created',
  'promotion_code.updated': 'promotion_code.updated',
  'customer.discount.created': 'customer.discount.created',
  'customer.discount.updated': 'customer.discount.updated',
  'customer.discount.deleted': 'customer.discount.deleted',
  'setup_intent.created': 'setup_intent.created',
  'setup_intent.requires_action': 'setup_intent.requires_action',
  'setup_intent.succeeded': 'setup_intent.succeeded',
  'setup_intent.setup_failed': 'setup_intent.setup_failed',
  'setup_intent.canceled': 'setup_intent.canceled',
  'billing_portal.configuration.created': 'billing_portal.configuration.created',
  'billing_portal.configuration.updated': 'billing_portal.configuration.updated',
  'billing_portal.session.created': 'billing_portal.session.created',
}

/** Returns Stripe's name of a type of event. */
export const stripeNameOf = (type: EventType): Stripe.Event['type'] => STRIPE_NAMES[type]

/** Every name of an event that can occur, in the order of paytwin's own list. */
export const KNOWN_NAMES: readonly string[] = ALL_EVENT_TYPES.map(stripeNameOf)

/** Returns the type of event that has a name; undefined if paytwin does not emit it. */
export const eventTypeOf = (name: string): EventType | undefined =>
  ALL_EVENT_TYPES.find((type) => STRIPE_NAMES[type] === name)

/** Returns Stripe's name of an entry of a webhook endpoint: a type or a glob of types. */
export function stripePatternOf(pattern: string): string {
  const type = ALL_EVENT_TYPES.find((known) => known === pattern)
  return type ? stripeNameOf(type) : pattern
}

/** Returns the types of event that a name or glob of Stripe's names matches. */
export const matchStripeNames = (pattern: string): EventType[] => {
  const glob = pattern.replaceAll(/\*{2,}/g, '*')
  return ALL_EVENT_TYPES.filter((type) => matchesGlob(glob, STRIPE_NAMES[type]))
}
