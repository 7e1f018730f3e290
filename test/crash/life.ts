import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { expect } from 'vitest'
import { type RunningDaemon, start, startDaemon, temporaryFolder } from '../cli/executable.ts'
import { holdInvariants, holdLatestInvoices } from '../scenarios/invariants.ts'
import { type History, historyOf } from '../scenarios/story.ts'
import type { Body } from '../twin.ts'

const KEY = 'sk_test_killedandstartedagain000001'
const TOKEN = 'the-token-of-one-that-is-killed-again-and-again'
/** The timeout for interrupted work to finish after a start, in milliseconds. */
const PATIENCE_MS = 20_000

/** A write without a response, which may or may not have been committed. */
type Unsure = { readonly path: string; readonly body: object; readonly key: string }

/** The acknowledged writes. They must remain until a restore removes them. */
export type Acknowledged = {
  /** The names of the customers, each of which must exist once. */
  readonly customers: ReadonlyMap<string, string>
  readonly subscriptions: ReadonlySet<string>
  /** The latest time that the clock has shown. */
  readonly now: number
}

/** A data folder, the daemons that use it one after another, and the writes that each acknowledged before it was killed. */
export class Life {
  customers = new Map<string, string>()
  subscriptions = new Set<string>()
  now = 0
  /** The possible contents of each snapshot. A save without a response may or may not have replaced it. */
  readonly snapshots = new Map<string, { readonly content: Acknowledged; readonly isSure: boolean }>()
  /** The state that the restore in progress leads to. */
  restoring: Acknowledged | null = null
  readonly #unsure = new Set<Unsure>()
  readonly #folder = temporaryFolder()
  /** The ids of the received events. */
  readonly #heard = new Set<string>()
  readonly #receiver: Server
  #count = 0
  daemon: RunningDaemon | undefined

  constructor() {
    this.#receiver = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.on('end', () => {
        this.#heard.add(JSON.parse(body).id)
        response.end()
      })
    }).listen(0, '127.0.0.1')
  }

  get data(): string {
    return join(this.#folder.path, 'data')
  }

  async start(): Promise<void> {
    this.daemon = await startDaemon(
      ['--data', this.data, '--clock', '2026-01-31T10:00:00Z', '--log-level', 'error'],
      { env: { PAYTWIN_SECRET_KEY: KEY, PAYTWIN_ADMIN_TOKEN: TOKEN } },
    )
  }

  /** Kills the daemon while it starts, some milliseconds after its process was created. */
  async startAndKill(ms: number): Promise<void> {
    const options = ['--port', '0', '--data', this.data, '--clock', '2026-01-31T10:00:00Z']
    const child = start(['serve', ...options], {
      env: { PAYTWIN_SECRET_KEY: KEY, PAYTWIN_ADMIN_TOKEN: TOKEN },
    })
    await delay(ms)
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    expect(await ended).toEqual([null, 'SIGKILL'])
  }

  async kill(): Promise<void> {
    expect(await this.daemon?.stop('SIGKILL')).toBeNull()
  }

  /** Creates a webhook endpoint that sends events to this process. */
  async listen(): Promise<void> {
    const { port } = this.#receiver.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/webhooks`
    await this.write('/v1/webhook_endpoints', { url, enabled_events: ['customer.*'] })
  }

  async get(path: string): Promise<Body> {
    const response = await this.#ask('GET', path)
    if (response.status !== 200)
      throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`)
    return response.body
  }

  /** Sends a write that must be accepted. It counts as unacknowledged until its response arrives. */
  async write(path: string, body: object): Promise<Body> {
    this.#count += 1
    const unsure = { path, body, key: `write ${this.#count}` }
    this.#unsure.add(unsure)
    return this.#send(unsure)
  }

  async operate(method: string, path: string, body?: object): Promise<Body> {
    const response = await this.#ask(method, `/_paytwin/${path}`, body)
    if (response.status >= 300)
      throw new Error(`${path}: ${response.status} ${JSON.stringify(response.body)}`)
    return response.body
  }

  /** Creates a customer with a unique name and a subscription. */
  async subscribe(price: string): Promise<void> {
    const name = `Customer ${this.#count + 1}`
    const { id } = await this.write('/v1/customers', { name })
    const items = [{ price }]
    const method = { default_payment_method: 'pm_card_visa' }
    await this.write('/v1/subscriptions', { customer: id, currency: 'usd', items, ...method })
  }

  /** Returns a copy of the acknowledged writes. */
  get content(): Acknowledged {
    const { customers, subscriptions, now } = this
    return { customers: new Map(customers), subscriptions: new Set(subscriptions), now }
  }

  take({ customers, subscriptions, now }: Acknowledged): void {
    this.customers = new Map(customers)
    this.subscriptions = new Set(subscriptions)
    this.now = now
  }

  /** After a start: retries the writes without a response, and checks that all data is present and consistent. */
  async examine(): Promise<History> {
    await this.#ready()
    if (this.restoring) await this.#oneOrTheOther(this.restoring)
    this.restoring = null
    for (const unsure of [...this.#unsure]) await this.#send(unsure)
    await this.#ready()
    const history = await historyOf(this)
    holdInvariants(history)
    holdLatestInvoices(history)
    const made = new Map(history.customers.map(({ name, id }) => [name, id]))
    expect(made.size).toBe(history.customers.length)
    expect([...made].toSorted()).toEqual([...this.customers].toSorted())
    const subscribed = history.subscriptions.map(({ id }) => id)
    expect(subscribed.toSorted()).toEqual([...this.subscriptions].toSorted())
    await this.#allHeard(history)
    await this.#shelf()
    return history
  }

  /** After a clean end: checks that every database is undamaged, and that no temporary files remain. */
  checkFiles(): void {
    const names = readdirSync(this.data, { recursive: true, encoding: 'utf8' })
    for (const name of names.filter((file) => file.endsWith('.db'))) {
      const database = new Sqlite(join(this.data, name), { readonly: true })
      expect(database.pragma('integrity_check', { simple: true }), name).toBe('ok')
      database.close()
    }
    expect(names.filter((file) => /-wal$|-journal$|\.new$|^snapshots.\./.test(file))).toEqual([])
    expect(names.filter((file) => (statSync(join(this.data, file)).mode & 0o077) !== 0)).toEqual([])
  }

  close(): void {
    this.daemon?.child.kill('SIGKILL')
    this.#receiver.closeAllConnections()
    this.#receiver.close()
    this.#folder.remove()
  }

  async #send(unsure: Unsure): Promise<Body> {
    const { status, body } = await this.#ask('POST', unsure.path, unsure.body, unsure.key)
    if (status >= 300) throw new Error(`${unsure.path}: ${status} ${JSON.stringify(body)}`)
    this.#unsure.delete(unsure)
    if (body.object === 'customer') this.customers.set(body.name, body.id)
    if (body.object === 'subscription') this.subscriptions.add(body.id)
    if (body.object === 'clock') this.now = Math.max(this.now, body.now)
    return body
  }

  async #ask(method: string, path: string, body?: object, key?: string) {
    const response = await fetch(`${this.daemon?.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${path.startsWith('/_paytwin/') ? TOKEN : KEY}`,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Body }
  }

  /** Waits for an interrupted advance, and checks that time has not gone back. */
  async #ready(): Promise<void> {
    const clock = await until(
      () => this.get('/v1/test_helpers/clock'),
      ({ status }) => status === 'ready',
    )
    if (!this.restoring) expect(clock.now).toBeGreaterThanOrEqual(this.now)
  }

  /** Checks that a killed restore led to the complete new state or kept the complete old state. */
  async #oneOrTheOther(wanted: Acknowledged): Promise<void> {
    const { customers } = await historyOf(this)
    const found = customers.map(({ id }) => id).toSorted()
    const idsOf = (content: Acknowledged) => [...content.customers.values()].toSorted()
    const state = [this.content, wanted].find((content) => String(idsOf(content)) === String(found))
    expect(state, `a mixture of two states: ${found}`).toBeDefined()
    if (state) this.take(state)
  }

  /** Checks that the webhook of each event was received before or after the kill. */
  async #allHeard({ events }: History): Promise<void> {
    const emitted = events.filter(({ type }) => type.startsWith('customer.')).map(({ id }) => id)
    const missing = () => emitted.filter((id) => !this.#heard.has(id))
    await until(
      async () => missing(),
      (ids) => ids.length === 0,
    )
  }

  async #shelf(): Promise<void> {
    const { data } = await this.operate('GET', 'snapshots')
    const found = new Set<string>(data.map(({ id }: Body) => id))
    for (const [name, { isSure, content }] of this.snapshots) {
      if (isSure) expect([...found]).toContain(name)
      if (found.has(name)) this.snapshots.set(name, { content, isSure: true })
      else this.snapshots.delete(name)
    }
    expect([...this.snapshots.keys()].toSorted()).toEqual([...found].toSorted())
  }
}

async function until<T>(look: () => Promise<T>, reached: (found: T) => boolean): Promise<T> {
  for (const began = performance.now(); ; ) {
    const found = await look()
    if (reached(found)) return found
    if (performance.now() - began > PATIENCE_MS) throw new Error(`it stays as ${JSON.stringify(found)}`)
    await delay(20)
  }
}
