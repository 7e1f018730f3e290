import { matchesGlob } from './glob.ts'

/**
 * Every kind of event, in the order in which the store numbers them: new kinds go to the end.
 * See docs/contract/events-and-webhooks.md#event-types.
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

/** paytwin: the longest name or glob of event types that a request may give, in characters. */
export const MAX_PATTERN_LENGTH = 256

const BY_NAME: ReadonlyMap<string, EventType> = new Map(EVENT_TYPES.map((type) => [type, type]))
const LONGEST_TYPE = Math.max(...EVENT_TYPES.map((type) => type.length))

/**
 * The kinds that a name or a glob stands for: `invoice.paid`, `invoice.*`, `*`. Empty when it matches none.
 * A database may hold a pattern of any length: a long one costs one pass over it.
 * See docs/contract/clocks.md#stop-on.
 */
export function matchEventTypes(pattern: string): EventType[] {
  if (!pattern.includes('*')) return [BY_NAME.get(pattern) ?? []].flat()
  const glob = pattern.replaceAll(/\*{2,}/g, '*')
  // Stars that stand for nothing surround every character of the longest type at most.
  if (glob.length > 2 * LONGEST_TYPE + 1) return []
  return EVENT_TYPES.filter((type) => matchesGlob(glob, type))
}
