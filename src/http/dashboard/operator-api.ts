import type { Hono } from 'hono'
import { ApiError } from '../../core/errors.ts'
import { nextTurn } from '../../engine/machine/gate.ts'
import { UNLOGGED, until } from '../operator-caller.ts'

/** Parameters by name; those without a value are left out. */
export type ApiParams = Readonly<Record<string, string | number | boolean | undefined>>

type Sent = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly params?: ApiParams
  /** The body, instead of parameters. */
  readonly json?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Calls the admin API within the process, as the operator. The pages of the dashboard read and write only through it, so that
 * every check and every rule of the API applies to them. A write is refused if its session ends while it waits. Each call has a turn of
 * the event loop of its own, because a page has many: others wait for one read at most.
 * All methods throw ApiError if the API refuses the request.
 */
export class OperatorApi {
  readonly #app: Hono
  readonly #adminToken: string
  readonly #session: AbortSignal

  /** @param session - aborts when the session ends */
  constructor(app: Hono, adminToken: string, session: AbortSignal) {
    this.#app = app
    this.#adminToken = adminToken
    this.#session = session
  }

  /** @param path - below /_paytwin, such as `status`. Parts that are not constant must be encoded. */
  get<Body>(path: string, params: ApiParams = {}): Promise<Body> {
    return this.#send<Body>({ method: 'GET', path, params })
  }

  post<Body>(path: string, params: ApiParams = {}): Promise<Body> {
    return this.#send<Body>({ method: 'POST', path, params })
  }

  /** Sends parameters of any shape, such as the content of files. */
  postJson<Body>(path: string, json: unknown): Promise<Body> {
    return this.#send<Body>({ method: 'POST', path, json })
  }

  delete<Body>(path: string, params: ApiParams = {}): Promise<Body> {
    return this.#send<Body>({ method: 'DELETE', path, params })
  }

  /** Opens a stream of server-sent events. @param lastEventId - the item after which it begins */
  async stream(
    path: string,
    params: ApiParams,
    lastEventId: string | undefined,
  ): Promise<ReadableStream<Uint8Array>> {
    const headers = {
      Accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
    }
    const response = await this.#fetch({ method: 'GET', path, params, headers })
    if (response.ok && response.body) return response.body
    throw refusalOf(response.status, await response.json())
  }

  async #send<Body>(sent: Sent): Promise<Body> {
    await nextTurn()
    const response = await this.#fetch(sent)
    const body: unknown = await response.json()
    if (response.ok) return body as Body
    throw refusalOf(response.status, body)
  }

  async #fetch({ method, path, params = {}, json, headers = {} }: Sent): Promise<Response> {
    const given = Object.entries(params).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    )
    const form = new URLSearchParams(given).toString()
    const isRead = method === 'GET'
    const request = new Request(
      `http://localhost/_paytwin/${path}${isRead && form !== '' ? `?${form}` : ''}`,
      {
        method,
        headers: {
          Host: 'localhost',
          Authorization: `Bearer ${this.#adminToken}`,
          ...(!isRead && { 'Content-Type': json === undefined ? FORM : 'application/json' }),
          ...headers,
        },
        ...(!isRead && { body: json === undefined ? form : JSON.stringify(json) }),
      },
    )
    return this.#app.fetch(request, isRead ? UNLOGGED : until(this.#session))
  }
}

const FORM = 'application/x-www-form-urlencoded'

function refusalOf(status: number, body: unknown): ApiError {
  const { type, code = null, message, param = null } = (body as { error: RefusedBody }).error
  return new ApiError({ status: status as ApiError['status'], type, code, message, param })
}

type RefusedBody = Pick<ApiError, 'type' | 'message'> & Partial<Pick<ApiError, 'code' | 'param'>>
