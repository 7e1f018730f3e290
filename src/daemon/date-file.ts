import { openSync, writeSync } from 'node:fs'
import { systemWall, wallSeconds } from '../engine/machine/clock.ts'
import type { Sandbox } from './sandbox.ts'
import { StartRefused } from './start-refused.ts'

/** The delay before a failed write is repeated, in milliseconds. */
const RETRY_MS = 1_000

/**
 * A file with the difference between the default merchant's clock and the real time, in milliseconds, as one floating-point
 * number of eight bytes. Processes with shifted dates read it. When a request moves the clock, the file is written before the
 * response.
 * See docs/contract/operator.md#shifted-dates.
 */
export class DateFile {
  readonly #file: number
  #offsetMs = 0
  #seen: number | 'live' | undefined
  #retry: NodeJS.Timeout | undefined

  /** @throws StartRefused if the file cannot be written */
  constructor(path: string) {
    try {
      this.#file = openSync(path, 'w', 0o600)
      // Later writes need no further room on most file systems.
      this.#write(0)
    } catch (error) {
      throw new StartRefused(1, `The shifted date cannot be written: ${(error as Error).message}, ${path}`)
    }
  }

  /** Returns the present shifted date in Unix seconds. Signatures have it, because receivers refuse old ones. */
  now(): number {
    return Math.floor((systemWall() + this.#offsetMs) / 1_000)
  }

  /**
   * Writes the offset now and whenever the clock of the default merchant moves. A write that fails is repeated until it succeeds.
   * @param report - reports the first of such failures
   */
  follow(sandbox: Sandbox, report: (error: unknown) => void): void {
    const update = () => {
      clearTimeout(this.#retry)
      try {
        this.#update(sandbox)
        this.#retry = undefined
      } catch (error) {
        if (this.#retry === undefined) report(error)
        this.#retry = setTimeout(update, RETRY_MS).unref()
      }
    }
    sandbox.engine.listen({ committed: update, replaced: update })
    update()
  }

  #update({ engine, merchant: { clock } }: Sandbox): void {
    const isTicking = clock.mode === 'live' && clock.target === null
    const { now } = clock
    const seen = isTicking ? 'live' : now
    if (seen === this.#seen) return
    // A live clock has whole seconds. From the time of a frozen clock on, shifted dates continue in real time.
    this.#write(isTicking ? (now - wallSeconds(engine.wall)) * 1_000 : now * 1_000 - systemWall())
    this.#seen = seen
  }

  #write(offsetMs: number): void {
    const bytes = Float64Array.of(offsetMs)
    writeSync(this.#file, bytes, 0, bytes.byteLength, 0)
    this.#offsetMs = offsetMs
  }
}
