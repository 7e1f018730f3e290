import type { WebhookEndpoint } from '../core/webhook.ts'
import { TimedTurns } from '../engine/machine/gate.ts'
import type { MerchantState } from '../engine/machine/merchant-state.ts'

/** Writes the body of an event for an endpoint. */
export type Render = (
  merchant: MerchantState,
  event: string,
  endpoint: WebhookEndpoint,
) => string | Promise<string>

type Body = {
  readonly merchant: MerchantState
  readonly event: string
  readonly version: string | null
  readonly text: Promise<string>
}

/**
 * The bodies of deliveries. An event with a large object takes some 20 ms: they are written in turns of limited time, and once for
 * all endpoints with the same version.
 */
export class Bodies {
  readonly #render: Render
  readonly #turns = new TimedTurns<MerchantState>()
  #newest: Body | undefined

  constructor(render: Render) {
    this.#render = render
  }

  /**
   * Returns the body of an event. Rejects if it cannot be written.
   * @param isWanted - whether the body is still wanted in its turn: the event may be gone
   * @returns undefined if not
   */
  of(
    merchant: MerchantState,
    event: string,
    { endpoint, isWanted }: { readonly endpoint: WebhookEndpoint; readonly isWanted: () => boolean },
  ): Promise<string | undefined> {
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
