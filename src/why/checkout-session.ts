import type { CheckoutPaymentStatus, CheckoutSession, CheckoutStatus } from '../core/checkout-session.ts'
import { intentFactsOf, type PaymentIntent } from '../core/payment-intent.ts'
import { methodText } from '../core/payment-method.ts'
import { setupFactsOf } from '../core/setup-intent.ts'
import { type Facts, lastStep } from './facts.ts'
import { nextSentences } from './next.ts'
import { declineOf } from './payment.ts'
import { type Cause, detail, money, type Sentence, statusSince } from './sentence.ts'

type Since = { readonly since: number | null; readonly cause: Cause }

const STATUSES: Readonly<Record<CheckoutStatus, (session: CheckoutSession, facts: Facts) => Since>> = {
  open: (session, facts) => ({ since: session.created, cause: openCause(session, facts) }),
  complete: (session, facts) => ({
    since: lastStep(facts, session.id, 'checkout.session.completed')?.created ?? null,
    cause: completeCause(session, facts),
  }),
  expired: ({ id }, facts) => {
    const step = lastStep(facts, id, 'checkout.session.expired')
    return {
      since: step?.created ?? null,
      cause: {
        text:
          step?.request == null
            ? 'its expires_at came before the customer had completed it'
            : 'a request expired it',
        rule: 'checkout-sessions.md#expiry',
      },
    }
  },
}

/** Says what has not happened yet, so that the session is open. */
function openCause({ payment_intent, setup_intent }: CheckoutSession, facts: Facts): Cause {
  const payment = payment_intent === null ? undefined : facts.get('payment_intent', payment_intent)
  const setup = setup_intent === null ? undefined : facts.get('setup_intent', setup_intent)
  if (payment && intentFactsOf(payment).awaitsCustomer)
    return {
      text: 'the customer submitted its page, and has to authenticate the payment',
      rule: 'checkout-sessions.md#authentication',
      object: payment.id,
    }
  if (setup && setupFactsOf(setup).awaitsCustomer)
    return {
      text: 'the customer submitted its page, and has to authenticate the payment method',
      rule: 'checkout-sessions.md#authentication',
      object: setup.id,
    }
  const intent = payment ?? setup
  const error = payment?.last_payment_error ?? setup?.last_setup_error
  if (intent && error)
    return {
      text: `the payment method that the customer submitted failed (${declineOf(error)}), and the page can be submitted again`,
      rule: 'checkout-sessions.md#submitting',
      object: intent.id,
    }
  return { text: 'the customer has yet to submit its page', rule: 'checkout-sessions.md#submitting' }
}

/** Says how the customer completed the session. */
function completeCause(session: CheckoutSession, facts: Facts): Cause {
  const { mode, payment_status, payment_intent, setup_intent } = session
  const intent = payment_intent === null ? undefined : facts.get('payment_intent', payment_intent)
  const { text, rule } =
    mode === 'setup'
      ? { text: 'the payment method was saved', rule: 'checkout-sessions.md#submitting' }
      : PAYMENTS[payment_status](session, intent, facts)
  const object = payment_intent ?? setup_intent
  return { text: `the customer submitted its page, and ${text}`, rule, ...(object !== null && { object }) }
}

type WritePayment = (session: CheckoutSession, intent: PaymentIntent | undefined, facts: Facts) => Cause

/** Says how the customer paid, by the payment status. */
const PAYMENTS: Readonly<Record<CheckoutPaymentStatus, WritePayment>> = {
  unpaid: (_, intent, facts) => {
    const method =
      intent?.payment_method == null ? undefined : facts.get('payment_method', intent.payment_method)
    return {
      text:
        intent && intentFactsOf(intent).awaitsCustomer
          ? `pays later by ${method ? methodText(method) : 'another method'}`
          : 'the later payment failed',
      rule: 'checkout-sessions.md#payments-that-arrive-later',
    }
  },
  no_payment_required: () => ({ text: 'nothing was due', rule: 'checkout-sessions.md#status' }),
  paid: ({ amount_total, currency }, intent) => {
    const amount = intent?.amount_received ?? amount_total
    return {
      text: amount === null || currency === null ? 'paid' : `paid ${money(amount, { currency })}`,
      rule: 'checkout-sessions.md#submitting',
    }
  },
}

/** Explains a Checkout session: its status, the objects that it created, and its jobs. */
export const whyCheckoutSession = (session: CheckoutSession, facts: Facts): Sentence[] => [
  statusSince('Checkout session', session.status, STATUSES[session.status](session, facts)),
  ...madeDetails(session, facts),
  ...nextSentences(session, facts),
]

function madeDetails(
  { subscription: id, invoice, recovered_from }: CheckoutSession,
  facts: Facts,
): Sentence[] {
  const subscription = id === null ? undefined : facts.get('subscription', id)
  const billed = invoice === null ? undefined : facts.get('invoice', invoice)
  const rule = 'checkout-sessions.md#modes'
  return [
    ...(subscription
      ? [
          detail(`It made a subscription, which is ${subscription.status}.`, rule, {
            object: subscription.id,
          }),
        ]
      : []),
    ...(billed
      ? [
          detail(
            `It made invoice ${billed.number ?? billed.id} (${money(billed.total, billed)}), which is ${billed.status}.`,
            rule,
            { object: billed.id },
          ),
        ]
      : []),
    ...(recovered_from === null
      ? []
      : [
          detail('It was opened in place of an expired session.', 'checkout-sessions.md#recovery', {
            object: recovered_from,
          }),
        ]),
  ]
}
