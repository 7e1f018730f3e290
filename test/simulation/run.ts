import { setImmediate } from 'node:timers/promises'
import type { CacheSizes } from '../../src/store/cache-sizes.ts'
import type { Body } from '../twin.ts'
import { audit, bytesOfWorld } from './audit.ts'
import type { Step } from './commands.ts'
import { Dice } from './dice.ts'
import { Failure } from './failure.ts'
import { ONE_JUMP, type Pace, playStep } from './play.ts'
import { World } from './world.ts'

/** The result of some steps. */
export type Result = {
  readonly failure: Failure | null
  /** The log, a line for each step. */
  readonly lines: readonly string[]
  readonly simulatedSeconds: number
  readonly renewals: number
  readonly events: number
  /** The histories of all merchants at the end; empty after a failure. */
  readonly bytes: readonly string[]
}

export type RunOptions = {
  readonly seed: number
  /** The number of steps between two complete checks. */
  readonly auditEvery?: number
  readonly pace?: Pace
  /** How much the store keeps in memory; as in a daemon unless given. */
  readonly cacheSizes?: CacheSizes
}

/** Plays steps in a new sandbox, with checks. A failure is part of the result. */
export async function run(
  steps: readonly Step[],
  { seed, auditEvery = 40, pace = ONE_JUMP, cacheSizes }: RunOptions,
): Promise<Result> {
  const world = await World.open(seed, cacheSizes)
  const lines: string[] = []
  const counts = { simulatedSeconds: 0, renewals: 0, events: 0 }
  // Chooses the objects to check.
  const dice = new Dice(seed)
  const rejections = new Rejections()
  try {
    for (const [index, step] of steps.entries()) {
      const { words, simulatedSeconds, events } = await playStep(world, step, pace)
      await rejections.check()
      lines.push(words)
      counts.simulatedSeconds += simulatedSeconds
      counts.events += events.length
      counts.renewals += events.filter(isRenewal).length
      if ((index + 1) % auditEvery === 0) await audit(world, dice)
    }
    await audit(world, dice)
    await rejections.check()
    return { failure: null, lines, ...counts, bytes: await bytesOfWorld(world) }
  } catch (error) {
    const failure =
      error instanceof Failure ? error : new Failure('thrown', String((error as Error).stack ?? error))
    return { failure, lines, ...counts, bytes: [] }
  } finally {
    await world.close()
    rejections.close()
  }
}

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

export const isRenewal = ({ type, data }: Body): boolean =>
  type === 'invoice.created' && data.object.billing_reason === 'subscription_cycle'

/** Thirty parts of a month, a day each. */
const IN_STEPS: Pace = ({ from, to }) => Math.max(2, Math.min(60, Math.round((to - from) / 86_400)))

export const NO_CACHES: CacheSizes = { objects: 0, jobs: 1 }
export const TINY_CACHES: CacheSizes = { objects: 2, jobs: 3 }

/**
 * Plays steps three times: as a daemon does, again without caches in the store, and with tiny caches and every advance in
 * small steps. All have to give the same history, byte for byte.
 */
export async function runThoroughly(steps: readonly Step[], options: RunOptions): Promise<Result> {
  const first = await run(steps, options)
  if (first.failure) return first
  const quietly = { ...options, auditEvery: Number.POSITIVE_INFINITY }
  for (const [kind, pace, cacheSizes] of [
    ['same seed, other history', ONE_JUMP, NO_CACHES],
    ['a jump is not its steps', IN_STEPS, TINY_CACHES],
  ] as const) {
    const again = await run(steps, { ...quietly, pace, cacheSizes })
    const failure = again.failure
      ? new Failure(kind, again.failure.message)
      : differenceOf(kind, first.bytes, again.bytes)
    if (failure) return { ...again, failure }
  }
  return first
}

export function differenceOf(
  kind: string,
  first: readonly string[],
  again: readonly string[],
): Failure | null {
  const index = first.findIndex((line, at) => line !== again[at])
  if (index < 0 && first.length === again.length) return null
  return new Failure(kind, `\n  ${first[index]}\n  ${again[index]}`)
}
