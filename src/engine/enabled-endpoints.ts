import { type EventType, matchEventTypes } from '../core/event.ts'
import type { WebhookEndpoint } from '../core/webhook.ts'
import type { Store } from '../store/store.ts'

type Listener = { readonly endpoint: WebhookEndpoint; readonly types: ReadonlySet<EventType> }

/** Who of a merchant wants which events: read when it is first asked for, and again after it has changed. */
export class EnabledEndpoints {
  readonly #store: Store
  readonly #merchant: number
  #listeners: readonly Listener[] | undefined

  constructor(store: Store, merchant: number) {
    this.#store = store
    this.#merchant = merchant
  }

  /** The enabled endpoints that want events of a type. */
  wanting(type: EventType): WebhookEndpoint[] {
    this.#listeners ??= this.#read()
    return this.#listeners.filter(({ types }) => types.has(type)).map(({ endpoint }) => endpoint)
  }

  /** To be called when an endpoint was written, or its writing was taken back. */
  forget(): void {
    this.#listeners = undefined
  }

  #read(): Listener[] {
    return this.#store.objects
      .list('webhook_endpoint', this.#merchant, [{ field: 'deleted', is: 0 }], {
        limit: Number.MAX_SAFE_INTEGER,
      })
      .filter(({ status }) => status === 'enabled')
      .reverse()
      .map((endpoint) => ({ endpoint, types: new Set(endpoint.enabled_events.flatMap(matchEventTypes)) }))
  }
}
