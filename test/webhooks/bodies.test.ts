import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { WebhookEndpoint } from '../../src/core/webhook.ts'
import type { MerchantState } from '../../src/engine/machine/merchant-state.ts'
import { Bodies } from '../../src/webhooks/bodies.ts'

const merchant = {} as MerchantState
const endpointOf = (api_version: string | null) => ({ api_version }) as WebhookEndpoint
const OLD = endpointOf('old')
const NEW = endpointOf('new')

const wanted = (endpoint: WebhookEndpoint) => ({ endpoint, isWanted: () => true })

/** Takes so long that a turn has time for one. */
function work(): void {
  const end = performance.now() + 12
  while (performance.now() < end);
}

describe('a body', () => {
  /** @returns the bodies, and which were written */
  const openBodies = () => {
    const written: string[] = []
    const bodies = new Bodies((_, event, { api_version }) => {
      written.push(`${event} ${api_version}`)
      return written.at(-1) ?? ''
    })
    return { bodies, written }
  }

  test('is written once for all endpoints with a version', async () => {
    const { bodies, written } = openBodies()
    const all = [OLD, OLD, NEW, NEW].map((endpoint) => bodies.of(merchant, 'evt_1', wanted(endpoint)))
    expect(await Promise.all(all)).toEqual(['evt_1 old', 'evt_1 old', 'evt_1 new', 'evt_1 new'])
    expect(written).toEqual(['evt_1 old', 'evt_1 new'])
  })

  test('is written again for another merchant or event, and when contents were replaced', async () => {
    const { bodies, written } = openBodies()
    await bodies.of(merchant, 'evt_1', wanted(OLD))
    await bodies.of({} as MerchantState, 'evt_1', wanted(OLD))
    await bodies.of(merchant, 'evt_2', wanted(OLD))
    await bodies.of(merchant, 'evt_1', wanted(OLD))
    bodies.forget()
    await bodies.of(merchant, 'evt_1', wanted(OLD))
    expect(written).toHaveLength(5)
  })

  test('is not written if it is no longer wanted in its turn', async () => {
    const { bodies, written } = openBodies()
    let isWanted = true
    const first = bodies.of(merchant, 'evt_1', wanted(OLD))
    const second = bodies.of(merchant, 'evt_2', { endpoint: OLD, isWanted: () => isWanted })
    isWanted = false
    expect(await Promise.all([first, second])).toEqual(['evt_1 old', undefined])
    expect(written).toEqual(['evt_1 old'])
  })

  test.each([
    ['at once', () => Promise.reject(new Error('failed'))],
    [
      'later',
      () => {
        throw new Error('failed')
      },
    ],
  ])('that cannot be written, %s, is written again', async (_when, fail) => {
    let failures = 0
    const bodies = new Bodies(() => {
      failures += 1
      return failures === 1 ? fail() : 'written'
    })
    await expect(bodies.of(merchant, 'evt_1', wanted(OLD))).rejects.toThrow('failed')
    expect(await bodies.of(merchant, 'evt_1', wanted(OLD))).toBe('written')
  })
})

test('bodies are written in turns of limited time, in which merchants take turns', async () => {
  const order: string[] = []
  const bodies = new Bodies((_, event) => {
    work()
    order.push(event)
    return event
  })
  const many = ['a', 'b', 'c', 'd'].map((event) => bodies.of(merchant, event, wanted(OLD)))
  const other = bodies.of({} as MerchantState, 'of another', wanted(OLD))
  expect(order).toEqual(['a'])
  await turn()
  expect(order.length).toBeLessThan(4)
  await Promise.all([...many, other])
  expect(order).toEqual(['a', 'b', 'of another', 'c', 'd'])
})

describe('bodies that are being sent', () => {
  /** Room for two bodies of each merchant. */
  const openBodies = () => {
    const written: string[] = []
    const render = (_: unknown, event: string) => {
      written.push(event)
      return event.padEnd(10)
    }
    const bodies = new Bodies(render, 30, { most: 20, ensured: 1 })
    const sent: string[] = []
    const ends = new Map<string, () => void>()
    type How = { readonly owner?: MerchantState; readonly isWanted?: () => boolean }
    const send = (event: string, { owner = merchant, isWanted = () => true }: How = {}) =>
      bodies.use(owner, event, { endpoint: OLD, isWanted }, (text) => {
        sent.push(text.trim())
        return new Promise<void>((resolve) => ends.set(event, resolve))
      })
    return { bodies, written, sent, send, end: (event: string) => ends.get(event)?.() }
  }

  test('have limited bytes for each merchant, and those that wait are written again', async () => {
    const { bodies, written, sent, send, end } = openBodies()
    const all = ['a', 'b', 'c'].map((event) => send(event))
    await turn()
    const other = send('of another', { owner: {} as MerchantState })
    await turn()
    expect(sent).toEqual(['a', 'b', 'of another'])
    // The newest body is kept for other endpoints, which of the last two that is depends on turns.
    bodies.forget()
    end('a')
    await all[0]
    await turn()
    expect(sent).toEqual(['a', 'b', 'of another', 'c'])
    expect(written.filter((event) => event === 'c')).toHaveLength(2)
    for (const event of ['b', 'c', 'of another']) end(event)
    await Promise.all([...all, other])
  })

  test('are not sent if they are no longer wanted in their turn', async () => {
    const { written, sent, send, end } = openBodies()
    let isWanted = true
    const first = [send('a'), send('b')]
    const third = send('c', { isWanted: () => isWanted })
    await turn()
    isWanted = false
    end('a')
    expect(await third).toBeUndefined()
    expect([sent, written]).toEqual([
      ['a', 'b'],
      ['a', 'b', 'c'],
    ])
    end('b')
    await Promise.all(first)
  })
})
