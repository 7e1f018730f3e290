import { sql } from 'kysely'
import { arg, literal, type Statements } from './statements.ts'
import type { IdempotencyRow } from './tables.ts'

/** How many responses one statement deletes. One of the longest takes 3 ms. */
const AT_ONCE = 10

/** Responses stored under idempotency keys, for replay. */
export class IdempotencyTable {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Reports whether a response is stored, without reading it. */
  has(scope: string, key: string): boolean {
    const row = this.#statements
      .named('has idempotency', (db) =>
        db
          .selectFrom('idempotency')
          .select(literal(1).as('one'))
          .where('scope', '=', arg<string>('scope'))
          .where('key', '=', arg<string>('key')),
      )
      .get({ scope, key })
    return row !== undefined
  }

  get(scope: string, key: string): IdempotencyRow | undefined {
    return this.#statements
      .named<IdempotencyRow>('get idempotency', (db) =>
        db
          .selectFrom('idempotency')
          .selectAll()
          .where('scope', '=', arg<string>('scope'))
          .where('key', '=', arg<string>('key')),
      )
      .get({ scope, key })
  }

  put(row: IdempotencyRow): void {
    this.#statements
      .named('put idempotency', (db) =>
        db.replaceInto('idempotency').values({
          scope: arg<string>('scope'),
          key: arg<string>('key'),
          fingerprint: arg<string>('fingerprint'),
          status: arg<number>('status'),
          api_version: arg<string>('api_version'),
          body: arg<string>('body'),
          created: arg<number>('created'),
        }),
      )
      .run(row)
  }

  remove(entry: Pick<IdempotencyRow, 'scope' | 'key'>): void {
    this.#statements
      .named('remove idempotency', (db) =>
        db
          .deleteFrom('idempotency')
          .where('scope', '=', arg<string>('scope'))
          .where('key', '=', arg<string>('key')),
      )
      .run(entry)
  }

  /** Dates responses that are newer than an instant of the wall clock at that instant. */
  limit(latest: number): void {
    this.#statements
      .named('limit idempotency', (db) =>
        db
          .updateTable('idempotency')
          .set({ created: arg<number>('latest') })
          .where('created', '>', arg<number>('latest')),
      )
      .run({ latest })
  }

  /** Deletes some of the responses that are older than an instant of the wall clock. @returns how many */
  forgetSome(before: number): number {
    return this.#statements
      .named('forget idempotency', (db) => ({
        compile: () =>
          sql`delete from idempotency where (scope, key) in (
            select scope, key from idempotency where created < ${arg('before')} limit ${literal(AT_ONCE)})`.compile(
            db,
          ),
      }))
      .runWith(before).changes
  }
}
