import type { Kind, Objects } from '../core/change.ts'
import type { View } from '../engine/view.ts'
import type { Json } from './json.ts'
import { textOf } from './respond.ts'

/** Another object that a presenter has looked at. */
type Related = { readonly kind: Kind; readonly id: string; readonly object: object | undefined }

/** The text of an object, which holds for as long as everything that its presenter has looked at is the same. */
type Kept = {
  /** A browser is shown less of an intent than a merchant. */
  readonly presenter: object
  readonly merchant: View['merchant']
  readonly related: readonly Related[]
  readonly text: string
}

const kept = new WeakMap<object, Kept>()

/**
 * An object as an answer shows it. Its text is kept with the object, which the store keeps in memory as long as it is used; a
 * changed object is another one.
 */
export class ShownObject<Body extends Json> {
  readonly #view: View
  readonly #object: object
  readonly #presenter: object
  readonly #present: (view: View) => Body

  private constructor(
    view: View,
    object: object,
    { presenter, present }: { presenter: object; present: (view: View) => Body },
  ) {
    this.#view = view
    this.#object = object
    this.#presenter = presenter
    this.#present = present
  }

  static of<Object extends Objects[Kind], Body extends Json>(
    view: View,
    object: Object,
    present: (view: View, object: Object) => Body,
  ): ShownObject<Body> {
    return new ShownObject(view, object, { presenter: present, present: (seen) => present(seen, object) })
  }

  body(): Body {
    return this.#present(this.#view)
  }

  /** The body as JSON, with nothing expanded. */
  text(): string {
    const view = this.#view
    const known = kept.get(this.#object)
    if (known?.presenter === this.#presenter && isSame(view, known)) return known.text
    const related: Related[] = []
    const watched: View = {
      ...view,
      get: (kind, id) => {
        const object = view.get(kind, id)
        related.push({ kind, id, object })
        return object
      },
    }
    const text = textOf(this.#present(watched))
    kept.set(this.#object, { presenter: this.#presenter, merchant: view.merchant, related, text })
    return text
  }
}

const isSame = (view: View, { merchant, related }: Kept): boolean =>
  merchant === view.merchant && related.every(({ kind, id, object }) => view.get(kind, id) === object)
