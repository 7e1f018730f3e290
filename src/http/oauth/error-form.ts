/** The error format of the routes that apps call with their own credentials. See docs/contract/oauth.md#flat-errors. */
export type OAuthErrorForm = 'envelope' | 'rfc6749'

/** Codes that have the same name in the envelope and in RFC 6749 5.2. */
export const SHARED_CODES = [
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unsupported_grant_type',
] as const

/** All codes of the flat form. Those of server failures are from RFC 6749 4.1.2.1. */
export const FLAT_CODES = [
  ...SHARED_CODES,
  'invalid_request',
  'temporarily_unavailable',
  'server_error',
] as const
export type FlatCode = (typeof FLAT_CODES)[number]
