import { constants } from 'node:crypto'
import { Agent, type AgentOptions } from 'node:https'
import { connect as connectPlainly, type Socket, type TcpNetConnectOpts } from 'node:net'
import { Duplex } from 'node:stream'
import { type ConnectionOptions, DEFAULT_CIPHERS, type TLSSocket } from 'node:tls'
import { FOR_NO_MERCHANT, nameFor, PIECE_BYTES, type Receiving, type ReceivingOptions } from './receiving.ts'

/**
 * The number of bytes that a receiver may send before a connection is secure. Chains of public authorities have 3 to 10 kB. OpenSSL
 * compares each name of a certificate with the constraints of each authority, and checks each signature: with 100 kB that takes 0.7 s
 * and 2 s, also if the chain is trusted by nobody.
 */
const MAX_HANDSHAKE_BYTES = 20_480
/** The same for a post, with its response: `post` limits what is not part of the protocol. */
const MAX_BYTES = 131_072

/**
 * Without key exchanges whose time a receiver chooses: a prime of 10,000 bits takes 0.9 s. The curves are those of Node without the
 * groups of primes. A receiver cannot begin a further handshake later.
 */
const SAFE_OPTIONS = {
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519:P-256:P-384:P-521',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
}

/** What Node's types lack. */
declare module 'node:https' {
  interface Agent {
    createConnection(options: ConnectionOptions): TLSSocket
  }
}

/** Makes connections with TLS whose receivers cannot keep the process busy. `post` passes on the merchant whose turns a connection takes. */
export class SecureAgent extends Agent {
  readonly #carriers = new WeakMap<Duplex, Carrier>()

  constructor(options: AgentOptions = {}) {
    super({ ...SAFE_OPTIONS, ...options })
  }

  override getName(options?: ReceivingOptions): string {
    return nameFor(super.getName(options), options)
  }

  /** Called by Node for each new connection. */
  override createConnection({
    receiving = FOR_NO_MERCHANT,
    ...options
  }: TcpNetConnectOpts & ConnectionOptions & ReceivingOptions): TLSSocket {
    const { host, port, lookup, noDelay, keepAlive, keepAliveInitialDelay } = options
    const settings = { noDelay, keepAlive, keepAliveInitialDelay }
    const plain = connectPlainly({ ...settings, port, ...(host && { host }), ...(lookup && { lookup }) })
    const carrier = new Carrier(plain, receiving)
    const socket = super.createConnection({ ...options, socket: carrier })
    socket.once('secureConnect', () => carrier.secure())
    // Between two posts nobody else listens: the error ends the connection.
    socket.on('error', () => undefined)
    this.#carriers.set(socket, carrier)
    return socket
  }

  override keepSocketAlive(socket: Duplex): boolean {
    this.#carriers.get(socket)?.rest()
    return super.keepSocketAlive(socket)
  }

  override reuseSocket(...given: Parameters<Agent['reuseSocket']>): void {
    this.#carriers.get(given[0])?.reuse()
    super.reuseSocket(...given)
  }
}

/**
 * Carries a connection with TLS. It limits what is received, and passes it on in turns, small pieces of it: also once the
 * connection is secure, each 20 bytes can be a session ticket or a change of the keys, of some 10 to 30 µs.
 */
class Carrier extends Duplex {
  readonly #plain: Socket
  readonly #receiving: Receiving
  #received = 0
  #isSecure = false
  /** What has arrived and was not passed on: pieces, and null for the end. */
  readonly #arrived: (Buffer | null)[] = []
  #isClosed = false
  /** Whether the next piece may be passed on, and whether it waits for its turn. */
  #isWanted = false
  #isWaiting = false

  constructor(plain: Socket, receiving: Receiving) {
    super({ allowHalfOpen: false, readableHighWaterMark: PIECE_BYTES })
    this.#plain = plain
    this.#receiving = receiving
    plain.on('data', (chunk) => this.#receive(chunk))
    plain.once('end', () => {
      this.#arrived.push(null)
      this.#passOn()
    })
    plain.once('close', () => {
      this.#isClosed = true
      this.#passOn()
    })
    plain.on('error', (error) => this.destroy(error))
  }

  /** Ends the handshake. */
  secure(): void {
    this.#isSecure = true
  }

  /** Lets the process end while the connection is kept for a later post. */
  rest(): void {
    this.#plain.unref()
  }

  /** Begins a later post. */
  reuse(): void {
    this.#plain.ref()
    this.#received = 0
  }

  override _read(): void {
    this.#isWanted = true
    this.#passOn()
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, written: (error?: Error | null) => void): void {
    this.#plain.write(chunk, encoding, written)
  }

  override _final(ended: () => void): void {
    this.#plain.end(ended)
  }

  override _destroy(error: Error | null, destroyed: (error: Error | null) => void): void {
    this.#plain.destroy()
    destroyed(error)
  }

  #receive(chunk: Buffer): void {
    this.#received += chunk.length
    const most = this.#isSecure ? MAX_BYTES : MAX_HANDSHAKE_BYTES
    if (this.#received > most) return void this.destroy(tooMuch(most, this.#isSecure))
    this.#plain.pause()
    for (let from = 0; from < chunk.length; from += PIECE_BYTES)
      this.#arrived.push(chunk.subarray(from, from + PIECE_BYTES))
    // After all pieces were added: while none waits, more is read.
    this.#passOn()
  }

  /** Passes on the next piece in a turn, or lets more arrive. */
  #passOn(): void {
    if (this.#isWaiting || this.destroyed) return
    if (this.#arrived.length === 0) {
      if (this.#isClosed) this.destroy()
      else if (this.#isWanted) this.#plain.resume()
    } else if (this.#isWanted) {
      this.#isWaiting = true
      this.#receiving.run(() => this.#passOnNow())
    }
  }

  #passOnNow(): void {
    this.#isWaiting = false
    this.#isWanted = false
    if (this.destroyed) return
    // This may already want the next piece, and read it.
    if (this.push(this.#arrived.shift())) this.#isWanted = true
    this.#passOn()
  }
}

const tooMuch = (most: number, isSecure: boolean): Error =>
  new Error(
    `The receiver sent more than ${most / 1_024} KiB${isSecure ? '' : ' before the connection was secure'}`,
  )
