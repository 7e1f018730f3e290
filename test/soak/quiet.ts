import type { RunningDaemon } from '../cli/executable.ts'
import type { Merchant } from './merchant.ts'
import { until } from './until.ts'

/**
 * A merchant with a live clock to which nobody sends requests, as these would run what is due: its renewals show whether the daemon
 * wakes up by itself.
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

  /** Moves the clock to some seconds before the next renewal. @returns what has to be logged when that has run */
  async renewIn(seconds: number): Promise<() => boolean> {
    const { current_period_end } = await this.merchant.read(`/v1/subscriptions/${this.#subscription}`)
    const logged = this.logged(/a live clock has caught up/)
    const to = current_period_end - seconds
    await this.merchant.write('POST', '/v1/test_helpers/clock/advance', { to })
    return logged
  }

  /** Resolves when a renewal that falls due in a second has run. @throws when it is late */
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
