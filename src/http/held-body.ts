import type { Caller } from './caller.ts'
import type { Reading } from './incoming.ts'
import { nodeRequestOf, turnToParse } from './read-turn.ts'
import type { HttpServices } from './services.ts'

/** The owner of requests without a key that are for no merchant, and that of requests of apps. */
export const NOBODY = {}
export const APPS = {}

/** The owners of requests for a merchant without its key: each has a share of the limit of its own, which no others use up. */
type Strangers = {
  /** Who visits its pages for customers. */
  readonly visitors: object
  /** Who posts to its inbox. */
  readonly senders: object
  /** Browsers with its publishable key, which everyone can read. */
  readonly browsers: object
}

const strangers = new WeakMap<object, Strangers>()

/** Returns the owners of requests for a merchant without its key. */
export function strangersOf(merchant: object): Strangers {
  const owners = strangers.get(merchant) ?? { visitors: {}, senders: {}, browsers: {} }
  strangers.set(merchant, owners)
  return owners
}

/** Returns the owner of the requests of a caller; undefined without one. */
export function ownerOf(caller: Pick<Caller, 'merchant' | 'isPublic'> | undefined): object | undefined {
  return caller?.isPublic ? strangersOf(caller.merchant).browsers : caller?.merchant
}

/** paytwin: what a write counts at least, in bytes: about half of the memory that it takes while it waits. */
const WRITE_BYTES = 2 ** 13

type Services = Pick<HttpServices, 'engine' | 'bodies'>

/** The body of one request, as far as it has arrived. */
export class HeldBody implements Reading {
  readonly #services: Services
  readonly #env: unknown
  readonly #ownerOf: () => object | undefined
  #owner: object | undefined
  #bytes = 0
  /** The bytes that count, which are at least the reserved ones. */
  #counted = 0

  /**
   * @param env - the environment of the server
   * @param ownerOf - returns the merchant of the request; undefined without a key
   */
  constructor(services: Services, env: unknown, ownerOf: () => object | undefined = () => undefined) {
    this.#services = services
    this.#env = env
    this.#ownerOf = ownerOf
  }

  /**
   * Counts what a request takes while it waits without its body, or with a small one: a number of bytes, or its headers if they are longer.
   * @throws ApiError rate_limit if there is no room for it
   */
  reserve(bytes = WRITE_BYTES): void {
    this.#count(Math.max(bytes, headerLength(this.#env)))
  }

  /** Counts bytes that arrived. @throws ApiError rate_limit if there is no room for them */
  readonly add = (bytes: number): void => {
    this.#count(this.#bytes + bytes)
    this.#bytes += bytes
  }

  /** Waits for a turn of the owner: many bodies may arrive in one instant. @throws ApiError rate_limit */
  readonly turn = (): Promise<void> | undefined =>
    turnToParse(this.#services, this.#owner ?? this.#ownerOf() ?? NOBODY, this.#env)

  /** Ends the count, when the request was answered. */
  release(): void {
    if (this.#owner) this.#services.bodies.remove(this.#owner, this.#counted)
    this.#owner = undefined
    this.#bytes = 0
    this.#counted = 0
  }

  #count(bytes: number): void {
    const more = bytes - this.#counted
    if (more <= 0) return
    this.#owner ??= this.#ownerOf() ?? NOBODY
    this.#services.bodies.add(this.#owner, more)
    this.#counted = bytes
  }
}

function headerLength(env: unknown): number {
  const { url = '', rawHeaders = [] } = nodeRequestOf(env) ?? {}
  return rawHeaders.reduce((length, text) => length + text.length, url.length)
}
