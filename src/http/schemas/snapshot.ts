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

const count = (of: string) => z.int().describe(`The number of objects that ${of}.`)

export const snapshotDifferencesSchema = component('SnapshotDifferences', () =>
  z
    .object({
      id: text('The name of the snapshot.'),
      object: z.literal('snapshot_differences').describe('The type of the object.'),
      counts: z
        .record(
          z.string(),
          z.object({
            created: count('exist only now'),
            changed: count('have changed'),
            removed: count('exist only in the snapshot'),
          }),
        )
        .describe('How many objects differ, by kind. Kinds without differences are left out.'),
      data: z
        .array(
          z.object({
            object: text('The kind of the object.'),
            id: text('The id of the object.'),
            change: z
              .enum(['created', 'changed', 'removed'])
              .describe('created: it exists only now. removed: it exists only in the snapshot.'),
            merchant_id: text('The merchant; null if it exists only in the snapshot.').nullable(),
          }),
        )
        .describe('The first 1,000 objects that differ, by kind.'),
      has_more: z.boolean().describe('Whether more objects differ.'),
      livemode: livemode(),
    })
    .describe('How the objects of the sandbox differ from a snapshot, in the fields that the API shows.'),
)
export type SnapshotDifferencesShape = Shape<typeof snapshotDifferencesSchema>
