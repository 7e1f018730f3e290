import { matchEventTypes } from '../../core/event.ts'
import { isSameJson } from '../../core/json-text.ts'
import { ALL_EVENT_TYPES, type AnyEventType, CLOCK_EVENT_TYPES } from '../../core/kinds.ts'
import type { WebhookEndpoint } from '../../core/webhook.ts'
import type { Store } from '../../store/store.ts'

type Listener = { readonly endpoint: WebhookEndpoint; readonly types: ReadonlySet<AnyEventType> }

/** A merchant's enabled webhook endpoints and their event types: read at the first use and again after a change. */
export class EnabledEndpoints {
  readonly #store: Store
  readonly #merchant: number
  #listeners: readonly Listener[] | undefined
  /** The types by the id of the endpoint, as they were read last. */
  #known: ReadonlyMap<string, Listener> = new Map()

  constructor(store: Store, merchant: number) {
    this.#store = store
    this.#merchant = merchant
  }

  /** Lists the enabled endpoints that receive events of a type. */
  receiving(type: AnyEventType): WebhookEndpoint[] {
    this.#listeners ??= this.#read()
    return this.#listeners.filter(({ types }) => types.has(type)).map(({ endpoint }) => endpoint)
  }

  /** Must be called when an endpoint was written, or the write was rolled back. */
  forget(): void {
    this.#listeners = undefined
  }

  #read(): Listener[] {
    const listeners = this.#store.objects
      .list('webhook_endpoint', this.#merchant, [{ field: 'deleted', is: 0 }], {
        limit: Number.MAX_SAFE_INTEGER,
      })
      .filter(({ status }) => status === 'enabled')
      .reverse()
      .map((endpoint) => ({ endpoint, types: this.#typesOf(endpoint) }))
    this.#known = new Map(listeners.map((listener) => [listener.endpoint.id, listener]))
    return listeners
  }

  /** Returns the types of an endpoint. They are found again only if its patterns have changed: each is compared with all types. */
  #typesOf(endpoint: WebhookEndpoint): ReadonlySet<AnyEventType> {
    const known = this.#known.get(endpoint.id)
    const isSame = known && isSameJson(known.endpoint.enabled_events, endpoint.enabled_events)
    return isSame ? known.types : new Set(typesOf(endpoint))
  }
}

/** Returns the types of events that an endpoint receives, in any dialect. */
const typesOf = ({ enabled_events }: WebhookEndpoint): AnyEventType[] =>
  [...new Set(enabled_events)].flatMap((pattern) =>
    matchEventTypes<AnyEventType>(pattern, [...ALL_EVENT_TYPES, ...CLOCK_EVENT_TYPES]),
  )
