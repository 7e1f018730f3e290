import * as z from 'zod'
import { component, type Shape } from './component.ts'
import { listOf, livemode, text } from './fields.ts'

export const receivedSchema = component('InboxWebhook', () =>
  z
    .object({
      id: text('The id, which begins with rcv_.'),
      object: z.literal('received_webhook').describe('The type of the object.'),
      time: z.int().describe('The time of arrival on the wall clock, in Unix milliseconds.'),
      event: text('The id of the event in the body; null if the body is no event.').nullable(),
      event_type: text('The type of the event; null if the body is no event.').nullable(),
      signed_by: text(
        'The webhook endpoint whose secret signed it; null if the signature is not valid.',
      ).nullable(),
      signature_error: text('Why the signature is not valid; null if it is.').nullable(),
      headers: z.record(z.string(), z.string()).describe('The headers, with names in lower case.'),
      body: text('The first 65,536 characters of the body.'),
      is_body_cut: z.boolean().describe('Whether the body was longer.'),
      livemode: livemode(),
      merchant_id: text('The merchant.'),
    })
    .describe('A webhook that the daemon received itself. The last 100 of each merchant are kept in memory.'),
)
export type ReceivedShape = Shape<typeof receivedSchema>
export const receivedList = listOf(receivedSchema)
