import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { limitFileSize, NO_ROOM } from '../cli/disk-limit.ts'
import type { RunningDaemon } from '../cli/executable.ts'
import type { FakedWall } from '../faked-wall.ts'
import { isLong } from '../long.ts'
import type { Client } from './client.ts'
import type { Load } from './load.ts'
import type { Merchant } from './merchant.ts'
import type { Quiet } from './quiet.ts'
import { until } from './until.ts'

/** The maximum delay of a renewal after a step of the wall clock. */
const LATE_MS = 30_000
const HOUR_SECONDS = 3_600

type Where = {
  readonly daemon: RunningDaemon
  readonly client: Client
  readonly load: Load
  readonly frozen: Merchant
  readonly live: Merchant
  readonly quiet: Quiet
  /** Undefined if the wall clock cannot be faked. */
  readonly wall?: FakedWall | undefined
  readonly roll: (limit: number) => number
}

/** The disturbances of the running daemon. */
export class Disturbances {
  readonly counts = { fullDisks: 0, steps: 0 }
  readonly #where: Where
  #offsetSeconds = 0

  constructor(where: Where) {
    this.#where = where
  }

  /** Fills the disk for some seconds, while jobs become due. */
  async fillDisk(): Promise<void> {
    const { daemon, client, load, frozen, live, quiet, roll } = this.#where
    client.shortage.isOngoing = true
    const hasRenewed = await this.#fillBeforeRenewal()
    const merchants = [frozen, live, quiet.merchant]
    for (const merchant of merchants) {
      expect(await merchant.tryWrite('/v1/customers', { name: 'Refused' })).toBe(500)
      await merchant.read('/v1/customers?limit=3')
      await merchant.read('/v1/events?limit=3')
    }
    expect(await frozen.tryWrite('/v1/test_helpers/clock/advance', { by: '1d' })).toBe(500)
    if (isLong) await delay(roll(5_000))
    limitFileSize(daemon, 'unlimited')
    await until('what fell due on a full disk had run by itself', hasRenewed)
    // An interrupted advance continues first.
    for (const merchant of merchants) await merchant.subscribe('pm_card_visa')
    client.shortage.end()
    await load.goesOn()
    this.counts.fullDisks += 1
  }

  /** Steps the wall clock forward by up to three days, and back by minutes or hours. */
  async stepWall(): Promise<void> {
    const { wall, load, quiet, roll } = this.#where
    if (!wall) return
    const steps = [(24 + roll(48)) * HOUR_SECONDS, -(60 + roll(5 * HOUR_SECONDS))]
    for (const seconds of steps) {
      this.#offsetSeconds += Math.round(seconds)
      wall.set(`${this.#offsetSeconds < 0 ? '' : '+'}${this.#offsetSeconds}`)
      await load.goesOn()
      await quiet.renewsByItself(LATE_MS)
      this.counts.steps += 1
    }
  }

  /** Fills the disk just before a renewal, and waits until that has failed. @returns whether it has run */
  async #fillBeforeRenewal(): Promise<() => boolean> {
    const { daemon, quiet } = this.#where
    for (;;) {
      const hasRenewed = await quiet.renewIn(2)
      const hasFailed = quiet.logged(NO_ROOM)
      limitFileSize(daemon, 100)
      let isTooLate = false
      await until('a renewal fell due', () => {
        isTooLate = hasRenewed()
        return isTooLate || hasFailed()
      })
      if (!isTooLate) return hasRenewed
      limitFileSize(daemon, 'unlimited')
    }
  }
}
