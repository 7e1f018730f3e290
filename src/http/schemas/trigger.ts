import * as z from 'zod'
import { ALL_EVENT_TYPES } from '../../core/kinds.ts'
import { component, type Shape } from './component.ts'
import { livemode, seconds, text } from './fields.ts'
import { operatorEventSchema } from './operator-event.ts'

export const triggerSchema = component('Trigger', () =>
  z
    .object({
      object: z.literal('trigger').describe('The type of the object.'),
      type: z.enum(ALL_EVENT_TYPES).describe('The requested event type.'),
      events: z.array(operatorEventSchema.schema).describe('All emitted events, oldest first.'),
      due: seconds(
        'When the event will be emitted, on the clock of the merchant; null if already emitted',
      ).nullable(),
      command: text(
        'The command that advances the clock to that time; null if the event is already emitted.',
      ).nullable(),
      livemode: livemode(),
      merchant_id: text('The merchant of the objects.'),
    })
    .describe('The result of a trigger.'),
)
export type TriggerShape = Shape<typeof triggerSchema>
