import * as z from 'zod'
import { formatInstant } from '../../core/calendar.ts'
import { parameterInvalid } from '../../core/errors.ts'
import { ALL_EVENT_TYPES, EVENT_TYPES, type EventType } from '../../core/kinds.ts'
import { stripeNameOf } from '../../core/stripe-event-names.ts'
import type { MerchantState } from '../../engine/machine/merchant-state.ts'
import { trigger } from '../../engine/resources/trigger.ts'
import { nearest } from '../../text/nearest.ts'
import { deferred } from '../deferred.ts'
import { triggerSchema } from '../schemas/trigger.ts'
import { eventFormOf, formParam } from './event-form.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

/** paytwin: longer than every event type. Limits the time for finding suggestions. */
const MAX_TYPE_LENGTH = 100

const createParams = deferred(() =>
  z.object({
    type: z.string({ error: ({ input }) => unknownType(input) }),
    merchant: z.string().optional(),
    form: formParam(),
  }),
)

/**
 * Returns the event type that a name means: one of paytwin's own, or one of Stripe for a merchant with its API.
 * @throws ApiError parameter_invalid, param type
 */
function typeOf(name: string, { settings }: MerchantState): EventType {
  const isStripe = settings.dialect === 'stripe'
  const own = (isStripe ? ALL_EVENT_TYPES : EVENT_TYPES).find((type) => type === name)
  if (own) return own
  const type = isStripe ? ALL_EVENT_TYPES.find((each) => stripeNameOf(each) === name) : undefined
  if (type) return type
  const known = isStripe ? ALL_EVENT_TYPES.map(stripeNameOf) : EVENT_TYPES
  throw parameterInvalid('type', `Invalid value for type: ${unknownType(name, known)}`)
}

const unknownType = (given: unknown, types: readonly string[] = EVENT_TYPES): string => {
  const text = String(given).slice(0, MAX_TYPE_LENGTH)
  const near = nearest(text, types)
  const hint = near.length > 0 ? `Did you mean ${near.join(', ')}?` : `The types are ${types.join(', ')}`
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
    async ({ services, sender, params: { type: name, merchant: named, form }, requestId }) => {
      const merchant = theMerchant(services.engine, named)
      const type = typeOf(name, merchant)
      const { present } = await eventFormOf(services, form, merchant)
      const { events, due } = await trigger(services.engine, merchant, {
        ...sender,
        type,
        request: requestId,
      })
      const { id } = merchant.settings
      return {
        object: 'trigger' as const,
        type,
        events: events.map(present),
        due,
        command: due === null ? null : `paytwin clock advance --to ${formatInstant(due)} --merchant ${id}`,
        livemode: false,
        merchant_id: id,
      }
    },
  )
}
