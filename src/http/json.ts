import type { ApiError } from '../core/errors.ts'

/** What a JSON object looks like from here: presenters make them, responses carry them. */
export type Json = { readonly [name: string]: unknown }

/** What a handler answers: a body, a refusal that is no failure of the command, or a response of its own (a stream). */
export type Answer<Body = Json> = Body | ApiError | Response
