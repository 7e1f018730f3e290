import type { Context } from 'hono'

/** The two ends of a connection, as Node shows them. */
export type ConnectionEnds = {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
}

/** Returns the ends of the connection of a request; without any of them for a request within the process. */
export const endsOf = (c: Context): ConnectionEnds =>
  ((c.env ?? {}) as { incoming?: { socket?: ConnectionEnds } }).incoming?.socket ?? {}
