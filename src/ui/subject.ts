import type { CustomerTimeline, Event, InvoiceTimeline, SubscriptionTimeline } from '../client/types.ts'

/** An object that has a timeline. */
export type Subject = { readonly kind: 'customer' | 'subscription' | 'invoice'; readonly id: string }

export type SubjectTimeline = CustomerTimeline | InvoiceTimeline | SubscriptionTimeline

/**
 * Returns the object whose timeline shows an event: its own object, or else the invoice or the customer that it belongs to;
 * undefined for events of products, prices, refunds and disputes.
 */
export function subjectOf({ data: { object } }: Event): Subject | undefined {
  const { object: kind, id, invoice, subscription, customer } = object
  // The preview of an invoice has no id.
  if (id === null)
    return typeof subscription === 'string' ? { kind: 'subscription', id: subscription } : undefined
  if (kind === 'customer' || kind === 'subscription' || kind === 'invoice') return { kind, id }
  if (typeof invoice === 'string') return { kind: 'invoice', id: invoice }
  return typeof customer === 'string' ? { kind: 'customer', id: customer } : undefined
}
