import * as z from 'zod'
import { SNAPSHOT_NAME, SNAPSHOT_NAME_RULE } from '../../core/snapshot.ts'
import {
  compareSnapshot,
  type Differences,
  deleteSnapshot,
  listSnapshots,
  restoreSnapshot,
  type Snapshot,
  saveSnapshot,
} from '../../engine/history/snapshots.ts'
import type { Engine } from '../../engine/machine/engine.ts'
import { deferred } from '../deferred.ts'

import { list } from '../pagination.ts'
import { deletedStub } from '../resource.ts'
import { statusSchema } from '../schemas/admin.ts'
import {
  deletedSnapshot,
  type SnapshotDifferencesShape,
  type SnapshotShape,
  snapshotDifferencesSchema,
  snapshotList,
  snapshotSchema,
} from '../schemas/snapshot.ts'
import type { AddRoute } from './services.ts'
import { presentStatus } from './status.ts'

/** The maximum number of differences in a response. */
const MAX_DIFFERENCES = 1_000

const saveParams = deferred(() =>
  z.object({
    name: z.string().regex(SNAPSHOT_NAME, { error: `expected ${SNAPSHOT_NAME_RULE}` }),
  }),
)

export function snapshotRoutes(add: AddRoute): void {
  add(
    {
      method: 'post',
      path: 'snapshots',
      summary: 'Saves a snapshot of the whole sandbox. Replaces an existing one with the same name.',
      params: saveParams,
      status: 201,
      returns: snapshotSchema,
    },
    async ({ services, sender, params }) =>
      presentSnapshot(await saveSnapshot(services.engine, params.name, sender)),
  )
  add(
    {
      method: 'get',
      path: 'snapshots',
      summary: 'Lists snapshots, sorted by name.',
      returns: snapshotList,
    },
    ({ c, services }) => list(c.req.path, listSnapshots(services.engine).map(presentSnapshot)),
  )
  add(
    {
      method: 'post',
      path: 'snapshots/:id/restore',
      summary: 'Replaces the current state with that of a snapshot.',
      returns: snapshotSchema,
    },
    async ({ services, sender, id }) => presentSnapshot(await restoreSnapshot(services.engine, id, sender)),
  )
  add(
    {
      method: 'get',
      path: 'snapshots/:id/differences',
      summary: 'Lists the objects that differ between the current state and a snapshot.',
      returns: snapshotDifferencesSchema,
      errors: { 400: ['parameter_invalid'], 404: ['resource_missing'] },
    },
    async ({ services, id }) =>
      presentDifferences(services.engine, id, await compareSnapshot(services.engine, id, MAX_DIFFERENCES)),
  )
  add(
    {
      method: 'delete',
      path: 'snapshots/:id',
      summary: 'Deletes a snapshot.',
      returns: deletedSnapshot,
    },
    ({ services, id }) => {
      deleteSnapshot(services.engine, id)
      return deletedStub('snapshot', id)
    },
  )
  add(
    {
      method: 'post',
      path: 'reset',
      summary: 'Resets the data to the first start. Keeps snapshots and the keys of the default merchant.',
      returns: statusSchema,
    },
    async ({ services, sender }) => {
      await services.reset(sender)
      return presentStatus(services)
    },
  )
}

function presentDifferences(
  { merchants }: Engine,
  id: string,
  { counts, first }: Differences,
): SnapshotDifferencesShape {
  const all = [...counts.values()].flatMap((count) => Object.values(count))
  return {
    id,
    object: 'snapshot_differences',
    counts: Object.fromEntries(counts),
    data: first.map(({ kind, id: ofObject, change, merchant }) => ({
      object: kind,
      id: ofObject,
      change,
      merchant_id: merchants.get(merchant)?.settings.id ?? null,
    })),
    has_more: all.reduce((sum, count) => sum + count, 0) > first.length,
    livemode: false,
  }
}

const presentSnapshot = ({ name, created, size }: Snapshot): SnapshotShape => ({
  id: name,
  object: 'snapshot',
  name,
  created,
  size,
  livemode: false,
})
