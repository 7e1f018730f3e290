import type { ApiError } from '../../core/errors.ts'
import { docUrl } from '../error-codes.ts'
import type { Json } from '../json.ts'
import { errorBody } from '../respond.ts'
import { type FlatCode, type OAuthErrorForm, SHARED_CODES } from './error-form.ts'

/** Makes the error envelope, with an error_description for OAuth clients. See docs/contract/oauth.md#errors. */
export function describedBody(error: ApiError, url: string): Json {
  const body = errorBody(error, url)
  return error.code === null ? body : { ...body, error_description: error.message }
}

/** Makes a flat error. See docs/contract/oauth.md#flat-errors; RFC 6749 5.2. */
function flatBody(error: ApiError, url: string): Json {
  const error_uri = error.code === null ? undefined : docUrl(url, error.code)
  return {
    error: flatCode(error),
    error_description: plain(error.message),
    ...(error_uri && { error_uri }),
    livemode: false,
  }
}

const BY_STATUS: Readonly<Record<number, FlatCode>> = { 429: 'temporarily_unavailable', 500: 'server_error' }

const flatCode = ({ code, status }: ApiError): FlatCode =>
  SHARED_CODES.find((known) => known === code) ?? BY_STATUS[status] ?? 'invalid_request'

/** Replaces characters that RFC 6749 does not allow in an error_description: all but ASCII without quotes and backslashes. */
export const plain = (text: string): string =>
  text.replaceAll('"', "'").replaceAll(/[^\x20-\x5b\x5d-\x7e]/g, '?')

export const errorBodyOf = (form: OAuthErrorForm) => (form === 'rfc6749' ? flatBody : describedBody)
