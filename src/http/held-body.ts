import { isTokenKey } from '../engine/access/oauth-token.ts'
import { SharedOwner } from '../engine/machine/steps.ts'
import type { Caller } from './caller.ts'
import { ownConnection } from './connection-owner.ts'
import { LimitedOwner } from './held-bodies.ts'
import type { Reading } from './incoming.ts'
import { nodeRequestOf } from './node-request.ts'
import { turnToParse, turnToRead, WAITING_BYTES } from './read-turn.ts'
import type { HttpServices } from './services.ts'

/** The owner of requests without credentials that are for no merchant. */
export const NOBODY = new SharedOwner()

/** The owner of requests with an app's own credentials, of any app. */
export const APPS = new SharedOwner()

/**
 * paytwin: the part of a merchant's share that each of its keyless owners may hold: far less than all, so that what others send for
 * a merchant uses up the room of no other.
 */
const KEYLESS_PART = 1 / 4

/** The owners of requests for a merchant without its secret key. They use up no room of those with its key. */
type KeylessOwners = {
  /** Visitors of its pages for customers. */
  readonly visitors: object
  /** Senders of webhooks to its inbox. */
  readonly senders: object
  /** Browsers that use its publishable keys. */
  readonly browsers: object
  /** All apps with access tokens for it. */
  readonly apps: object
}

const keyless = new WeakMap<object, KeylessOwners>()

type Credentialed = Pick<Caller, 'merchant' | 'isPublic' | 'keyId'>

/** Returns the owners of requests for a merchant without its secret key. */
export function keylessOwnersOf(merchant: object): KeylessOwners {
  const known = keyless.get(merchant)
  if (known) return known
  const made = () => new LimitedOwner(KEYLESS_PART)
  const owners = { visitors: made(), senders: made(), browsers: made(), apps: made() }
  keyless.set(merchant, owners)
  return owners
}

/** Returns the owner of the requests of a caller; undefined without one. */
export function ownerOf(caller: Credentialed): object
export function ownerOf(caller: Credentialed | undefined): object | undefined
export function ownerOf(caller: Credentialed | undefined): object | undefined {
  if (!caller) return undefined
  const { merchant, isPublic, keyId } = caller
  if (isPublic) return keylessOwnersOf(merchant).browsers
  return isTokenKey(keyId) ? keylessOwnersOf(merchant).apps : merchant
}

/** Waits until a caller may read the objects of its merchant: see turnToRead. */
export const turnOfCaller = (
  services: Services,
  caller: Credentialed,
  env: unknown,
): Promise<void> | undefined => turnToRead(services, caller.merchant, env, ownerOf(caller))

/** paytwin: what a write counts at least, in bytes: about half of the memory that it takes while it waits. */
const WRITE_BYTES = 2 ** 13

type Services = Pick<HttpServices, 'engine' | 'bodies'>

/** What one request holds: its body, as far as it has arrived, its parameters, and what it takes while it waits. */
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
   * @param ownerOf - returns the owner whose limit the request counts against; NOBODY if undefined
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

  /**
   * Counts what parsed parameters take, in bytes. Those of a read count only if they take more than it counts while it waits.
   * @throws ApiError rate_limit if there is no room for them
   */
  readonly addParsed = (bytes: number): void => {
    if (this.#counted > 0 || bytes > WAITING_BYTES) this.add(bytes)
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
    if (this.#counted === 0) ownConnection(this.#env, this.#owner)
    this.#counted = bytes
  }
}

function headerLength(env: unknown): number {
  const { url = '', rawHeaders = [] } = nodeRequestOf(env) ?? {}
  return rawHeaders.reduce((length, text) => length + text.length, url.length)
}
