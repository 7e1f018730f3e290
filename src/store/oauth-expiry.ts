import { sql } from 'kysely'
import type { AuthorizationStatus } from '../core/oauth.ts'
import type { StoredToken } from './oauth.ts'
import { arg, literal, type Statements } from './statements.ts'

/** The time for which housekeeping keeps expired rows, so that a replay is still recognized. */
const RETENTION_SECONDS = 30 * 86_400

/** How many rows one statement changes: of those that wait, and of those that a clock leaves behind when it goes back. */
const AT_ONCE = 100
const EXPIRED_AT_ONCE = 1_000

/** paytwin: the number of requests of an app's consent page that are kept without an answer. */
export const UNANSWERED_KEPT = 1_000

/** Limits the lifetimes of OAuth rows, and deletes those that have expired, some at a time. */
export class OAuthExpiry {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /**
   * Deletes some of a merchant's tokens that expired long ago on its clock, the authorizations whose last token is deleted, and the codes that
   * expired long ago and were not redeemed. Reads only what it deletes, because a family of tokens can be refreshed for years.
   * @param generation - the merchant's generation
   * @returns the number of deleted tokens and codes
   */
  forgetExpired(generation: number, now: number): number {
    const before = now - RETENTION_SECONDS
    const tokens = this.#statements
      .named<Pick<StoredToken, 'authorization'>>('forget oauth tokens', (db) =>
        db
          .deleteFrom('oauth_token')
          .where('seq', 'in', (eb) =>
            eb
              .selectFrom('oauth_token')
              .select('seq')
              .where('generation', '=', arg<number>('generation'))
              .where('expires', '<', arg<number>('before'))
              .limit(literal(AT_ONCE)),
          )
          .returning('authorization'),
      )
      .all({ generation, before })
    for (const seq of new Set(tokens.map(({ authorization }) => authorization))) this.#forgetIfUnused(seq)
    const codes = this.#statements
      .named('forget oauth codes', (db) =>
        db.deleteFrom('oauth_authorization').where('seq', 'in', (eb) =>
          eb
            .selectFrom('oauth_authorization')
            .select('seq')
            .where('generation', '=', arg<number>('generation'))
            // A partial index applies only if its condition is visible in the statement.
            .where('code_status', '=', sql.lit('issued'))
            .where('code_expires', '<', arg<number>('before'))
            .limit(literal(AT_ONCE)),
        ),
      )
      .runWith(generation, before).changes
    return tokens.length + codes
  }

  /**
   * Makes some of what expires after an instant, up to a later one, expire at the first: a clock that has shown the later one goes back
   * to it.
   * @param generation - the merchant's generation
   * @returns the number of tokens and codes
   */
  expireAt(instant: number, { generation, shown }: { generation: number; shown: number }): number {
    const tokens = this.#statements
      .named('expire oauth tokens', (db) =>
        db
          .updateTable('oauth_token')
          .set({ expires: arg<number>('instant') })
          .where('seq', 'in', (eb) =>
            eb
              .selectFrom('oauth_token')
              .select('seq')
              .where('generation', '=', arg<number>('generation'))
              .where('expires', '>', arg<number>('instant'))
              .where('expires', '<=', arg<number>('shown'))
              .limit(literal(EXPIRED_AT_ONCE)),
          ),
      )
      .runWith(instant, generation, instant, shown).changes
    const codes = this.#statements
      .named('expire oauth codes', (db) =>
        db
          .updateTable('oauth_authorization')
          .set({ code_expires: arg<number>('instant') })
          .where('seq', 'in', (eb) =>
            eb
              .selectFrom('oauth_authorization')
              .select('seq')
              .where('generation', '=', arg<number>('generation'))
              .where('code_status', '=', sql.lit('issued'))
              .where('code_expires', '>', arg<number>('instant'))
              .where('code_expires', '<=', arg<number>('shown'))
              .limit(literal(EXPIRED_AT_ONCE)),
          ),
      )
      .runWith(instant, generation, instant, shown).changes
    return tokens + codes
  }

  /** Deletes an authorization without tokens. */
  #forgetIfUnused(seq: number): void {
    this.#statements
      .named('forget oauth authorization', (db) =>
        db
          .deleteFrom('oauth_authorization')
          .where('seq', '=', arg<number>('seq'))
          .where(
            sql<boolean>`not exists (select 1 from oauth_token where "authorization" = oauth_authorization.seq)`,
          ),
      )
      .run({ seq })
  }

  /** Sets the status of some pending requests that have expired. @param now - real time, in Unix seconds @returns how many */
  expireRequests(now: number, status: AuthorizationStatus): number {
    return this.#statements
      .named('expire oauth requests', (db) =>
        db
          .updateTable('oauth_authorization')
          .set({ status: arg<AuthorizationStatus>('status') })
          .where('seq', 'in', (eb) =>
            eb
              .selectFrom('oauth_authorization')
              .select('seq')
              .where('status', '=', sql.lit('pending'))
              .where('expires', '<=', arg<number>('now'))
              .limit(literal(AT_ONCE)),
          ),
      )
      .runWith(status, now).changes
  }

  /** Deletes some old requests without a code. @param now - real time, in Unix seconds @returns how many */
  forgetRequests(now: number): number {
    return this.#statements
      .named('forget oauth requests', (db) =>
        db
          .deleteFrom('oauth_authorization')
          .where('seq', 'in', (eb) =>
            eb
              .selectFrom('oauth_authorization')
              .select('seq')
              .where('code_expires', 'is', null)
              .where('expires', '<', arg<number>('before'))
              .limit(literal(AT_ONCE)),
          ),
      )
      .runWith(now - RETENTION_SECONDS).changes
  }

  /**
   * Deletes the oldest requests of an app that name no merchant, beyond those that are kept: anyone can create them, with a `state` of up to
   * 14 kB.
   */
  deleteUnanswered(app: string): void {
    this.#statements
      .named('delete unanswered oauth requests', (db) =>
        db
          .deleteFrom('oauth_authorization')
          .where('seq', 'in', (eb) =>
            eb
              .selectFrom('oauth_authorization')
              .select('seq')
              .where('code_expires', 'is', null)
              .where('merchant', 'is', null)
              .where('app', '=', arg<string>('app'))
              .orderBy('expires', 'desc')
              .orderBy('seq', 'desc')
              .limit(literal(AT_ONCE))
              .offset(literal(UNANSWERED_KEPT)),
          ),
      )
      .run({ app })
  }

  /** Sets the expiry of undecided and denied requests that expire later than an instant of real time to that instant. */
  limitRequests(latest: number): void {
    this.#statements
      .named('limit oauth requests', (db) =>
        db
          .updateTable('oauth_authorization')
          .set({ expires: arg<number>('latest') })
          .where('code_expires', 'is', null)
          .where('expires', '>', arg<number>('latest')),
      )
      .run({ latest })
  }
}
