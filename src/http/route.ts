import type * as z from 'zod'
import type { ErrorCode } from './error-codes.ts'
import type { Requires, Schema } from './params.ts'
import type { Component } from './schemas/component.ts'

/** The error codes of a route, by status, in addition to those of all routes. */
export type RouteErrors = Readonly<Partial<Record<400 | 401 | 402 | 404 | 422, readonly ErrorCode[]>>>

/** A route. Requests are served, and the OpenAPI document is made, from the same object. */
export type RouteOf<Params, Body> = {
  readonly method: 'get' | 'post' | 'delete'
  readonly path: string
  /** One sentence that begins with a verb. */
  readonly summary: string
  /** Makes the schema of the parameters. See deferred.ts. */
  readonly params?: () => Schema<Params>
  /** Finds a missing parameter that is required only with others. */
  readonly requires?: Requires
  /** 201 for a POST that creates a resource, 303 for a redirect of a browser. */
  readonly status?: 200 | 201 | 303
  readonly returns: Component<z.ZodType<Body>>
  readonly errors?: RouteErrors
  /** Whether it also streams events to clients that accept text/event-stream. */
  readonly streams?: true
  /** Whether it answers with HTML pages, and may redirect (303). */
  readonly isPage?: true
}

/** A registered route. */
export type Registered = Omit<RouteOf<unknown, unknown>, 'params' | 'returns'> & {
  readonly params?: () => z.ZodType
  readonly returns: Component
  /** Which callers it accepts: merchants; merchants and browsers (public); OAuth apps; the operator; everybody. */
  readonly audience: 'merchant' | 'public' | 'app' | 'operator' | 'everybody'
}
