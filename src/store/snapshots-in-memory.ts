import type Sqlite from 'better-sqlite3'
import { KINDS } from '../core/kinds.ts'
import { contentTables } from './contents.ts'
import { byName, gone, type OpenSnapshot, type Snapshot, type Snapshots } from './snapshots.ts'

type Saved = { readonly snapshot: Snapshot; readonly number: number }

/**
 * Snapshots of a database in memory. They are tables of a second database that is attached: SQLite attaches at most ten
 * databases, and cannot attach bytes. The schema cannot change while the process lives.
 */
export class SnapshotsInMemory implements Snapshots {
  readonly #database: Sqlite.Database
  readonly #saved = new Map<string, Saved>()
  #count = 0

  constructor(database: Sqlite.Database) {
    this.#database = database
  }

  list(): Snapshot[] {
    return [...this.#saved.values()].map(({ snapshot }) => snapshot).sort(byName)
  }

  save(name: string, created: number): Snapshot {
    // Attached at the first save only: every transaction involves all attached databases.
    if (this.#count === 0) this.#database.exec("attach ':memory:' as snapshots")
    this.#count += 1
    const number = this.#count
    const before = this.#bytesUsed()
    this.#database.transaction(() => {
      for (const table of contentTables(this.#database)) {
        this.#database.exec(`create table ${placeOf(number, table)} as select * from main.${table}`)
      }
      // A comparison finds objects by their ids.
      for (const kind of KINDS) {
        this.#database.exec(`create index ${placeOf(number, `${kind} id`)} on "${number} ${kind}" (id)`)
      }
    })()
    const snapshot = { name, created, size: this.#bytesUsed() - before }
    this.remove(name)
    this.#saved.set(name, { snapshot, number })
    return snapshot
  }

  async open(name: string): Promise<OpenSnapshot | undefined> {
    if (!this.#saved.has(name)) return undefined
    // It may have been replaced or deleted in the meantime.
    const current = (): Saved => {
      const saved = this.#saved.get(name)
      if (!saved) throw gone(name)
      return saved
    }
    return {
      get snapshot() {
        return current().snapshot
      },
      read: (work) => {
        const { number } = current()
        return work((table) => placeOf(number, table))
      },
      close: () => undefined,
    }
  }

  remove(name: string): boolean {
    const saved = this.#saved.get(name)
    if (!saved) return false
    this.#database.transaction(() => {
      for (const table of contentTables(this.#database)) {
        this.#database.exec(`drop table ${placeOf(saved.number, table)}`)
      }
    })()
    return this.#saved.delete(name)
  }

  #bytesUsed(): number {
    const pragma = (name: string) => Number(this.#database.pragma(`snapshots.${name}`, { simple: true }))
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
  }
}

const placeOf = (number: number, table: string): string => `snapshots."${number} ${table}"`
