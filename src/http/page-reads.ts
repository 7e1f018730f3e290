import { deferredLength } from '../core/deferred-value.ts'
import { jsonLength } from '../core/json-text.ts'
import type { View } from '../engine/history/view.ts'
import type { Call } from './api.ts'
import type { Json } from './json.ts'
import type { VersionHistory } from './versions.ts'

/** The request for a page. */
export type PageRequest<V extends View = View> = Pick<Call<unknown>, 'version'> & {
  readonly view: V
  readonly services: { readonly versions: VersionHistory }
}

/** A view to present the entries of a page, with the lengths that limit the page. */
type PageReads<V extends View> = {
  readonly view: V
  readonly lengths: {
    /** Returns the length of an entry in the version of the request. Older versions show whole objects in place of ids. */
    readonly shownLength: (body: Json) => number
    /** Returns the length of the objects that were read through the view, each once. */
    readonly readLength: () => number
  }
}

/**
 * Returns the length of the texts and nested values of an object. Its other values are short, and most objects have many of them. Large
 * nested values are not parsed to count them.
 */
const lengthOf = (object: object): number =>
  deferredLength(object) ??
  Object.values(object).reduce<number>((sum, value) => (isLong(value) ? sum + jsonLength(value) : sum), 0)

const isLong = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null)

/**
 * Creates a view that counts what is read through it. For example, an invoice shows two fields of its subscription, but the whole
 * subscription is read.
 * @returns also a function that returns the length of the objects that were read, each once
 */
export function countingView<V extends View>(
  view: V,
): { readonly view: V; readonly readLength: () => number } {
  const known = new Set<object>()
  let length = 0
  const counted: V = {
    ...view,
    get: (kind, id) => {
      const object = view.get(kind, id)
      if (object && !known.has(object)) {
        known.add(object)
        length += lengthOf(object)
      }
      return object
    },
  }
  return { view: counted, readLength: () => length }
}

/** Creates a view to present the entries of the page that a request asks for, which counts what is read for them. */
export function countReads<V extends View>({ view, version, services }: PageRequest<V>): PageReads<V> {
  const { view: counted, readLength } = countingView(view)
  return {
    view: counted,
    lengths: {
      shownLength: (body) => jsonLength(services.versions.downgradeEntry(version, body, { view, counted })),
      readLength,
    },
  }
}
