/** The path of the receiver for webhooks, before the id of a merchant. */
export const INBOX_PATH = '/inbox'

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Returns the url at which the daemon receives webhooks of a merchant. It is always on loopback.
 * @param url - of the daemon
 */
export function inboxUrl(url: string, merchant: string): string {
  const { hostname, port } = new URL(url)
  const host = LOOPBACK.has(hostname) ? hostname : '127.0.0.1'
  return `http://${host}${port === '' ? '' : `:${port}`}${INBOX_PATH}/${encodeURIComponent(merchant)}`
}
