import * as z from 'zod'
import { component, type Shape } from './component.ts'
import { listOf, livemode, text } from './fields.ts'

export const requestSchema = component('Request', () =>
  z
    .object({
      id: text('The Request-Id, which begins with req_.'),
      object: z.literal('request').describe('The type of the object.'),
      time: z.int().describe('The time of arrival on the wall clock, in Unix milliseconds.'),
      method: text('The method.'),
      path: text('The path and query, without secrets.'),
      status: z.int().describe('The status of the response.'),
      duration_ms: z.number().describe('The duration in milliseconds.'),
      key: text(
        'The hint of the key; operator for a request of the operator; null if the request had nothing that looks like a key.',
      ).nullable(),
      replayed: z.boolean().describe('Whether the response is a replay for an Idempotency-Key.'),
      code: text('The error code of the response; null without an error.').nullable(),
      ignored_params: z
        .array(z.string())
        .readonly()
        .describe('The names of the parameters that were ignored: the first ones, up to 1 KiB.'),
      livemode: livemode(),
      merchant_id: text('The merchant; null if it is not known.').nullable(),
    })
    .describe('A request to /v1 that was answered. The last 1,000 are kept.'),
)
export type RequestShape = Shape<typeof requestSchema>
export const requestList = listOf(requestSchema)
