import type { RunningDaemon } from '../cli/executable.ts'
import type { Merchant } from './merchant.ts'
import { until } from './until.ts'

/**
 * A merchant with a live clock that gets no requests, because requests run due jobs. Its renewals show whether the daemon
 * wakes up without them.
 */
export class Quiet {
  readonly merchant: Merchant
  readonly #daemon: RunningDaemon
  #subscription = ''

  constructor(daemon: RunningDaemon, merchant: Merchant) {
    this.#daemon = daemon
    this.merchant = merchant
  }

  async prepare(): Promise<void> {
    const { subscription } = await this.merchant.subscribe('pm_card_visa')
    this.#subscription = subscription
  }

  /** Moves the clock to some seconds before the next renewal. @returns the expected log line of the renewal */
  async renewIn(seconds: number): Promise<() => boolean> {
    for (;;) {
      const { current_period_end } = await this.merchant.read(`/v1/subscriptions/${this.#subscription}`)
      const logged = this.logged(/a live clock has caught up/)
      const to = current_period_end - seconds
      try {
        await this.merchant.write('POST', '/v1/test_helpers/clock/advance', { to })
        return logged
      } catch (error) {
        // The daemon has noticed only now that the wall clock was set past this renewal: the next one is read.
        if (!String(error).includes('The clock can only move forward')) throw error
      }
    }
  }

  /** Waits for a renewal that is due within a second. @throws if it is late */
  async renewsByItself(patienceMs: number): Promise<void> {
    await until('a renewal ran by itself', await this.renewIn(1), patienceMs)
  }

  /** Whether the daemon has logged something about this merchant since this function was called. */
  logged(text: RegExp): () => boolean {
    let at = this.#daemon.log().length
    return () => {
      const news = this.#daemon.log().slice(at).split('\n')
      // The last line may be incomplete.
      at += news.slice(0, -1).join('\n').length
      return news.some((line) => line.includes(this.merchant.id) && text.test(line))
    }
  }
}
