import { ApiError } from '../../core/errors.ts'
import { fixturesInvalid } from '../../core/fixture-mistakes.ts'
import { PaymentRefused } from '../machine/unit.ts'

/** A position in fixtures: `path` as in `subscriptions[2]`. */
export type FixturePosition = { readonly file: string; readonly path: string }

/** The kinds of objects that fixtures can create. */
export const FIXTURE_KINDS = [
  'merchant',
  'key',
  'product',
  'billing_meter',
  'price',
  'coupon',
  'customer',
  'payment_method',
  'promotion_code',
  'subscription',
  'subscription_schedule',
  'webhook_endpoint',
  'app',
] as const
export type FixtureKind = (typeof FIXTURE_KINDS)[number]

/** An object that was created from an entry. */
export type CreatedObject = FixturePosition & {
  readonly object: FixtureKind
  readonly ref: string | null
  readonly id: string
  /** null for an app, which belongs to no merchant. */
  readonly merchant_id: string | null
  /** The secret of a new object, which is never shown again. */
  readonly secret?: string
}

type Named = { readonly at: FixturePosition; readonly ref: string | null; readonly params: object }

/** The ids of the objects of a merchant's fixtures, by ref and entry. */
export class FixtureIds {
  readonly #ids = new Map<FixtureKind, Map<string, string>>()
  readonly #ofEntries = new Map<Named, string>()

  set(kind: FixtureKind, entry: Named, id: string): void {
    const ids = this.#ids.get(kind) ?? new Map<string, string>()
    if (entry.ref !== null) this.#ids.set(kind, ids.set(entry.ref, id))
    this.#ofEntries.set(entry, id)
  }

  /** Returns the id of the object with this ref; undefined when none has it. */
  known(kind: FixtureKind, ref: string | null | undefined): string | undefined {
    return this.#ids.get(kind)?.get(ref ?? '')
  }

  /** Resolves a reference: the id of its ref, or the reference itself, which then is an id. */
  idOf<Reference extends string | undefined>(kind: FixtureKind, reference: Reference): Reference {
    return (this.known(kind, reference) ?? reference) as Reference
  }

  idOfEntry(entry: Named): string | undefined {
    return this.#ofEntries.get(entry)
  }

  /**
   * Replaces the ids of created objects in a text by their refs or paths, because the reader has never seen the ids.
   */
  withRefs(text: string): string {
    let result = text
    for (const [{ at, ref }, id] of this.#ofEntries) result = result.replaceAll(id, ref ?? at.path)
    return result
  }
}

/**
 * Creates an object, and adds the entry's file and path to an error.
 * @throws ApiError with file and path
 */
export function withErrorPath<T>(entry: Named, names: FixtureIds, make: () => T): T {
  try {
    return make()
  } catch (error) {
    const refused = error instanceof PaymentRefused ? error.error : error
    if (!(refused instanceof ApiError)) throw refused
    const { status, type, code, details } = refused
    const message = names.withRefs(refused.message)
    const placed = new ApiError({ status, type, code, details, message, param: pathOf(entry, refused.param) })
    throw fixturesInvalid({ file: entry.at.file, error: () => placed })
  }
}

/**
 * `items[0][price]` of `subscriptions[2]` → `subscriptions[2].items[0].price`; without a parameter the path of the
 * entry.
 */
function pathOf({ at, params }: Named, param: string | null): string {
  const [, head = '', rest = ''] = /^(\w+)(.*)$/.exec(param ?? '') ?? []
  if (!Object.hasOwn(params, head)) return at.path
  const steps = rest.replaceAll(/\[(\w+)\]/g, (_, step: string) =>
    /^\d+$/.test(step) ? `[${step}]` : `.${step}`,
  )
  return `${at.path}.${head}${steps}`
}
