import { setImmediate } from 'node:timers/promises'
import { Failure } from './failure.ts'

/** Collects unhandled rejections during a run; each is a failure. */
export class Rejections {
  readonly #reasons: unknown[] = []
  readonly #note = (reason: unknown) => void this.#reasons.push(reason)

  constructor() {
    process.on('unhandledRejection', this.#note)
  }

  /** @throws Failure. Node reports a rejection before the next turn of the event loop. */
  async check(): Promise<void> {
    await setImmediate()
    const [reason] = this.#reasons
    if (this.#reasons.length > 0)
      throw new Failure('unhandled rejection', String((reason as Error)?.stack ?? reason))
  }

  close(): void {
    process.off('unhandledRejection', this.#note)
  }
}
