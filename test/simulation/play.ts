import type { Body } from '../twin.ts'
import { readAllEvents, readEvents, within } from './check-events.ts'
import { listAll, type TwinResponse } from './client.ts'
import { commandNamed, isWhole, type Step } from './commands.ts'
import { Dice } from './dice.ts'
import { Failure } from './failure.ts'
import type { Play } from './model-play.ts'
import { differences, inModelTerms } from './naming.ts'
import type { Account, World } from './world.ts'

/** The result of a step. */
export type Played = {
  readonly words: string
  readonly simulatedSeconds: number
  /** The events that were read, also of earlier steps. */
  readonly events: readonly Body[]
}

const NOTHING: Omit<Played, 'words'> = { simulatedSeconds: 0, events: [] }

/** The largest number of steps whose events are read together. */
const STEPS_READ_TOGETHER = 12

/**
 * Runs a step, and compares its response with the model. Its events are compared when a later step needs an id that only they
 * show, and after some steps. @throws Failure
 */
export async function playStep(world: World, step: Step): Promise<Played> {
  if (isWhole(step.name)) {
    const events = await readAllEvents(world)
    return { ...NOTHING, words: await playWhole(world, step), events }
  }
  const account = world.account(step.merchant)
  const dice = new Dice(step.dice)
  const play = commandNamed(step.name)({ merchant: account.model, faults: account.faults, dice })
  if (play === null) return { words: `${step.name}: there is nothing to do it to`, ...NOTHING }
  const asked = play.body && JSON.stringify(play.body)
  const isNamed = account.naming.hasAllOf(play.path) && account.naming.hasAllOf(asked ?? '')
  const events = isNamed ? [] : await readEvents(world, account)
  const path = fill(account, await fillItems(world, account, play.path))
  const body = asked && fill(account, await fillItems(world, account, asked))
  const words = `merchant ${step.merchant}, ${step.name}: ${play.method} ${path} ${body ?? ''}`
  try {
    const idempotencyKey = !play.moves && dice.chance(10) ? `key-${step.dice}` : undefined
    const sent = { method: play.method, path, body, idempotencyKey }
    const response = await askOnce(world, account, { play, sent })
    compareResponse(account, play, response)
    const instants = note(world, step, { play, sent, response })
    account.awaited.push({ words, play, until: world.newestEventOf(account), instants })
  } catch (error) {
    throw within(words, error)
  }
  if (account.awaited.length >= STEPS_READ_TOGETHER) events.push(...(await readEvents(world, account)))
  return { words, events, simulatedSeconds: play.moves ? play.moves.to - play.moves.from : 0 }
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

/** Notes the request of a step, to be sent again. @returns the instants of its events, which are still to be filled in */
function note(
  world: World,
  { merchant }: Step,
  {
    play: { isOperators, moves },
    sent,
    response: { status, text },
  }: { play: Play; sent: Sent; response: TwinResponse },
): number[] {
  const instants: number[] = []
  world.deeds.push({
    ...{ kind: 'request', ...sent, path: sent.path.replace('/_paytwin/', ''), merchant, status, text },
    isOperators: isOperators === true,
    moves: moves ? { ...moves, instants } : null,
  })
  return instants
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
