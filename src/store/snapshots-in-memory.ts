import type Sqlite from 'better-sqlite3'
import { contentTables } from './contents.ts'
import { byName, gone, type OpenSnapshot, type Snapshot, type Snapshots } from './snapshots.ts'

type Kept = { readonly snapshot: Snapshot; readonly number: number }

/**
 * Snapshots of a database in memory. They are tables of a second one, attached to it: SQLite attaches at most ten, and
 * cannot attach bytes. As long as the process lives the schema is the same.
 */
export class SnapshotsInMemory implements Snapshots {
  readonly #database: Sqlite.Database
  readonly #kept = new Map<string, Kept>()
  #count = 0

  constructor(database: Sqlite.Database) {
    this.#database = database
  }

  list(): Snapshot[] {
    return [...this.#kept.values()].map(({ snapshot }) => snapshot).sort(byName)
  }

  save(name: string, created: number): Snapshot {
    // Not before it is needed: every transaction has to ask all databases that are attached.
    if (this.#count === 0) this.#database.exec("attach ':memory:' as shelf")
    this.#count += 1
    const number = this.#count
    const before = this.#bytesUsed()
    this.#database.transaction(() => {
      for (const table of contentTables(this.#database)) {
        this.#database.exec(`create table ${placeOf(number, table)} as select * from main.${table}`)
      }
    })()
    const snapshot = { name, created, size: this.#bytesUsed() - before }
    this.remove(name)
    this.#kept.set(name, { snapshot, number })
    return snapshot
  }

  async open(name: string): Promise<OpenSnapshot | undefined> {
    const kept = this.#kept.get(name)
    if (!kept) return undefined
    return {
      snapshot: kept.snapshot,
      read: (work) => {
        // Meanwhile it may have been saved anew, or deleted.
        const current = this.#kept.get(name)
        if (!current) throw gone(name)
        return work((table) => placeOf(current.number, table))
      },
      close: () => undefined,
    }
  }

  remove(name: string): boolean {
    const kept = this.#kept.get(name)
    if (!kept) return false
    this.#database.transaction(() => {
      for (const table of contentTables(this.#database)) {
        this.#database.exec(`drop table ${placeOf(kept.number, table)}`)
      }
    })()
    return this.#kept.delete(name)
  }

  #bytesUsed(): number {
    const pragma = (name: string) => Number(this.#database.pragma(`shelf.${name}`, { simple: true }))
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
  }
}

const placeOf = (number: number, table: string): string => `shelf."${number} ${table}"`
