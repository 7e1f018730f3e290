import { z } from 'zod'
import { component } from './component.ts'
import { livemode, text } from './fields.ts'

export const shutdownSchema = component('Shutdown', () =>
  z
    .object({
      object: z.literal('shutdown').describe('What kind of object this is.'),
      url: text('Where the daemon listened.'),
      pid: z.int().describe('Its process, which is ending.'),
      data: text('Its data folder; null when all was in memory.').nullable(),
      livemode: livemode(),
    })
    .describe('The end of the daemon: it takes no requests any more, and its database is closed.'),
)
