import { matchesGlob } from './glob.ts'

/**
 * Every kind of event, in the order in which the store numbers them: new kinds go to the end.
 * Source: interface.md 6; decisions.md 10.
 */
export const EVENT_TYPES = [
  'subscription.created',
  'subscription.updated',
  'subscription.deleted',
  'subscription.resumed',
  'invoice.created',
  'invoice.finalized',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.voided',
  'invoice.marked_uncollectible',
  'invoice.deleted',
  'payment_intent.created',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'payment_intent.requires_action',
  'charge.succeeded',
  'charge.failed',
  'charge.refunded',
  'refund.created',
  'refund.failed',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'payment_method.attached',
  'payment_method.detached',
  'price.created',
  'price.updated',
  'product.created',
  'product.updated',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/**
 * The kinds that a name or a glob stands for: `invoice.paid`, `invoice.*`, `*`. Empty when it matches none.
 * Source: decisions.md 2 (`stop_on`), 10 (wildcard).
 */
export const matchEventTypes = (pattern: string): EventType[] =>
  EVENT_TYPES.filter((type) => matchesGlob(pattern, type))
