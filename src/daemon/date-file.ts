import { openSync, writeSync } from 'node:fs'
import { systemWall, wallSeconds } from '../engine/machine/clock.ts'
import type { Sandbox } from './sandbox.ts'

/**
 * A file with the difference between the default merchant's clock and the real time, in milliseconds, as one floating-point
 * number of eight bytes. Processes with shifted dates read it. When a request moves the clock, the file is written before the
 * response.
 * See docs/contract/operator.md#shifted-dates.
 */
export class DateFile {
  readonly #file: number
  readonly #offset = new Float64Array(1)
  #seen: number | 'live' | undefined

  /** @throws the system's error if the file cannot be written */
  constructor(path: string) {
    this.#file = openSync(path, 'w', 0o600)
  }

  /** Returns the present shifted date in Unix seconds. Signatures have it, because receivers refuse old ones. */
  now(): number {
    return Math.floor((systemWall() + (this.#offset[0] ?? 0)) / 1_000)
  }

  /** Writes the offset now and whenever the clock of the default merchant moves. */
  follow(sandbox: Sandbox): void {
    const write = () => this.#write(sandbox)
    sandbox.engine.listen({ committed: write, replaced: write })
    write()
  }

  #write({ engine, merchant: { clock } }: Sandbox): void {
    const isTicking = clock.mode === 'live' && clock.target === null
    const { now } = clock
    const seen = isTicking ? 'live' : now
    if (seen === this.#seen) return
    this.#seen = seen
    // A live clock has whole seconds. From the time of a frozen clock on, shifted dates continue in real time.
    this.#offset[0] = isTicking ? (now - wallSeconds(engine.wall)) * 1_000 : now * 1_000 - systemWall()
    writeSync(this.#file, this.#offset, 0, this.#offset.byteLength, 0)
  }
}
