import type { Json } from '../json.ts'

/** A request and its response, recorded in a sandbox. */
export type Example = {
  readonly request: {
    /** The parameters of the path. */
    readonly ids: Readonly<Record<string, string>>
    readonly query: Readonly<Record<string, unknown>>
    readonly body?: Json | undefined
  }
  readonly status: number
  readonly body: Json
}

/** The examples of the OpenAPI document and of the pages. */
export type Examples = {
  /** The first success of each route, by method and path such as `post /v1/customers/:id`. */
  readonly successes: ReadonlyMap<string, Example>
  /** The first error of each kind, by status and code such as `400_parameter_invalid`. */
  readonly errors: ReadonlyMap<string, Json>
  /** The beginning of each stream, by method and path. */
  readonly streams: ReadonlyMap<string, string>
}

export const NO_EXAMPLES: Examples = { successes: new Map(), errors: new Map(), streams: new Map() }
