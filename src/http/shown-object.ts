import type { Kind, Objects } from '../core/kinds.ts'
import type { View } from '../engine/history/view.ts'
import type { Json } from './json.ts'
import { textOf } from './respond.ts'

/** An object that the presenter read in addition to the shown one. */
type Related = { readonly kind: Kind; readonly id: string; readonly object: object | undefined }

/** The cached text of an object. Valid while all objects that the presenter read are unchanged. */
type CachedText = {
  /** Presenters differ: a browser gets fewer fields of an intent than a merchant. */
  readonly presenter: object
  readonly merchant: View['merchant']
  readonly related: readonly Related[]
  readonly text: string
}

const cache = new WeakMap<object, CachedText>()

/**
 * An object to be presented. Its text is cached by the object's identity: the store returns the same object until it changes.
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
    return new ShownObject(view, object, { presenter: present, present: (viewed) => present(viewed, object) })
  }

  body(): Body {
    return this.#present(this.#view)
  }

  /** The body as JSON, with nothing expanded. */
  text(): string {
    const view = this.#view
    const cached = cache.get(this.#object)
    if (cached?.presenter === this.#presenter && isValid(view, cached)) return cached.text
    const related: Related[] = []
    const get: View['get'] = (kind, id) => {
      const object = view.get(kind, id)
      related.push({ kind, id, object })
      return object
    }
    const recordingView: View = { ...view, get, withoutMetadata: get }
    const text = textOf(this.#present(recordingView))
    cache.set(this.#object, { presenter: this.#presenter, merchant: view.merchant, related, text })
    return text
  }
}

const isValid = (view: View, { merchant, related }: CachedText): boolean =>
  merchant === view.merchant && related.every(({ kind, id, object }) => view.get(kind, id) === object)
