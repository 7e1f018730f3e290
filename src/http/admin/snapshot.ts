import * as z from 'zod'
import { SNAPSHOT_NAME, SNAPSHOT_NAME_RULE } from '../../core/snapshot.ts'
import {
  deleteSnapshot,
  listSnapshots,
  restoreSnapshot,
  type Snapshot,
  saveSnapshot,
} from '../../engine/history/snapshots.ts'
import { list } from '../pagination.ts'
import { deletedStub } from '../resource.ts'
import { statusSchema } from '../schemas/admin.ts'
import { deletedSnapshot, type SnapshotShape, snapshotList, snapshotSchema } from '../schemas/snapshot.ts'
import type { AddRoute } from './services.ts'
import { presentStatus } from './status.ts'

const saveParams = z.object({
  name: z.string().regex(SNAPSHOT_NAME, { error: `expected ${SNAPSHOT_NAME_RULE}` }),
})

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
    async ({ services, params }) => presentSnapshot(await saveSnapshot(services.engine, params.name)),
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
    async ({ services, id }) => presentSnapshot(await restoreSnapshot(services.engine, id)),
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
    async ({ services }) => {
      await services.reset()
      return presentStatus(services)
    },
  )
}

const presentSnapshot = ({ name, created, size }: Snapshot): SnapshotShape => ({
  id: name,
  object: 'snapshot',
  name,
  created,
  size,
  livemode: false,
})
