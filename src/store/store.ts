import type Sqlite from 'better-sqlite3'
import { BilledPeriodTable } from './billed-periods.ts'
import { Blocks } from './blocks.ts'
import { CACHE_SIZES, type CacheSizes } from './cache-sizes.ts'
import { ClockEventTable, type MovePlace } from './clock-events.ts'
import { ClockTable } from './clocks.ts'
import { deleteContents, deleteMerchantRows, type Identity, refill } from './contents.ts'
import { DeliveryTable } from './deliveries.ts'
import { Directory } from './directory.ts'
import { DiskRoom } from './disk-room.ts'
import { FixtureNameTable } from './fixture-names.ts'
import { HistoryReader } from './history.ts'
import { IdempotencyTable } from './idempotency.ts'
import { InvoiceCredits } from './invoice-credits.ts'
import { JobTable } from './jobs.ts'
import { Journal } from './journal.ts'
import { Keyframes } from './keyframes.ts'
import { MeterEventTable } from './meter-events.ts'
import { OAuthTables } from './oauth.ts'
import { OAuthExpiry } from './oauth-expiry.ts'
import { ObjectSearch } from './object-search.ts'
import { ObjectTable } from './objects.ts'
import { EntryReader } from './past.ts'
import { Comparison } from './snapshot-differences.ts'
import type { OpenSnapshot, Snapshot, Snapshots } from './snapshots.ts'
import { Statements } from './statements.ts'
import { checkValues } from './stored-values.ts'
import { Totals } from './totals.ts'
import { isOfStorage, mayBeOfStorage } from './unusable.ts'

/** One database and all its tables. Every call is synchronous. */
export class Store {
  readonly statements: Statements
  readonly objects: ObjectTable
  readonly search: ObjectSearch
  readonly invoiceCredits: InvoiceCredits
  readonly journal: Journal
  readonly past: EntryReader
  readonly jobs: JobTable
  readonly clocks: ClockTable
  readonly clockEvents: ClockEventTable
  readonly deliveries: DeliveryTable
  readonly directory: Directory
  readonly fixtureNames: FixtureNameTable
  readonly meterEvents: MeterEventTable
  readonly billedPeriods: BilledPeriodTable
  readonly totals: Totals
  readonly idempotency: IdempotencyTable
  readonly oauth: OAuthTables
  readonly oauthExpiry: OAuthExpiry
  readonly snapshots: Snapshots
  readonly #blocks: Blocks
  readonly #keyframes: Keyframes
  readonly #database: Sqlite.Database
  /** undefined for a database in memory. */
  readonly #room: DiskRoom | undefined
  readonly #transact: {
    readonly begin: Sqlite.Statement
    readonly commit: Sqlite.Statement
    readonly rollback: Sqlite.Statement
  }
  readonly #savepoint: {
    readonly open: Sqlite.Statement
    readonly release: Sqlite.Statement
    readonly rollback: Sqlite.Statement
  }

  constructor(database: Sqlite.Database, snapshots: Snapshots, cacheSizes: CacheSizes = CACHE_SIZES) {
    const statements = new Statements(database)
    this.statements = statements
    this.snapshots = snapshots
    this.#database = database
    this.#room = database.memory ? undefined : new DiskRoom(database)
    this.#blocks = new Blocks(statements)
    this.objects = new ObjectTable(statements, this.#blocks, cacheSizes.objects)
    this.search = new ObjectSearch(statements, this.#blocks)
    this.invoiceCredits = new InvoiceCredits(statements)
    this.#keyframes = new Keyframes(statements)
    this.journal = new Journal(statements, this.#keyframes, this.#blocks)
    this.past = new EntryReader(statements)
    this.jobs = new JobTable(statements, cacheSizes.jobs)
    this.clocks = new ClockTable(statements)
    this.clockEvents = new ClockEventTable(statements, this.#blocks)
    this.deliveries = new DeliveryTable(statements, this.#blocks)
    this.directory = new Directory(statements)
    this.fixtureNames = new FixtureNameTable(statements)
    this.meterEvents = new MeterEventTable(statements, cacheSizes.objects > 0)
    this.billedPeriods = new BilledPeriodTable(statements)
    this.totals = new Totals(statements)
    this.idempotency = new IdempotencyTable(statements)
    this.oauth = new OAuthTables(statements)
    this.oauthExpiry = new OAuthExpiry(statements)
    this.#transact = {
      begin: database.prepare('begin immediate'),
      commit: database.prepare('commit'),
      rollback: database.prepare('rollback'),
    }
    this.#savepoint = {
      open: database.prepare('savepoint command'),
      release: database.prepare('release command'),
      rollback: database.prepare('rollback to command'),
    }
  }

  /** Creates a reader of past states, for one page. */
  openHistory(): HistoryReader {
    return new HistoryReader({ statements: this.statements, keyframes: this.#keyframes })
  }

  /** Runs work in a transaction, which is rolled back when the work throws. */
  transaction<T>(work: () => T): T {
    const result = this.#commit(work)
    this.#room?.committed()
    return result
  }

  #commit<T>(work: () => T): T {
    this.#transact.begin.run()
    try {
      const result = work()
      this.#transact.commit.run()
      return result
    } catch (error) {
      if (this.#database.inTransaction) this.#transact.rollback.run()
      this.#clearCaches()
      if (isOfStorage(error)) this.#regainRoom()
      throw error
    }
  }

  /** Frees the room that a failed transaction has taken for its log, and measures what the next one can use. */
  #regainRoom(): void {
    try {
      this.emptyLog()
    } catch (error) {
      // The disk is still full, or fails. The caller gets the error of the transaction.
      if (!mayBeOfStorage(error)) throw error
    }
    this.#room?.measure()
  }

  /**
   * Whether a transaction is open. SQLite itself rolls back a transaction on some errors, such as a full disk. A write
   * after that would be committed at once.
   */
  get isInTransaction(): boolean {
    return this.#database.inTransaction
  }

  /**
   * Runs work in a savepoint, which is rolled back when the work throws. Some errors roll back the whole transaction.
   */
  savepoint<T>(work: () => T): T {
    this.#savepoint.open.run()
    const writes = this.#writes
    try {
      const result = work()
      this.#savepoint.release.run()
      return result
    } catch (error) {
      if (this.isInTransaction) {
        this.#savepoint.rollback.run()
        this.#savepoint.release.run()
      }
      // Most errors occur before any write, and then the caches are still valid.
      if (this.#writes !== writes) this.#clearCaches()
      throw error
    }
  }

  /** Counts the writes of cached tables. */
  get #writes(): number {
    return this.objects.writes + this.jobs.writes + this.meterEvents.writes
  }

  /**
   * Saves the state, and replaces a snapshot with that name. Must be called outside of transactions.
   * @param created - Unix seconds
   * @throws SqliteError SQLITE_FULL if the next start would have no room
   */
  saveSnapshot(name: string, created: number): Snapshot {
    this.#requireRoom((databaseBytes) => databaseBytes)
    const saved = this.snapshots.save(name, created)
    this.#room?.measure()
    return saved
  }

  /** @param bytesOf - returns how many bytes will be written, from the size of the database. @throws SqliteError SQLITE_FULL */
  #requireRoom(bytesOf: (databaseBytes: number) => number): void {
    if (!this.#room) return
    this.emptyLog()
    this.#room.require(bytesOf(this.#room.databaseBytes))
  }

  /**
   * Replaces all rows that are part of snapshots with those of a snapshot, in one transaction. Live clocks continue
   * from their saved time.
   * @param now - the wall clock, in Unix seconds
   * @param finish - further work in the same transaction
   * @throws DatabaseUnusable for a snapshot with which the daemon could not start; SqliteError if there is no room; the state stays
   */
  restore(snapshot: OpenSnapshot, now: number, finish: () => void = () => undefined): void {
    const { size } = snapshot.snapshot
    // All rows are in the log before they are in the database.
    this.#requireRoom((databaseBytes) => size + Math.max(0, size - databaseBytes))
    snapshot.read((source) =>
      this.transaction(() => {
        refill(this.#database, source)
        checkValues(this.#database)
        this.#clearCaches()
        this.clocks.resumeLive(now)
        finish()
      }),
    )
  }

  /**
   * Begins a comparison of the state with that of a snapshot.
   * @param limit - the maximum number of returned differences; all are counted
   */
  beginComparison(limit: number): Comparison {
    return new Comparison(this.#database, limit)
  }

  /** Deletes all rows that are part of snapshots, within the open transaction. */
  deleteContents(): void {
    deleteContents(this.#database)
    this.#clearCaches()
  }

  /** Deletes a merchant and all its rows, within the open transaction. @returns where places among all events are now */
  deleteMerchant(merchant: Identity): MovePlace {
    deleteMerchantRows(this.#database, merchant)
    this.#clearCaches()
    this.#blocks.trim()
    return this.clockEvents.moveTo(this.journal.head(null))
  }

  /** Clears all caches after rows were rolled back or replaced. */
  #clearCaches(): void {
    this.objects.forget()
    this.jobs.forget()
    this.journal.forgetNext()
    this.#blocks.forget()
    this.meterEvents.forget()
  }

  /** Copies the write-ahead log into the database file. The log's file keeps its size. */
  checkpoint(): void {
    this.#database.pragma('wal_checkpoint(PASSIVE)')
  }

  /**
   * Copies the write-ahead log into the database file, and empties the log's file. On a full disk this may make room, because
   * the database often already has these pages.
   */
  emptyLog(): void {
    this.#database.pragma('main.wal_checkpoint(TRUNCATE)')
  }

  close(): void {
    this.#database.close()
  }
}
