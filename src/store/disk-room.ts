import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'

/**
 * The largest write-ahead log in pages: 12 MB. Large enough that a page that many commands change is copied into the
 * database once for all of them, and small enough that a checkpoint delays no request for long. During an advance the
 * timekeeper usually checkpoints first.
 */
export const LOG_PAGES = 3_000

/** The free space above which there are no limits, in bytes. */
const PLENTY = 256 * 1_048_576
/** The space that the database leaves free, in bytes, for the write-ahead log's index at a start and for the daemon's log. */
export const RESERVED = 512 * 1_024
/** The fraction of the free space that the write-ahead log may use. */
const LOG_SHARE = 1 / 8
/** A page of the log has a header. Source: SQLite's file format, 4.1. */
const FRAME_HEADER_BYTES = 24
/** The number of transactions between two measurements, if there is plenty of space. */
const COMMITS_A_CHECK = 16
/** SQLite's own limit. */
const MAX_PAGES = 4_294_967_294

/** Returns how many bytes of a file's disk are free; Infinity if that is unknown, such as when its folder was deleted. */
export type FreeBytes = (path: string) => number
export const freeBytes: FreeBytes = (path) => {
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/**
 * Keeps a database writable on a disk with little room. Without limits, the write-ahead log could take all of it: then
 * its pages cannot be copied into the database, the log cannot be emptied, and no start succeeds. So the log gets an
 * eighth of the room at most, and a transaction extends the database by half of the rest at most.
 * Beyond that a write fails as on a full disk, while there is still room for a checkpoint and a start.
 */
export class DiskRoom {
  readonly #database: Sqlite.Database
  readonly #free: FreeBytes
  #commits = 0
  #isLimited = false

  constructor(database: Sqlite.Database, free: FreeBytes = freeBytes) {
    this.#database = database
    this.#free = free
    this.measure()
  }

  /** Counts a committed transaction. Measures the room now and then, and after each transaction if it is short. */
  committed(): void {
    this.#commits += 1
    if (this.#isLimited || this.#commits % COMMITS_A_CHECK === 0) this.measure()
  }

  /**
   * Measures the room of the disk, and limits the log and the database to it. If that fails, the limits stay until the next time: a
   * transaction that is committed must not fail.
   */
  measure(): void {
    try {
      this.#measure()
    } catch (error) {
      if (!(error instanceof Sqlite.SqliteError) && !isOfSystem(error)) throw error
    }
  }

  #measure(): void {
    const free = this.#free(this.#database.name)
    const isUnknown = free === Number.POSITIVE_INFINITY
    if (isUnknown || (free >= PLENTY && !this.#isLimited)) return
    // Also if only some of the limits could be set: then they are all set the next time.
    this.#isLimited = true
    if (free < PLENTY) this.#limitTo(free)
    else this.#set({ logPages: LOG_PAGES, logBytes: -1, pages: MAX_PAGES })
    this.#isLimited = free < PLENTY
  }

  /**
   * Checks that there is room for a large write, beside that which a checkpoint and a start need. The log must be empty.
   * @throws SqliteError SQLITE_FULL
   */
  require(bytes: number): void {
    if (this.#free(this.#database.name) - RESERVED < bytes)
      throw new Sqlite.SqliteError('database or disk is full', 'SQLITE_FULL')
  }

  /** The size of the database, in bytes. */
  get databaseBytes(): number {
    return this.#number('page_count') * this.#number('page_size')
  }

  #limitTo(free: number): void {
    const pageSize = this.#number('page_size')
    const pages = this.#number('page_count')
    const frameSize = pageSize + FRAME_HEADER_BYTES
    const { name } = this.#database
    // The log's file will be free after a checkpoint, which first extends the database by the pages that it lacks.
    const lacking = Math.max(0, pages * pageSize - sizeOf(name))
    const room = Math.max(0, free + sizeOf(`${name}-wal`) - lacking - RESERVED)
    const logPages = Math.min(LOG_PAGES, Math.max(1, Math.floor((room * LOG_SHARE) / frameSize)))
    const growth = Math.max(0, (room - logPages * frameSize) / 2)
    this.#set({ logPages, logBytes: logPages * frameSize, pages: pages + Math.floor(growth / pageSize) })
  }

  #set(limits: { readonly logPages: number; readonly logBytes: number; readonly pages: number }): void {
    this.#database.pragma(`wal_autocheckpoint = ${limits.logPages}`)
    this.#database.pragma(`journal_size_limit = ${limits.logBytes}`)
    this.#database.pragma(`max_page_count = ${limits.pages}`)
  }

  #number(pragma: string): number {
    return Number(this.#database.pragma(pragma, { simple: true }))
  }
}

/** Reports whether the system refused a call, such as for a folder that may not be entered any more. */
const isOfSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0
