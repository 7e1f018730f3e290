import { createHmac } from 'node:crypto'
import { ApiError, parameterInvalid } from '../../core/errors.ts'
import { isSameSecret } from '../../engine/machine/digest.ts'
import { hasEnded } from '../operator-caller.ts'
import type { AdminServices } from './services.ts'

/**
 * Checks the admin token of a request, compared in constant time.
 * @throws ApiError authentication_error. See docs/contract/operator.md#admin-token.
 */
export function checkAdminToken(header: string | undefined, token: string): void {
  const [, given = ''] = /^bearer +(\S+) *$/i.exec(header ?? '') ?? []
  if (!isSameSecret(given, token)) throw unauthenticated('Invalid admin token provided')
}

/** Checks that the sender of a request has not ended, such as a session of the dashboard. @throws ApiError authentication_error */
export function checkSender(env: unknown): void {
  if (hasEnded(env)) throw unauthenticated('The session has ended')
}

const unauthenticated = (message: string): ApiError =>
  new ApiError({ status: 401, type: 'authentication_error', code: null, message })

/**
 * Computes the proof that this daemon knows the admin token, without revealing it. The proof covers the daemon's own url, so
 * that another program cannot pass it on as its own.
 * @param nonce - chosen by the client. See docs/contract/command-line.md#finding-the-daemon.
 */
export const proofOf = ({ url, token }: { url: string; token: string }, nonce: string): string =>
  createHmac('sha256', token)
    .update(`${new URL(url).origin} ${nonce}`)
    .digest('hex')

/**
 * Refuses requests that another website may have caused: the Host must be the daemon's address, localhost or an allowed name,
 * and a browser's Origin must be the same host, or that of the public URL: a proxy may send another Host than the browser.
 * @throws ApiError parameter_invalid, param Host
 * See docs/contract/operator.md#host-rule.
 */
export function checkHost(
  { req }: { readonly req: { header(name: string): string | undefined } },
  { allowedHosts: allowed, publicUrl }: Pick<AdminServices, 'allowedHosts' | 'publicUrl'>,
): void {
  const [host, origin] = [req.header('host'), req.header('origin')]
  const name = hostname(host ?? '')
  if (!allowed.has(name)) {
    throw parameterInvalid(
      'Host',
      `The host '${name}' is not allowed. Use the daemon's address or localhost, or start the daemon with --allowed-host ${name || 'NAME'}.`,
    )
  }
  if (origin === undefined || origin === `http://${host}` || origin === `https://${host}`) return
  if (publicUrl !== null && origin === new URL(publicUrl).origin) return
  throw parameterInvalid('Host', `Requests from another origin ('${origin}') are not allowed`)
}

/** Returns the allowed values of Host for a daemon that listens on a host. */
export const allowedHosts = (host: string, names: readonly string[]): ReadonlySet<string> =>
  new Set(['localhost', '127.0.0.1', '::1', host, ...names].map((name) => name.toLowerCase()))

/** Removes brackets and port: `[::1]:4242` → `::1`, `Localhost:4242` → `localhost`. */
const hostname = (host: string): string =>
  (/^\[([^\]]+)\](?::\d+)?$/.exec(host)?.[1] ?? host.replace(/:\d+$/, '')).toLowerCase()
