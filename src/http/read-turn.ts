import { rateLimited } from '../core/errors.ts'
import type { Engine } from '../engine/machine/engine.ts'
import { nextTurn } from '../engine/machine/gate.ts'
import { checkCurrent, type MerchantState } from '../engine/machine/merchant-state.ts'
import { ownConnection } from './connection-owner.ts'
import { nodeRequestOf } from './node-request.ts'
import type { HttpServices } from './services.ts'

/** paytwin: the estimated memory of a request that waits, in bytes. It counts against the limits of bodies. */
export const WAITING_BYTES = 2 ** 14

type Services = Pick<HttpServices, 'engine' | 'bodies'>

/** A request that waits, by the environment of the server, and the owner whose limit it counts against. */
type Waiting = { readonly env: unknown; readonly owner: object }

/**
 * Waits until a request may read the objects of a merchant: until the jobs that are due have run, and for its turn.
 * @param env - the environment of the server
 * @param owner - the owner whose limit the request counts against while it waits; the merchant by default
 * @returns undefined if it may read at once, so that nothing has to be awaited
 * @throws StateReplaced, MerchantDeleted; ApiError rate_limit if too many requests of the merchant wait
 */
export function turnToRead(
  services: Services,
  merchant: MerchantState,
  env: unknown,
  owner: object = merchant,
): Promise<void> | undefined {
  const { engine } = services
  checkCurrent(merchant)
  if (engine.reads.isFreeFor(merchant) && !engine.time.isOverdue(merchant.clock)) return undefined
  return untilCurrent(services, merchant, { env, owner })
}

/**
 * Waits for a turn to read.
 * @param turnOf - whose turn it is
 * @param owner - the owner whose limit the request counts against while it waits
 * @returns undefined if it may read at once
 * @throws ApiError rate_limit
 */
export const readTurnOf = (
  services: Services,
  turnOf: object,
  env: unknown,
  owner = turnOf,
): Promise<void> | undefined =>
  services.engine.reads.isFreeFor(turnOf) ? undefined : nextOf(services, turnOf, { env, owner })

/**
 * Waits for a turn of an owner to parse a body, which is counted already.
 * @returns undefined if it may be parsed at once
 * @throws ApiError rate_limit if the connection was closed
 */
export const turnToParse = (
  { engine }: Pick<HttpServices, 'engine'>,
  owner: object,
  env: unknown,
): Promise<void> | undefined =>
  engine.reads.isFreeFor(owner) ? undefined : engine.reads.next(owner).then(() => refuseClosed(env))

/**
 * Resolves when the responses that are ready in this turn of the event loop may be sent, all at once as those of commands. Sent
 * separately, each would wake its client and later the daemon separately.
 */
export async function nextResponseTurn({ time }: Engine): Promise<void> {
  // While a clock is advancing, a batch might run first.
  if (!time.isMoving) await nextTurn()
}

async function untilCurrent(services: Services, merchant: MerchantState, waiting: Waiting): Promise<void> {
  const { engine } = services
  for (;;) {
    // Room is reserved before the jobs start: if it were refused afterwards, a failure of the jobs would be unhandled.
    await counted(services, waiting, async () => engine.runDueJobs(merchant))
    // On a full disk jobs stay due, and reads are served nevertheless.
    const isStuck = engine.time.isOverdue(merchant.clock)
    // Not at once, because many that waited for the jobs continue together.
    await nextOf(services, merchant, waiting)
    checkCurrent(merchant)
    if (isStuck || !engine.time.isOverdue(merchant.clock)) return
  }
}

/**
 * Runs a long read in steps, between which others have their turns. Only a few of an owner are in progress at a time. Between steps, a
 * read may keep only what is small: not the objects that it has found.
 * @param reader.check - throws if the read must not go on
 * @returns the result of the last step
 * @throws ApiError rate_limit if too many reads of the owner wait, or if the connection is closed
 */
export function readInSteps<T>(
  services: Services,
  { owner, env, check }: { readonly owner: object; readonly env: unknown; readonly check: () => void },
  steps: Generator<void, T>,
): Promise<T> {
  const checkAll = () => {
    refuseClosed(env)
    check()
  }
  return counted(services, { owner, env }, () => services.engine.longReads.run(owner, steps, checkAll))
}

async function nextOf(services: Services, turnOf: object, waiting: Waiting): Promise<void> {
  await counted(services, waiting, () => services.engine.reads.next(turnOf))
  refuseClosed(waiting.env)
}

/** Waits for a read, which counts against the limits of bodies meanwhile. @throws ApiError rate_limit if there is no room */
async function counted<T>({ bodies }: Services, { owner, env }: Waiting, read: () => Promise<T>): Promise<T> {
  bodies.add(owner, WAITING_BYTES)
  ownConnection(env, owner)
  try {
    return await read()
  } finally {
    bodies.remove(owner, WAITING_BYTES)
  }
}

/** Refuses a request whose connection was closed while it waited: its response would be discarded. @throws ApiError rate_limit */
export function refuseClosed(env: unknown): void {
  if (nodeRequestOf(env)?.socket.destroyed) throw rateLimited()
}
