import type Sqlite from 'better-sqlite3'
import { ClockTable } from './clocks.ts'
import { DeliveryQueue } from './deliveries.ts'
import { Directory } from './directory.ts'
import { IdempotencyTable } from './idempotency.ts'
import { JobTable } from './jobs.ts'
import { Journal } from './journal.ts'
import { ObjectTable } from './objects.ts'
import { Statements } from './statements.ts'

/** One database and all that is kept in it. Every call is synchronous. */
export class Store {
  readonly objects: ObjectTable
  readonly journal: Journal
  readonly jobs: JobTable
  readonly clocks: ClockTable
  readonly deliveries: DeliveryQueue
  readonly directory: Directory
  readonly idempotency: IdempotencyTable
  readonly #database: Sqlite.Database
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

  constructor(database: Sqlite.Database) {
    const statements = new Statements(database)
    this.#database = database
    this.objects = new ObjectTable(statements)
    this.journal = new Journal(statements, this.objects)
    this.jobs = new JobTable(statements)
    this.clocks = new ClockTable(statements)
    this.deliveries = new DeliveryQueue(statements)
    this.directory = new Directory(statements)
    this.idempotency = new IdempotencyTable(statements)
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

  /** Runs work whose writes commit together or, when it throws, not at all. */
  transaction<T>(work: () => T): T {
    this.#transact.begin.run()
    try {
      const result = work()
      this.#transact.commit.run()
      return result
    } catch (error) {
      if (this.#database.inTransaction) this.#transact.rollback.run()
      throw error
    }
  }

  /** Runs work within a transaction whose writes, when it throws, are taken back alone. */
  savepoint<T>(work: () => T): T {
    this.#savepoint.open.run()
    try {
      return work()
    } catch (error) {
      this.#savepoint.rollback.run()
      throw error
    } finally {
      this.#savepoint.release.run()
    }
  }

  /** Moves what the write-ahead log holds into the database file. */
  checkpoint(): void {
    this.#database.pragma('wal_checkpoint(PASSIVE)')
  }

  close(): void {
    this.#database.close()
  }
}
