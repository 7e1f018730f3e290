import type { ApiError } from '../core/errors.ts'

/** A JSON object, as presenters make it. */
export type Json = { readonly [name: string]: unknown }

/** The result of a handler: a body, an error that does not roll back the command, or a complete response (a stream). */
export type RouteResult<Body = Json> = Body | ApiError | Response
