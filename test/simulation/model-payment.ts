import type { Dispute } from './model-dispute.ts'
import type { Operation } from './model-events.ts'
import type { Intent } from './model-money.ts'
import type { Behaviour, Customer, Invoice, Method, Subscription } from './model-state.ts'
import { named, newKey } from './model-state.ts'

export type Outcome = 'approved' | 'declined' | 'no method' | 'timed out'

/**
 * Returns the payment method of an attempt; a detached one is not charged.
 * See docs/contract/subscriptions.md#attempted-payment-method.
 */
export function methodFor(
  operation: Operation,
  customer: string,
  subscription: Subscription | null,
): Method | null {
  const { merchant } = operation
  const owner = named<Customer>(merchant.customers, customer)
  for (const key of [subscription?.method ?? null, owner.defaultMethod]) {
    const method = key === null ? null : named<Method>(merchant.methods, key)
    if (method && method.customer === customer) return method
  }
  return null
}

/**
 * Returns the processor's response: the first fault, or else the card's script.
 * See docs/contract/faults.md#charge-faults.
 */
export function attempt({ faults }: Operation, method: Method | null): Outcome {
  if (!method) return 'no method'
  const fault = faults.find(({ remaining }) => remaining > 0)
  if (fault) {
    fault.remaining -= 1
    return fault.kind === 'decline' ? 'declined' : 'timed out'
  }
  if (method.script) {
    const outcome = method.script.outcomes.shift() ?? method.script.then
    return outcome === 'succeed' ? 'approved' : 'declined'
  }
  return method.behaviour === 'declines' ? 'declined' : 'approved'
}

/**
 * Creates a charge and updates its intent. Without a method there is no charge. See
 * docs/contract/payments.md#charges.
 */
export function charge(
  operation: Operation,
  intent: Intent,
  { outcome, method }: { outcome: Outcome; method: Method | null },
): string | null {
  const { merchant } = operation
  const isApproved = outcome === 'approved'
  intent.status = isApproved ? 'succeeded' : 'requires_payment_method'
  intent.method = isApproved ? (method?.key ?? null) : null
  operation.tellOfIntent(isApproved ? 'payment_intent.succeeded' : 'payment_intent.payment_failed', intent)
  if (outcome === 'no method') return null
  const made = {
    key: newKey(merchant, 'ch'),
    intent: intent.key,
    customer: intent.customer,
    amount: intent.amount,
    succeeded: isApproved,
    refundsFail: method !== null && behaviourOf(method) === 'refund fails',
    refunded: 0,
  }
  merchant.charges.push(made)
  operation.tellOfCharge(isApproved ? 'charge.succeeded' : 'charge.failed', made)
  if (isApproved && method && behaviourOf(method) === 'is disputed') {
    const dispute: Dispute = {
      key: newKey(merchant, 'dp'),
      charge: made.key,
      created: operation.at,
      status: 'needs_response',
      text: null,
      submissions: 0,
    }
    merchant.disputes.push(dispute)
    operation.tellOfDispute('created', dispute)
    operation.tellOfDispute('funds_withdrawn', dispute)
  }
  return made.key
}

const behaviourOf = ({ behaviour }: Method): Behaviour => behaviour

/** Attempts to pay an invoice. The events of the invoice come before those of the payment. */
export function settleInvoice(
  operation: Operation,
  invoice: Invoice,
  result: { outcome: Outcome; method: Method | null },
): void {
  const intent = named<Intent>(operation.merchant.intents, invoice.intent ?? 'an intent')
  const made = charge(operation, intent, result)
  if (made !== null) invoice.charge = made
  invoice.attempted = true
  if (result.outcome === 'approved') {
    invoice.status = 'paid'
    invoice.paidAt = operation.at
    invoice.next = null
    operation.tellOfInvoice('invoice.paid', invoice)
  } else operation.tellOfInvoice('invoice.payment_failed', invoice)
}
