import type { WebhookEndpoint } from '../core/webhook.ts'
import { TimedTurns } from '../engine/machine/gate.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'
import { FairSemaphore, type Share } from './turnstile.ts'

/** Writes the body of an event for an endpoint. */
export type Render = (
  merchant: MerchantState,
  event: string,
  endpoint: WebhookEndpoint,
) => string | Promise<string>

const MIB = 1_048_576

/** paytwin: the bytes of bodies that are being sent, in all and of one merchant. Each attempt has a copy of its own. */
const MAX_BYTES = 256 * MIB
const SHARE: Share = { most: 64 * MIB, ensured: MIB }

/** For whom a body is written, and whether it is still wanted: the event may be gone meanwhile. */
type Wanted = { readonly endpoint: WebhookEndpoint; readonly isWanted: () => boolean }

type Body = {
  readonly merchant: MerchantState
  readonly event: string
  readonly version: string | null
  readonly text: Promise<string>
}

/**
 * The bodies of deliveries. An event with a large object takes some 20 ms: they are written in turns of limited time, and once for
 * all endpoints with the same version. The bytes of those that are being sent are limited, and merchants share them.
 */
export class Bodies {
  readonly #render: Render
  readonly #turns = new TimedTurns<MerchantState>()
  readonly #room: FairSemaphore<MerchantState>
  #newest: Body | undefined

  constructor(render: Render, maxBytes = MAX_BYTES, share = SHARE) {
    this.#render = render
    this.#room = new FairSemaphore(maxBytes, share)
  }

  /**
   * Passes the body of an event to a function once there is room for it, and counts it until the function has ended.
   * Rejects if it cannot be written.
   * @returns undefined if the body is no longer wanted
   */
  async use<T>(
    merchant: MerchantState,
    event: string,
    wanted: Wanted,
    use: (text: string) => Promise<T>,
  ): Promise<T | undefined> {
    let text = await this.of(merchant, event, wanted)
    if (text === undefined) return undefined
    const bytes = Buffer.byteLength(text)
    const turn = this.#room.enter(merchant, bytes)
    try {
      if (turn) {
        // What waits keeps no body.
        text = undefined
        await turn
        text = await this.of(merchant, event, wanted)
      }
      return text !== undefined && wanted.isWanted() ? await use(text) : undefined
    } finally {
      this.#room.leave(merchant, bytes)
    }
  }

  /**
   * Returns the body of an event. Rejects if it cannot be written.
   * @returns undefined if it is no longer wanted in its turn
   */
  of(merchant: MerchantState, event: string, { endpoint, isWanted }: Wanted): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      this.#turns.run(merchant, () => {
        try {
          resolve(isWanted() ? this.#now(merchant, event, endpoint) : undefined)
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  /** Must be called after the contents of the database were replaced: other events may have these ids. */
  forget(): void {
    this.#newest = undefined
  }

  #now(merchant: MerchantState, event: string, endpoint: WebhookEndpoint): Promise<string> {
    const version = endpoint.api_version
    const known = this.#newest
    if (known?.merchant === merchant && known.event === event && known.version === version) return known.text
    const text = Promise.resolve(this.#render(merchant, event, endpoint))
    this.#newest = { merchant, event, version, text }
    text.catch(() => this.forget())
    return text
  }
}
