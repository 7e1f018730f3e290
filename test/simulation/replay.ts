import type { CacheSizes } from '../../src/store/cache-sizes.ts'
import type { TwinResponse } from './client.ts'
import { Dice } from './dice.ts'
import { Failure } from './failure.ts'
import { EVENTS, pagesOf, textsOf } from './pages.ts'
import { Rejections } from './rejections.ts'
import type { Deed, Pace, Request } from './script.ts'
import type { Spares } from './spares.ts'
import { World } from './world.ts'

const kind = 'a jump is not its steps'

export type ReplayOptions = {
  readonly seed: number
  readonly pace: Pace
  readonly cacheSizes: CacheSizes
  readonly spares?: Spares | undefined
}

/**
 * Sends the requests of a run again, without the model. All responses and the history at the end must be the same, byte for
 * byte, except for the responses to advances, which may be split.
 * @param texts - the history at the end of the run
 */
export async function replay(
  deeds: readonly Deed[],
  texts: readonly string[],
  { seed, pace, ...options }: ReplayOptions,
): Promise<Failure | null> {
  // Other requests go through HTTP than in the first run.
  const world = await World.open({ ...options, offset: 32 })
  const rejections = new Rejections()
  const dice = new Dice(seed)
  try {
    for (const deed of deeds) await repeat(world, deed, { pace, dice })
    await rejections.check()
    const again: string[] = []
    for (const account of world.accounts) again.push(...textsOf(await pagesOf(world, account, EVENTS)))
    await world.close(options)
    return differenceOf(kind, texts, again)
  } catch (error) {
    await world.close()
    return error instanceof Failure
      ? new Failure(kind, error.message)
      : new Failure('thrown', String((error as Error).stack ?? error))
  } finally {
    rejections.close()
  }
}

async function repeat(
  world: World,
  deed: Deed,
  { pace, dice }: Pick<ReplayOptions, 'pace'> & { dice: Dice },
): Promise<void> {
  if (deed.kind === 'reset') return world.reset()
  if (deed.kind === 'save') return world.save(deed.snapshot)
  if (deed.kind === 'restore') return void (await world.restore(deed.snapshot))
  const { moves, method, path, body } = deed
  const { status, text } = await (moves ? move(world, deed, pace(moves, dice)) : send(world, deed))
  if (status === deed.status && (moves || text === deed.text)) return
  throw new Failure(kind, `${method} ${path} ${body}\n  ${deed.text}\n  ${text}`)
}

function send(world: World, { isOperators, merchant, method, path, body, idempotencyKey }: Request) {
  if (isOperators) return world.operate(method, path, body)
  return world.ask(world.account(merchant), method, path, body, idempotencyKey)
}

/** Advances a clock to some instants on the way to its target. */
async function move(world: World, request: Request, stops: readonly number[]): Promise<TwinResponse> {
  const { moves } = request
  if (stops.length === 0 || !moves) return send(world, request)
  const stopOn = moves.stopOn && { stop_on: moves.stopOn }
  for (const to of stops) {
    const response = await send(world, { ...request, body: JSON.stringify({ to, ...stopOn }) })
    if (response.status !== 200 || response.body.summary.stopped_on !== null) return response
  }
  return send(world, { ...request, body: JSON.stringify({ to: moves.to, ...stopOn }) })
}

/** Compares two histories. */
export function differenceOf(
  kind: string,
  first: readonly string[],
  again: readonly string[],
): Failure | null {
  const index = first.findIndex((line, at) => line !== again[at])
  if (index < 0 && first.length === again.length) return null
  const [was, is] = [first[index] ?? '', again[index] ?? '']
  const place = [...was].findIndex((character, at) => character !== is[at])
  const near = (text: string) => text.slice(Math.max(0, place - 1500), place + 1500)
  return new Failure(kind, `\n  ${near(was)}\n  ${near(is)}`)
}
