import type { Source } from './contents.ts'
import { DatabaseUnusable } from './unusable.ts'

/** A saved state of the database. */
export type Snapshot = {
  readonly name: string
  /** When it was saved, in Unix seconds of the wall clock. */
  readonly created: number
  /** In bytes. */
  readonly size: number
}

/** A snapshot that is ready to be restored. */
export type OpenSnapshot = {
  /** The one that is read: another may have been saved in its place since it was opened. */
  readonly snapshot: Snapshot
  /** Runs work that may read the snapshot's tables. No other transaction may be open. */
  read<T>(work: (source: Source) => T): T
  /** Deletes temporary files. */
  close(): void
}

export type SnapshotUse = 'restore' | 'comparison'

/** The saved snapshots: on disk beside the database, or in memory like it. */
export type Snapshots = {
  /** Lists all snapshots, sorted by name. */
  list(): Snapshot[]
  /**
   * Saves the state of the database, and replaces a snapshot with that name. Must be called outside of transactions.
   * @param name - matches SNAPSHOT_NAME
   * @param created - Unix seconds
   */
  save(name: string, created: number): Snapshot
  /**
   * Prepares a snapshot for reading. One of an older schema is migrated in a copy.
   * @param use - a restore reads the whole file first, so that no damage is restored; a comparison finds it when it gets there
   * @returns undefined when there is none with this name
   * @throws DatabaseUnusable when it comes from a newer paytwin or is damaged
   */
  open(name: string, use: SnapshotUse): Promise<OpenSnapshot | undefined>
  /** @returns whether there was one */
  remove(name: string): boolean
}

export const byName = (left: Snapshot, right: Snapshot): number => (left.name < right.name ? -1 : 1)

/** Creates the error for a snapshot that cannot be restored. */
export const unreadable = (name: string, why: string): DatabaseUnusable =>
  new DatabaseUnusable('unreadable', `The snapshot '${name}' cannot be restored: ${why}`)

/** Creates the error for a snapshot that was deleted while its restore waited. */
export const gone = (name: string): DatabaseUnusable => unreadable(name, 'it was deleted in the meantime')
