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
/** The content of a request to /v1. */
const requestContent = () =>
  z
    .object({
      body_format: z
        .enum(['form', 'json'])
        .describe('The format of the body; null if it had no parameters or could not be read.')
        .nullable(),
      params: z
        .record(z.string(), z.unknown())
        .describe(
          'The parameters of the body as they were sent, without secrets; null if it had none or could not be read.',
        )
        .nullable(),
      idempotency_key: text('The Idempotency-Key; null without one.').nullable(),
      response_body: text(
        'The body of the response, without secrets; null for a stream or a page.',
      ).nullable(),
      is_cut: z
        .boolean()
        .describe('Whether the parameters or the response are longer than 16,384 characters, and cut.'),
    })
    .describe(
      'The bodies of the request and its response. Null if they were dropped to limit the memory of the log.',
    )

export const requestDetailsSchema = component('RequestDetails', () =>
  z
    .object({ ...requestSchema.schema.shape, content: requestContent().nullable() })
    .describe('A request to /v1 with its parameters and its response.'),
)
export type RequestDetailsShape = Shape<typeof requestDetailsSchema>
export type RequestContentShape = NonNullable<RequestDetailsShape['content']>
export type RequestShape = Shape<typeof requestSchema>
export const requestList = listOf(requestSchema)
