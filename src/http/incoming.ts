/**
 * A request as the routes of /v1 see it. A context of hono's is one, and so is a request of Node's that needs none of the
 * classes of `fetch` (direct.ts).
 */
export type Incoming = {
  readonly req: {
    readonly method: string
    /** Without the query. */
    readonly path: string
    /** With the query; the origin may be missing. */
    readonly url: string
    header(name: string): string | undefined
    param(name: string): string | undefined
  }
  /** What the server gave: with hono's Node server, the response of Node as `outgoing`. */
  readonly env?: unknown
}

/** A complete answer. Header names and values alternate, as Node takes them. */
export type Reply = {
  readonly status: number
  readonly headers: readonly string[]
  readonly text: string
}

/** Serves a request. `readBody` is called once at most, and only for a request that is let in. */
export type Serve = (incoming: Incoming, readBody: () => Promise<string>) => Promise<Reply | Response>
