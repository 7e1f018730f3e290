import type { Context } from 'hono'
import type { Sender } from '../../engine/machine/command-queue.ts'
import type { DashboardAccess } from '../dashboard/access.ts'
import type { DashboardPages } from '../dashboard/pages.ts'
import type { Raw } from '../form.ts'
import type { Json, RouteResult } from '../json.ts'
import type { BodyLimits } from '../request.ts'
import type { RouteOf } from '../route.ts'
import type { HttpServices } from '../services.ts'

/** The OpenAPI document and the pages of the documentation, by path. */
export type Documentation = Readonly<Record<string, string>>

/** The services and settings of the admin API, in addition to those of /v1. */
export type AdminServices = HttpServices & {
  readonly adminToken: string
  readonly allowedHosts: ReadonlySet<string>
  /** The address that the operator chose for pages; null if they have that of the daemon. */
  readonly publicUrl: string | null
  readonly version: string
  /** The data folder; null if the daemon runs in memory. */
  readonly data: string | null
  /** Returns the uptime of the daemon in whole seconds. */
  readonly uptime: () => number
  /** Resets the data to the state of the first start. */
  readonly reset: (sender: Sender) => Promise<void>
  /**
   * Shuts the daemon down. Resolves when its database is closed, before the request is answered.
   * @param connection - the connection of the request, which stays open until the process exits
   */
  readonly shutDown: (connection: object | undefined) => Promise<void>
  /** Signs browsers in to the dashboard. */
  readonly access: DashboardAccess
  /** Loads the pages of the dashboard. */
  readonly dashboard: () => Promise<DashboardPages>
  /** Returns the documentation that the build made. */
  readonly documentation: () => Promise<Documentation>
}

export type AdminCall<Params> = {
  readonly c: Context
  readonly services: AdminServices
  readonly params: Params
  readonly id: string
  /** The Request-Id of the request. */
  readonly requestId: string
  /** The sender, for the commands of the request. */
  readonly sender: Sender
}

export type AdminRoute<Params, Body> = RouteOf<Params, Body> & {
  /** Whether the route needs no token. Only health does not. */
  readonly isOpen?: true
  /** The limits of the body, if they are not those of other routes. */
  readonly body?: BodyLimits
}

/** Adds a route to the admin API. */
export type AddRoute = <Params = Raw, Body extends Json = Json>(
  route: AdminRoute<Params, Body>,
  handle: (call: AdminCall<Params>) => RouteResult<NoInfer<Body>> | Promise<RouteResult<NoInfer<Body>>>,
) => void
