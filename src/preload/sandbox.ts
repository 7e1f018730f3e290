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

/** @param daemon - the URL of the daemon */
export const sandboxOf = (daemon: string | undefined): Sandbox => ({
  urlOf: (given, path) => {
    const host = given.replace(/:\d+$/, '').toLowerCase()
    if (host !== API && !REFUSED.has(host)) return undefined
    if (!daemon || !URL.canParse(daemon))
      throw new Error(
        `paytwin did not send the request to ${host}: PAYTWIN_URL is not the URL of a daemon. Run the command with 'paytwin run --dialect stripe'`,
      )
    const base = new URL(daemon)
    // A path that names the host is one that the daemon does not know, and its error shows it.
    const own = host === API ? path : `/v1/${host}${path}`
    return new URL(base.origin + base.pathname.replace(/\/$/, '') + own)
  },
})
