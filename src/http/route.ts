import type { z } from 'zod'
import type { ErrorCode } from './error-codes.ts'
import type { Requires, Schema } from './params.ts'
import type { Component } from './schemas/component.ts'

/** The codes that a route refuses with beside those that all routes have, by their status. */
export type Refusals = Readonly<Partial<Record<400 | 401 | 402 | 404 | 422, readonly ErrorCode[]>>>

/** A route as it serves and as it is described: the description is made from the same objects. */
export type RouteOf<Params, Body> = {
  readonly method: 'get' | 'post' | 'delete'
  readonly path: string
  /** What it does, in a sentence. */
  readonly summary: string
  readonly params?: Schema<Params>
  /** A parameter that is required only beside others. */
  readonly requires?: Requires
  /** 201 for a POST that creates a resource, 303 where a browser is sent elsewhere. */
  readonly status?: 200 | 201 | 303
  readonly returns: Component<z.ZodType<Body>>
  readonly errors?: Refusals
  /** Whether it also streams events, to those that accept text/event-stream. */
  readonly streams?: true
  /** Whether it answers people, with pages in HTML, and may send their browser elsewhere (303). */
  readonly isPage?: true
}

/** A route that was registered. */
export type Registered = Omit<RouteOf<unknown, unknown>, 'params' | 'returns'> & {
  readonly params?: z.ZodType
  readonly returns: Component
  /** Who may call it: a merchant, a browser too, an app for itself, the operator, or everybody. */
  readonly audience: 'merchant' | 'public' | 'app' | 'operator' | 'everybody'
}
