/** The host of Stripe's API, which the daemon serves. */
const API = 'api.stripe.com'

/** Other hosts that Stripe's libraries call: uploads, OAuth, and streams of meter events. The daemon refuses these requests. */
const REFUSED = new Set(['files.stripe.com', 'connect.stripe.com', 'meter-events.stripe.com'])

/** Decides which requests go to the daemon. */
export type Sandbox = {
  /**
   * Returns the URL of the daemon for a request.
   * @param host - the host of the request, with or without its port
   * @param path - the path with the query
   * @returns undefined for a host that is not Stripe's API
   * @throws Error if the URL of the daemon is not known
   */
  urlOf(host: string, path: string): URL | undefined
}

/** Reports whether the daemon serves a host, or refuses its requests. @param host - in lower case, without a port */
const isStripe = (host: string): boolean => host === API || REFUSED.has(host)

/** Returns a host in lower case, without its port and without the dot of an absolute name. */
const nameOf = (host: string): string => host.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase()

/** Returns why a connection to a host is refused; undefined if it is not one of Stripe's. Redirected requests open none. */
export const refusalOf = (host: string): Error | undefined =>
  isStripe(nameOf(host))
    ? new Error(
        `paytwin did not connect to ${host}: it redirects requests of node:https, node:http and fetch only. Give your library the URL in PAYTWIN_URL`,
      )
    : undefined

/** Returns the URL of a request to a proxy, which has a whole URL as its path; undefined for other paths. */
export const wholeUrlOf = (path: string): URL | undefined =>
  /^https?:\/\//i.test(path) && URL.canParse(path) ? new URL(path) : undefined

/** @param daemon - the URL of the daemon */
export const sandboxOf = (daemon: string | undefined): Sandbox => ({
  urlOf: (given, path) => {
    const host = nameOf(given)
    if (!isStripe(host)) return undefined
    if (!daemon || !URL.canParse(daemon))
      throw new Error(
        `paytwin did not send the request to ${host}: PAYTWIN_URL is not the URL of a daemon. Run the command with 'paytwin run --dialect stripe'`,
      )
    const base = new URL(daemon)
    // The daemon has no route with this path, and its error shows the host.
    const own = host === API ? path : `/v1/${host}${path}`
    // The slash ends the authority of the URL: without it, a path such as @other.example would change the host.
    return new URL(`${base.origin}${base.pathname.replace(/\/$/, '')}/${own.replace(/^\//, '')}`)
  },
})
