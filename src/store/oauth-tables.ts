import type { Generated } from 'kysely'
import type { AuthorizationStatus, CodeStatus, Scope, TokenStatus } from '../core/oauth.ts'

/** An app that merchants can let in: a client of OAuth. `created` is wall time. */
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

/** An app's request to be let in by a merchant, what was decided, and the code that came of it. Hashes are SHA-256. */
export type OAuthAuthorizationRow = {
  seq: Generated<number>
  id: string
  /** The app's id. */
  app: string
  /** Its ordinal; null while a browser is asked and nobody has decided. */
  merchant: number | null
  /** What tells that merchant from whoever has its ordinal after a restore. */
  birth: number | null
  redirect_uri: string
  scope: Scope
  /** What the app wants back; forgotten once that is given. */
  state: string | null
  code_challenge: string | null
  /** Never expired: that is seen from `expires`. */
  status: AuthorizationStatus
  /** Wall time, as `expires` and `revoked`. */
  created: number
  expires: number
  /** Hashes of what the page that asks holds, and of what its browser does. */
  nonce: Buffer | null
  cookie: Buffer | null
  code: Buffer | null
  code_status: CodeStatus | null
  /** On the merchant's clock. */
  code_expires: number | null
  /** When all that was granted with it was revoked. */
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
  birth: number
  scope: Scope
  status: TokenStatus
  /** On the merchant's clock. */
  expires: number
}
