import type { Sandbox } from '../../src/daemon/sandbox.ts'
import type { Incoming, Serve } from '../../src/http/incoming.ts'
import { isResponse } from '../../src/http/respond.ts'
import { type Asked, ask, ParsedLater, type TwinResponse } from './client.ts'

/** An id in a path: everything before it and after it names the route. */
const ID = /(?<=\/)[a-z]+_[0-9A-Za-z]{14}(?=\/|$)/

/** One request of this many goes through HTTP, which takes much longer. */
const HTTP_EVERY = 64

/**
 * A client that calls the functions of routes in this process, as the daemon does for usual requests (daemon/direct.ts). A part
 * of the requests goes through hono with the classes of `fetch`.
 */
export class DirectClient {
  readonly #sandbox: Sandbox
  readonly #routes = new Map<string, Serve | null>()
  #count: number

  /** @param offset - which of the requests go through HTTP */
  constructor(sandbox: Sandbox, offset = 0) {
    this.#sandbox = sandbox
    this.#count = offset
  }

  async ask(asked: Asked): Promise<TwinResponse> {
    this.#count += 1
    const query = asked.path.indexOf('?')
    const path = query < 0 ? asked.path : asked.path.slice(0, query)
    const id = ID.exec(path)?.[0]
    const serve = this.#count % HTTP_EVERY === 0 ? null : this.#routeOf(asked.method, path, id)
    if (serve === null) return ask(this.#sandbox, asked)
    const reply = await serve(incoming(asked, { path, id }), () => Promise.resolve(asked.body ?? ''))
    if (isResponse(reply)) throw new Error(`${asked.method} ${path} is answered by a stream`)
    return new ParsedLater(reply.status, reply.text)
  }

  /** @returns the function that serves a route; null if hono has to */
  #routeOf(method: string, path: string, id: string | undefined): Serve | null {
    const form = id === undefined ? `${method} ${path}` : `${method} ${path.replace(id, '')}`
    const known = this.#routes.get(form)
    if (known !== undefined) return known
    const [[first] = [], values] = this.#sandbox.app.router.match(method, path)
    const serve = first && this.#sandbox.serves.get(first[0][0])
    const place = first?.[1].id
    const isPlain = (typeof place === 'number' ? values?.[place] : place) === id
    const found = isPlain && serve ? serve : null
    this.#routes.set(form, found)
    return found
  }
}

function incoming(
  { method, path: url, token, body, idempotencyKey }: Asked,
  { path, id }: { path: string; id: string | undefined },
): Incoming {
  const headers: Readonly<Record<string, string | undefined>> = {
    authorization: `Bearer ${token}`,
    host: 'localhost',
    'content-type': body === undefined ? undefined : 'application/json',
    'content-length': body === undefined ? undefined : String(Buffer.byteLength(body)),
    'idempotency-key': idempotencyKey,
  }
  return {
    req: {
      method,
      path,
      url,
      header: (name) => headers[name],
      param: (name) => (name === 'id' ? id : undefined),
    },
  }
}
