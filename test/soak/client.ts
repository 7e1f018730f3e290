import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Body } from '../twin.ts'
import { PATIENCE_MS } from './until.ts'

type SoakResponse = { readonly status: number; readonly body: Body; readonly text: string }

/** A kept connection was closed at the moment of its reuse. */
class HungUp extends Error {}

/** The periods in which the daemon's disk was full. Writes may be refused only then. */
export class Shortage {
  isOngoing = false
  /** The number of ended shortages. */
  ended = 0

  end(): void {
    this.isOngoing = false
    this.ended += 1
  }
}

/** Sends requests to the daemon and checks each response: its status, and that the merchant's clock has not gone back. */
export class Client {
  readonly counts = { requests: 0, invalid: 0, refused: 0, again: 0 }
  readonly shortage = new Shortage()
  readonly #url: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 50 })
  /** The latest time that the clock behind each key has shown. */
  readonly #shown = new Map<string, number>()

  constructor(url: string) {
    this.#url = url
  }

  close(): void {
    this.#agent.destroy()
  }

  async read(key: string, path: string): Promise<Body> {
    const { status, body, text } = await this.ask(key, 'GET', path)
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`)
    return body
  }

  /** Retries a write that is refused on a full disk until there is space. A refused write must have no effect. */
  async write(key: string, method: string, path: string, body?: object): Promise<Body> {
    for (;;) {
      const { isOngoing, ended } = this.shortage
      const response = await this.ask(key, method, path, body)
      if (response.status <= 201) return response.body
      const mayBeRefused = isOngoing || this.shortage.isOngoing || this.shortage.ended > ended
      if (response.status !== 500 || !mayBeRefused)
        throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
      this.counts.refused += 1
      await delay(100)
    }
  }

  /** Sends a request, and accepts any response. */
  async ask(key: string, method: string, path: string, body?: object): Promise<SoakResponse> {
    try {
      return await this.#askOnce(key, method, path, body)
    } catch (error) {
      // HTTP clients retry such a request once.
      if (!(error instanceof HungUp)) throw error
      this.counts.again += 1
      return this.#askOnce(key, method, path, body)
    }
  }

  #askOnce(key: string, method: string, path: string, body?: object): Promise<SoakResponse> {
    const shown = this.#shown.get(key) ?? 0
    return new Promise((resolve, reject) => {
      const sent = request(this.#url + path, {
        method,
        agent: this.#agent,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      })
      sent.setTimeout(PATIENCE_MS, () => sent.destroy(new Error(`${method} ${path} was not answered`)))
      sent.on('error', (error: NodeJS.ErrnoException) =>
        reject(sent.reusedSocket && error.code === 'ECONNRESET' ? new HungUp() : error),
      )
      sent.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
        response.on('error', reject).on('end', () => {
          this.counts.requests += 1
          const now = Number(response.headers['paytwin-now'] ?? shown)
          if (now < shown) reject(new Error(`${method} ${path}: the clock went from ${shown} back to ${now}`))
          this.#shown.set(key, Math.max(this.#shown.get(key) ?? 0, now))
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text), text })
        })
      })
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
}
