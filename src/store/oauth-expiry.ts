import { sql } from 'kysely'
import type { AuthorizationStatus } from '../core/oauth.ts'
import type { StoredToken } from './oauth.ts'
import { arg, literal, type Statements } from './statements.ts'

/** The time for which housekeeping keeps expired rows, so that a replay is still recognized. */
const RETENTION_SECONDS = 30 * 86_400

/** The instant before which a row must have expired to be deleted. @param now - on the same clock, in Unix seconds */
export const deletableBefore = (now: number): number => now - RETENTION_SECONDS

/** How many rows one statement changes: of those that wait, and of those that a clock leaves behind when it goes back. */
const AT_ONCE = 100
const EXPIRED_AT_ONCE = 1_000

/** paytwin: the number of requests of an app's consent page that are kept without an answer. */
export const UNANSWERED_KEPT = 1_000

/** When the first of a merchant's tokens or codes expires, on its clock. */
export type FirstToExpire = {
  readonly merchant: number
  readonly generation: number
  readonly expires: number
}

/** Limits the lifetimes of OAuth rows, and deletes those that have expired, some at a time. */
export class OAuthExpiry {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Finds the token that expires first of the next merchant with tokens. @param after - the generation of the merchant before */
  nextToken(after: number): FirstToExpire | undefined {
    return this.#statements
      .named<FirstToExpire>('next oauth token', (db) =>
        db
          .selectFrom('oauth_token')
          .select(['merchant', 'generation', 'expires'])
          .where('generation', '>', arg<number>('after'))
          .orderBy('generation')
          .orderBy('expires')
          .limit(literal(1)),
      )
      .get({ after })
  }

  /** Finds the code that expires first of the next merchant with codes that were not redeemed. @param after - see nextToken */
  nextCode(after: number): FirstToExpire | undefined {
    return this.#statements
      .named<FirstToExpire>('next oauth code', (db) =>
        db
          .selectFrom('oauth_authorization')
          .select(['merchant', 'generation', 'code_expires as expires'])
          // A partial index applies only if its condition is visible in the statement.
          .where('code_status', '=', sql.lit('issued'))
          .where('generation', '>', arg<number>('after'))
          .orderBy('generation')
          .orderBy('code_expires')
          .limit(literal(1)),
      )
      .get({ after })
  }

  /**
   * Deletes some of a merchant's tokens, and the authorizations whose last token is deleted. Reads only what it deletes, because a family
   * of tokens can be refreshed for years.
   * @param before - deletes what expired before this instant of the merchant's clock: see deletableBefore
   * @returns the number of deleted tokens
   */
  deleteTokens(generation: number, before: number): number {
    const tokens = this.#statements
      .named<Pick<StoredToken, 'authorization'>>('delete oauth tokens', (db) =>
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
    for (const seq of new Set(tokens.map(({ authorization }) => authorization))) this.#deleteIfUnused(seq)
    return tokens.length
  }

  /** Deletes some of a merchant's codes that were not redeemed. @param before - see deleteTokens @returns the number of deleted codes */
  deleteCodes(generation: number, before: number): number {
    return this.#statements
      .named('delete oauth codes', (db) =>
        db
          .deleteFrom('oauth_authorization')
          .where('seq', 'in', (eb) =>
            eb
              .selectFrom('oauth_authorization')
              .select('seq')
              .where('generation', '=', arg<number>('generation'))
              .where('code_status', '=', sql.lit('issued'))
              .where('code_expires', '<', arg<number>('before'))
              .limit(literal(AT_ONCE)),
          ),
      )
      .runWith(generation, before).changes
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
  #deleteIfUnused(seq: number): void {
    this.#statements
      .named('delete oauth authorization', (db) =>
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
  deleteRequests(now: number): number {
    return this.#statements
      .named('delete oauth requests', (db) =>
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
      .runWith(deletableBefore(now)).changes
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
