import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { dice, isLong } from '../long.ts'
import type { Body } from '../twin.ts'
import type { Client } from './client.ts'
import type { Merchant } from './merchant.ts'
import { until } from './until.ts'

const WORKERS = 4
const STREAMS = 20
const CARDS = ['pm_card_visa', 'pm_card_visa', 'pm_card_chargeDeclined']

type Where = {
  readonly url: string
  readonly client: Client
  readonly adminToken: string
  readonly frozen: Merchant
  readonly live: Merchant
  readonly seed: number
}

/** A mixed load on two merchants, with short-lived streams and a receiver of webhooks that sometimes fails. */
export class Load {
  readonly counts = { events: 0, posts: 0, streams: 0, snapshots: 0 }
  readonly #where: Where
  readonly #roll: (limit: number) => number
  readonly #receiver = createServer((incoming, response) => {
    this.counts.posts += 1
    incoming.resume().on('end', () => response.writeHead(this.counts.posts % 17 === 0 ? 500 : 200).end())
  }).listen(0, '127.0.0.1')
  /** The number of rounds that each worker has finished. */
  readonly #rounds: number[] = []
  #isOver = false
  #savesSnapshots = true

  constructor(where: Where) {
    this.#where = where
    this.#roll = dice(where.seed)
  }

  /** Keeps up the load while other work runs. @throws the first error of either */
  async during(work: () => Promise<void>): Promise<void> {
    const merchants = [this.#where.frozen, this.#where.live]
    const { port } = this.#receiver.address() as AddressInfo
    const endpoint = { url: `http://127.0.0.1:${port}/`, enabled_events: ['*'] }
    for (const merchant of merchants) await merchant.write('POST', '/v1/webhook_endpoints', endpoint)
    const workers = merchants.flatMap((merchant) =>
      Array.from({ length: WORKERS }, () => this.#work(merchant)),
    )
    const streams = merchants.flatMap(({ key }) =>
      Array.from({ length: STREAMS / 2 }, () => this.#listen(key)),
    )
    // Workers end only on an error.
    const all = Promise.all([...workers, ...streams, this.#doHousekeeping()])
    try {
      await Promise.race([work(), all])
    } finally {
      this.#isOver = true
    }
    await all
  }

  /** Resolves when every worker has finished some rounds from now on. */
  async goesOn(rounds = 1): Promise<void> {
    const wanted = this.#rounds.map((done) => done + rounds)
    await until('every worker went on', () =>
      wanted.every((count, index) => (this.#rounds[index] ?? 0) >= count),
    )
  }

  /** Saves no snapshots while work runs, because a snapshot first runs the due jobs of all clocks. */
  async withoutSnapshots(work: () => Promise<void>): Promise<void> {
    this.#savesSnapshots = false
    await work()
    this.#savesSnapshots = true
  }

  close(): void {
    this.#receiver.closeAllConnections()
    this.#receiver.close()
  }

  /** Creates, reads and deletes customers with subscriptions and refused requests, so that the amount of data stays about the same. */
  async #work(merchant: Merchant): Promise<void> {
    const worker = this.#rounds.push(0) - 1
    for (let round = 1; !this.#isOver; round += 1) {
      const { customer } = await merchant.subscribe(CARDS[Math.floor(this.#roll(CARDS.length))] ?? '')
      await merchant.read(`/v1/invoices?customer=${customer}&expand[]=data.customer`)
      await merchant.read('/v1/events?limit=5')
      await this.#askInvalid(merchant)
      await merchant.delete(customer)
      this.#rounds[worker] = round
      await delay(this.#roll(10))
    }
  }

  async #askInvalid(merchant: Merchant): Promise<void> {
    const { client } = this.#where
    const status = await merchant.tryWrite('/v1/payment_intents', { amount: 'many', currency: 'usd' })
    if (status !== 400) throw new Error(`an invalid request was returned ${status}`)
    client.counts.invalid += 1
  }

  /** Reads a stream, closes it after some events, and resumes it. Events must arrive once and in order. */
  async #listen(key: string): Promise<void> {
    while (!this.#isOver) {
      this.counts.streams += 1
      const leaving = new AbortController()
      const ended = setTimeout(() => leaving.abort(), 1_000 + this.#roll(4_000))
      try {
        await this.#hear(key, 1 + Math.floor(this.#roll(400)), leaving.signal)
      } catch (error) {
        if (!leaving.signal.aborted) throw error
      } finally {
        clearTimeout(ended)
      }
    }
  }

  async #hear(key: string, enough: number, signal: AbortSignal): Promise<void> {
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
    const { body } = await fetch(`${this.#where.url}/v1/events`, { headers, signal })
    let [heard, last, rest] = [0, '', '']
    const decoder = new TextDecoder()
    for await (const chunk of body ?? []) {
      const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const id of lines.filter((line) => line.startsWith('id: '))) {
        if (id <= last) throw new Error(`a stream sent ${id} after ${last}`)
        last = id
        heard += 1
        this.counts.events += 1
      }
      if (heard >= enough || this.#isOver) return
    }
  }

  /** Advances the clock, and saves and deletes snapshots. */
  async #doHousekeeping(): Promise<void> {
    const { frozen } = this.#where
    while (!this.#isOver) {
      await frozen.write('POST', '/v1/test_helpers/clock/advance', { by: '1d' })
      if (this.#savesSnapshots) {
        await this.#operate('POST', 'snapshots', { name: 'soak' })
        await this.#operate('DELETE', 'snapshots/soak')
        this.counts.snapshots += 1
      }
      await delay(isLong ? 2_000 : 300)
    }
  }

  #operate(method: string, path: string, body?: object): Promise<Body> {
    return this.#where.client.write(this.#where.adminToken, method, `/_paytwin/${path}`, body)
  }
}
