import type { Charge, Invoice, PaymentIntent, Subscription } from '../client/types.ts'
import { INVOICE_TRANSITIONS } from '../core/invoice-status.ts'
import { PAYMENT_INTENT_TRANSITIONS } from '../core/payment-intent.ts'
import { PAUSE_BEHAVIORS } from '../core/subscription.ts'
import { factsOf } from '../core/subscription-status.ts'
import { TEST_CARDS } from '../core/test-card.ts'
import { allows } from '../core/transitions.ts'
import type { ApiParams } from '../http/dashboard/operator-api.ts'

/** An action on an object: one request to /v1. */
export type Action = {
  /** Its name in the path of the form. */
  readonly name: string
  readonly label: string
  readonly isDangerous?: true
  readonly method: 'POST' | 'DELETE'
  /** Below /v1. */
  readonly path: string
  readonly params?: ApiParams
  /** Parameters that the user enters. */
  readonly fields?: readonly ActionField[]
  /**
   * The customer to which the test card in the field `card` is attached first, and the parameter that gets the id of the card.
   */
  readonly attaches?: { readonly customer: string; readonly param: string }
}

/** A parameter that the user enters in a form. An empty one is omitted. */
export type ActionField = {
  /** The name of the parameter. */
  readonly name: string
  readonly label: string
  readonly placeholder?: string
  readonly isRequired?: true
} & (
  | { readonly type: 'number' }
  /** In UTC; sent as Unix seconds. */
  | { readonly type: 'time' }
  | { readonly type: 'choice'; readonly choices: readonly string[] }
)

/** The field with the test card of an action that attaches one. */
export const CARD = 'card'

/** Attaches a test card, and makes it the payment method of an object. */
const changeCard = (path: string, attaches: NonNullable<Action['attaches']>): Action => ({
  name: 'change_card',
  label: 'Change card',
  method: 'POST',
  path,
  attaches,
  fields: [{ type: 'choice', name: CARD, label: 'Test card', choices: Object.keys(TEST_CARDS) }],
})

/** Lists the actions on a customer that is not deleted. */
export const customerActions = ({ id }: { readonly id: string }): Action[] => [
  changeCard(`customers/${encodeURIComponent(id)}`, {
    customer: id,
    param: 'invoice_settings[default_payment_method]',
  }),
]

/** Lists the actions that the status of an invoice allows. The API checks again. */
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

type Running = Pick<
  Subscription,
  'id' | 'status' | 'customer' | 'cancel_at' | 'cancel_at_period_end' | 'pause_collection'
>

/** Lists the actions that the status of a subscription allows. The API checks again. */
export function subscriptionActions(subscription: Running): Action[] {
  const { id, customer, cancel_at, cancel_at_period_end, pause_collection } = subscription
  const facts = factsOf(subscription)
  const path = `subscriptions/${encodeURIComponent(id)}`
  const update = (name: string, label: string, params: ApiParams, fields?: Action['fields']): Action => ({
    name,
    label,
    method: 'POST',
    path,
    params,
    ...(fields && { fields }),
  })
  const cancel = (name: string, label: string, params?: ApiParams): Action => ({
    name,
    label,
    isDangerous: true,
    method: 'DELETE',
    path,
    ...(params && { params }),
  })
  return [
    ...(!facts.isRunning
      ? []
      : [
          pause_collection
            ? update('unpause', 'Resume collection', { pause_collection: '' })
            : update('pause', 'Pause collection', {}, [PAUSE_FIELD]),
          ...(cancel_at_period_end
            ? [update('keep', 'Do not cancel', { cancel_at_period_end: false })]
            : cancel_at !== null
              ? [update('keep', 'Do not cancel', { cancel_at: '' })]
              : [
                  update('cancel_later', 'Cancel at the end of the period', { cancel_at_period_end: true }),
                  update('cancel_at', 'Cancel at a time', {}, [CANCEL_FIELD]),
                ]),
        ]),
    ...(facts.isPaused
      ? [{ name: 'resume', label: 'Resume', method: 'POST', path: `${path}/resume` } as const]
      : []),
    ...(facts.hasEnded
      ? []
      : [
          changeCard(path, { customer, param: 'default_payment_method' }),
          cancel('cancel', 'Cancel now'),
          cancel('cancel_prorated', 'Cancel now, and credit the unused time', {
            prorate: true,
            invoice_now: true,
          }),
        ]),
  ]
}

const PAUSE_FIELD: ActionField = {
  type: 'choice',
  name: 'pause_collection[behavior]',
  label: 'What becomes of invoices',
  choices: PAUSE_BEHAVIORS.toReversed(),
}
const CANCEL_FIELD: ActionField = { type: 'time', name: 'cancel_at', label: 'Time (UTC)', isRequired: true }

/**
 * Lists the actions that the status of a payment allows. The API checks again.
 * @param charges - the charges of the payment, newest first
 */
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
            label: 'Refund',
            method: 'POST',
            path: 'refunds',
            params: { payment_intent: id },
            fields: [REFUND_FIELD],
          } as const,
        ]
      : []),
    ...(allows(PAYMENT_INTENT_TRANSITIONS, status, 'cancel')
      ? [{ name: 'cancel', label: 'Cancel', isDangerous: true, method: 'POST', path } as const]
      : []),
  ]
}

const REFUND_FIELD: ActionField = {
  type: 'number',
  name: 'amount',
  label: 'Amount in the smallest unit, such as cents',
  placeholder: 'the rest',
}
