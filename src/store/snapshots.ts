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

/** A snapshot that is about to be restored. */
export type OpenSnapshot = {
  readonly snapshot: Snapshot
  /** Runs work that may read the snapshot's tables; within it, and around it, no transaction of others is under way. */
  read<T>(work: (source: Source) => T): T
  /** Takes away what opening it made. */
  close(): void
}

/** Where snapshots are kept: on disk beside the database, or in memory like it. */
export type Snapshots = {
  /** All snapshots, by name. */
  list(): Snapshot[]
  /**
   * Saves the state of the database as it is, in place of any snapshot of that name; outside of transactions.
   * @param name - follows SNAPSHOT_NAME
   * @param created - Unix seconds
   */
  save(name: string, created: number): Snapshot
  /**
   * Makes a snapshot ready to be read: one of an older schema is migrated, on a copy.
   * @returns undefined when there is none of this name
   * @throws DatabaseUnusable when it comes from a newer paytwin or is damaged
   */
  open(name: string): Promise<OpenSnapshot | undefined>
  /** @returns whether there was one */
  remove(name: string): boolean
}

export const byName = (left: Snapshot, right: Snapshot): number => (left.name < right.name ? -1 : 1)

/** That a snapshot cannot be restored, and why. */
export const unreadable = (name: string, why: string): DatabaseUnusable =>
  new DatabaseUnusable('unreadable', `The snapshot '${name}' cannot be restored: ${why}`)

export const gone = (name: string): DatabaseUnusable =>
  unreadable(name, 'it was deleted before its turn came')
