import type { Body } from '../twin.ts'
import { listAll } from './client.ts'
import { Failure } from './failure.ts'
import type { ExpectedEvent } from './model-events.ts'
import type { Play } from './model-play.ts'
import { named } from './model-state.ts'
import { differences, inModelTerms } from './naming.ts'
import type { Account, World } from './world.ts'

/** A step whose events are still to be read. */
export type Awaited = {
  readonly words: string
  readonly play: Play
  /** The running number of the merchant's newest event right after the step. */
  readonly until: number
  /** The instants of its events. */
  readonly instants: number[]
}

/** Reads the events of all merchants. @throws Failure */
export async function readAllEvents(world: World): Promise<Body[]> {
  const found: Body[] = []
  for (const account of world.accounts) found.push(...(await readEvents(world, account)))
  return found
}

/**
 * Reads a merchant's events since the newest one that was read, and compares those of each step with the model.
 * @throws Failure
 */
export async function readEvents(world: World, account: Account): Promise<Body[]> {
  const awaited = account.awaited.splice(0)
  const before = account.events.length
  const newest = awaited.at(-1)?.until ?? before
  const found = newest === before ? [] : await newEvents(world, account)
  let from = 0
  for (const { words, play, until, instants } of awaited) {
    const own = found.slice(from, until - before)
    from = until - before
    instants.push(...own.map(({ created }) => created))
    try {
      checkEvents(account, play, own)
    } catch (error) {
      throw within(words, error)
    }
  }
  if (found.length !== newest - before)
    throw new Failure('history', `${newest - before} events were counted, ${found.length} are listed`)
  return found
}

/** Adds the words of a step to its failure. */
export const within = (words: string, error: unknown): unknown =>
  error instanceof Failure
    ? new Failure(error.kind, `${error.message.slice(error.kind.length + 2)}\n  in ${words}`)
    : error

/** The events that the model predicts. */
const IS_COMPARED =
  /^(subscription|subscription_schedule|invoice|payment_intent|charge|refund|credit_note|customer\.discount)\./

function checkEvents(account: Account, play: Play, events: readonly Body[]): void {
  const compared = events.filter(({ type }) => IS_COMPARED.test(type))
  if (compared.length > 0 || play.emitted.length > 0)
    for (const { isOf, isUnordered } of STREAMS)
      compareEvents(
        account,
        { emitted: play.emitted.filter(isOf), isUnordered: isUnordered || play.isUnordered === true },
        compared.filter(({ type }) => isOf({ type })),
      )
  for (const event of events) account.watch.see(event, clockOf(account, event.data.object))
}

/** Lists the events since the newest one that was read, oldest first. */
async function newEvents(world: World, account: Account): Promise<Body[]> {
  const found: Body[] = []
  for (;;) {
    const newest = found.at(-1)?.id ?? account.events.at(-1)?.id
    const events =
      newest === undefined ? await allEvents(world, account) : await after(world, account, newest)
    found.push(...events.list)
    if (!events.has_more) break
  }
  account.events.push(...found)
  return found
}

type Page = { readonly list: readonly Body[]; readonly has_more: boolean }

async function after(world: World, account: Account, newest: string): Promise<Page> {
  const { body } = await world.ask(account, 'GET', `/v1/events?limit=100&ending_before=${newest}`)
  return { list: body.data.reverse(), has_more: body.has_more }
}

async function allEvents(world: World, account: Account): Promise<Page> {
  return { list: await listAll((path) => world.ask(account, 'GET', path), '/v1/events?'), has_more: false }
}

/** Discounts begin and end at places among the events of an operation that the contract leaves open. */
const STREAMS: readonly { isOf: (event: { readonly type: string }) => boolean; isUnordered: boolean }[] = [
  { isOf: ({ type }) => !type.startsWith('customer.discount.'), isUnordered: false },
  { isOf: ({ type }) => /^customer.discount.(created|updated)$/.test(type), isUnordered: false },
  { isOf: ({ type }) => type === 'customer.discount.deleted', isUnordered: true },
]

function compareEvents(
  { naming }: Account,
  { emitted, isUnordered }: Pick<Play, 'emitted' | 'isUnordered'>,
  real: readonly Body[],
): void {
  const expected = isUnordered ? inOrderOf(emitted, real, (key) => naming.ids.get(key)) : emitted
  const lines = (event: ExpectedEvent | undefined, is: Body | undefined): string[] => {
    if (!event) return [`not expected: ${describe(is)}`]
    if (!is) return [`missing: ${event.type} of ${event.about} at ${event.created}`]
    if (event.type !== is.type) return [`expected ${event.type} of ${event.about}, is ${describe(is)}`]
    const changed = is.data.previous_attributes && Object.keys(is.data.previous_attributes).toSorted()
    return [
      ...differences(naming, event.created, is.created, 'created'),
      ...differences(naming, event.about, is.data.object.id, 'id'),
      ...differences(naming, event.changed?.toSorted(), changed, 'previous_attributes'),
      ...differences(naming, event.shows, inModelTerms(is.data.object)),
    ].map((line) => `${event.type} of ${event.about} at ${event.created}: ${line}`)
  }
  for (let index = 0; index < Math.max(expected.length, real.length); index += 1) {
    const found = lines(expected[index], real[index])
    if (found.length > 0) {
      const emitted = expected
        .map(({ type, about, created }) => `${created} ${type} ${about}`)
        .slice(0, index + 5)
      throw new Failure(
        'history',
        `event ${index + 1} is not what the model says\n  ${found.join('\n  ')}\n  the model: ${emitted.join('; ')}\n  paytwin: ${real
          .slice(0, index + 5)
          .map(describe)
          .join('; ')}`,
      )
    }
  }
}

const describe = (event: Body | undefined): string =>
  event
    ? `${event.created} ${event.type} ${event.data.object.id} ${event.data.object.status ?? ''}${changesOf(event)}`
    : 'nothing'

const changesOf = ({ data: { previous_attributes: before } }: Body): string =>
  before ? ` from ${JSON.stringify(before).slice(0, 500)}` : ''

/** Sorts the expected events without a fixed order as the real events of the same objects. */
function inOrderOf(
  emitted: readonly ExpectedEvent[],
  real: readonly Body[],
  idOf: (key: string) => string | undefined,
): ExpectedEvent[] {
  const left = [...emitted]
  const ordered: ExpectedEvent[] = []
  for (const event of real) {
    const index = left.findIndex(
      ({ type, about }) => type === event.type && idOf(about?.slice(1, -1) ?? '') === event.data.object.id,
    )
    if (index >= 0) ordered.push(...left.splice(index, 1))
  }
  return [...ordered, ...left]
}

/** Returns the clock of an object: its customer's, or the one that it had before it was detached. */
function clockOf({ naming, model, watch }: Account, object: Body): string {
  if (['coupon', 'promotion_code', 'billing.meter'].includes(object.object)) return 'main'
  const of = object.object === 'refund' || object.object === 'dispute' ? watch.shown(object.charge) : object
  const owner = of?.object === 'customer' ? of.id : (of?.customer ?? watch.shown(object.id)?.customer)
  const key = typeof owner === 'string' ? naming.keyOf(owner) : undefined
  return (key === undefined ? null : named(model.customers, key).clock) ?? 'main'
}
