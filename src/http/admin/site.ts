import type { Context } from 'hono'
import type { Raw } from '../form.ts'
import type { Answer } from '../json.ts'
import type { Schema } from '../params.ts'
import type { Site } from '../site.ts'

/** What the operator's API needs beside what /v1 stands on. */
export type AdminSite = Site & {
  readonly adminToken: string
  readonly allowedHosts: ReadonlySet<string>
  readonly version: string
  /** The data folder; null when ephemeral. */
  readonly data: string | null
  /** Where the daemon listens; known once it does. */
  readonly url: () => string
  /** Unix milliseconds at which the daemon started. */
  readonly startedAt: number
}

export type AdminCall<Params> = {
  readonly c: Context
  readonly site: AdminSite
  readonly params: Params
  readonly id: string
}

export type AdminRoute<Params> = {
  readonly method: 'get' | 'post' | 'delete'
  readonly path: string
  readonly params?: Schema<Params>
  readonly status?: 200 | 201
  /** Health alone is told to everybody. */
  readonly isOpen?: true
}

/** Adds a route of the operator's API. */
export type AddRoute = <Params = Raw>(
  route: AdminRoute<Params>,
  answer: (call: AdminCall<Params>) => Answer | Promise<Answer>,
) => void
