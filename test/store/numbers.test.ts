import { expect, test } from 'vitest'
import { JOB_KINDS } from '../../src/core/jobs.ts'
import { ALL_EVENT_TYPES, KINDS } from '../../src/core/kinds.ts'

/**
 * Lists whose indexes are stored in databases and snapshots. A changed list needs a migration that rewrites the rows.
 */
const NUMBERS = {
  'kind of object': [
    KINDS,
    [
      'customer',
      'product',
      'price',
      'payment_method',
      'subscription',
      'invoice',
      'payment_intent',
      'charge',
      'refund',
      'invoice_item',
      'webhook_endpoint',
    ],
  ],
  'kind of job': [
    JOB_KINDS,
    [
      'payment_retry',
      'invoice_due',
      'cancellation',
      'incomplete_expiry',
      'pause_end',
      'trial_end',
      'renewal',
      'refund_settlement',
      'webhook_retry',
    ],
  ],
  'kind of event': [
    ALL_EVENT_TYPES,
    [
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
    ],
  ],
} as const

test.each(Object.entries(NUMBERS))(
  'each %s keeps the number under which it is stored',
  (_, [names, stored]) => {
    expect(names.slice(0, stored.length)).toEqual(stored)
  },
)
