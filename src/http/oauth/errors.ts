import type { ApiError } from '../../core/errors.ts'
import { docUrl } from '../error-codes.ts'
import type { Json } from '../json.ts'
import { errorBody } from '../respond.ts'

/** The two ways in which the token endpoint tells of errors. Source: operator.md, "Daemon". */
export const OAUTH_ERROR_FORMS = ['envelope', 'rfc6749'] as const
export type OAuthErrorForm = (typeof OAUTH_ERROR_FORMS)[number]

/** The envelope, with what an OAuth client looks for beside it. Source: decisions.md 8. */
export function describedBody(error: ApiError, url: string): Json {
  const body = errorBody(error, url)
  return error.code === null ? body : { ...body, error_description: error.message }
}

/** Codes that RFC 6749 5.2 has by the same name. */
const FLAT_CODES = ['invalid_client', 'invalid_grant', 'invalid_scope', 'unsupported_grant_type'] as const
/** What the others come to there; 4.1.2.1 has names for what is the server's fault. */
const BY_STATUS: Readonly<Record<number, FlatCode>> = { 429: 'temporarily_unavailable', 500: 'server_error' }

/** Every code of the flat form. */
export const FLAT_ERROR_CODES = [
  ...FLAT_CODES,
  'invalid_request',
  'temporarily_unavailable',
  'server_error',
] as const
export type FlatCode = (typeof FLAT_ERROR_CODES)[number]

/** Source: operator.md, "Daemon" (`--oauth-errors`); RFC 6749 5.2. */
export function flatBody(error: ApiError, url: string): Json {
  const code = error.code ?? ''
  const error_uri = docUrl(url, code)
  return {
    error: flatCode(error),
    error_description: plain(error.message),
    ...(error_uri && { error_uri }),
    livemode: false,
  }
}

export function flatCode({ code, status }: ApiError): FlatCode {
  return FLAT_CODES.find((known) => known === code) ?? BY_STATUS[status] ?? 'invalid_request'
}

/** Only what RFC 6749 allows in an error_description: visible ASCII without quotes and backslashes. */
export const plain = (text: string): string =>
  text.replaceAll('"', "'").replaceAll(/[^\x20-\x5b\x5d-\x7e]/g, '?')

export const errorBodyOf = (form: OAuthErrorForm) => (form === 'rfc6749' ? flatBody : describedBody)
