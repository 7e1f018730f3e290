import * as z from 'zod'
import { type Dispute, EVIDENCE_NAMES, type EvidenceName, isRefundable } from '../core/dispute.ts'
import type { View } from '../engine/history/view.ts'
import { closeDispute, updateDispute } from '../engine/resources/dispute.ts'
import type { Api } from './api.ts'
import { deferred } from './deferred.ts'
import { metadata, omittableText, reference } from './fields.ts'
import { createdParam, filtersOf, listObjects, pageParams } from './pagination.ts'
import { common, type Resource, retrieve } from './resource.ts'
import { type DisputeShape, disputeList, disputeSchema } from './schemas/dispute.ts'
import { ShownObject } from './shown-object.ts'

const evidence = deferred(() =>
  z.object(
    Object.fromEntries(EVIDENCE_NAMES.map((name) => [name, omittableText])) as Record<
      EvidenceName,
      typeof omittableText
    >,
  ),
)
export const updateParams = deferred(() =>
  z.object({
    evidence: evidence().optional(),
    submit: z.boolean().optional(),
    metadata,
  }),
)
export const listParams = deferred(() =>
  z.object({
    ...pageParams,
    charge: reference.optional(),
    payment_intent: reference.optional(),
    created: createdParam(),
  }),
)

function disputeRoutes(api: Api): void {
  api.read(
    {
      method: 'get',
      path: '/v1/disputes',
      summary: 'Lists disputes, newest first.',
      params: listParams,
      returns: disputeList,
    },
    (call) =>
      listObjects(call, 'dispute', filtersOf(call.params, 'charge', 'payment_intent'), presentDispute),
  )
  api.read(
    {
      method: 'get',
      path: '/v1/disputes/:id',
      summary: 'Retrieves a dispute.',
      returns: disputeSchema,
    },
    ({ view, id }) => ShownObject.of(view, retrieve(view, 'dispute', id), presentDispute),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/disputes/:id',
      summary: 'Updates a dispute, and submits its evidence.',
      params: updateParams,
      returns: disputeSchema,
      errors: { 400: ['parameter_missing', 'invalid_state_transition'] },
    },
    ({ unit, view, id, params }) => presentDispute(view, updateDispute(unit, id, params)),
  )
  api.write(
    {
      method: 'post',
      path: '/v1/disputes/:id/close',
      summary: 'Gives a dispute up, which is then lost.',
      returns: disputeSchema,
      errors: { 400: ['invalid_state_transition'] },
    },
    ({ unit, view, id }) => presentDispute(view, closeDispute(unit, id)),
  )
}

/** Presents a dispute. paytwin: its fields. See docs/contract/disputes.md#fields. */
const presentDispute = (view: View, dispute: Dispute): DisputeShape => ({
  ...common(view, 'dispute', dispute),
  status: dispute.status,
  amount: dispute.amount,
  currency: dispute.currency,
  charge: dispute.charge,
  payment_intent: dispute.payment_intent,
  reason: dispute.reason,
  is_charge_refundable: isRefundable(dispute),
  evidence: Object.fromEntries(
    EVIDENCE_NAMES.map((name) => [name, dispute.evidence[name] ?? null]),
  ) as DisputeShape['evidence'],
  evidence_details: {
    due_by: dispute.due_by,
    has_evidence: Object.keys(dispute.evidence).length > 0,
    past_due: false,
    submission_count: dispute.submission_count,
  },
  metadata: dispute.metadata,
  test_clock: dispute.test_clock,
})

export const disputeResource: Resource<'dispute'> = {
  collection: 'disputes',
  present: presentDispute,
  routes: disputeRoutes,
  params: {
    evidence:
      'The evidence to add. winning_evidence or losing_evidence as uncategorized_text decides the dispute.',
    'evidence.uncategorized_text':
      'Other evidence. winning_evidence wins the dispute, losing_evidence loses it.',
    submit: 'Whether to submit the evidence. Default: true if evidence is given.',
  },
  queryParams: {
    charge: 'Only disputes of this charge.',
    payment_intent: 'Only disputes of this payment intent.',
  },
}
