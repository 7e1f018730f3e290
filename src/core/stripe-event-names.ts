import { matchesGlob } from './glob.ts'
import { ALL_EVENT_TYPES, type AnyEventType, CLOCK_EVENT_TYPES } from './kinds.ts'

type NameOf<Type extends string> = Type extends 'invoice.payment_paid'
  ? 'invoice_payment.paid'
  : Type extends `subscription.${string}`
    ? `customer.${Type}`
    : Type

/** The name of an event in Stripe's API. It differs from paytwin's for few types. */
export type StripeEventName = NameOf<AnyEventType>

const TYPES: readonly AnyEventType[] = [...ALL_EVENT_TYPES, ...CLOCK_EVENT_TYPES]

/** Returns Stripe's name of a type of event. */
export const stripeNameOf = (type: AnyEventType): StripeEventName => NAMES[type]

const nameOf = (type: AnyEventType): string =>
  type === 'invoice.payment_paid' ? 'invoice_payment.paid' : type.replace(/^subscription\./, 'customer.$&')

const NAMES = Object.fromEntries(TYPES.map((type) => [type, nameOf(type)])) as Record<
  AnyEventType,
  StripeEventName
>

/** Every name that occurs, in the order of paytwin's own types. */
export const STRIPE_EVENT_NAMES: readonly StripeEventName[] = TYPES.map(stripeNameOf)

/** Returns the type of event that has a name; undefined if paytwin does not emit it. */
export const eventTypeOf = (name: string): AnyEventType | undefined =>
  TYPES.find((type) => NAMES[type] === name)

/** Returns Stripe's name of an entry of a webhook endpoint: a type or a glob of types. */
export function stripePatternOf(pattern: string): string {
  const type = TYPES.find((known) => known === pattern)
  return type ? NAMES[type] : pattern
}

/** Returns the types of event that a name or glob of Stripe's names matches. */
export function matchStripeNames(pattern: string): AnyEventType[] {
  const glob = pattern.replaceAll(/\*{2,}/g, '*')
  return TYPES.filter((type) => matchesGlob(glob, NAMES[type]))
}
