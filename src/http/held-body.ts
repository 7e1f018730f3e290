import type { Reading } from './incoming.ts'
import { turnToParse } from './read-turn.ts'
import type { HttpServices } from './services.ts'

/** The owner of requests without the key of a merchant. */
export const NOBODY = {}

type Services = Pick<HttpServices, 'engine' | 'bodies'>

/** The body of one request, as far as it has arrived. */
export class HeldBody implements Reading {
  readonly #services: Services
  readonly #env: unknown
  readonly #ownerOf: () => object | undefined
  #owner: object | undefined
  #bytes = 0

  /**
   * @param env - the environment of the server
   * @param ownerOf - returns the merchant of the request; undefined without a key
   */
  constructor(services: Services, env: unknown, ownerOf: () => object | undefined = () => undefined) {
    this.#services = services
    this.#env = env
    this.#ownerOf = ownerOf
  }

  /** Counts bytes that arrived. @throws ApiError rate_limit if there is no room for them */
  readonly add = (bytes: number): void => {
    this.#owner ??= this.#ownerOf() ?? NOBODY
    this.#services.bodies.add(this.#owner, bytes)
    this.#bytes += bytes
  }

  /** Waits for a turn of the owner: many bodies may arrive in one instant. @throws ApiError rate_limit */
  readonly turn = (): Promise<void> | undefined =>
    turnToParse(this.#services, this.#owner ?? this.#ownerOf() ?? NOBODY, this.#env)

  /** Ends the count, when the request was answered. */
  release(): void {
    if (this.#owner) this.#services.bodies.remove(this.#owner, this.#bytes)
    this.#owner = undefined
    this.#bytes = 0
  }
}
