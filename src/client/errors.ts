import type { Mistake } from './types.ts'

/** The daemon responded with an error. */
export class Refused extends Error {
  readonly status: number
  /** The error code of the API; null if the error has none, such as an unknown token. */
  readonly code: string | null
  /** All mistakes in fixtures; empty for other requests. */
  readonly mistakes: readonly Mistake[]
  /** The whole response. */
  readonly body: unknown

  constructor({
    status,
    code,
    message,
    mistakes = [],
    body,
  }: {
    status: number
    code: string | null
    message: string
    mistakes?: readonly Mistake[] | undefined
    body?: unknown
  }) {
    super(message)
    this.name = 'Refused'
    this.status = status
    this.code = code
    this.mistakes = mistakes
    this.body = body
  }
}

/** No daemon answers at the address, the connection was lost, or another program answers there. */
export class Unreachable extends Error {
  readonly url: string
  /** Whether a connection was made, so that the request may have been carried out. */
  readonly isConnected: boolean
  /** Whether the other side could not prove that it knows the admin token. Retrying does not help. */
  readonly isUnproven: boolean

  constructor({
    url,
    message,
    isConnected,
    isUnproven = false,
  }: {
    url: string
    message: string
    isConnected: boolean
    isUnproven?: boolean
  }) {
    super(message)
    this.name = 'Unreachable'
    this.url = url
    this.isConnected = isConnected
    this.isUnproven = isUnproven
  }
}
