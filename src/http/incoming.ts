/**
 * A request to /v1. A hono context has this shape. So has a request that is served directly from Node, without the classes of
 * `fetch` (direct.ts).
 */
export type Incoming = {
  readonly req: {
    readonly method: string
    /** Without the query. */
    readonly path: string
    /** With the query, and with or without the origin. */
    readonly url: string
    header(name: string): string | undefined
    param(name: string): string | undefined
  }
  /** The environment of the server: with hono's Node server, Node's response as `outgoing`. */
  readonly env?: unknown
}

/** A complete response. Header names and values alternate, as Node takes them. */
export type Reply = {
  readonly status: number
  readonly headers: readonly string[]
  readonly text: string
}

/**
 * Reads the body of a request.
 * @param arrived - called with the bytes of each part that arrives; if it throws, the promise is rejected
 */
export type ReadBody = (arrived: (bytes: number) => void) => Promise<string>

/** Serves a request. Calls `readBody` at most once, and only after authentication. */
export type Serve = (incoming: Incoming, readBody: ReadBody) => Promise<Reply | Response>
