import { z } from 'zod'
import { component, type Shape } from './component.ts'
import { deletedStub, listOf, livemode, seconds, text } from './fields.ts'

export const snapshotSchema = component('Snapshot', () =>
  z
    .object({
      id: text('Its name, by which it is found.'),
      object: z.literal('snapshot').describe('What kind of object this is.'),
      name: text('Its name.'),
      created: seconds('When it was saved, on the wall clock'),
      size: z.int().describe('How many bytes it takes.'),
      livemode: livemode(),
    })
    .describe('The state of the whole sandbox as it was once: resources, events and clocks, but no keys.'),
)
export type SnapshotShape = Shape<typeof snapshotSchema>
export const snapshotList = listOf(snapshotSchema)
export const deletedSnapshot = deletedStub('DeletedSnapshot', 'snapshot')
