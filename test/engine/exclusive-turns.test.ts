import { describe, expect, test } from 'vitest'
import { anotherMerchant, asOperator } from '../http/support.ts'
import { openTwin } from '../scenarios/story.ts'
import { clientOf, type Twin } from '../twin.ts'
import { turns } from '../webhooks/inbox.ts'

type Send = (twin: Twin, loop: number) => Promise<{ status: number }>

/** So often each loop sends its request at most, so that a test ends if others never get a turn. */
const MANY = 100

/**
 * Sends requests while some loops send theirs, each without a pause.
 * @returns how many requests the loops were answered for each of the others, in the order of these
 */
async function beside(
  loops: readonly (() => Promise<{ status: number }>)[],
  requests: readonly (() => Promise<{ status: number }>)[],
): Promise<number[]> {
  let answered = 0
  let isOver = false
  const ended = loops.map(async (send) => {
    for (let count = 0; !isOver && count < MANY; count += 1) {
      expect((await send()).status).toBeLessThan(300)
      answered += 1
    }
  })
  const counts: number[] = []
  for (const [n, send] of requests.entries()) {
    // They arrive at different moments.
    await turns(n + 5)
    const before = answered
    expect((await send()).status).toBeLessThan(300)
    counts.push(answered - before)
  }
  isOver = true
  await Promise.all(ended)
  return counts
}

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))

const EXCLUSIVE: readonly [string, Send][] = [
  ['saves', (twin, loop) => asOperator(twin)('POST', 'snapshots', { name: `save_${loop}` })],
  ['restores', (twin) => asOperator(twin)('POST', 'snapshots/first/restore')],
  ['comparisons', (twin) => asOperator(twin)('GET', 'snapshots/first/differences')],
  ['resets', (twin) => asOperator(twin)('POST', 'reset')],
]

const keyed = (n: number) => ({ 'Idempotency-Key': `key_${n}` })
const WRITES: readonly [string, Send][] = [
  ['a write', (twin) => twin.request('POST', '/v1/customers', { name: 'Ada' })],
  ['one with an idempotency key', (twin, n) => twin.request('POST', '/v1/customers', {}, keyed(n))],
  ['an advance', (twin) => twin.request('POST', '/v1/test_helpers/clock/advance', { by: '1d' })],
  [
    'an advance of all merchants',
    (twin) => asOperator(twin)('POST', 'clock/advance', { all: true, by: '1d' }),
  ],
]

describe.each(EXCLUSIVE)('beside endless %s of several callers', (_, exclusive) => {
  const prepare = async () => {
    const twin = await openTwin()
    await asOperator(twin)('POST', 'snapshots', { name: 'first' })
    return { twin, loops: times(5, (loop) => () => exclusive(twin, loop)) }
  }

  test.each(WRITES)('%s comes after a few', async (_write, send) => {
    const { twin, loops } = await prepare()
    const counts = await beside(
      loops,
      times(10, (n) => () => send(twin, n)),
    )
    expect(Math.max(...counts)).toBeLessThan(10)
  })

  test('a key is issued, and revoked, after a few', async () => {
    const { twin, loops } = await prepare()
    const operator = asOperator(twin)
    const merchant = twin.sandbox.merchant.settings.id
    let id: string
    const counts = await beside(loops, [
      async () => {
        const response = await operator('POST', 'keys', { merchant })
        id = response.body.id
        return response
      },
      () => operator('POST', `keys/${id}/revoke`),
    ])
    expect(Math.max(...counts)).toBeLessThan(10)
  })
})

/** A reset removes the other merchants. */
const KEEPING = EXCLUSIVE.filter(([name]) => name !== 'resets')

test.each(KEEPING)(
  '%s of several callers come soon beside endless writes and advances',
  async (_, exclusive) => {
    const twin = await openTwin()
    const clients = [twin]
    for (let n = 0; n < 2; n += 1)
      clients.push(clientOf(twin.sandbox, (await anotherMerchant(twin)).secretKey))
    await asOperator(twin)('POST', 'snapshots', { name: 'first' })
    const advance = (client: Twin) => client.request('POST', '/v1/test_helpers/clock/advance', { by: '1d' })
    const loops = clients.flatMap((client) => [
      () => client.request('POST', '/v1/customers', {}),
      () => advance(client),
      () => advance(client),
    ])
    const counts = await beside(loops, [
      async () => {
        const [first, ...others] = await Promise.all(times(5, (n) => exclusive(twin, n)))
        for (const { status } of others) expect(status).toBe(first?.status)
        return first ?? { status: 0 }
      },
    ])
    // Some 100: between two pieces of exclusive work each loop has its turn, and then they wait.
    expect(Math.max(...counts)).toBeLessThan(300)
  },
)
