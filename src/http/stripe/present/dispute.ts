import type Stripe from 'stripe'
import { balanceTransaction } from '../../../core/balance-transaction.ts'
import { type Dispute, isRefundable } from '../../../core/dispute.ts'
import type { View } from '../../../engine/history/view.ts'
import type { Wire } from '../wire.ts'
import { presentAccountTransaction } from './balance-transaction.ts'

export const presentDispute = (_view: View, dispute: Dispute): Wire<Stripe.Dispute> => ({
  id: dispute.id,
  object: 'dispute',
  amount: dispute.amount,
  // The transaction that returns the money of a won dispute is only in the list of balance transactions.
  balance_transactions: [presentAccountTransaction(balanceTransaction('dispute', dispute), dispute.created)],
  charge: dispute.charge,
  created: dispute.created,
  currency: dispute.currency,
  enhanced_eligibility_types: [],
  evidence: presentEvidence(dispute),
  evidence_details: {
    due_by: dispute.due_by,
    enhanced_eligibility: {},
    has_evidence: Object.keys(dispute.evidence).length > 0,
    past_due: false,
    submission_count: dispute.submission_count,
    submission_method: 'manual',
  },
  intended_submission_method: null,
  is_charge_refundable: isRefundable(dispute),
  livemode: false,
  metadata: dispute.metadata,
  payment_intent: dispute.payment_intent,
  reason: dispute.reason,
  status: dispute.status,
})

/** Presents evidence. There are no files. */
const presentEvidence = ({ evidence }: Dispute): Wire<Stripe.Dispute.Evidence> => ({
  access_activity_log: evidence.access_activity_log ?? null,
  billing_address: evidence.billing_address ?? null,
  cancellation_policy: null,
  cancellation_policy_disclosure: evidence.cancellation_policy_disclosure ?? null,
  cancellation_rebuttal: evidence.cancellation_rebuttal ?? null,
  customer_communication: null,
  customer_email_address: evidence.customer_email_address ?? null,
  customer_name: evidence.customer_name ?? null,
  customer_purchase_ip: evidence.customer_purchase_ip ?? null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: evidence.duplicate_charge_explanation ?? null,
  duplicate_charge_id: evidence.duplicate_charge_id ?? null,
  enhanced_evidence: {},
  product_description: evidence.product_description ?? null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: evidence.refund_policy_disclosure ?? null,
  refund_refusal_explanation: evidence.refund_refusal_explanation ?? null,
  service_date: evidence.service_date ?? null,
  service_documentation: null,
  shipping_address: evidence.shipping_address ?? null,
  shipping_carrier: evidence.shipping_carrier ?? null,
  shipping_date: evidence.shipping_date ?? null,
  shipping_documentation: null,
  shipping_tracking_number: evidence.shipping_tracking_number ?? null,
  uncategorized_file: null,
  uncategorized_text: evidence.uncategorized_text ?? null,
})
