import { assert } from '../core/errors.ts'
import type { EventType } from '../core/event.ts'
import { deleteCustomer, updateCustomer } from './customer.ts'
import type { Engine } from './engine.ts'
import { eventsAfter, newestPlace } from './events.ts'
import { deleteInvoice, markUncollectible, voidInvoice } from './invoice.ts'
import type { MerchantState } from './merchant-state.ts'
import { cancelPaymentIntent } from './payment-intent.ts'
import { attachPaymentMethod, detachPaymentMethod } from './payment-method.ts'
import { updatePrice, updateProduct } from './price.ts'
import { cancelSubscription } from './subscription.ts'
import { resumeSubscription, updateSubscription } from './subscription-update.ts'
import { Props } from './trigger-props.ts'
import type { RecalledEvent } from './view.ts'

/**
 * Makes what emits an event: `now`, or what time alone makes emit it `later`, with the instant at which it will (Unix
 * seconds on the merchant's clock).
 */
type Recipe =
  | { readonly now: (props: Props) => unknown }
  | { readonly later: (props: Props) => number | null }

const now = (make: (props: Props) => unknown): Recipe => ({ now: make })
const later = (make: (props: Props) => number | null): Recipe => ({ later: make })

const subscribed = now((props) => props.subscription())
const charged = now((props) => props.intent('pm_card_visa'))
const declined = now((props) => props.intent('pm_card_chargeDeclined'))
const refunded = now((props) => props.refund())

/** For every kind of event the shortest story in which it happens. paytwin. */
const RECIPES: Readonly<Record<EventType, Recipe>> = {
  'subscription.created': subscribed,
  'subscription.updated': now((props) =>
    updateSubscription(props.unit, props.subscription().id, { description: 'Updated by a trigger' }),
  ),
  'subscription.deleted': now((props) =>
    cancelSubscription(props.unit, props.subscription().id, { cancel_at_period_end: false }),
  ),
  'subscription.resumed': now((props) => {
    const { id } = props.subscription()
    cancelSubscription(props.unit, id, { cancel_at_period_end: true })
    resumeSubscription(props.unit, id)
  }),
  'invoice.created': subscribed,
  'invoice.finalized': subscribed,
  'invoice.paid': subscribed,
  'invoice.payment_failed': now((props) => props.subscription('pm_card_chargeDeclined')),
  'invoice.voided': now((props) => voidInvoice(props.unit, props.openInvoice().id)),
  'invoice.marked_uncollectible': now((props) => markUncollectible(props.unit, props.openInvoice().id)),
  'invoice.deleted': now((props) => deleteInvoice(props.unit, props.draftInvoice().id)),
  'payment_intent.created': now((props) => props.intent()),
  'payment_intent.succeeded': charged,
  'payment_intent.payment_failed': declined,
  'payment_intent.canceled': now((props) =>
    cancelPaymentIntent(props.unit, props.intent().id, 'requested_by_customer'),
  ),
  'payment_intent.requires_action': now((props) => props.intent('pm_card_authenticationRequired')),
  'charge.succeeded': charged,
  'charge.failed': declined,
  'charge.refunded': refunded,
  'refund.created': refunded,
  'refund.failed': later((props) => props.refund('pm_card_refundFail').settles_at),
  'customer.created': now((props) => props.customer()),
  'customer.updated': now((props) =>
    updateCustomer(props.unit, props.customer().id, { name: 'Ada King, Countess of Lovelace' }),
  ),
  'customer.deleted': now((props) => deleteCustomer(props.unit, props.customer().id)),
  'payment_method.attached': now((props) =>
    attachPaymentMethod(props.unit, 'pm_card_visa', props.customer().id),
  ),
  'payment_method.detached': now((props) => {
    const { id } = attachPaymentMethod(props.unit, 'pm_card_visa', props.customer().id)
    detachPaymentMethod(props.unit, id)
  }),
  'price.created': now((props) => props.price()),
  'price.updated': now((props) => updatePrice(props.unit, props.price().id, { nickname: 'Updated price' })),
  'product.created': now((props) => props.product()),
  'product.updated': now((props) =>
    updateProduct(props.unit, props.product().id, { description: 'Updated by a trigger' }),
  ),
}

/** What a trigger made. */
export type Triggered = {
  /** All events that were told, oldest first. */
  readonly events: readonly RecalledEvent[]
  /** When the event that was asked for happens, in Unix seconds; null when it has. */
  readonly due: number | null
}

/**
 * Makes a merchant's objects that emit an event, as its own requests would; no event is ever made up. No fault strikes, and
 * no clock moves: what time alone brings is prepared, and its instant told.
 * @param request - the id of the operator's request, which the events name
 * Source: operator.md, "Command line" (trigger).
 */
export async function trigger(
  engine: Engine,
  merchant: MerchantState,
  { type, request }: { type: EventType; request: string },
): Promise<Triggered> {
  const context = { id: request, idempotency_key: null, isOperators: true } as const
  const { due, places } = await engine.command(merchant, context, (unit) => {
    const before = newestPlace(engine, merchant)
    const recipe = RECIPES[type]
    const props = new Props(unit, type)
    const instant = 'later' in recipe ? recipe.later(props) : null
    if ('now' in recipe) recipe.now(props)
    assert(
      instant !== null || unit.events.includes(type),
      `what ${type} is triggered by tells it, or says when it comes`,
    )
    return { due: instant, places: { before, after: newestPlace(engine, merchant) } }
  })
  const { before, after } = places
  return { events: eventsAfter(engine, merchant, { types: [], place: before, limit: after - before }), due }
}
