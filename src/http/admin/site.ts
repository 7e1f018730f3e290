import type { Context } from 'hono'
import type { Raw } from '../form.ts'
import type { Answer, Json } from '../json.ts'
import type { OpenSpecimen } from '../openapi/story.ts'
import type { RouteOf } from '../route.ts'
import type { Site } from '../site.ts'

/** What the operator's API needs beside what /v1 stands on. */
export type AdminSite = Site & {
  readonly adminToken: string
  readonly allowedHosts: ReadonlySet<string>
  readonly version: string
  /** The data folder; null when ephemeral. */
  readonly data: string | null
  /** How long the daemon has run, in whole seconds. */
  readonly uptime: () => number
  /** Brings back the state of the first start. */
  readonly reset: () => Promise<void>
  /**
   * Ends the daemon; resolves once its database is closed, while the request that asks for it still waits.
   * @param connection - where this request came from, which stays open until the process ends
   */
  readonly shutDown: (connection: object | undefined) => Promise<void>
  /** Opens a sandbox that is the same each time: the description takes its examples from it. */
  readonly openSpecimen: OpenSpecimen
}

export type AdminCall<Params> = {
  readonly c: Context
  readonly site: AdminSite
  readonly params: Params
  readonly id: string
  /** The Request-Id of the operator's request. */
  readonly requestId: string
}

export type AdminRoute<Params, Body> = RouteOf<Params, Body> & {
  /** Health alone is told to everybody. */
  readonly isOpen?: true
  /** The largest body, where it is less than other routes take. */
  readonly maxBodyBytes?: number
}

/** Adds a route of the operator's API. */
export type AddRoute = <Params = Raw, Body extends Json = Json>(
  route: AdminRoute<Params, Body>,
  answer: (call: AdminCall<Params>) => Answer<NoInfer<Body>> | Promise<Answer<NoInfer<Body>>>,
) => void
