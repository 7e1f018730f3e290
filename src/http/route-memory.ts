import type { Hono } from 'hono'
import { tryDecodeURIComponent } from 'hono/utils/url'
import type { Serve } from './incoming.ts'

/** The ID of an object in a path. No route has a literal part of this form. */
export const ID = /(?<=\/)[a-z]+_[0-9A-Za-z]{14}(?=\/|$)/
/** Stands for any ID in a remembered path. A path without an ID cannot contain it. */
const ANY_ID = 'id_00000000000000'

/** The function that serves a request, and the parameters of its path. */
export type Match = { readonly serve: Serve; readonly param: (name: string) => string | undefined }

/** Finds the functions of routes. It remembers them by path with any ID, because hono's router takes longer than authenticating the caller. */
export class RouteMemory {
  readonly #router: Hono['router']
  readonly #serves: WeakMap<object, Serve>
  readonly #known = new Map<string, Serve>()

  /** @param serves - the functions of routes by their handlers in hono's router; others are not found */
  constructor({ router }: Pick<Hono, 'router'>, serves: WeakMap<object, Serve>) {
    this.#router = router
    this.#serves = serves
  }

  match(method: string, path: string): Match | undefined {
    const id = ID.exec(path)?.[0]
    const form = `${method} ${path.replace(ID, ANY_ID)}`
    const known = this.#known.get(form)
    if (known) return { serve: known, param: (name) => (name === 'id' ? id : undefined) }
    const [[first] = []] = this.#router.match(method, path)
    const serve = first && this.#serves.get(first[0][0])
    if (!serve) return undefined
    const params: Readonly<Record<string, unknown>> = first[1]
    // With arbitrary IDs of callers, the map would grow without limit.
    if (params.id === id && Object.keys(params).every((name) => name === 'id')) this.#known.set(form, serve)
    return { serve, param: (name) => decoded(params[name]) }
  }
}

/** Decodes a part of a path as hono does: what is not valid UTF-8 stays encoded. */
const decoded = (value: unknown): string | undefined =>
  typeof value === 'string' ? tryDecodeURIComponent(value) : undefined
