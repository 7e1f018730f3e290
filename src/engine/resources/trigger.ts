import { assert } from '../../core/errors.ts'
import type { EventType } from '../../core/kinds.ts'
import type { NoticeKind } from '../../core/notices.ts'
import { endOf } from '../../core/subscription-schedule.ts'
import { eventsAfter } from '../history/events.ts'
import type { EventWithObject } from '../history/view.ts'
import type { Sender } from '../machine/command-queue.ts'
import type { Engine } from '../machine/engine.ts'
import { runJob } from '../machine/jobs.ts'
import type { MerchantState } from '../machine/merchant-state.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { expireCheckoutSession } from './checkout-expiry.ts'
import { settlePayment } from './checkout-settlement.ts'
import { deleteCoupon, updateCoupon } from './coupon.ts'
import { updateCreditNote, voidCreditNote } from './credit-note.ts'
import { deleteCustomer, updateCustomer } from './customer.ts'
import { deleteCustomerDiscount } from './discount.ts'
import { closeDispute, updateDispute } from './dispute.ts'
import { deleteInvoice, markUncollectible, payInvoice, voidInvoice } from './invoice.ts'
import { sendInvoice, updateInvoice } from './invoice-update.ts'
import { deactivateMeter, reactivateMeter, updateMeter } from './meter.ts'
import { cancelPaymentIntent } from './payment-intent.ts'
import { attachPaymentMethod, detachPaymentMethod } from './payment-method.ts'
import { updateConfiguration } from './portal-configuration.ts'
import { updatePrice, updateProduct } from './price.ts'
import { updatePromotionCode } from './promotion-code.ts'
import { updateSchedule } from './schedule-update.ts'
import { cancelSetupIntent } from './setup-intent.ts'
import { cancelSubscription } from './subscription.ts'
import { cancelScheduleNow, releaseSchedule } from './subscription-schedule.ts'
import { resumeSubscription, updateSubscription } from './subscription-update.ts'
import { completedCheckout, openCheckout, unpaidCheckout } from './trigger-checkout.ts'
import { TriggerObjects } from './trigger-objects.ts'

/**
 * Emits an event: `now`, or `later` when the clock advances. `later` returns the time of the event (Unix seconds on the
 * merchant's clock).
 */
type Recipe =
  | { readonly now: (objects: TriggerObjects) => unknown }
  | { readonly later: (objects: TriggerObjects) => number | null }

const now = (make: (objects: TriggerObjects) => unknown): Recipe => ({ now: make })
const later = (make: (objects: TriggerObjects) => number | null): Recipe => ({ later: make })

const subscribed = now((objects) => objects.subscription())
const charged = now((objects) => objects.intent('pm_card_visa'))
const declined = now((objects) => objects.intent('pm_card_chargeDeclined'))
const disputed = now((objects) => objects.dispute())
const refunded = now((objects) => objects.refund())

/** Sends a notice now, also if the merchant's settings have none. */
const runNotice = (unit: UnitOfWork, kind: NoticeKind, object: string): void =>
  runJob(unit, { kind, object, subscription: null, due: unit.now })

/** The shortest sequence of actions that emits each type of event. paytwin. */
const RECIPES: Readonly<Record<EventType, Recipe>> = {
  'subscription.created': subscribed,
  'subscription.updated': now((objects) =>
    updateSubscription(objects.unit, objects.subscription().id, { description: 'Updated by a trigger' }),
  ),
  'subscription.deleted': now((objects) =>
    cancelSubscription(objects.unit, objects.subscription().id, { cancel_at_period_end: false }),
  ),
  'subscription.resumed': now((objects) => {
    const { id } = objects.subscription()
    cancelSubscription(objects.unit, id, { cancel_at_period_end: true })
    resumeSubscription(objects.unit, id)
  }),
  'subscription.paused': later((objects) => objects.unpayableTrial().trial_end),
  'subscription.pending_update_applied': now((objects) => {
    const { invoice } = objects.pendingUpdate()
    payInvoice(objects.unit, invoice, { payment_method: 'pm_card_visa' })
  }),
  'subscription.pending_update_expired': later((objects) => objects.pendingUpdate().expires_at),
  'subscription_schedule.created': now((objects) => objects.schedule()),
  'subscription_schedule.updated': now((objects) =>
    updateSchedule(objects.unit, objects.schedule().id, { metadata: { updated: 'yes' } }),
  ),
  'subscription_schedule.expiring': later((objects) => objects.schedule().expiring_at),
  'subscription_schedule.completed': later((objects) => endOf(objects.schedule('cancel'))),
  'subscription_schedule.released': now((objects) =>
    releaseSchedule(objects.unit, objects.schedule().id, { preserve_cancel_date: false }),
  ),
  'subscription_schedule.canceled': now((objects) =>
    cancelScheduleNow(objects.unit, objects.schedule().id, { invoice_now: true, prorate: true }),
  ),
  'subscription_schedule.aborted': now((objects) =>
    cancelSubscription(objects.unit, objects.schedule().subscription ?? '', { cancel_at_period_end: false }),
  ),
  'subscription.trial_will_end': now((objects) => {
    runNotice(objects.unit, 'trial_will_end', objects.trial().id)
  }),
  'invoice.upcoming': now((objects) => {
    runNotice(objects.unit, 'invoice_upcoming', objects.subscription().id)
  }),
  'invoice.will_be_due': now((objects) => {
    runNotice(objects.unit, 'invoice_will_be_due', objects.sentInvoice().id)
  }),
  'invoice.overdue': now((objects) => {
    runNotice(objects.unit, 'invoice_overdue', objects.sentInvoice().id)
  }),
  'invoice.created': subscribed,
  'invoice.finalized': subscribed,
  'invoice.paid': subscribed,
  'invoice.payment_succeeded': subscribed,
  'invoice.payment_action_required': now((objects) => objects.subscription('pm_card_authenticationRequired')),
  'invoice.payment_paid': subscribed,
  'invoice.updated': now((objects) =>
    updateInvoice(objects.unit, objects.draftInvoice().id, { description: 'Updated by a trigger' }),
  ),
  'invoice.sent': now((objects) => sendInvoice(objects.unit, objects.sentInvoice().id)),
  'invoice.payment_failed': now((objects) => objects.subscription(objects.decliningCard)),
  'invoice.voided': now((objects) => voidInvoice(objects.unit, objects.openInvoice().id)),
  'invoice.marked_uncollectible': now((objects) => markUncollectible(objects.unit, objects.openInvoice().id)),
  'invoice.deleted': now((objects) => deleteInvoice(objects.unit, objects.draftInvoice().id)),
  'payment_intent.created': now((objects) => objects.intent()),
  'payment_intent.succeeded': charged,
  'payment_intent.payment_failed': declined,
  'payment_intent.canceled': now((objects) =>
    cancelPaymentIntent(objects.unit, objects.intent().id, 'requested_by_customer'),
  ),
  'payment_intent.requires_action': now((objects) => objects.intent('pm_card_authenticationRequired')),
  'charge.succeeded': charged,
  'charge.failed': declined,
  'charge.refunded': refunded,
  'refund.created': refunded,
  'refund.failed': later((objects) => objects.refund('pm_card_refundFail').settles_at),
  'customer.created': now((objects) => objects.customer()),
  'customer.updated': now((objects) =>
    updateCustomer(objects.unit, objects.customer().id, { name: 'Ada King, Countess of Lovelace' }),
  ),
  'customer.deleted': now((objects) => deleteCustomer(objects.unit, objects.customer().id)),
  'payment_method.attached': now((objects) =>
    attachPaymentMethod(objects.unit, 'pm_card_visa', objects.customer().id),
  ),
  'payment_method.detached': now((objects) => {
    const { id } = attachPaymentMethod(objects.unit, 'pm_card_visa', objects.customer().id)
    detachPaymentMethod(objects.unit, id)
  }),
  'billing.meter.created': now((objects) => objects.meter()),
  'billing.meter.updated': now((objects) =>
    updateMeter(objects.unit, objects.meter().id, { display_name: 'Updated meter' }),
  ),
  'billing.meter.deactivated': now((objects) => deactivateMeter(objects.unit, objects.meter().id)),
  'billing.meter.reactivated': now((objects) => {
    const { id } = objects.meter()
    deactivateMeter(objects.unit, id)
    reactivateMeter(objects.unit, id)
  }),
  'price.created': now((objects) => objects.price()),
  'price.updated': now((objects) =>
    updatePrice(objects.unit, objects.price().id, { nickname: 'Updated price' }),
  ),
  'credit_note.created': now((objects) => objects.creditNote()),
  'credit_note.updated': now((objects) =>
    updateCreditNote(objects.unit, objects.creditNote().id, { memo: 'Updated by a trigger' }),
  ),
  'credit_note.voided': now((objects) => voidCreditNote(objects.unit, objects.creditNote().id)),
  'charge.dispute.created': disputed,
  'charge.dispute.funds_withdrawn': disputed,
  'charge.dispute.updated': now((objects) =>
    updateDispute(objects.unit, objects.dispute(), { evidence: { product_description: 'A book' } }),
  ),
  'charge.dispute.closed': now((objects) => closeDispute(objects.unit, objects.dispute())),
  'charge.dispute.funds_reinstated': now((objects) =>
    updateDispute(objects.unit, objects.dispute(), { evidence: { uncategorized_text: 'winning_evidence' } }),
  ),
  'coupon.created': now((objects) => objects.coupon()),
  'coupon.updated': now((objects) =>
    updateCoupon(objects.unit, objects.coupon().public_id, { name: 'Updated by a trigger' }),
  ),
  'coupon.deleted': now((objects) => deleteCoupon(objects.unit, objects.coupon().public_id)),
  'promotion_code.created': now((objects) => objects.promotionCode()),
  'promotion_code.updated': now((objects) =>
    updatePromotionCode(objects.unit, objects.promotionCode().id, { active: false }),
  ),
  'customer.discount.created': now((objects) => objects.discountedCustomer()),
  'customer.discount.updated': now((objects) =>
    updateCustomer(objects.unit, objects.discountedCustomer().id, { coupon: objects.coupon().public_id }),
  ),
  'customer.discount.deleted': now((objects) =>
    deleteCustomerDiscount(objects.unit, objects.discountedCustomer().id),
  ),
  'setup_intent.created': now((objects) => objects.setup()),
  'setup_intent.requires_action': now((objects) => objects.setup('pm_card_authenticationRequired')),
  'setup_intent.succeeded': now((objects) => objects.setup('pm_card_visa')),
  'setup_intent.setup_failed': now((objects) => objects.setup('pm_card_chargeDeclined')),
  'setup_intent.canceled': now((objects) => cancelSetupIntent(objects.unit, objects.setup().id, null)),
  'checkout.session.completed': now((objects) => completedCheckout(objects)),
  'checkout.session.expired': now((objects) =>
    expireCheckoutSession(objects.unit, openCheckout(objects, 'subscription').id),
  ),
  'checkout.session.async_payment_succeeded': now((objects) => {
    settlePayment(objects.unit, unpaidCheckout(objects), 'succeed')
  }),
  'checkout.session.async_payment_failed': now((objects) => {
    settlePayment(objects.unit, unpaidCheckout(objects), 'fail')
  }),
  'billing_portal.configuration.created': now((objects) => objects.portalConfiguration()),
  'billing_portal.configuration.updated': now((objects) =>
    updateConfiguration(objects.unit, objects.portalConfiguration().id, { name: 'Updated by a trigger' }),
  ),
  'billing_portal.session.created': now((objects) => objects.portalSession()),
  'product.created': now((objects) => objects.product()),
  'product.updated': now((objects) =>
    updateProduct(objects.unit, objects.product().id, { description: 'Updated by a trigger' }),
  ),
}

/** The results of a trigger. */
export type TriggerResult = {
  /** All emitted events, oldest first. */
  readonly events: readonly EventWithObject[]
  /** When the requested event will be emitted, in Unix seconds; null when it has been. */
  readonly due: number | null
}

/**
 * Creates a merchant's objects so that they emit an event, as its own requests would. No faults apply, and no clock
 * moves: for an event that occurs only later, the returned instant is the time at which it will be emitted.
 * @param request - the id of the operator's request, which the events name
 * See docs/contract/faults.md#triggers.
 */
export async function trigger(
  engine: Engine,
  merchant: MerchantState,
  { type, request, ...sender }: Sender & { readonly type: EventType; readonly request: string },
): Promise<TriggerResult> {
  const context = { id: request, idempotency_key: null, isOperatorRequest: true } as const
  const run = (unit: UnitOfWork) => {
    const head = () => engine.store.journal.head(merchant.settings.ordinal)
    const before = head()
    const recipe = RECIPES[type]
    const objects = new TriggerObjects(unit, type)
    const instant = 'later' in recipe ? recipe.later(objects) : null
    if ('now' in recipe) recipe.now(objects)
    assert(
      instant !== null || unit.events.includes(type),
      `the recipe of ${type} emits it, or returns its instant`,
    )
    return { due: instant, places: { before, after: head() } }
  }
  const { due, places } = await engine.command(merchant, context, run, sender)
  const { before, after } = places
  return { events: eventsAfter(engine, merchant, { types: [], place: before, limit: after - before }), due }
}
