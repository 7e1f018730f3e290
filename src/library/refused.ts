/** What went wrong with a request, as the API tells it. */
export type Refusal = {
  /** The status of the answer. */
  readonly status: number
  /** As in `invalid_request_error`. */
  readonly type: string
  /** Machine-readable, as in `resource_missing`; null where the API gives none. */
  readonly code: string | null
  /** The parameter that is to blame; null when none is. */
  readonly param: string | null
  readonly message: string
}

/** paytwin refused a request of `get`, `post`, `delete` or one of the controls. `fetch` throws none: it gives the answer. */
export class RequestRefused extends Error {
  readonly status: number
  readonly type: string
  readonly code: string | null
  readonly param: string | null

  constructor({ status, type, code, param, message }: Refusal) {
    super(message)
    this.name = 'RequestRefused'
    this.status = status
    this.type = type
    this.code = code
    this.param = param
  }
}
