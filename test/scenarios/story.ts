import { expect, onTestFinished } from 'vitest'
import { formatInstant, parseInstant } from '../../src/core/calendar.ts'
import type { SandboxOptions } from '../../src/daemon/sandbox.ts'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'

/** A twin that is closed when the test ends. */
export async function openTwin(options: Partial<SandboxOptions> & { now?: string } = {}): Promise<Twin> {
  const twin = await startTwin(options)
  onTestFinished(() => twin.close())
  return twin
}

/** Unix seconds of a time written in ISO 8601. */
export function at(time: string): number {
  const instant = parseInstant(time)
  if (instant === undefined) throw new Error(`${time} is no time`)
  return instant
}

/**
 * A customer with a card, subscribed to a price of 20.00 USD a month, or with other parameters. `outcomes` scripts the
 * card, `afterwards` is what it does when they have run out.
 */
export async function subscribe(
  twin: Twin,
  { price = {}, card, outcomes, afterwards: then, ...params }: Body = {},
): Promise<{ customer: Body; method: Body; subscription: Body }> {
  const { id } = await makePrice(twin, price)
  const { customer, method } = await makeCustomer(twin, { card, outcomes, then })
  const subscription = await twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: id }],
    ...params,
  })
  return { customer, method, subscription }
}

/** Sets the final action of dunning, as the operator does. */
export async function setFinalAction(twin: Twin, dunning_final_action: string): Promise<void> {
  const { merchant, adminToken } = twin.sandbox
  const headers = { Authorization: `Bearer ${adminToken}`, Host: 'localhost' }
  const path = `/_paytwin/merchants/${merchant.settings.id}`
  const { status } = await twin.request('POST', path, { dunning_final_action }, headers)
  expect(status).toBe(200)
}

/** All entries of a list, oldest first. */
export async function listAll(twin: Pick<Twin, 'get'>, path: string): Promise<Body[]> {
  const all: Body[] = []
  for (let cursor = ''; ; cursor = `&starting_after=${all.at(-1)?.id}`) {
    const page = await twin.get(`${path}${path.includes('?') ? '&' : '?'}limit=100${cursor}`)
    all.push(...page.data)
    if (!page.has_more) return all.reverse()
  }
}

const LISTS = {
  customers: '/v1/customers',
  payment_methods: '/v1/payment_methods',
  prices: '/v1/prices',
  subscriptions: '/v1/subscriptions?status=all',
  subscription_schedules: '/v1/subscription_schedules',
  invoices: '/v1/invoices',
  payment_intents: '/v1/payment_intents',
  charges: '/v1/charges',
  refunds: '/v1/refunds',
  credit_notes: '/v1/credit_notes',
  disputes: '/v1/disputes',
  events: '/v1/events',
} as const

export type History = Record<keyof typeof LISTS, Body[]>

/** All that a merchant can see, to compare two runs of a story. The ids of requests are random. */
export async function historyOf(twin: Pick<Twin, 'get'>): Promise<History> {
  const history = {} as History
  for (const [name, path] of Object.entries(LISTS)) {
    history[name as keyof History] = await listAll(twin, path)
  }
  for (const { request } of history.events) if (request.id !== null) request.id = 'req'
  return history
}

/** A history byte for byte, an entry a line. */
export const bytesOf = (history: History): string[] =>
  Object.entries(history).flatMap(([name, entries]) => [
    name,
    ...entries.map((entry) => JSON.stringify(entry)),
  ])

/** The paces of a clock: one advance, steps that end at each quarter of a day in turn, or from job to job. */
export const PACES: Readonly<Record<string, (twin: Twin, until: number) => Promise<void>>> = {
  'one jump': async (twin, until) => {
    await twin.advance({ to: until })
  },
  'steps of 18 hours': async (twin, until) => {
    for (let now = await nowOf(twin); now < until; now = await nowOf(twin)) {
      await twin.advance({ to: Math.min(now + 18 * 3600, until) })
    }
  },
  'a step to each due instant': async (twin, until) => {
    for (let now = await nowOf(twin); now < until; now = await nowOf(twin)) {
      const [next] = (await twin.get('/v1/test_helpers/upcoming?limit=1')).data
      await twin.advance({ to: Math.min(next?.due ?? until, until) })
    }
  },
}

/** The paces that take few steps, also for years. */
export const QUICK_PACES = Object.entries(PACES).filter(([name]) => name !== 'steps of 18 hours')

/** Returns the time of a twin's clock, in Unix seconds. */
export const nowOf = async (twin: Twin): Promise<number> => (await twin.get('/v1/test_helpers/clock')).now

/**
 * Puts all customers of a twin on a test clock that starts at the main clock's time. A story can then be played on the
 * test clock, while the main clock stands still.
 */
export async function onTestClock(twin: Twin): Promise<Twin> {
  const { id, now } = await twin.post('/v1/test_helpers/test_clocks', { frozen_time: await nowOf(twin) })
  expect(now).toBe(await nowOf(twin))
  const clock = `/v1/test_helpers/test_clocks/${id}`
  const redirected = (path: string) =>
    path.replace(/^.v1.test_helpers.clock/, clock).replace(/upcoming\??/, `upcoming?test_clock=${id}&`)
  return {
    ...twin,
    get: (path) => twin.get(redirected(path)),
    post: (path, body) =>
      twin.post(redirected(path), path === '/v1/customers' ? { ...Object(body), test_clock: id } : body),
    advance: (params) => twin.post(`${clock}/advance`, params),
  }
}

/** Removes the clock from a history. */
const anyClock = (history: History): string[] =>
  bytesOf(history).map((line) => line.replaceAll(/"test_clock":"clock_\w+"/g, '"test_clock":null'))

/** A story: the first and last instant of its clock, and the requests at its beginning. */
export type Story<FirstState> = {
  readonly now: string
  readonly until: string
  readonly begin: (twin: Twin) => Promise<FirstState>
}

/**
 * Plays a story at every pace, on the main clock and on a test clock, and checks that the histories are the same byte
 * for byte.
 * @returns the twin at the story's end, and its timeline
 */
export async function play<FirstState>({ now, until, begin }: Story<FirstState>) {
  const tellings = []
  for (const advance of Object.values(PACES)) {
    const twin = await openTwin({ now })
    const begun = await begin(twin)
    await advance(twin, at(until))
    tellings.push({ twin, begun, history: await historyOf(twin) })
  }
  const twin = await onTestClock(await openTwin({ now }))
  const begun = await begin(twin)
  await twin.advance({ to: until })
  tellings.push({ twin, begun, history: await historyOf(twin) })
  const [jump, ...steps] = tellings
  if (!jump) throw new Error('there is a pace')
  const expected = anyClock(jump.history)
  for (const { history } of steps) expect(anyClock(history)).toEqual(expected)
  return { ...jump, lines: timelineOf(jump.history.events) }
}

const TOLD = /^(subscription|invoice|payment_intent|charge)\./

/**
 * A history as lines: when, what, and the state it led to. An attempt shows its count and the next one, an update the
 * fields that changed.
 * @param names - of customers, by id, to distinguish several stories
 */
export const timelineOf = (events: readonly Body[], names: Readonly<Record<string, string>> = {}): string[] =>
  events.filter(({ type }) => TOLD.test(type)).map((event) => lineOf(event, names))

function lineOf({ type, created, data }: Body, names: Readonly<Record<string, string>>): string {
  const { object, previous_attributes } = data
  const name = names[object.customer]
  const words = [formatInstant(created), ...(name ? [name] : []), type, object.status]
  if (type === 'invoice.payment_failed' || type === 'invoice.paid') words.push(attemptOf(object))
  if (previous_attributes) words.push('Δ', ...Object.keys(previous_attributes))
  return words.join(' ')
}

const attemptOf = ({ attempt_count, next_payment_attempt }: Body): string =>
  next_payment_attempt === null
    ? `#${attempt_count}`
    : `#${attempt_count} next ${formatInstant(next_payment_attempt)}`
