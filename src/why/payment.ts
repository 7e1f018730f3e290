import { type Dispute, type DisputeStatus, decisionOn } from '../core/dispute.ts'
import type { PaymentIntent, PaymentIntentStatus } from '../core/payment-intent.ts'
import type { SetupIntent, SetupIntentStatus } from '../core/setup-intent.ts'
import { type Facts, lastStep, stepsOf } from './facts.ts'
import { nextSentences } from './next.ts'
import { type Cause, detail, instant, money, type Sentence, statusSince } from './sentence.ts'

/** Returns when an object came to its status: the time of the event that reported it. */
const sinceStatus = (object: Dispute | PaymentIntent | SetupIntent, facts: Facts): number | null =>
  stepsOf(facts, object.id).findLast(
    ({ replaced, after }) =>
      (after as typeof object).status === object.status && (replaced === null || 'status' in replaced),
  )?.created ?? null

type Causes<Status extends string, T> = Readonly<Record<Status, (object: T, facts: Facts) => Cause>>

const PAYMENT_STATUS = 'payments.md#payment-intent-status'

/** Names the code of a decline. */
export const declineOf = ({
  code,
  decline_code,
}: {
  readonly code: string
  readonly decline_code: string | null
}): string => decline_code ?? code

const PAYMENT_CAUSES: Causes<PaymentIntentStatus, PaymentIntent> = {
  requires_payment_method: ({ last_payment_error: error }) =>
    error
      ? {
          text: `its latest attempt failed (${declineOf(error)}), so it needs another payment method`,
          rule: 'errors.md#declines',
          ...(error.charge !== null && { object: error.charge }),
        }
      : { text: 'no payment method has been chosen', rule: PAYMENT_STATUS },
  requires_confirmation: ({ payment_method, invoice }) => ({
    text:
      payment_method === null
        ? invoice === null
          ? 'no request has confirmed it, and it has no payment method'
          : 'its invoice is finalized but was not charged yet'
        : 'it has a payment method, and no request has confirmed it',
    rule: invoice === null ? 'payments.md#confirming' : 'payments.md#intents-of-invoices',
  }),
  requires_action: ({ payment_method }, facts) => {
    const type = payment_method === null ? undefined : facts.get('payment_method', payment_method)?.type
    return type === undefined || type === 'card'
      ? { text: 'the customer has to authenticate the payment', rule: 'payments.md#authentication' }
      : { text: `the customer has to send the money by ${type}`, rule: 'payments.md#push-methods' }
  },
  succeeded: ({ latest_charge, amount_received, currency }) => ({
    text: `a charge of ${money(amount_received, { currency })} succeeded`,
    rule: 'payments.md#charges',
    ...(latest_charge !== null && { object: latest_charge }),
  }),
  canceled: ({ invoice, cancellation_reason }) =>
    invoice === null
      ? {
          text: `a request canceled it${cancellation_reason === null ? '' : ` (${cancellation_reason})`}`,
          rule: 'payments.md#canceling-an-intent',
        }
      : {
          text: 'its invoice was voided, credited in full, or paid out of band',
          rule: 'payments.md#intents-of-invoices',
          object: invoice,
        },
}

/** Explains a payment intent: its status, the invoice that it pays, refunds and disputes, and what will happen. */
export function whyPaymentIntent(intent: PaymentIntent, facts: Facts): Sentence[] {
  const { status, invoice: id, latest_charge, canceled_at } = intent
  const invoice = id === null ? undefined : facts.get('invoice', id)
  const charge = latest_charge === null ? undefined : facts.get('charge', latest_charge)
  const since = canceled_at ?? sinceStatus(intent, facts)
  return [
    statusSince('status of the payment intent', status, {
      since,
      cause: PAYMENT_CAUSES[status](intent, facts),
    }),
    ...(invoice
      ? [
          detail(
            `It pays invoice ${invoice.number ?? invoice.id}, which is ${invoice.status}.`,
            'payments.md#intents-of-invoices',
            { object: invoice.id },
          ),
        ]
      : []),
    ...(charge && charge.amount_refunded > 0
      ? [
          detail(
            `Of its charge, ${money(charge.amount_refunded, charge)} of ${money(charge.amount, charge)} was refunded.`,
            'payments.md#refunds',
            { object: charge.id },
          ),
        ]
      : []),
    ...(charge?.dispute != null ? disputeDetail(charge.dispute, facts) : []),
    ...nextSentences(intent, facts),
  ]
}

function disputeDetail(id: string, facts: Facts): Sentence[] {
  const dispute = facts.get('dispute', id)
  return dispute
    ? [
        detail(`Its charge is disputed; the dispute is ${dispute.status}.`, 'disputes.md#status', {
          object: id,
        }),
      ]
    : []
}

const SETUP_CAUSES: Causes<SetupIntentStatus, SetupIntent> = {
  requires_payment_method: ({ last_setup_error: error }) => ({
    text: error
      ? `its latest confirmation failed (${declineOf(error)}), so it needs another payment method`
      : 'no payment method has been chosen',
    rule: 'setup-intents.md#confirming',
  }),
  requires_confirmation: ({ payment_method }) => ({
    text: 'it has a payment method, and no request has confirmed it',
    rule: 'setup-intents.md#confirming',
    ...(payment_method !== null && { object: payment_method }),
  }),
  requires_action: () => ({
    text: 'the customer has to authenticate the payment method',
    rule: 'setup-intents.md#authentication',
  }),
  succeeded: ({ payment_method }) => ({
    text: 'its payment method was saved',
    rule: 'setup-intents.md#confirming',
    ...(payment_method !== null && { object: payment_method }),
  }),
  canceled: ({ cancellation_reason }) => ({
    text: `it was canceled${cancellation_reason === null ? '' : ` (${cancellation_reason})`}`,
    rule: 'setup-intents.md#status',
  }),
}

/** Explains a setup intent. */
export const whySetupIntent = (intent: SetupIntent, facts: Facts): Sentence[] => [
  statusSince('status of the setup intent', intent.status, {
    since: sinceStatus(intent, facts),
    cause: SETUP_CAUSES[intent.status](intent, facts),
  }),
  ...(intent.subscription === null
    ? []
    : [
        detail('It prepares the later payments of a subscription.', 'setup-intents.md#subscriptions', {
          object: intent.subscription,
        }),
      ]),
  ...nextSentences(intent, facts),
]

const DISPUTE_CAUSES: Causes<DisputeStatus, Dispute> = {
  needs_response: ({ due_by }) => ({
    text: `no evidence has been submitted yet, and it is due by ${instant(due_by)}`,
    rule: 'disputes.md#due-date',
  }),
  under_review: () => ({
    text: 'evidence was submitted on which the bank does not decide; only winning_evidence or losing_evidence ends it',
    rule: 'disputes.md#evidence',
  }),
  won: () => ({
    text: 'the evidence was winning_evidence, and the funds were reinstated',
    rule: 'disputes.md#evidence',
  }),
  lost: (dispute, facts) => {
    const isByRequest = lastStep(facts, dispute.id, 'charge.dispute.closed')?.request != null
    if (!isByRequest)
      return {
        text: `no evidence was submitted by ${instant(dispute.due_by)}, when it was due`,
        rule: 'disputes.md#due-date',
      }
    return dispute.submission_count > 0 && decisionOn(dispute) === 'lose'
      ? { text: 'the evidence was losing_evidence', rule: 'disputes.md#evidence' }
      : { text: 'a request closed it', rule: 'disputes.md#status' }
  },
}

/** Explains a dispute. */
export const whyDispute = (dispute: Dispute, facts: Facts): Sentence[] => [
  statusSince('status of the dispute', dispute.status, {
    since: sinceStatus(dispute, facts),
    cause: DISPUTE_CAUSES[dispute.status](dispute, facts),
  }),
  detail(
    `The customer disputed a charge of ${money(dispute.amount, dispute)} as ${dispute.reason} at ${instant(dispute.created)}.`,
    'disputes.md#disputed-cards',
    { at: dispute.created, object: dispute.charge },
  ),
  ...nextSentences(dispute, facts),
]
