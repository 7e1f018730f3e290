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

/** What happens while a body is read. If it throws, the body is not read. */
export type Reading = {
  /** Called with the bytes of each part that arrives. */
  readonly add: (bytes: number) => void
  /** Waits until the body may be decoded and parsed; undefined if it may be at once. */
  readonly turn: () => Promise<void> | undefined
}

/** Reads the body of a request. */
export type ReadBody = (reading: Reading) => Promise<string>

/** Serves a request. Calls `readBody` at most once, and only after authentication. */
export type Serve = (incoming: Incoming, readBody: ReadBody) => Promise<Reply | Response>
