/** Returns the address at which a daemon listens. */
export const listeningUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Hosts that mean all addresses of a machine. Browsers cannot open them everywhere. */
const ALL_ADDRESSES = ['0.0.0.0', '::']

/**
 * Returns the address of the pages that people open in a browser, without a slash at its end.
 * @param publicUrl - the address that the operator chose; null for that of the daemon, which is localhost if it listens everywhere
 * See docs/contract/operator.md#public-url.
 */
export const pagesUrl = (
  { host, publicUrl }: { readonly host: string; readonly publicUrl: string | null },
  port: number,
): string => publicUrl ?? listeningUrl(ALL_ADDRESSES.includes(host) ? 'localhost' : host, port)
