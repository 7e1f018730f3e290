import * as z from 'zod'
import { formatInstant } from '../../core/calendar.ts'
import { EVENT_TYPES } from '../../core/kinds.ts'
import { trigger } from '../../engine/resources/trigger.ts'
import { nearest } from '../../text/nearest.ts'
import { presentEvent } from '../event.ts'
import { triggerSchema } from '../schemas/trigger.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

/** paytwin: longer than every event type. Limits the time for finding suggestions. */
const MAX_TYPE_LENGTH = 100

const createParams = z.object({
  type: z.enum(EVENT_TYPES, { error: ({ input }) => unknownType(input) }),
  merchant: z.string().optional(),
})

const unknownType = (given: unknown): string => {
  const text = String(given).slice(0, MAX_TYPE_LENGTH)
  const near = nearest(text, EVENT_TYPES)
  const hint =
    near.length > 0 ? `Did you mean ${near.join(', ')}?` : `The types are ${EVENT_TYPES.join(', ')}`
  return `'${text}' is not an event type. ${hint}`
}

export function triggerRoutes(add: AddRoute): void {
  add(
    {
      method: 'post',
      path: 'trigger',
      summary: 'Creates the objects that emit an event, at once or when the clock advances.',
      params: createParams,
      returns: triggerSchema,
      errors: { 404: ['resource_missing'] },
    },
    async ({ services, params: { type, merchant: named }, requestId }) => {
      const merchant = theMerchant(services.engine, named)
      const { events, due } = await trigger(services.engine, merchant, { type, request: requestId })
      const { id } = merchant.settings
      return {
        object: 'trigger' as const,
        type,
        events: events.map((event) => presentEvent(services.versions, event)),
        due,
        command: due === null ? null : `paytwin clock advance --to ${formatInstant(due)} --merchant ${id}`,
        livemode: false,
        merchant_id: id,
      }
    },
  )
}
