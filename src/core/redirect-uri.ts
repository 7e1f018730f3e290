import { type ApiError, parameterInvalid } from './errors.ts'

/** paytwin: longer than any address that a browser is sent to. */
const MAX_REDIRECT_URI = 2_000

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Checks a redirect_uri that an app is to be registered with: https, http on the loopback, or a private-use scheme with a
 * dot; absolute, without user and fragment. What is registered is compared letter by letter ever after.
 * @throws ApiError parameter_invalid
 * See docs/contract/oauth.md#redirect-uris; RFC 6749 3.1.2; RFC 8252 7.1, 7.3; RFC 9700 2.1, 4.1.
 */
export function checkRedirectUri(uri: string, param: string): void {
  const mistake = redirectUriMistake(uri, param)
  if (mistake) throw mistake()
}

/** Makes the error with which checkRedirectUri refuses; undefined for an address that can be registered. */
export function redirectUriMistake(uri: string, param: string): (() => ApiError) | undefined {
  const wrong = mistakeIn(uri)
  return wrong === undefined
    ? undefined
    : () => parameterInvalid(param, `'${uri}' is no redirect_uri: ${wrong}`)
}

function mistakeIn(uri: string): string | undefined {
  if (uri.length > MAX_REDIRECT_URI) return `it has more than ${MAX_REDIRECT_URI} characters`
  if (!/^[\x21-\x7e]+$/.test(uri) || /["'<>\\^`{|}]/.test(uri)) {
    return 'it holds characters that have to be percent-encoded'
  }
  if (uri.includes('#')) return 'it has a fragment'
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(uri)?.[1]?.toLowerCase()
  if (scheme === undefined || !URL.canParse(uri)) return 'it is no absolute address'
  if (scheme === 'https' || scheme === 'http') return mistakeInWeb(uri, scheme)
  return scheme.includes('.')
    ? undefined
    : 'its scheme is neither https, nor http on the loopback, nor a private one with a dot (com.example.app:/done)'
}

function mistakeInWeb(uri: string, scheme: 'http' | 'https'): string | undefined {
  // Browsers read https:app.example and https:///app.example as well: only the one spelling is taken.
  const authority = /^https?:\/\/([^/?]+)/i.exec(uri)?.[1]
  if (authority === undefined) return 'it has no host'
  if (authority.includes('@')) return 'it names a user'
  if (authority.includes('*')) return 'it has a wildcard: register every address by itself'
  if (!/^([a-z0-9.-]+|\[[0-9a-f:.]+\])(:\d+)?$/i.test(authority)) return 'its host is no host'
  if (scheme === 'http' && !LOOPBACK.test(new URL(uri).hostname)) {
    return 'http is for the loopback only (127.0.0.1, [::1], localhost)'
  }
  return undefined
}

/**
 * A redirect_uri with the parameters of an answer behind what it has itself.
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
 * Where a page may send its form's answer, as a source of a Content-Security-Policy: the address itself and nobody else's.
 * Browsers know no IPv6 address there: for that, the scheme.
 */
export function formActionOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  const isNamed = (protocol === 'https:' || protocol === 'http:') && !host.startsWith('[')
  return isNamed ? `${protocol}//${host}` : protocol
}
