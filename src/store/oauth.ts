import type { Selectable } from 'kysely'
import type { CodeStatus, TokenStatus } from '../core/oauth.ts'
import { findIndexed } from './damage.ts'
import type { OAuthAppRow, OAuthAuthorizationRow, OAuthTokenRow } from './oauth-tables.ts'
import { arg, literal, type Statements } from './statements.ts'

export type StoredApp = Selectable<OAuthAppRow>
export type StoredAuthorization = Selectable<OAuthAuthorizationRow>
export type StoredToken = Selectable<OAuthTokenRow>

/** A page of authorizations, as a range of seqs. `below` and `above` are exclusive. */
export type AuthorizationPage = {
  readonly limit: number
  readonly below?: number | undefined
  readonly above?: number | undefined
}

/** Apps, authorizations and tokens of OAuth. They have no journal. */
export class OAuthTables {
  readonly #statements: Statements

  constructor(statements: Statements) {
    this.#statements = statements
  }

  /** Lists all apps, newest first. */
  apps(): StoredApp[] {
    return this.#statements
      .named<StoredApp>('oauth apps', (db) => db.selectFrom('oauth_app').selectAll().orderBy('seq', 'desc'))
      .all({})
  }

  app(id: string): StoredApp | undefined {
    return findIndexed<StoredApp>(this.#statements, 'oauth app', 'oauth_app', { id })
  }

  addApp(app: Omit<StoredApp, 'seq'>): void {
    this.#statements
      .named('add oauth app', (db) =>
        db.insertInto('oauth_app').values({
          id: arg<string>('id'),
          name: arg<string>('name'),
          redirect_uris: arg<string>('redirect_uris'),
          secret: arg<Buffer>('secret'),
          created: arg<number>('created'),
        }),
      )
      .run(app)
  }

  setSecret(id: string, secret: Buffer): void {
    this.#statements
      .named('set oauth app secret', (db) =>
        db
          .updateTable('oauth_app')
          .set({ secret: arg<Buffer>('secret') })
          .where('id', '=', arg<string>('id')),
      )
      .runOnOne({ id, secret })
  }

  /** Deletes an app with its authorizations and tokens. */
  removeApp(id: string): void {
    this.#statements
      .named('remove oauth tokens of app', (db) =>
        db.deleteFrom('oauth_token').where('app', '=', arg<string>('id')),
      )
      .run({ id })
    this.#statements
      .named('remove oauth authorizations of app', (db) =>
        db.deleteFrom('oauth_authorization').where('app', '=', arg<string>('id')),
      )
      .run({ id })
    this.#statements
      .named('remove oauth app', (db) => db.deleteFrom('oauth_app').where('id', '=', arg<string>('id')))
      .runOnOne({ id })
  }

  /** Lists authorizations: oldest first if only `above` is given, otherwise newest first. */
  authorizations({ limit, below, above }: AuthorizationPage): StoredAuthorization[] {
    const isBackward = below === undefined && above !== undefined
    const place = below ?? above ?? Number.MAX_SAFE_INTEGER
    return this.#statements
      .named<StoredAuthorization>(
        `oauth authorizations ${isBackward ? 'above' : 'below'} to ${limit}`,
        (db) =>
          db
            .selectFrom('oauth_authorization')
            .selectAll()
            .where('seq', isBackward ? '>' : '<', arg<number>('place'))
            .orderBy('seq', isBackward ? 'asc' : 'desc')
            .limit(literal(limit)),
      )
      .all({ place })
  }

  authorization(id: string): StoredAuthorization | undefined {
    return findIndexed<StoredAuthorization>(this.#statements, 'oauth authorization', 'oauth_authorization', {
      id,
    })
  }

  authorizationAt(seq: number): StoredAuthorization | undefined {
    return this.#statements
      .named<StoredAuthorization>('oauth authorization at', (db) =>
        db.selectFrom('oauth_authorization').selectAll().where('seq', '=', arg<number>('seq')),
      )
      .get({ seq })
  }

  authorizationOfNonce(nonce: Buffer): StoredAuthorization | undefined {
    return findIndexed<StoredAuthorization>(
      this.#statements,
      'oauth authorization of nonce',
      'oauth_authorization',
      { nonce },
    )
  }

  authorizationOfCode(code: Buffer): StoredAuthorization | undefined {
    return findIndexed<StoredAuthorization>(
      this.#statements,
      'oauth authorization of code',
      'oauth_authorization',
      { code },
    )
  }

  addAuthorization(authorization: Omit<StoredAuthorization, 'seq'>): void {
    this.#statements
      .named('add oauth authorization', (db) =>
        db.insertInto('oauth_authorization').values({
          id: arg<string>('id'),
          app: arg<string>('app'),
          merchant: arg<number | null>('merchant'),
          generation: arg<number | null>('generation'),
          redirect_uri: arg<string>('redirect_uri'),
          scope: arg<StoredAuthorization['scope']>('scope'),
          state: arg<string | null>('state'),
          code_challenge: arg<string | null>('code_challenge'),
          status: arg<StoredAuthorization['status']>('status'),
          created: arg<number>('created'),
          expires: arg<number>('expires'),
          nonce: arg<Buffer | null>('nonce'),
          cookie: arg<Buffer | null>('cookie'),
          code: arg<Buffer | null>('code'),
          code_status: arg<CodeStatus | null>('code_status'),
          code_expires: arg<number | null>('code_expires'),
          revoked: arg<number | null>('revoked'),
        }),
      )
      .run(authorization)
  }

  /** Updates an authorization: its decision, the status of its code, and whether it was revoked. */
  updateAuthorization(authorization: StoredAuthorization): void {
    this.#statements
      .named('update oauth authorization', (db) =>
        db
          .updateTable('oauth_authorization')
          .set({
            merchant: arg<number | null>('merchant'),
            generation: arg<number | null>('generation'),
            state: arg<string | null>('state'),
            status: arg<StoredAuthorization['status']>('status'),
            code: arg<Buffer | null>('code'),
            code_status: arg<CodeStatus | null>('code_status'),
            code_expires: arg<number | null>('code_expires'),
            revoked: arg<number | null>('revoked'),
          })
          .where('seq', '=', arg<number>('seq')),
      )
      .runOnOne(authorization)
  }

  token(hash: Buffer): StoredToken | undefined {
    return findIndexed<StoredToken>(this.#statements, 'oauth token', 'oauth_token', { hash })
  }

  /** Sets the status of all tokens of an authorization, expired ones too: a restore can set the merchant's clock back. */
  revokeFamily(authorization: number, status: TokenStatus): void {
    this.#statements
      .named('revoke oauth family', (db) =>
        db
          .updateTable('oauth_token')
          .set({ status: arg<TokenStatus>('status') })
          .where('authorization', '=', arg<number>('authorization'))
          .where('status', '<>', arg<TokenStatus>('status')),
      )
      .run({ authorization, status })
  }

  addToken(token: Omit<StoredToken, 'seq'>): void {
    this.#statements
      .named('add oauth token', (db) =>
        db.insertInto('oauth_token').values({
          hash: arg<Buffer>('hash'),
          kind: arg<StoredToken['kind']>('kind'),
          authorization: arg<number>('authorization'),
          app: arg<string>('app'),
          merchant: arg<number>('merchant'),
          generation: arg<number>('generation'),
          scope: arg<StoredToken['scope']>('scope'),
          status: arg<TokenStatus>('status'),
          expires: arg<number>('expires'),
        }),
      )
      .run(token)
  }

  setTokenStatus(seq: number, status: TokenStatus): void {
    this.#statements
      .named('set oauth token status', (db) =>
        db
          .updateTable('oauth_token')
          .set({ status: arg<TokenStatus>('status') })
          .where('seq', '=', arg<number>('seq')),
      )
      .runOnOne({ seq, status })
  }

  /** Deletes all authorizations and tokens, and all apps except those to keep. */
  empty(keep: readonly string[]): void {
    this.#statements.named('empty oauth tokens', (db) => db.deleteFrom('oauth_token')).run({})
    this.#statements.named('empty oauth authorizations', (db) => db.deleteFrom('oauth_authorization')).run({})
    for (const { id } of this.apps()) if (!keep.includes(id)) this.removeApp(id)
  }
}
