import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { WebhookEndpoint } from '../../src/core/webhook.ts'
import type { MerchantState } from '../../src/engine/machine/merchant-state.ts'
import { Bodies, type Render } from '../../src/webhooks/bodies.ts'
import { turns } from './inbox.ts'

const merchant = {} as MerchantState
const other = {} as MerchantState
const endpointOf = (api_version: string | null) => ({ api_version }) as WebhookEndpoint
const OLD = endpointOf('old')
const NEW = endpointOf('new')

/** Bodies of ten bytes, with room for three, of which two may be of one merchant. */
function openBodies(render: Render = (_, event) => event.padEnd(10)) {
  const written: string[] = []
  const count: Render = (owner, event, endpoint) => {
    written.push(`${event} ${endpoint.api_version}`)
    return render(owner, event, endpoint)
  }
  const bodies = new Bodies(count, undefined, { maxBytes: 30, share: { most: 20, ensured: 1 } })
  const sent: string[] = []
  const ends: { readonly event: string; readonly end: () => void }[] = []
  type How = {
    readonly owner?: MerchantState
    readonly endpoint?: WebhookEndpoint
    readonly isWanted?: () => boolean
    readonly ended?: AbortSignal
  }
  /** Sends a body until all are ended. */
  const send = (event: string, { owner = merchant, endpoint = OLD, ...how }: How = {}) =>
    bodies.use(
      { merchant: owner, event, endpoint },
      { isWanted: () => true, ended: new AbortController().signal, ...how },
      (bytes) => {
        sent.push(bytes.toString().trim())
        return new Promise<string>((resolve) => ends.push({ event, end: () => resolve('sent') }))
      },
    )
  /** Ends the first posts of an event. */
  const end = async (event: string, count = 1) => {
    const all = ends.filter((one) => one.event === event).slice(0, count)
    for (const one of all) ends.splice(ends.indexOf(one), 1)
    for (const one of all) one.end()
    await turns()
  }
  return { send, end, sent, written }
}

test('a body is written once for all endpoints with a version, also while it is being sent', async () => {
  const { send, end, sent, written } = openBodies()
  for (const endpoint of [OLD, OLD, NEW, NEW]) void send('a', { endpoint })
  await turns()
  void send('a')
  await turns()
  expect(written).toEqual(['a old', 'a new'])
  expect(sent).toHaveLength(5)
  await end('a', 4)
  void send('a')
  await turns()
  expect(written).toHaveLength(2)
})

test('each turn sends a body to one endpoint: a merchant with many takes no longer turns than others', async () => {
  const { send, sent } = openBodies()
  for (let count = 0; count < 5; count += 1) void send('of many')
  void send('of one', { owner: other })
  await turns()
  expect(sent).toEqual(['of many', 'of one', 'of many', 'of many', 'of many', 'of many'])
})

test('a body is counted once, until the last of its users has ended', async () => {
  const { send, end, sent, written } = openBodies()
  for (const event of ['a', 'a', 'a', 'a', 'b', 'c']) void send(event)
  await turns()
  expect(sent.toSorted()).toEqual(['a', 'a', 'a', 'a', 'b'])
  await end('a', 3)
  expect(sent).not.toContain('c')
  await end('a')
  expect(sent).toContain('c')
  expect(written).toEqual(['a old', 'b old', 'c old', 'c old'])
})

test('a body is written again for another merchant or event, and when nobody used it any more', async () => {
  const { send, end, written } = openBodies()
  void send('a')
  void send('a', { owner: other })
  await turns()
  await end('a', 2)
  void send('b')
  void send('a')
  await turns()
  expect(written).toEqual(['a old', 'a old', 'b old', 'a old'])
})

test('while a body waits for room, no other one of its merchant is written', async () => {
  const { send, end, sent, written } = openBodies()
  for (const event of ['a', 'b', 'c', 'd', 'e', 'c', 'd', 'e']) void send(event)
  await turns()
  void send('of another', { owner: other })
  await turns()
  expect(sent.toSorted()).toEqual(['a', 'b', 'of another'])
  expect(written).toEqual(['a old', 'b old', 'c old', 'of another old'])
  await end('a')
  // It keeps no body while it waits, and the next one is written to know its size.
  expect(written.slice(4)).toEqual(['c old', 'd old'])
  expect(sent.slice(3)).toEqual(['c', 'c'])
})

test('a body that is no longer wanted in its turn is neither written nor sent', async () => {
  const { send, end, sent, written } = openBodies()
  let isWanted = true
  void send('a')
  void send('b')
  const unwanted = send('c', { isWanted: () => isWanted })
  await turns()
  isWanted = false
  expect(await send('d', { isWanted: () => false, owner: other })).toBeUndefined()
  await end('a')
  expect(await unwanted).toBeUndefined()
  expect(sent.toSorted()).toEqual(['a', 'b'])
  expect(written).toEqual(['a old', 'b old', 'c old'])
})

test('a body that one user no longer wants is sent for the others', async () => {
  const { send, sent } = openBodies()
  const unwanted = send('a', { isWanted: () => false })
  void send('a')
  expect(await unwanted).toBeUndefined()
  await turns()
  expect(sent).toEqual(['a'])
})

test('a body that nobody wants is not shared with a later user, who does', async () => {
  const { send, sent } = openBodies()
  let later: Promise<unknown> | undefined
  const unwanted = send('a', {
    isWanted: () => {
      queueMicrotask(() => {
        later = send('a')
      })
      return false
    },
  })
  expect(await unwanted).toBeUndefined()
  await turns()
  expect(later).toBeInstanceOf(Promise)
  expect(sent).toEqual(['a'])
})

test('users that are aborted while they wait leave no room taken, and let others in', async () => {
  const { send, end, sent, written } = openBodies()
  const aborting = new AbortController()
  const waiting = ['a', 'b', 'c', 'c', 'd'].map((event) =>
    send(event, ['a', 'b'].includes(event) ? {} : { ended: aborting.signal }),
  )
  void send('e')
  await turns()
  aborting.abort()
  expect(await Promise.all(waiting.slice(2))).toEqual([undefined, undefined, undefined])
  await turns()
  await end('a')
  expect(sent.toSorted()).toEqual(['a', 'b', 'e'])
  expect(written).toEqual(['a old', 'b old', 'c old', 'e old', 'e old'])
  await end('b')
  await end('e')
  for (const event of ['f', 'g']) void send(event)
  await turns()
  expect(sent.slice(3).toSorted()).toEqual(['f', 'g'])
})

test.each([
  ['at once', () => Promise.reject(new Error('failed'))],
  [
    'later',
    () => {
      throw new Error('failed')
    },
  ],
])('a body that cannot be written, %s, is written again', async (_when, fail) => {
  let failures = 0
  const { send, sent } = openBodies(() => {
    failures += 1
    return failures === 1 ? fail() : 'written'
  })
  await expect(send('a')).rejects.toThrow('failed')
  void send('a')
  await turns()
  expect(sent).toEqual(['written'])
})

test('bodies are written in turns of limited time, in which merchants take turns', async () => {
  const order: string[] = []
  const { send } = openBodies((_, event) => {
    order.push(event)
    // Takes so long that a turn has time for one.
    for (const end = performance.now() + 12; performance.now() < end; );
    return ''
  })
  for (const event of ['a', 'b', 'c', 'd']) void send(event)
  void send('of another', { owner: other })
  while (order.length === 0) await turn()
  expect(order).toEqual(['a'])
  await turns()
  expect(order.indexOf('of another')).toBeLessThan(3)
  expect(order).toHaveLength(5)
})
