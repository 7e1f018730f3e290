import type { Generated } from 'kysely'
import type { AuthorizationStatus, CodeStatus, Scope, TokenStatus } from '../core/oauth.ts'

/** An app: a client of OAuth. `created` is wall time. */
export type OAuthAppRow = {
  seq: Generated<number>
  id: string
  name: string
  /** A list, as JSON. */
  redirect_uris: string
  /** SHA-256 of its client_secret. */
  secret: Buffer
  created: number
}

/** An authorization request of an app, the merchant's decision, and the code issued for it. Hashes are SHA-256. */
export type OAuthAuthorizationRow = {
  seq: Generated<number>
  id: string
  /** The app's id. */
  app: string
  /** The merchant's ordinal; null for a browser request that is not decided. */
  merchant: number | null
  /** The merchant's generation, because after a restore its ordinal can belong to another merchant. */
  generation: number | null
  redirect_uri: string
  scope: Scope
  /** The `state` of the request; deleted once it was returned. */
  state: string | null
  code_challenge: string | null
  /** A pending request has expired at `expires`, which is written later. */
  status: AuthorizationStatus
  /** Wall time, as are `expires` and `revoked`. */
  created: number
  expires: number
  /** The hashes of the form's nonce and of the browser's cookie. */
  nonce: Buffer | null
  cookie: Buffer | null
  code: Buffer | null
  code_status: CodeStatus | null
  /** On the merchant's clock. */
  code_expires: number | null
  /** When its tokens were revoked. */
  revoked: number | null
}

/** An access or refresh token. Those of one authorization are a family. */
export type OAuthTokenRow = {
  seq: Generated<number>
  hash: Buffer
  kind: 'access' | 'refresh'
  /** The authorization's seq. */
  authorization: number
  app: string
  merchant: number
  generation: number
  scope: Scope
  status: TokenStatus
  /** On the merchant's clock. */
  expires: number
}
