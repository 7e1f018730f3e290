import * as z from 'zod'
import { component, type Shape } from './component.ts'
import { deletedStub, listOf, livemode, seconds, text } from './fields.ts'

export const snapshotSchema = component('Snapshot', () =>
  z
    .object({
      id: text('The same as name.'),
      object: z.literal('snapshot').describe('The type of the object.'),
      name: text('The name.'),
      created: seconds('When it was saved, on the wall clock'),
      size: z.int().describe('The size in bytes.'),
      livemode: livemode(),
    })
    .describe('A saved state of the whole sandbox: resources, events and clocks, without keys.'),
)
export type SnapshotShape = Shape<typeof snapshotSchema>
export const snapshotList = listOf(snapshotSchema)
export const deletedSnapshot = deletedStub('DeletedSnapshot', 'snapshot')
