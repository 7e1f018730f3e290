import * as z from 'zod'
import { component, type Shape } from './component.ts'
import { livemode, text } from './fields.ts'

export const shutdownSchema = component('Shutdown', () =>
  z
    .object({
      object: z.literal('shutdown').describe('The type of the object.'),
      url: text('The url of the daemon.'),
      pid: z.int().describe('The process id of the daemon, which is about to exit.'),
      data: text('The data folder; null if the daemon ran in memory.').nullable(),
      livemode: livemode(),
    })
    .describe('The response to a shutdown. The database is closed, and no further requests are accepted.'),
)
export type ShutdownShape = Shape<typeof shutdownSchema>
