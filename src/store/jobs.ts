import { sql } from 'kysely'
import { assert } from '../core/errors.ts'
import { JOB_KINDS, type Job, type JobKind, jobPosition } from '../core/jobs.ts'
import { JobWindow } from './job-window.ts'
import { arg, literal, type Statements } from './statements.ts'
import type { JobRow } from './tables.ts'

/**
 * The condition of the partial index. No other statement may use the same words: if it were an equation, SQLite would
 * compare the bound values of other statements with it, and prepare them again each time.
 */
const HAS_NO_SUBSCRIPTION = sql<boolean>`length(subscription) = 0`

/** A job in the queue of a clock. */
export type QueuedJob = Job & { readonly clock: number; readonly merchant: number }

/** The queues of due jobs, one for each clock, in the order of execution. */
export class JobTable {
  readonly #statements: Statements
  readonly #windowSize: number
  /** The first jobs of the clock that was read last. */
  #window: JobWindow | undefined
  #writes = 0

  /** @param windowSize - the number of jobs that are read at a time */
  constructor(statements: Statements, windowSize: number) {
    this.#statements = statements
    this.#windowSize = windowSize
  }

  /** The number of writes so far. If a savepoint is rolled back and this has not changed, the jobs in memory are still valid. */
  get writes(): number {
    return this.#writes
  }

  /** Returns the next job of a clock; undefined when its queue is empty. */
  first(clock: number): QueuedJob | undefined {
    const [row] = this.#windowOf(clock)?.rows ?? this.#rows(clock, 1)
    return row && jobOf(row)
  }

  /** Whether the next jobs of a clock are in memory. */
  holds(clock: number): boolean {
    return this.#windowOf(clock) !== undefined
  }

  /** Returns the next jobs of a clock, in order, and keeps them in memory. */
  firstFew(clock: number): QueuedJob[] {
    let window = this.#windowOf(clock)
    if (!window) {
      window = new JobWindow(clock, this.#rows(clock, this.#windowSize), this.#windowSize)
      this.#window = window
    }
    return window.rows.map(jobOf)
  }

  #windowOf(clock: number): JobWindow | undefined {
    return this.#window?.clock === clock && !this.#window.isExhausted ? this.#window : undefined
  }

  /** Drops the jobs in memory. Must be called when the queue was changed in another way than by this class. */
  forget(): void {
    this.#window = undefined
  }

  /**
   * Enqueues a job.
   * @param made - the number of the change that created it; it orders the jobs of no subscription
   */
  add(clock: number, merchant: number, job: Job, made: number): void {
    const kind = JOB_KINDS.indexOf(job.kind)
    const row: JobRow = {
      clock,
      merchant,
      kind,
      due: job.due,
      object: job.object,
      subscription: job.subscription ?? '',
      position: job.subscription === null ? made : jobPosition(job.kind),
    }
    this.#writes += 1
    if (this.#window?.clock === clock) this.#window.add(row)
    this.#statements
      .named('add job', (db) =>
        db.insertInto('job').values({
          clock: arg<number>('clock'),
          due: arg<number>('due'),
          subscription: arg<string>('subscription'),
          position: arg<number>('position'),
          object: arg<string>('object'),
          kind: arg<number>('kind'),
          merchant: arg<number>('merchant'),
        }),
      )
      .run(row)
  }

  remove(clock: number, job: Job): void {
    const values = valuesOf(clock, job)
    this.#writes += 1
    if (this.#window?.clock === clock)
      this.#window.remove({ ...values, subscription: job.subscription ?? '' })
    this.#statements
      .named(job.subscription === null ? 'remove job of no subscription' : 'remove job', (db) =>
        db.deleteFrom('job').where(isJob(job)),
      )
      .run(values)
  }

  /** Removes the jobs of one kind and no subscription of some objects from a clock's queue. */
  removeOf(clock: number, kind: JobKind, objects: readonly string[]): void {
    this.#writes += 1
    this.forget()
    this.#statements
      .named('remove jobs of objects', (db) =>
        db
          .deleteFrom('job')
          .where('clock', '=', arg<number>('clock'))
          .where('kind', '=', arg<number>('kind'))
          .where(HAS_NO_SUBSCRIPTION)
          .where(sql<boolean>`object in (select value from json_each(${arg('objects')}))`),
      )
      .run({ clock, kind: JOB_KINDS.indexOf(kind), objects: JSON.stringify(objects) })
  }

  /** Removes all jobs of a kind from all queues. */
  removeKind(kind: JobKind): void {
    this.#writes += 1
    this.forget()
    this.#statements
      .named('remove jobs of a kind', (db) => db.deleteFrom('job').where('kind', '=', arg<number>('kind')))
      .run({ kind: JOB_KINDS.indexOf(kind) })
  }

  /**
   * Lists the next jobs of a clock, in order: the first ones, or those after or before a job (`before`: nearest first).
   */
  next(
    clock: number,
    limit: number,
    from?: { readonly after: JobRow } | { readonly before: JobRow },
  ): QueuedJob[] {
    return this.#rows(clock, limit, from).map(jobOf)
  }

  #rows(
    clock: number,
    limit: number,
    from?: { readonly after: JobRow } | { readonly before: JobRow },
  ): JobRow[] {
    const side = from === undefined ? 'first' : 'after' in from ? 'after' : 'before'
    const place = from === undefined ? {} : 'after' in from ? from.after : from.before
    const direction = side === 'before' ? 'desc' : 'asc'
    return this.#statements
      .named<JobRow>(`next ${limit} jobs ${side}`, (db) => {
        let query = db.selectFrom('job').selectAll().where('clock', '=', arg<number>('clock'))
        if (side !== 'first') {
          const key = sql<boolean>`(due, subscription, position, object) ${sql.raw(side === 'after' ? '>' : '<')}
            (${arg('due')}, ${arg('subscription')}, ${arg('position')}, ${arg('object')})`
          query = query.where(key)
        }
        return query
          .orderBy('due', direction)
          .orderBy('subscription', direction)
          .orderBy('position', direction)
          .orderBy('object', direction)
          .limit(literal(limit))
      })
      .all({ ...place, clock })
  }

  /** Finds the row of a job; undefined when it is not in the queue. */
  find(clock: number, job: Job): JobRow | undefined {
    return this.#statements
      .named<JobRow>(job.subscription === null ? 'find job of no subscription' : 'find job', (db) =>
        db.selectFrom('job').selectAll().where(isJob(job)),
      )
      .get(valuesOf(clock, job))
  }
}

/**
 * The condition for the row of a job. Many jobs of one subscription can be due at once, so the whole primary key is
 * compared. The position of a job of no subscription is unknown, and the index on the object is used.
 */
const isJob = ({ subscription }: Job) =>
  sql<boolean>`clock = ${arg('clock')} and due = ${arg('due')} and ${
    subscription === null
      ? sql`${HAS_NO_SUBSCRIPTION} and kind = ${arg('kind')}`
      : sql`subscription = ${arg('subscription')} and position = ${arg('position')}`
  } and object = ${arg('object')}`

const valuesOf = (clock: number, { due, kind, subscription, object }: Job) => ({
  clock,
  due,
  subscription,
  object,
  kind: JOB_KINDS.indexOf(kind),
  position: jobPosition(kind),
})

function jobOf({ clock, merchant, due, subscription, object, kind }: JobRow): QueuedJob {
  const name = JOB_KINDS[kind]
  assert(name, `${kind} is the number of a job kind`)
  return { clock, merchant, due, kind: name, subscription: subscription || null, object }
}
