import { ApiError } from '../core/errors.ts'
import { fixturesRefused } from '../core/fixture-mistakes.ts'
import { RefusedAfterAttempt } from './unit.ts'

/** Where something stands: `path` as in `subscriptions[2]`. */
export type Place = { readonly file: string; readonly path: string }

/** What fixtures can make. */
export const FIXTURE_KINDS = [
  'merchant',
  'key',
  'product',
  'price',
  'customer',
  'payment_method',
  'subscription',
  'webhook_endpoint',
  'app',
] as const
export type FixtureKind = (typeof FIXTURE_KINDS)[number]

/** Something that was made of an entry. */
export type Made = Place & {
  readonly object: FixtureKind
  readonly ref: string | null
  readonly id: string
  /** null for an app, which belongs to nobody. */
  readonly merchant_id: string | null
  /** The secret of what has got one just now: the only time that it is told. */
  readonly secret?: string
}

type Named = { readonly at: Place; readonly ref: string | null; readonly params: object }

/** Which ids the entries of a merchant's fixtures have got. */
export class Names {
  readonly #ids = new Map<FixtureKind, Map<string, string>>()
  readonly #ofEntries = new Map<Named, string>()

  give(kind: FixtureKind, entry: Named, id: string): void {
    const ids = this.#ids.get(kind) ?? new Map<string, string>()
    if (entry.ref !== null) this.#ids.set(kind, ids.set(entry.ref, id))
    this.#ofEntries.set(entry, id)
  }

  /** The id of what has this ref; undefined when nothing has. */
  known(kind: FixtureKind, ref: string | null | undefined): string | undefined {
    return this.#ids.get(kind)?.get(ref ?? '')
  }

  /** The id that a reference means: a ref's, or the reference itself, which then is an id. */
  idOf<Reference extends string | undefined>(kind: FixtureKind, reference: Reference): Reference {
    return (this.known(kind, reference) ?? reference) as Reference
  }

  idOfEntry(entry: Named): string | undefined {
    return this.#ofEntries.get(entry)
  }

  /** A text in which the ids of what was made, which the reader has never seen, are what the reader calls them. */
  spoken(text: string): string {
    let spoken = text
    for (const [{ at, ref }, id] of this.#ofEntries) spoken = spoken.replaceAll(id, ref ?? at.path)
    return spoken
  }
}

/**
 * Makes something; a rule that refuses it is told of the entry that asked for it.
 * @throws ApiError that names file and path
 */
export function blaming<T>(entry: Named, names: Names, make: () => T): T {
  try {
    return make()
  } catch (error) {
    const refused = error instanceof RefusedAfterAttempt ? error.error : error
    if (!(refused instanceof ApiError)) throw refused
    const { status, type, code, details } = refused
    const message = names.spoken(refused.message)
    const placed = new ApiError({ status, type, code, details, message, param: pathOf(entry, refused.param) })
    throw fixturesRefused({ file: entry.at.file, error: () => placed })
  }
}

/** `items[0][price]` of `subscriptions[2]` → `subscriptions[2].items[0].price`; what is no parameter of the entry means all of it. */
function pathOf({ at, params }: Named, param: string | null): string {
  const [, head = '', rest = ''] = /^(\w+)(.*)$/.exec(param ?? '') ?? []
  if (!Object.hasOwn(params, head)) return at.path
  const steps = rest.replaceAll(/\[(\w+)\]/g, (_, step: string) =>
    /^\d+$/.test(step) ? `[${step}]` : `.${step}`,
  )
  return `${at.path}.${head}${steps}`
}
