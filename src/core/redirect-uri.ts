import { type ApiError, parameterInvalid } from './errors.ts'
import { parseUrl } from './url.ts'

/** paytwin: the maximum length of a redirect_uri, which exceeds that of any practical URL. */
const MAX_REDIRECT_URI = 2_000

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Checks a redirect_uri for registration: https, http on the loopback, or a private-use scheme with a dot; absolute,
 * without user and fragment. Later requests must match it exactly.
 * @throws ApiError parameter_invalid
 * See docs/contract/oauth.md#redirect-uris; RFC 6749 3.1.2; RFC 8252 7.1, 7.3; RFC 9700 2.1, 4.1.
 */
export function checkRedirectUri(uri: string, param: string): void {
  const mistake = redirectUriError(uri, param)
  if (mistake) throw mistake()
}

/** Returns a function that creates the error for a redirect_uri; undefined when it can be registered. */
export function redirectUriError(uri: string, param: string): (() => ApiError) | undefined {
  const wrong = mistakeIn(uri)
  return wrong === undefined
    ? undefined
    : () => parameterInvalid(param, `'${uri}' is not a valid redirect_uri: ${wrong}`)
}

function mistakeIn(uri: string): string | undefined {
  if (uri.length > MAX_REDIRECT_URI) return `it has more than ${MAX_REDIRECT_URI} characters`
  if (!/^[\x21-\x7e]+$/.test(uri) || /["'<>\\^`{|}]/.test(uri)) {
    return 'it has characters that must be percent-encoded'
  }
  if (uri.includes('#')) return 'it has a fragment'
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase()
  if (scheme === undefined || parseUrl(uri) === undefined) return 'it is not an absolute URL'
  if (scheme === 'https' || scheme === 'http') return mistakeInWeb(uri, scheme)
  return scheme.includes('.')
    ? undefined
    : 'its scheme must be https, http on the loopback, or a private scheme with a dot (com.example.app:/done)'
}

function mistakeInWeb(uri: string, scheme: 'http' | 'https'): string | undefined {
  // Browsers also read https:app.example and https:///app.example. Only one spelling is accepted.
  const authority = /^https?:\/\/([^/?]+)/i.exec(uri)?.[1]
  if (authority === undefined) return 'it has no host'
  if (authority.includes('@')) return 'it has a user'
  if (authority.includes('*')) return 'it has a wildcard: register each URL separately'
  if (!/^([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d+)?$/i.test(authority)) return 'its host is invalid'
  if (scheme === 'http' && !LOOPBACK.test(new URL(uri).hostname)) {
    return 'http is allowed on the loopback only (127.0.0.1, [::1], localhost)'
  }
  return undefined
}

/**
 * Appends the parameters of an authorization response to a redirect_uri.
 * Source: RFC 6749 3.1.2, 4.1.2, 4.1.2.1.
 */
export function redirectTo(uri: string, params: Readonly<Record<string, string | null>>): string {
  const pairs = Object.entries(params)
    .filter((pair): pair is [string, string] => pair[1] !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
  const join = /[?&]$/.test(uri) ? '' : uri.includes('?') ? '&' : '?'
  return `${uri}${join}${pairs.join('&')}`
}

/**
 * Returns the form-action source of a Content-Security-Policy for a redirect_uri: its origin. Browsers do not support
 * IPv6 addresses there, so for those the source is the scheme.
 */
export function formActionOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  const isNamed = (protocol === 'https:' || protocol === 'http:') && !host.startsWith('[')
  return isNamed ? `${protocol}//${host}` : protocol
}
