import { lookup as resolve } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Dispatcher, Pool as PoolType } from 'undici'
import type { Addresses } from './address.ts'

const TIMEOUT_MS = 15_000
/** How much of an answer is kept, in bytes. Source: decisions.md 10. */
const MAX_KEPT_BYTES = 1_024
const MAX_HEADER_BYTES = 16_384
/** One for the deliveries in order, and some for those that are tried again meanwhile. */
const CONNECTIONS = 5
const IDLE_MS = 30_000

/** What is posted to a receiver. */
export type Letter = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a receiver answered, or why it did not. */
export type Reply =
  | { readonly status: number; readonly body: string }
  | { readonly status: null; readonly error: string }

/** Posts something, and never throws. */
export type Send = (letter: Letter, signal: AbortSignal) => Promise<Reply>

/** Why a receiver is not spoken to. */
class AddressRefused extends Error {}

/**
 * Posts to receivers over connections that are kept. Whatever they do (answer late, too much, nonsense or not at all), a
 * post ends within 15 seconds; redirects are answers like any other.
 * Source: decisions.md 10.
 */
export class Sender {
  readonly #addresses: Addresses
  /** Pools of connections by origin. */
  readonly #pools = new Map<string, PoolType>()

  constructor(addresses: Addresses) {
    this.#addresses = addresses
  }

  readonly send: Send = async ({ url, headers, body }, ended) => {
    const refusal = this.#addresses.refusesUrl(url)
    if (refusal !== undefined) return { status: null, error: refusal }
    const { origin, pathname, search } = new URL(url)
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const signal = AbortSignal.any([ended, timeout])
    try {
      const pool = await this.#pool(origin)
      const answer = await pool.request({ method: 'POST', path: pathname + search, headers, body, signal })
      return { status: answer.statusCode, body: await beginningOf(answer) }
    } catch (error) {
      return { status: null, error: timeout.aborted ? 'No answer within 15 seconds' : reasonOf(error) }
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.destroy()))
    this.#pools.clear()
  }

  async #pool(origin: string): Promise<PoolType> {
    // Loaded when the first event goes out: most daemons never send one.
    const { Pool } = (await import('undici')).default
    let pool = this.#pools.get(origin)
    if (!pool) {
      pool = new Pool(origin, {
        connections: CONNECTIONS,
        pipelining: 1,
        connect: { lookup: this.#lookup },
        maxHeaderSize: MAX_HEADER_BYTES,
        keepAliveTimeout: IDLE_MS,
      })
      this.#pools.set(origin, pool)
    }
    return pool
  }

  /** Resolves a name to addresses that are allowed: those, and no others, are then connected to. */
  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const refusal = found.map(({ address }) => this.#addresses.refusal(address)).find(Boolean)
      if (refusal)
        return callback(
          new AddressRefused(`${hostname} resolves to an address that is refused: ${refusal}`),
          [],
        )
      const [first] = found
      return options.all || !first ? callback(null, found) : callback(null, first.address, first.family)
    })
  }
}

/** What is worth keeping of an answer; the rest is not read. */
async function beginningOf({ body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop destroys the body, and with it the connection.
    if (size > MAX_KEPT_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES).toString('utf8')
}

const reasonOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException
  return [message, code].filter((part) => part && (part === message || !message.includes(part))).join(' ')
}
