import type { Body } from '../twin.ts'
import { listAll, type TwinResponse } from './client.ts'
import { commandNamed, isWhole, type Step } from './commands.ts'
import { Dice } from './dice.ts'
import { Failure } from './failure.ts'
import type { ExpectedEvent } from './model-events.ts'
import type { Play } from './model-play.ts'
import { named } from './model-state.ts'
import { differences, inModelTerms } from './naming.ts'
import type { Account, World } from './world.ts'

/** The result of a step. */
export type Played = {
  readonly words: string
  readonly simulatedSeconds: number
  readonly events: readonly Body[]
}

const NOTHING: Omit<Played, 'words'> = { simulatedSeconds: 0, events: [] }

/** Runs a step, and compares its result with the model. @throws Failure */
export async function playStep(world: World, step: Step): Promise<Played> {
  if (isWhole(step.name)) return { words: await playWhole(world, step), ...NOTHING }
  const account = world.account(step.merchant)
  const dice = new Dice(step.dice)
  const play = commandNamed(step.name)({ merchant: account.model, faults: account.faults, dice })
  if (play === null) return { words: `${step.name}: there is nothing to do it to`, ...NOTHING }
  const path = fill(account, await fillItems(world, account, play.path))
  const body = play.body && fill(account, await fillItems(world, account, JSON.stringify(play.body)))
  const words = `merchant ${step.merchant}, ${step.name}: ${play.method} ${path} ${body ?? ''}`
  try {
    const idempotencyKey = !play.moves && dice.chance(10) ? `key-${step.dice}` : undefined
    const sent = { method: play.method, path, body, idempotencyKey }
    const response = await askOnce(world, account, { play, sent })
    compareResponse(account, play, response)
    const events = await newEvents(world, account)
    note(world, step, { play, sent, response, events })
    const isCompared = (type: string) =>
      /^(subscription|invoice|payment_intent|charge|refund|credit_note|customer\.discount)\./.test(type)
    for (const { isOf, isUnordered } of STREAMS)
      compareEvents(
        account,
        { emitted: play.emitted.filter(isOf), isUnordered: isUnordered || play.isUnordered === true },
        events.filter(({ type }) => isCompared(type) && isOf({ type })),
      )
    for (const event of events) account.watch.see(event, clockOf(account, event.data.object))
    return { words, events, simulatedSeconds: play.moves ? play.moves.to - play.moves.from : 0 }
  } catch (error) {
    if (error instanceof Failure)
      throw new Failure(error.kind, `${error.message.slice(error.kind.length + 2)}\n  in ${words}`)
    throw error
  }
}

async function playWhole(world: World, { name, dice }: Step): Promise<string> {
  const snapshot = new Dice(dice).of(['one', 'two'])
  if (name === 'reset') world.deeds.push({ kind: 'reset' })
  else world.deeds.push({ kind: name === 'save snapshot' ? 'save' : 'restore', snapshot })
  if (name === 'reset') await world.reset()
  else if (name === 'save snapshot') await world.save(snapshot)
  else if (!(await world.restore(snapshot))) return `${name} ${snapshot}: it was never saved`
  return name === 'reset' ? name : `${name} ${snapshot}`
}

const fill = (account: Account, text: string): string =>
  account.naming.fill(text.replaceAll('{merchant}', account.id))

/**
 * Finds the ids of items by their subscription and price, `{item of sub1 price2}`, or their place, `{item 3 of cus1}`,
 * and those of lines by their place, `{line 0 of in1}`.
 */
async function fillItems(world: World, account: Account, text: string): Promise<string> {
  const { naming } = account
  const get = (path: string) => world.ask(account, 'GET', path)
  let filled = text
  for (const [whole, subscription = '', price = ''] of text.matchAll(/\{item of (\w+) (\w+)\}/g)) {
    const { body } = await get(`/v1/subscriptions/${naming.idOf(subscription)}`)
    const item = body.items.data.find((each: Body) => each.price.id === naming.idOf(price))
    filled = filled.replace(whole, item?.id)
  }
  for (const [whole, place, customer = ''] of text.matchAll(/\{item (\d+) of (\w+)\}/g)) {
    const items = await listAll(get, `/v1/invoiceitems?customer=${naming.idOf(customer)}&`)
    filled = filled.replace(whole, items[Number(place)]?.id)
  }
  for (const [whole, place, invoice = ''] of text.matchAll(/\{line (\d+) of (\w+)\}/g)) {
    const { body } = await get(`/v1/invoices/${naming.idOf(invoice)}`)
    filled = filled.replace(whole, body.lines.data[Number(place)].id)
  }
  return filled
}

type Sent = {
  readonly method: string
  readonly path: string
  readonly body: string | undefined
  readonly idempotencyKey: string | undefined
}

/**
 * Makes a request, and repeats it if it has an idempotency key: the response is the same, without effects.
 */
async function askOnce(
  world: World,
  account: Account,
  { play, sent }: { play: Play; sent: Sent },
): Promise<TwinResponse> {
  const { method, path, body, idempotencyKey: key } = sent
  if (play.isOperators) return world.operate(method, path.replace('/_paytwin/', ''), body)
  const response = await world.ask(account, method, path, body, key)
  // Only what was stored is replayed. See docs/contract/idempotency.md#stored-responses.
  if (key === undefined || (response.status >= 300 && response.status !== 402)) return response
  const again = await world.ask(account, method, path, body, key)
  if (again.text !== response.text)
    throw new Failure('replay', `answered otherwise: ${response.text} ${again.text}`)
  return response
}

/** Notes the request of a step, to be sent again. */
function note(
  world: World,
  { merchant }: Step,
  {
    play: { isOperators, moves },
    sent,
    response: { status, text },
    events,
  }: { play: Play; sent: Sent; response: TwinResponse; events: readonly Body[] },
): void {
  world.deeds.push({
    ...{ kind: 'request', ...sent, path: sent.path.replace('/_paytwin/', ''), merchant, status, text },
    isOperators: isOperators === true,
    moves: moves ? { ...moves, instants: events.map(({ created }) => created) } : null,
  })
}

function compareResponse(
  { naming }: Account,
  { response: expected, makes = {}, returns }: Play,
  { status, body, text }: TwinResponse,
): void {
  const is = status < 300 ? 'done' : status === 402 ? 'declined' : status < 500 ? 'refused' : 'broken'
  if (is !== expected) throw new Failure('response', `expected to be ${expected}, returned ${status} ${text}`)
  if (is !== 'done') return
  const found = returns ? differences(naming, returns, inModelTerms(body)) : []
  if (found.length > 0) throw new Failure('response', found.join('; '))
  for (const [key, place] of Object.entries(makes)) {
    const id = place.split('.').reduce<Body | undefined>((value, name) => value?.[name], body)
    if (!naming.agrees(key, id)) throw new Failure('response', `${key} at ${place} is ${JSON.stringify(id)}`)
  }
}

/** Lists the events since the newest one that was read, oldest first. */
async function newEvents(world: World, account: Account): Promise<Body[]> {
  const found: Body[] = []
  if (!world.hasNewEntries()) return found
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
const STREAMS: readonly { isOf: (event: Pick<ExpectedEvent, 'type'>) => boolean; isUnordered: boolean }[] = [
  { isOf: ({ type }) => !type.startsWith('customer.discount.'), isUnordered: false },
  { isOf: ({ type }) => /^customer.discount.(created|updated)$/.test(type), isUnordered: false },
  { isOf: ({ type }) => type === 'customer.discount.deleted', isUnordered: true },
]

function compareEvents(
  { naming }: Account,
  { emitted, isUnordered }: Pick<Play, 'emitted' | 'isUnordered'>,
  events: readonly Body[],
): void {
  const real = [...events]
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
    ? `${event.created} ${event.type} ${event.data.object.id} ${event.data.object.status ?? ''}`
    : 'nothing'

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
