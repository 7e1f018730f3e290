import type { OperatorApi } from './operator-api.ts'

/** A request to the dashboard from a browser that is signed in. */
export type DashboardRequest = {
  readonly method: 'GET' | 'POST'
  /** The parts of the path below /dashboard, decoded. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
  /** The fields of a form. Its token is checked already. */
  readonly form: URLSearchParams
  /** The token for the forms of the page. */
  readonly formToken: string
  /** The id after which a stream continues when the browser reconnects. */
  readonly lastEventId: string | undefined
  /** Aborts when the browser is signed out. */
  readonly signal: AbortSignal
  readonly api: OperatorApi
}

/** Responds to the requests of browsers that are signed in. */
export type DashboardPages = (request: DashboardRequest) => Promise<Response>
