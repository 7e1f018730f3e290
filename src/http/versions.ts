import { API_VERSIONS } from '../core/api-version.ts'
import { parameterInvalid } from '../core/errors.ts'
import type { Raw } from './form.ts'
import type { Json } from './json.ts'

/** A breaking change between two consecutive versions. */
export type VersionChange = {
  readonly description: string
  /** Converts parameters of the previous version to this one, for a route such as `POST /v1/customers`. */
  readonly request?: (route: string, params: Raw) => Raw
  /** Converts a resource of this version to the previous one. Called for every nested resource. */
  readonly response?: (resource: Json) => Json
}

/** A dated version, with its changes from the previous one. See docs/contract/versions.md#conversion. */
export type Version = { readonly date: string; readonly changes: readonly VersionChange[] }

/** The versions of the API, oldest first. Breaking changes are declared here only. */
export const VERSIONS: readonly Version[] = API_VERSIONS.map((date) => ({ date, changes: [] }))

/**
 * Converts requests and responses between versions, so that all other code handles the newest version only.
 * See docs/contract/versions.md#conversion.
 */
export class VersionHistory {
  readonly dates: readonly string[]
  readonly newest: string
  readonly #versions: readonly Version[]
  readonly #header: string

  /** @param header - the header with the version of a request */
  constructor(versions: readonly Version[] = VERSIONS, header = 'X-API-Version') {
    this.#header = header
    this.#versions = versions
    this.dates = versions.map(({ date }) => date)
    this.newest = this.dates.at(-1) ?? ''
  }

  /**
   * Checks the version that a request names; undefined if it names none.
   * @throws ApiError parameter_invalid, param X-API-Version
   */
  check(requested: string | undefined): string | undefined {
    if (requested === undefined || this.dates.includes(requested)) return requested
    const known = this.dates.join(', ')
    throw parameterInvalid(this.#header, `Unknown API version '${requested}'. Known versions: ${known}.`)
  }

  /** Converts parameters of an older version to the newest. */
  upgrade(date: string, route: string, params: Raw): Raw {
    if (date === this.newest) return params
    return this.#changesSince(date).reduce((given, { request }) => request?.(route, given) ?? given, params)
  }

  /** Converts a body of the newest version to an older one. Events keep the version in which they were emitted. */
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
