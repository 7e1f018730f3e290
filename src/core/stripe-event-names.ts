import { matchesGlob } from './glob.ts'
import { ALL_EVENT_TYPES, type EventType } from './kinds.ts'

type NameOf<Type extends string> = Type extends 'invoice.payment_paid'
  ? 'invoice_payment.paid'
  : Type extends `subscription.${string}`
    ? `customer.${Type}`
    : Type

/** The name of an event in Stripe's API. It differs from paytwin's for few types. */
export type StripeEventName = NameOf<EventType>

/** Returns Stripe's name of a type of event. */
export const stripeNameOf = (type: EventType): StripeEventName => NAMES[type]

const nameOf = (type: EventType): string =>
  type === 'invoice.payment_paid' ? 'invoice_payment.paid' : type.replace(/^subscription\./, 'customer.$&')

const NAMES = Object.fromEntries(ALL_EVENT_TYPES.map((type) => [type, nameOf(type)])) as Record<
  EventType,
  StripeEventName
>

/** Every name that occurs, in the order of paytwin's own types. */
export const STRIPE_EVENT_NAMES: readonly StripeEventName[] = ALL_EVENT_TYPES.map(stripeNameOf)

/** Returns the type of event that has a name; undefined if paytwin does not emit it. */
export const eventTypeOf = (name: string): EventType | undefined =>
  ALL_EVENT_TYPES.find((type) => NAMES[type] === name)

/** Returns Stripe's name of an entry of a webhook endpoint: a type or a glob of types. */
export function stripePatternOf(pattern: string): string {
  const type = ALL_EVENT_TYPES.find((known) => known === pattern)
  return type ? NAMES[type] : pattern
}

/** Returns the types of event that a name or glob of Stripe's names matches. */
export function matchStripeNames(pattern: string): EventType[] {
  const glob = pattern.replaceAll(/\*{2,}/g, '*')
  return ALL_EVENT_TYPES.filter((type) => matchesGlob(glob, NAMES[type]))
}
