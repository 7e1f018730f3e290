import type { Event, List } from '../client/types.ts'

type Json = Readonly<Record<string, unknown>>

/** Calls the merchant's API as an application does: over HTTP, with a secret key. */
export class MerchantApi {
  readonly #url: string
  readonly #key: string

  constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
  }

  async get<Answer>(path: string): Promise<Answer> {
    return this.#send(path, { method: 'GET' })
  }

  async post<Answer = { readonly id: string }>(path: string, body: Json): Promise<Answer> {
    return this.#send(path, { method: 'POST', body: JSON.stringify(body) })
  }

  /** Lists all events, oldest first. */
  async events(): Promise<Event[]> {
    const events: Event[] = []
    for (let after = ''; ; after = `&starting_after=${events.at(-1)?.id}`) {
      const page = await this.get<List<Event>>(`/v1/events?limit=100${after}`)
      events.push(...page.data)
      if (!page.has_more) return events.reverse()
    }
  }

  async #send<Answer>(path: string, request: RequestInit): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' }
    const response = await fetch(this.#url + path, { ...request, headers })
    const text = await response.text()
    if (!response.ok) throw new Error(`${request.method} ${path} answered ${response.status} ${text}`)
    return JSON.parse(text)
  }
}
