import type { CacheSizes } from '../../src/store/cache-sizes.ts'
import type { Body } from '../twin.ts'
import { audit, auditFinally } from './audit.ts'
import { readAllEvents } from './check-events.ts'
import type { Step } from './commands.ts'
import { Dice } from './dice.ts'
import { Failure } from './failure.ts'
import { playStep } from './play.ts'
import { Rejections } from './rejections.ts'
import { replay } from './replay.ts'
import { type Deed, IN_STEPS } from './script.ts'
import type { Spares } from './spares.ts'
import { World } from './world.ts'

/** The result of some steps. */
export type Result = {
  readonly failure: Failure | null
  /** The log, a line for each step. */
  readonly lines: readonly string[]
  readonly simulatedSeconds: number
  readonly renewals: number
  readonly events: number
}

/** A result with what is needed to play the steps again. */
export type Played = Result & {
  readonly deeds: readonly Deed[]
  /** The histories of all merchants at the end; empty after a failure. */
  readonly texts: readonly string[]
}

export type RunOptions = {
  readonly seed: number
  /** The number of steps between two complete checks. */
  readonly auditEvery?: number
  /** Used sandboxes; without them each run has a new one. */
  readonly spares?: Spares | undefined
}

/** Plays steps in a new sandbox, with checks. A failure is part of the result. */
export async function run(
  steps: readonly Step[],
  { seed, auditEvery = 300, spares }: RunOptions,
): Promise<Played> {
  const world = await World.open({ spares })
  const lines: string[] = []
  const counts = { simulatedSeconds: 0, renewals: 0, events: 0 }
  const count = (events: readonly Body[]) => {
    counts.events += events.length
    counts.renewals += events.filter(isRenewal).length
  }
  // Chooses the objects to check.
  const dice = new Dice(seed)
  const rejections = new Rejections()
  try {
    for (const [index, step] of steps.entries()) {
      const { words, simulatedSeconds, events } = await playStep(world, step)
      lines.push(words)
      counts.simulatedSeconds += simulatedSeconds
      count(events)
      if ((index + 1) % REJECTIONS_EVERY === 0) await rejections.check()
      if ((index + 1) % auditEvery !== 0 || index + 1 === steps.length) continue
      count(await readAllEvents(world))
      await audit(world, dice)
    }
    count(await readAllEvents(world))
    const texts = await auditFinally(world, dice)
    await rejections.check()
    await world.close({ spares })
    return { failure: null, lines, ...counts, deeds: world.deeds, texts }
  } catch (error) {
    const failure =
      error instanceof Failure ? error : new Failure('thrown', String((error as Error).stack ?? error))
    await world.close()
    return { failure, lines, ...counts, deeds: world.deeds, texts: [] }
  } finally {
    rejections.close()
  }
}

/** A check waits for a turn of the event loop. */
const REJECTIONS_EVERY = 10

export const isRenewal = ({ type, data }: Body): boolean =>
  type === 'invoice.created' && data.object.billing_reason === 'subscription_cycle'

export const NO_CACHES: CacheSizes = { objects: 0, jobs: 1 }
export const TINY_CACHES: CacheSizes = { objects: 2, jobs: 3 }

/**
 * Plays steps, and sends their requests again with most advances in parts: without caches in the store for odd seeds, with tiny
 * ones for others. Both have to give the same responses and the same history, byte for byte.
 */
export async function runThoroughly(steps: readonly Step[], options: RunOptions): Promise<Result> {
  const first = await run(steps, options)
  if (first.failure) return first
  const cacheSizes = options.seed % 2 === 1 ? NO_CACHES : TINY_CACHES
  const { seed, spares } = options
  const failure = await replay(first.deeds, first.texts, { seed, pace: IN_STEPS, cacheSizes, spares })
  return { ...first, failure }
}
