import { API_VERSIONS } from '../core/api-version.ts'
import { parameterInvalid } from '../core/errors.ts'
import type { Kind } from '../core/kinds.ts'
import type { View } from '../engine/history/view.ts'
import type { Present } from './expand.ts'
import type { Raw } from './form.ts'
import type { Json } from './json.ts'

/** A breaking change between two consecutive versions. */
export type VersionChange = {
  /** Describes the previous version, in sentences. */
  readonly description: string
  /** Converts parameters of the previous version to this one, for a route such as `POST /v1/customers`. */
  readonly request?: (route: string, params: Raw) => Raw
  /**
   * Converts a resource of this version to the previous one. Called for every resource, then for those nested in it, which are still
   * in the newest version.
   */
  readonly response?: Downgrade
}

type Downgrade = (resource: Json, objects: ObjectsAt) => Json

/** The objects that a change can add to a resource. */
export type ObjectsAt = {
  readonly view: View
  /** Presents an object in the newest version; undefined if there is none. It is converted with the resource that it is added to. */
  readonly show: (kind: Kind, id: string) => Json | undefined
}

/** A dated version, with its changes from the previous one. See docs/contract/versions.md#conversion. */
export type Version = { readonly date: string; readonly changes: readonly VersionChange[] }

type HistoryOptions = {
  readonly present: Present
  readonly header: string
  readonly deprecated?: (route: string, params: Raw) => Raw
}

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
  readonly #present: Present
  readonly #deprecated: ((route: string, params: Raw) => Raw) | undefined
  /** The conversions from the newest version to each of the others, in their order. */
  readonly #responses: ReadonlyMap<string, readonly Downgrade[]>
  /** The entries of lists that were converted before, by the view of their request. */
  readonly #entries = new WeakMap<View, Map<object, Json>>()

  /**
   * @param options.present - presents an object in the newest version
   * @param options.header - the header with the version of a request
   * @param options.deprecated - converts deprecated parameters that the newest version takes too
   */
  constructor(versions: readonly Version[], options: HistoryOptions) {
    this.#deprecated = options.deprecated
    this.#header = options.header
    this.#present = options.present
    this.#versions = versions
    this.dates = versions.map(({ date }) => date)
    this.newest = this.dates.at(-1) ?? ''
    this.#responses = new Map(this.dates.map((date) => [date, this.#responsesOf(date)]))
  }

  /** Returns a version if it is known, otherwise the newest. */
  knownOrNewest(date: string | undefined): string {
    return date !== undefined && this.dates.includes(date) ? date : this.newest
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
    const upgraded =
      date === this.newest
        ? params
        : this.#changesSince(date).reduce((given, { request }) => request?.(route, given) ?? given, params)
    return this.#deprecated?.(route, upgraded) ?? upgraded
  }

  /** Converts a body of the newest version to an older one. Events keep the version in which they were emitted. */
  downgrade(date: string, body: Json, view: View): Json {
    const responses = this.#responses.get(date) ?? this.#responsesOf(date)
    if (responses.length === 0) return body
    const objects: ObjectsAt = {
      view,
      show: (kind, id) => {
        const object = view.get(kind, id)
        return object && this.#present(view, kind, object)
      },
    }
    const convert = (resource: Json) =>
      responses.reduce((shown, response) => response(shown, objects), resource)
    return converted(body, convert, this.#entries.get(view)) as Json
  }

  /**
   * Converts an entry of a list before the list, to count what is added to it. The conversion of the list uses the result.
   * @param reads.view - the view of the request
   * @param reads.counted - the same view, which counts what is read
   */
  downgradeEntry(date: string, entry: Json, reads: { readonly view: View; readonly counted: View }): Json {
    if (date === this.newest) return entry
    const shown = this.downgrade(date, entry, reads.counted)
    const known = this.#entries.get(reads.view) ?? new Map()
    this.#entries.set(reads.view, known.set(entry, shown))
    return shown
  }

  #responsesOf(date: string): Downgrade[] {
    return this.#changesSince(date)
      .flatMap(({ response }) => response ?? [])
      .reverse()
  }

  #changesSince(date: string): VersionChange[] {
    return this.#versions.slice(this.dates.indexOf(date) + 1).flatMap(({ changes }) => changes)
  }
}

/**
 * Converts the resources of a value, each before those nested in it. One pass makes the changes of all versions, and returns what has
 * none of them as it is: a body can have a million values. Metadata is the caller's, and can look like a resource.
 */
function converted(
  value: unknown,
  convert: (resource: Json) => Json,
  known: ReadonlyMap<object, Json> | undefined,
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const entries = value.map((entry) => converted(entry, convert, known))
    return entries.some((entry, index) => entry !== value[index]) ? entries : value
  }
  const { object } = value as Json
  if (object === 'event') return value
  const isResource = typeof object === 'string'
  const before = isResource && known?.get(value)
  if (before) return before
  const resource = isResource ? convert(value as Json) : (value as Json)
  let changed: Record<string, unknown> | undefined
  for (const name of Object.keys(resource)) {
    const child = resource[name]
    const after = name === 'metadata' ? child : converted(child, convert, known)
    if (after === child) continue
    changed ??= { ...resource }
    changed[name] = after
  }
  return changed ?? resource
}
