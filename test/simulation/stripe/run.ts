import type { CacheSizes } from '../../../src/store/cache-sizes.ts'
import { Dice } from '../dice.ts'
import { Failure } from '../failure.ts'
import { Rejections } from '../rejections.ts'
import { differenceOf } from '../replay.ts'
import { isRenewal, NO_CACHES, type Result, TINY_CACHES } from '../run.ts'
import { audit, bytesOfStory } from './audit.ts'
import { checkEvents } from './check-events.ts'
import { commandNamed, type Move, type StripeStep } from './commands.ts'
import { Story } from './story.ts'

/** The instants at which an advance stops; the last one is its end. */
type Pace = (move: Move, dice: Dice) => readonly number[]

export type RunOptions = {
  readonly seed: number
  /** The number of steps between two complete checks. */
  readonly auditEvery?: number
  readonly pace?: Pace
  readonly cacheSizes?: CacheSizes
  readonly isTyped?: boolean
}

const inOneJump: Pace = ({ to }) => [to]

/** Stops at random instants, some of which are near each other: a draft is open for an hour. */
const inRandomSteps: Pace = ({ from, to }, dice) => {
  const instants = new Set([to])
  for (let count = dice.between(1, 12); count > 0; count -= 1) {
    const at = from + Math.floor(((to - from) * dice.below(10_000)) / 10_000)
    for (const each of [at, at + 1_800, at + 3_600]) if (each > from && each < to) instants.add(each)
  }
  return [...instants].sort((left, right) => left - right)
}

/** Plays steps for a new merchant with the dialect stripe, with checks. A failure is part of the result. */
export async function run(
  steps: readonly StripeStep[],
  { seed, auditEvery = 10, pace = inOneJump, cacheSizes, isTyped = true }: RunOptions,
): Promise<Result & { readonly bytes: readonly string[] }> {
  const story = await Story.open(seed, { cacheSizes, isTyped })
  const lines: string[] = []
  const counts = { simulatedSeconds: 0, renewals: 0, events: 0 }
  const rejections = new Rejections()
  let words = ''
  try {
    for (const [index, { name, dice: number }] of steps.entries()) {
      words = name
      const dice = new Dice(number)
      const play = await commandNamed(name)(story, dice)
      if (play === null) lines.push(`${name}: there is nothing to do it to`)
      else if ('to' in play) {
        words = `${name}: ${play.clock ?? 'the main clock'} to ${play.to}`
        for (const at of pace(play, dice)) await story.move(play.clock, at)
        lines.push(words)
        counts.simulatedSeconds += play.to - play.from
      } else if ('session' in play) {
        words = `${name}: ${play.session} ${JSON.stringify(play.submission)}`
        lines.push(`${words} → ${await story.submit(play)}`)
      } else {
        words = `${name}: ${play.isOperators ? 'operator ' : ''}${play.method} ${play.path} ${JSON.stringify(play.params ?? {})}`
        const { status, body } = play.isOperators
          ? await story.operate(play.method, play.path, play.params)
          : await story.send(play)
        lines.push(`${words} → ${status} ${body.id ?? body.error?.message ?? ''} ${body.status ?? ''}`)
      }
      const before = story.events.length
      const events = await story.newEvents()
      counts.events += events.length
      counts.renewals += events.filter(isRenewal).length
      await checkEvents(story, before)
      await rejections.check()
      if ((index + 1) % auditEvery === 0) await audit(story)
    }
    await audit(story)
    await rejections.check()
    return { failure: null, lines, ...counts, bytes: await bytesOfStory(story) }
  } catch (error) {
    const failure =
      error instanceof Failure
        ? new Failure(error.kind, `${error.message.slice(error.kind.length + 2)}\n  in ${words}`)
        : new Failure('thrown', `${(error as Error).stack ?? error}\n  in ${words}`)
    return { failure, lines, ...counts, bytes: [] }
  } finally {
    await story.sandbox.close()
    rejections.close()
  }
}

/**
 * Plays steps twice: as a daemon does, and again with tiny caches or none and every advance in random steps. Both have to
 * give the same objects and events, byte for byte.
 */
export async function runThoroughly(steps: readonly StripeStep[], options: RunOptions): Promise<Result> {
  const first = await run(steps, options)
  if (first.failure) return first
  const kind = 'a jump is not its steps'
  const again = await run(steps, {
    ...options,
    auditEvery: Number.POSITIVE_INFINITY,
    pace: inRandomSteps,
    cacheSizes: options.seed % 2 === 0 ? TINY_CACHES : NO_CACHES,
    isTyped: false,
  })
  const failure = again.failure
    ? new Failure(kind, again.failure.message)
    : differenceOf(kind, first.bytes, again.bytes)
  return failure ? { ...again, failure } : first
}
