/** How the routes that apps call for themselves tell of errors. See docs/contract/oauth.md#flat-errors. */
export type OAuthErrorForm = 'envelope' | 'rfc6749'

/** Codes that the envelope and RFC 6749 5.2 have by the same name. */
export const SHARED_CODES = [
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unsupported_grant_type',
] as const

/** Every code of the flat form; for what is the server's fault those of RFC 6749 4.1.2.1. */
export const FLAT_CODES = [
  ...SHARED_CODES,
  'invalid_request',
  'temporarily_unavailable',
  'server_error',
] as const
export type FlatCode = (typeof FLAT_CODES)[number]
