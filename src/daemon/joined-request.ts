import { IncomingMessage } from 'node:http'
import { appended, NOTHING } from '../http/bytes.ts'

/** Chunks with fewer bytes are joined. */
const SMALL_BYTES = 1_024
/** The number of small chunks after which others get their turn, before more is read. */
const CHUNKS_OF_A_STEP = 1_000

/**
 * A request of Node that joins small chunks of its body: those of one turn of the event loop, and those that wait for a reader.
 * Otherwise Node would keep each chunk, even of one byte, in 250 bytes, until someone reads it or the response has ended.
 */
export class JoinedRequest extends IncomingMessage {
  #joined: Buffer = NOTHING
  #size = 0
  #chunks = 0

  /** Called by Node for each chunk, and with null for the end. @returns whether to read on */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    if (chunk === null || chunk.length >= SMALL_BYTES) {
      this.#pass()
      return super.push(chunk, encoding)
    }
    if (this.#chunks === 0) setImmediate(() => this.readableLength === 0 && this.#pass())
    this.#joined = appended(this.#joined, this.#size, chunk)
    this.#size += chunk.length
    this.#chunks += 1
    return this.#chunks < CHUNKS_OF_A_STEP && this.readableLength + this.#size < this.readableHighWaterMark
  }

  /** Passes the joined chunks first: Node does not ask for more while an earlier read is open. */
  override read(size?: number): unknown {
    this.#pass()
    return super.read(size)
  }

  #pass(): void {
    if (this.#chunks === 0) return
    // The buffer may be much larger than what it has.
    const chunk = Buffer.from(this.#joined.subarray(0, this.#size))
    this.#joined = NOTHING
    this.#size = 0
    this.#chunks = 0
    super.push(chunk)
  }
}
