import { z } from 'zod'
import { EVENT_TYPES } from '../../core/event.ts'
import { component } from './component.ts'
import { eventSchema } from './event.ts'
import { livemode, seconds, text } from './fields.ts'

export const triggerSchema = component('Trigger', () =>
  z
    .object({
      object: z.literal('trigger').describe('What kind of object this is.'),
      type: z.enum(EVENT_TYPES).describe('The type of event that is wanted.'),
      events: z
        .array(eventSchema.schema)
        .describe('All events that making its objects told, the oldest first.'),
      due: seconds('When it happens, on the clock of the merchant; null when it has happened').nullable(),
      command: text('The command that lets time pass until then; null when it has happened.').nullable(),
      livemode: livemode(),
      merchant_id: text('The merchant for whom it was made.'),
    })
    .describe('What was made so that an event happens.'),
)
