import { createHmac, timingSafeEqual } from 'node:crypto'
import { ApiError, parameterInvalid } from '../../core/errors.ts'
import { digest } from '../../engine/digest.ts'

/**
 * Whether a request carries the operator's token, compared in constant time.
 * @throws ApiError authentication_error. See docs/contract/operator.md#admin-token.
 */
export function checkAdminToken(header: string | undefined, token: string): void {
  const [, given = ''] = /^bearer +(\S+) *$/i.exec(header ?? '') ?? []
  if (timingSafeEqual(digest(given), digest(token))) return
  throw new ApiError({
    status: 401,
    type: 'authentication_error',
    code: null,
    message: 'Invalid admin token provided',
  })
}

/**
 * What proves to somebody who knows the operator's token that the daemon at a url knows it too, before they tell it. The url is
 * the daemon's own: whoever passes the proof on has another.
 * @param nonce - chosen by who asks. See docs/contract/command-line.md#finding-the-daemon.
 */
export const proofOf = ({ url, token }: { url: string; token: string }, nonce: string): string =>
  createHmac('sha256', token)
    .update(`${new URL(url).origin} ${nonce}`)
    .digest('hex')

/**
 * Refuses a request that a foreign web page may have caused: one whose Host is not the daemon's own address, localhost or
 * an allowed name, or that a browser sent from another origin.
 * @param host - the Host header; @param origin - the Origin header
 * @throws ApiError parameter_invalid, param Host
 * See docs/contract/operator.md#host-rule.
 */
export function checkHost(
  { host, origin }: { host: string | undefined; origin: string | undefined },
  allowed: ReadonlySet<string>,
): void {
  const name = hostname(host ?? '')
  if (!allowed.has(name)) {
    throw parameterInvalid(
      'Host',
      `The host '${name}' is not this daemon's. Call it by its address or as localhost, or start it with --allowed-host ${name || 'NAME'}.`,
    )
  }
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    throw parameterInvalid('Host', `Requests from another origin ('${origin}') are not accepted here`)
  }
}

/** The names by which a daemon that listens on a host may be called. */
export const allowedHosts = (host: string, names: readonly string[]): ReadonlySet<string> =>
  new Set(['localhost', '127.0.0.1', '::1', host, ...names].map((name) => name.toLowerCase()))

/** `[::1]:4242` → `::1`, `Localhost:4242` → `localhost`. */
const hostname = (host: string): string =>
  (/^\[([^\]]+)\](?::\d+)?$/.exec(host)?.[1] ?? host.replace(/:\d+$/, '')).toLowerCase()
