import { API_VERSIONS } from '../core/api-version.ts'
import { parameterInvalid } from '../core/errors.ts'
import type { Raw } from './form.ts'
import type { Json } from './json.ts'

/** One breaking change between a version and the one before it. */
export type VersionChange = {
  readonly description: string
  /** Turns parameters of the version before into those of this one, for a route as in `POST /v1/customers`. */
  readonly request?: (route: string, params: Raw) => Raw
  /** Turns a resource of this version into one of the version before; called for every nested resource. */
  readonly response?: (resource: Json) => Json
}

/** A dated version, with all that changed since the one before. See docs/contract/versions.md#conversion. */
export type Version = { readonly date: string; readonly changes: readonly VersionChange[] }

/** The history of the API, oldest first: the one place where a breaking change is written down. */
export const VERSIONS: readonly Version[] = API_VERSIONS.map((date) => ({ date, changes: [] }))

/**
 * Translates between dated versions at the edge, so that everything inside knows the newest only.
 * See docs/contract/versions.md#conversion.
 */
export class VersionHistory {
  readonly dates: readonly string[]
  readonly newest: string
  readonly #versions: readonly Version[]

  constructor(versions: readonly Version[] = VERSIONS) {
    this.#versions = versions
    this.dates = versions.map(({ date }) => date)
    this.newest = this.dates.at(-1) ?? ''
  }

  /**
   * The version that a request asks for; undefined when it asks for none.
   * @throws ApiError parameter_invalid, param X-API-Version
   */
  check(asked: string | undefined): string | undefined {
    if (asked === undefined || this.dates.includes(asked)) return asked
    const known = this.dates.join(', ')
    throw parameterInvalid('X-API-Version', `Unknown API version '${asked}'. The known ones: ${known}.`)
  }

  /** Parameters of an older version as the newest knows them. */
  upgrade(date: string, route: string, params: Raw): Raw {
    if (date === this.newest) return params
    return this.#changesSince(date).reduce((given, { request }) => request?.(route, given) ?? given, params)
  }

  /** A body of the newest version as an older one shows it. Events keep the version in which they were made. */
  downgrade(date: string, body: Json): Json {
    if (date === this.newest) return body
    const changes = this.#changesSince(date).reverse()
    return changes.length === 0 ? body : (downgraded(body, changes) as Json)
  }

  #changesSince(date: string): VersionChange[] {
    return this.#versions.slice(this.dates.indexOf(date) + 1).flatMap(({ changes }) => changes)
  }
}

function downgraded(value: unknown, changes: readonly VersionChange[]): unknown {
  if (Array.isArray(value)) return value.map((entry) => downgraded(entry, changes))
  if (typeof value !== 'object' || value === null) return value
  const { object } = value as Json
  if (object === 'event') return value
  const inner = Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, downgraded(child, changes)]),
  )
  if (typeof object !== 'string') return inner
  return changes.reduce((resource, { response }) => response?.(resource) ?? resource, inner as Json)
}
