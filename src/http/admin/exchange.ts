import type { Context } from 'hono'
import { NEWEST_API_VERSION } from '../../core/api-version.ts'
import { requestId } from '../../engine/machine/ids.ts'
import type { Reply } from '../incoming.ts'
import { namesAsHeader } from '../params.ts'
import type { Served } from '../pipeline.ts'
import { type BodyLimits, type Given, paramsReader, readBody } from '../request.ts'
import { errorBody, errorHeaders, type Headers, knownError, type Rendered, textOf } from '../respond.ts'
import { JSON_CONTENT, responseHeaders, setHeaders } from '../response-headers.ts'
import type { HttpServices } from '../services.ts'

/** A request to the admin API and its response. Its responses have the newest version, and are not logged. */
export class AdminExchange implements Served {
  readonly id = requestId()
  readonly c: Context
  /** Reads the parameters: the query of a GET, otherwise the body. @throws ApiError parameter_invalid */
  readonly readParams: () => Given | Promise<Given>
  readonly #services: Pick<HttpServices, 'reportError' | 'url'>
  #ignored: string | undefined

  constructor(c: Context, services: Pick<HttpServices, 'reportError' | 'url'>, limits: BodyLimits) {
    this.c = c
    this.readParams = paramsReader(c, () => readBody(c, limits.bytes), { maxParameters: limits.parameters })
    this.#services = services
  }

  reset(): void {
    this.#ignored = undefined
  }

  release(): void {}

  /** Reports ignored parameters in the header Paytwin-Ignored-Params. */
  ignore(names: readonly string[]): void {
    if (names.length > 0) this.#ignored = namesAsHeader(names)
  }

  send({ status, text, headers }: Rendered): Reply {
    return { status, text, headers: this.#headers(JSON_CONTENT, headers) }
  }

  fail(error: unknown): Reply {
    const known = knownError(this.#services, error, `${this.c.req.method} ${this.c.req.path}`)
    const text = textOf(errorBody(known, this.#services.url()))
    return this.send({ status: known.status, text, headers: errorHeaders(known) })
  }

  stamp(response: Response): Response {
    return setHeaders(response, this.#headers([], {}))
  }

  #headers(first: readonly string[], own: Headers): string[] {
    return responseHeaders(
      first,
      {
        id: this.id,
        version: { header: 'X-API-Version', value: NEWEST_API_VERSION },
        ignored: this.#ignored,
      },
      own,
    )
  }
}
