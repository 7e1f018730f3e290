import { readdirSync, readFileSync, statSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type RunningDaemon, startDaemon, temporaryFolder } from '../cli/executable.ts'
import { asked, dice, isLong } from '../long.ts'
import type { Body } from '../twin.ts'

const MINUTES = asked('minutes', 0.15)
const SEED = asked('seed', 1)
const WORKERS = 4
const STREAMS = 20
/** How often is looked at what the daemon takes, in milliseconds; memory is judged by the lowest of some looks. */
const LOOK_MS = isLong ? 5_000 : 250
/** The log is written into the database at 3,000 pages of 4 KiB; it may be some more while that goes on. */
const LARGEST_WAL_BYTES = 64 * 1_048_576
/** What memory may grow from the second third to the last: SQLite's cache fills as the database grows, up to 64 MiB. */
const GROWTH_BYTES = 64 * 1_048_576

/** What the daemon takes at a moment. */
type Look = {
  readonly memory: number
  readonly handles: number
  readonly wal: number
  readonly database: number
}

function lookAt({ pid }: RunningDaemon, data: string): Look {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  const sizeOf = (file: string) => statSync(join(data, file), { throwIfNoEntry: false })?.size ?? 0
  return {
    memory: Number(kilobytes) * 1_024,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    wal: sizeOf('paytwin.db-wal'),
    database: sizeOf('paytwin.db'),
  }
}

class HungUp extends Error {}

/** A receiver of webhooks that fails now and then, a mixed load on two merchants, and streams that come and go. */
class Load {
  readonly counts = { requests: 0, refused: 0, again: 0, events: 0, posts: 0, streams: 0 }
  readonly #daemon: RunningDaemon
  readonly #token: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 50 })
  readonly #receiver = createServer((incoming, response) => {
    this.counts.posts += 1
    incoming.resume().on('end', () => response.writeHead(this.counts.posts % 17 === 0 ? 500 : 200).end())
  }).listen(0, '127.0.0.1')
  readonly #roll = dice(SEED)
  #isOver = false

  constructor(daemon: RunningDaemon, data: string) {
    this.#daemon = daemon
    this.#token = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  }

  async run(until: number): Promise<void> {
    const keys = [this.#daemon.secret_key ?? '', await this.#liveMerchant()]
    const { port } = this.#receiver.address() as AddressInfo
    for (const key of keys)
      await this.#ask(key, 'POST', '/v1/webhook_endpoints', {
        url: `http://127.0.0.1:${port}/`,
        enabled_events: ['*'],
      })
    const workers = keys.flatMap((key) => Array.from({ length: WORKERS }, () => this.#work(key)))
    const streams = Array.from({ length: STREAMS }, (_, index) => this.#listen(keys[index % 2] ?? ''))
    const housekeeping = this.#keepHouse(keys[0] ?? '')
    const all = Promise.all([...workers, ...streams, housekeeping])
    // None of them ends by itself: one that does has failed, and so has the run.
    await Promise.race([delay(until), all])
    this.#isOver = true
    await all
  }

  close(): void {
    this.#agent.destroy()
    this.#receiver.closeAllConnections()
    this.#receiver.close()
  }

  async #liveMerchant(): Promise<string> {
    const merchant = await this.#operate('POST', 'merchants', { name: 'Live', clock: 'live' })
    return (await this.#operate('POST', 'keys', { merchant: merchant.id })).secret
  }

  /** Customers come, subscribe, are looked at, are refused, and go: what is there stays about the same. */
  async #work(key: string): Promise<void> {
    const recurring = { interval: 'day' }
    const price = await this.#ask(key, 'POST', '/v1/prices', {
      unit_amount: 2000,
      currency: 'usd',
      recurring,
    })
    while (!this.#isOver) {
      const customer = await this.#ask(key, 'POST', '/v1/customers', { name: 'Ada' })
      const cards = ['pm_card_visa', 'pm_card_visa', 'pm_card_chargeDeclined']
      await this.#ask(key, 'POST', '/v1/subscriptions', {
        customer: customer.id,
        currency: 'usd',
        items: [{ price: price.id }],
        default_payment_method: cards[Math.floor(this.#roll(3))],
      })
      await this.#ask(key, 'GET', `/v1/invoices?customer=${customer.id}&expand[]=data.customer`)
      await this.#ask(key, 'GET', '/v1/events?limit=5')
      await this.#ask(key, 'POST', '/v1/payment_intents', { amount: 'many', currency: 'usd' })
      await this.#ask(key, 'DELETE', `/v1/customers/${customer.id}`)
      await delay(this.#roll(10))
    }
  }

  /** A stream that is left after some events, and opened again. */
  async #listen(key: string): Promise<void> {
    while (!this.#isOver) {
      this.counts.streams += 1
      const leaving = new AbortController()
      const enough = 1 + Math.floor(this.#roll(400))
      const ended = setTimeout(() => leaving.abort(), 1_000 + this.#roll(4_000))
      try {
        const response = await fetch(`${this.#daemon.url}/v1/events`, {
          headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
          signal: leaving.signal,
        })
        let heard = 0
        for await (const chunk of response.body ?? []) {
          heard += Buffer.from(chunk).toString().split('event: ').length - 1
          if (heard >= enough || this.#isOver) break
        }
        this.counts.events += heard
      } catch (error) {
        if (!leaving.signal.aborted) throw error
      } finally {
        clearTimeout(ended)
      }
    }
  }

  /** Time goes by, snapshots come and go. */
  async #keepHouse(key: string): Promise<void> {
    while (!this.#isOver) {
      await this.#ask(key, 'POST', '/v1/test_helpers/clock/advance', { by: '1d' })
      await this.#operate('POST', 'snapshots', { name: 'soak' })
      await this.#operate('DELETE', 'snapshots/soak')
      await delay(isLong ? 2_000 : 300)
    }
  }

  #operate(method: string, path: string, body?: object): Promise<Body> {
    return this.#ask(this.#token, method, `/_paytwin/${path}`, body)
  }

  async #ask(key: string, method: string, path: string, body?: object): Promise<Body> {
    try {
      return await this.#askOnce(key, method, path, body)
    } catch (error) {
      // A kept connection that was hung up on just as it was taken up again: every client asks once more.
      if (!(error instanceof HungUp)) throw error
      this.counts.again += 1
      return this.#askOnce(key, method, path, body)
    }
  }

  #askOnce(key: string, method: string, path: string, body?: object): Promise<Body> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const sent = request(this.#daemon.url + path, {
        method,
        agent: this.#agent,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      })
      sent.on('error', (error: NodeJS.ErrnoException) =>
        reject(sent.reusedSocket && error.code === 'ECONNRESET' ? new HungUp() : error),
      )
      sent.on('response', (response) => {
        let answer = ''
        response.setEncoding('utf8').on('data', (chunk) => (answer += chunk))
        response.on('end', () => {
          this.counts.requests += 1
          if (response.statusCode === 400) this.counts.refused += 1
          else if ((response.statusCode ?? 0) > 201) reject(new Error(`${method} ${path}: ${answer}`))
          resolve(JSON.parse(answer))
        })
      })
      sent.end(text)
    })
  }
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_048_576)} MiB`
const told = ({ memory, handles, wal, database }: Look) =>
  `memory ${megabytes(memory)}, handles ${handles}, log ${megabytes(wal)}, database ${megabytes(database)}`
const thirdOf = <T>(all: readonly T[], which: 1 | 2): readonly T[] =>
  all.slice((which * all.length) / 3, ((which + 1) * all.length) / 3)

test('under a mixed load that goes on and on, memory and file handles stay, and the log is bounded', {
  timeout: isLong ? 24 * 3_600_000 : 60_000,
}, async () => {
  const folder = temporaryFolder()
  const data = join(folder.path, 'data')
  const daemon = await startDaemon(['--data', data, '--clock', '2026-01-31T10:00:00Z', '--log-level', 'warn'])
  const load = new Load(daemon, data)
  const looks: Look[] = []
  const looking = setInterval(() => {
    looks.push(lookAt(daemon, data))
    if (isLong && looks.length % 12 === 0) console.log(told(looks.at(-1) as Look))
  }, LOOK_MS)
  try {
    await load.run(MINUTES * 60_000)
    clearInterval(looking)
    const [early, late] = [thirdOf(looks, 1), thirdOf(looks, 2)]
    const lowest = (some: readonly Look[]) => Math.min(...some.map(({ memory }) => memory))
    const most = (some: readonly Look[]) => Math.max(...some.map(({ handles }) => handles))
    if (isLong)
      console.log(
        `${JSON.stringify(load.counts)}, lowest memory ${megabytes(lowest(early))} → ${megabytes(lowest(late))}`,
      )
    expect(looks.length).toBeGreaterThan(9)
    expect(load.counts.requests).toBeGreaterThan(100)
    expect(load.counts.events).toBeGreaterThan(100)
    expect(load.counts.posts).toBeGreaterThan(10)
    expect(load.counts.again).toBeLessThan(1 + load.counts.requests / 10_000)
    expect(lowest(late) - lowest(early)).toBeLessThan(GROWTH_BYTES)
    expect(most(late)).toBeLessThan(most(early) + 30)
    expect(Math.max(...looks.map(({ wal }) => wal))).toBeLessThan(LARGEST_WAL_BYTES)
    expect(daemon.log()).not.toMatch(/"level":"(error|fatal)"/)
    expect(await daemon.stop()).toBe(0)
  } finally {
    clearInterval(looking)
    daemon.child.kill('SIGKILL')
    load.close()
    folder.remove()
  }
})
