/** An error response of the API. */
export type Refusal = {
  /** The status of the response. */
  readonly status: number
  /** The error's type, such as `invalid_request_error`. */
  readonly type: string
  /** The error's code, such as `resource_missing`; null if it has none. */
  readonly code: string | null
  /** The parameter that is invalid; null if the error names none. */
  readonly param: string | null
  readonly message: string
}

/** An error response to `get`, `post`, `delete` or one of the controls. `fetch` does not throw it, but returns the response. */
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
