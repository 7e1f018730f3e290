import { parameterInvalid, resourceMissing } from '../../core/errors.ts'
import type { Source } from '../../store/contents.ts'
import type { Differences } from '../../store/snapshot-differences.ts'
import type { OpenSnapshot, Snapshot } from '../../store/snapshots.ts'
import { DatabaseUnusable } from '../../store/unusable.ts'
import { nextStep } from '../machine/arrivals.ts'
import { wallSeconds } from '../machine/clock.ts'
import type { Sender } from '../machine/command-queue.ts'
import type { Engine } from '../machine/engine.ts'
import { workBriefly } from '../machine/gate.ts'
import { markState } from '../machine/state-mark.ts'
import { discardAllQueued } from '../resources/webhook-delivery.ts'

export type { Differences } from '../../store/snapshot-differences.ts'
export type { Snapshot } from '../../store/snapshots.ts'

export const listSnapshots = (engine: Engine): Snapshot[] => engine.store.snapshots.list()

/**
 * Saves the state once no clock is advancing, and replaces a snapshot with that name.
 * @param name - matches SNAPSHOT_NAME
 * @throws ApiError parameter_invalid for a damaged database, of which nothing is saved
 * See docs/contract/snapshots.md#waiting.
 */
export const saveSnapshot = (engine: Engine, name: string, sender: Sender = {}): Promise<Snapshot> =>
  usable(
    () => engine.runExclusively(() => engine.store.saveSnapshot(name, wallSeconds(engine.wall)), sender),
    'name',
  )

/**
 * Replaces the state by that of a snapshot once no clock is advancing, completely or not at all. Keys are unchanged.
 * @throws ApiError resource_missing; parameter_invalid for one that is damaged, or of a newer schema
 * See docs/contract/snapshots.md#restore.
 */
export async function restoreSnapshot(engine: Engine, name: string, sender: Sender = {}): Promise<Snapshot> {
  const opened = await usable(() => engine.store.snapshots.open(name, 'restore'))
  if (!opened) throw missing(name)
  return usable(() => restore(engine, opened, sender)).finally(() => opened.close())
}

function restore(engine: Engine, opened: OpenSnapshot, sender: Sender): Promise<Snapshot> {
  const work = () => {
    engine.store.restore(opened, wallSeconds(engine.wall), () => {
      discardAllQueued(engine.store)
      markState(engine.store)
    })
    return opened.snapshot
  }
  return engine.replaceState(work, sender)
}

/** paytwin: the time that a comparison works before other requests are served, in milliseconds. */
const COMPARING_MS = 10

/**
 * Compares the present state with that of a snapshot once no clock is advancing. Other requests are served meanwhile; the
 * result may or may not contain their changes. After a restore or reset the comparison starts over.
 * @param limit - the maximum number of returned differences; all are counted
 * @throws ApiError resource_missing; parameter_invalid for one that is damaged, or of a newer schema
 * See docs/contract/snapshots.md#differences.
 */
export async function compareSnapshot(engine: Engine, name: string, limit: number): Promise<Differences> {
  const opened = await usable(() => engine.store.snapshots.open(name, 'comparison'))
  if (!opened) throw missing(name)
  const work = async () => {
    await engine.runExclusively(() => undefined)
    return compare(engine, opened, limit)
  }
  return usable(work).finally(() => opened.close())
}

async function compare(engine: Engine, opened: OpenSnapshot, limit: number): Promise<Differences> {
  const { store } = engine
  let comparison = store.beginComparison(limit)
  const stopListening = engine.listen({
    replaced: () => {
      comparison = store.beginComparison(limit)
    },
  })
  try {
    const compareBriefly = (source: Source) => workBriefly(() => comparison.step(source), COMPARING_MS)
    while (opened.read(compareBriefly)) await nextStep()
    return comparison.differences
  } finally {
    stopListening()
  }
}

/** Deletes a snapshot. @throws ApiError resource_missing */
export function deleteSnapshot(engine: Engine, name: string): void {
  if (!engine.store.snapshots.remove(name)) throw missing(name)
}

const missing = (name: string) => resourceMissing('snapshot', name)

/** Converts errors about a snapshot's file, or the database's, to an error of the request. */
async function usable<T>(work: () => Promise<T>, param: 'id' | 'name' = 'id'): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof DatabaseUnusable ? parameterInvalid(param, error.message) : error
  }
}
