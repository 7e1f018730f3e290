import { z } from 'zod'
import { component, type Shape } from './component.ts'
import { listOf, livemode, text } from './fields.ts'

export const requestSchema = component('Request', () =>
  z
    .object({
      id: text('Its Request-Id, which begins with req_.'),
      object: z.literal('request').describe('What kind of object this is.'),
      time: z.int().describe('When it came, on the wall clock, in Unix milliseconds.'),
      method: text('Its method.'),
      path: text('Its path and query, without what opens anything.'),
      status: z.int().describe('The status that it was answered with.'),
      duration_ms: z.number().describe('How long it took, in milliseconds.'),
      key: text(
        'The hint of the key that it carried; null when it carried nothing that looks like one.',
      ).nullable(),
      replayed: z.boolean().describe('Whether this was answered before, under its Idempotency-Key.'),
      code: text('The code of the error that it was answered with; null when there was none.').nullable(),
      livemode: livemode(),
      merchant_id: text('The merchant that asked; null when nobody knows.').nullable(),
    })
    .describe('A request to /v1 that was answered. The last 1,000 are remembered.'),
)
export type RequestShape = Shape<typeof requestSchema>
export const requestList = listOf(requestSchema)
