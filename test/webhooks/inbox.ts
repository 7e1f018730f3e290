import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import type { SandboxOptions } from '../../src/daemon/sandbox.ts'
import type { Reply, WebhookRequest } from '../../src/webhooks/sender.ts'
import { expectRefusal, type Refusal, unchanged } from '../http/support.ts'
import { listAll } from '../scenarios/story.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'

/** A post that a receiver in memory has got. */
export type Received = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly event: Body
}

/** The behaviour of a receiver; the default returns 200. */
export type Receive = (
  received: Received,
  ended: AbortSignal,
) => number | Reply | undefined | Promise<number | Reply | undefined>

export type Inbox = {
  readonly received: Received[]
  /** The current behaviour of all receivers. */
  receive: Receive
  /** The numbers of posts that are running, and that ran at most at the same time. */
  underWay: number
  mostUnderWay: number
}

/** A twin whose webhooks are sent to a receiver in memory. */
export type Shop = Twin & {
  readonly inbox: Inbox
  /** The ids of the events received at a URL, in order, repeated ones too. */
  ids(url?: string): string[]
  /** Resolves when no delivery is being sent. */
  settled(): Promise<void>
  /** The deliveries to an endpoint, oldest first. */
  deliveries(endpoint: Body): Promise<Body[]>
  endpoint(params?: Body): Promise<Body>
}

export const URL = 'http://shop.test/webhooks'
export const REFUSED: Reply = { status: null, error: 'connect ECONNREFUSED' }

export function makeInbox(): Inbox & { readonly send: NonNullable<SandboxOptions['send']> } {
  const inbox: Inbox = { received: [], receive: () => undefined, underWay: 0, mostUnderWay: 0 }
  const send = async (letter: WebhookRequest, ended: AbortSignal): Promise<Reply> => {
    const { url, headers } = letter
    const body = letter.body.toString()
    const received = { url, headers: lowercased(headers), body, event: JSON.parse(body) }
    inbox.received.push(received)
    inbox.underWay += 1
    inbox.mostUnderWay = Math.max(inbox.mostUnderWay, inbox.underWay)
    try {
      const response = (await inbox.receive(received, ended)) ?? 200
      return typeof response === 'number' ? { status: response, body: `returned ${response}` } : response
    } finally {
      inbox.underWay -= 1
    }
  }
  return Object.assign(inbox, { send })
}

/** A shop that is closed at the end of the test. */
export async function openShop(
  options: Partial<SandboxOptions> & { now?: string; inbox?: ReturnType<typeof makeInbox> } = {},
): Promise<Shop> {
  const { inbox = makeInbox(), ...given } = options
  const twin = await startTwin({ send: inbox.send, ...given })
  onTestFinished(() => twin.close())
  return shopOf(twin, inbox)
}

export function shopOf(twin: Twin, inbox: Inbox): Shop {
  const { engine } = twin.sandbox
  return {
    ...twin,
    inbox,
    ids: (url = URL) => inbox.received.filter((one) => one.url === url).map(({ event }) => event.id),
    settled: async () => engine.outbox.deliveries?.settled(twin.sandbox.merchant),
    deliveries: ({ id }) => listAll(twin, `/v1/webhook_endpoints/${id}/deliveries`),
    endpoint: (params = {}) =>
      twin.post('/v1/webhook_endpoints', { url: URL, enabled_events: ['*'], ...params }),
  }
}

/** Creates customers, each of which emits one event. @returns the ids of the events, in order */
export async function makeEvents(twin: Twin, count: number): Promise<string[]> {
  for (let made = 0; made < count; made += 1) await twin.post('/v1/customers')
  const { data } = await twin.get(`/v1/events?type=customer.created&limit=${Math.min(count, 100)}`)
  return data.map(({ id }: Body) => id).reverse()
}

/** A door at which posts wait until it is opened. */
export function makeDoor(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** Answers posts once a door is open. */
export const behind =
  ({ opened }: Pick<ReturnType<typeof makeDoor>, 'opened'>, status = 200) =>
  async (): Promise<number> => {
    await opened
    return status
  }

/** Lets everything run that waits for no receiver. */
export async function turns(count = 40): Promise<void> {
  for (let passed = 0; passed < count; passed += 1) await turn()
}

/** Reads all endpoints and deliveries, beside what every merchant has. */
async function everything(twin: Twin): Promise<Body[]> {
  const endpoints: Body[] = (await twin.get(`/v1/webhook_endpoints?limit=100`)).data
  const deliveries = endpoints.map(({ id }) => twin.get(`/v1/webhook_endpoints/${id}/deliveries?limit=100`))
  return [...endpoints, ...(await Promise.all(deliveries))]
}

/** Checks that a request is refused with this error, and writes nothing. */
export async function refuses(
  twin: Twin,
  request: readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>],
  refusal: Refusal,
): Promise<Body> {
  const before = await everything(twin)
  const response = await unchanged(twin, () => twin.request(...request))
  expectRefusal(response, refusal)
  expect(await everything(twin)).toEqual(before)
  return response.body
}

/** Headers as a socket delivers them. */
const lowercased = (headers: WebhookRequest['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
