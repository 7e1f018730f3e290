import type { Charge, Invoice, PaymentIntent, Subscription } from '../client/types.ts'
import { INVOICE_TRANSITIONS } from '../core/invoice-status.ts'
import { PAYMENT_INTENT_TRANSITIONS } from '../core/payment-intent.ts'
import { factsOf } from '../core/subscription-status.ts'
import { allows } from '../core/transitions.ts'
import type { ApiParams } from '../http/dashboard/operator-api.ts'

/** Something that can be done with an object: one request to /v1. */
export type Action = {
  /** Its name in the path of the form. */
  readonly name: string
  readonly label: string
  readonly isDangerous?: true
  readonly method: 'POST' | 'DELETE'
  /** Below /v1. */
  readonly path: string
  readonly params?: ApiParams
}

/** Returns what can be done with an invoice in its status. The API decides again. */
export function invoiceActions({ id, status }: Pick<Invoice, 'id' | 'status'>): Action[] {
  const path = `invoices/${encodeURIComponent(id)}`
  const all = [
    { name: 'finalize', label: 'Finalize', event: 'finalize' },
    { name: 'pay', label: 'Pay now', event: 'pay' },
    { name: 'mark_uncollectible', label: 'Mark uncollectible', event: 'mark_uncollectible' },
    { name: 'void', label: 'Void', event: 'void', isDangerous: true },
  ] as const
  return all
    .filter(({ event }) => allows(INVOICE_TRANSITIONS, status, event))
    .map(({ event: _, ...action }) => ({ ...action, method: 'POST', path: `${path}/${action.name}` }))
}

type Running = Pick<Subscription, 'id' | 'status' | 'cancel_at_period_end' | 'pause_collection'>

/** Returns what can be done with a subscription in its status. The API decides again. */
export function subscriptionActions(subscription: Running): Action[] {
  const { id, cancel_at_period_end, pause_collection } = subscription
  const facts = factsOf(subscription)
  const path = `subscriptions/${encodeURIComponent(id)}`
  const update = (name: string, label: string, params: ApiParams): Action => ({
    name,
    label,
    method: 'POST',
    path,
    params,
  })
  return [
    ...(!facts.isRunning
      ? []
      : [
          pause_collection
            ? update('unpause', 'Resume collection', { pause_collection: '' })
            : update('pause', 'Pause collection', { 'pause_collection[behavior]': 'void' }),
          cancel_at_period_end
            ? update('keep', 'Do not cancel', { cancel_at_period_end: false })
            : update('cancel_later', 'Cancel at the end of the period', { cancel_at_period_end: true }),
        ]),
    ...(facts.isPaused
      ? [{ name: 'resume', label: 'Resume', method: 'POST', path: `${path}/resume` } as const]
      : []),
    ...(facts.hasEnded
      ? []
      : [{ name: 'cancel', label: 'Cancel now', isDangerous: true, method: 'DELETE', path } as const]),
  ]
}

/** Returns what can be done with a payment. The API decides again. @param charges - those of the payment, newest first */
export function paymentActions(
  { id, status }: Pick<PaymentIntent, 'id' | 'status'>,
  charges: readonly Pick<Charge, 'amount' | 'amount_refunded' | 'status'>[],
): Action[] {
  const canRefund = charges.some(
    ({ amount, amount_refunded, status: outcome }) => outcome === 'succeeded' && amount_refunded < amount,
  )
  const path = `payment_intents/${encodeURIComponent(id)}/cancel`
  return [
    ...(canRefund
      ? [
          {
            name: 'refund',
            label: 'Refund the rest',
            method: 'POST',
            path: 'refunds',
            params: { payment_intent: id },
          } as const,
        ]
      : []),
    ...(allows(PAYMENT_INTENT_TRANSITIONS, status, 'cancel')
      ? [{ name: 'cancel', label: 'Cancel', isDangerous: true, method: 'POST', path } as const]
      : []),
  ]
}
