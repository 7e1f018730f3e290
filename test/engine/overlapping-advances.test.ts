import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MerchantDeleted } from '../../src/engine/machine/merchant-state.ts'
import { anotherMerchant, asOperator } from '../http/support.ts'
import { at, openTwin, subscribe } from '../scenarios/story.ts'
import { clientOf, DEFAULT_NOW, type Twin } from '../twin.ts'
import { behind, makeDoor, openShop, turns } from '../webhooks/inbox.ts'

/** Sends advances one after the other until `isOver` or 400 are answered. @returns how many were answered */
async function keepAdvancing(client: Twin, path: string, isOver: () => boolean): Promise<number> {
  let count = 0
  for (; !isOver() && count < 400; count += 1) {
    const { status } = await client.request('POST', path, { by: '5d' })
    if (status === 401 || status === 404) break
    expect(status).toBe(200)
  }
  return count
}

/** Runs work of the operator while clients keep advancing clocks. @returns the number of advances that were answered meanwhile */
async function beside(work: () => Promise<unknown>, clients: readonly (readonly [Twin, string])[]) {
  let isOver = false
  const loops = clients.map(([client, path]) => keepAdvancing(client, path, () => isOver))
  for (let count = 0; count < 5; count += 1) await turn()
  await work()
  isOver = true
  return (await Promise.all(loops)).reduce((sum, count) => sum + count, 0)
}

const MAIN = '/v1/test_helpers/clock/advance'

async function threeMerchants() {
  const twin = await openTwin()
  await subscribe(twin, { price: { recurring: { interval: 'day' } } })
  const clients: Twin[] = [twin]
  for (let count = 0; count < 2; count += 1) {
    const { secretKey } = await anotherMerchant(twin)
    clients.push(clientOf(twin.sandbox, secretKey))
  }
  return { twin, clients }
}

const advanceAll = (twin: Twin, by = '1d') => asOperator(twin)('POST', 'clock/advance', { all: true, by })

test('an advance of all merchants is not delayed for ever by advances of single ones, and these go on after it', async () => {
  const { twin, clients } = await threeMerchants()
  const loops = clients.flatMap(
    (client) =>
      [
        [client, MAIN],
        [client, MAIN],
        [client, MAIN],
      ] as const,
  )
  const count = await beside(async () => expect((await advanceAll(twin)).status).toBe(200), loops)
  expect(count).toBeGreaterThan(0)
  expect(count).toBeLessThan(100)
})

test('several advances of all merchants run in their order, also if one is refused', async () => {
  const { twin, clients } = await threeMerchants()
  let statuses: number[] = []
  const count = await beside(
    async () => {
      const answers = await Promise.all(['1d', '9000y', '2d'].map((by) => advanceAll(twin, by)))
      statuses = answers.map(({ status }) => status)
    },
    clients.flatMap(
      (client) =>
        [
          [client, MAIN],
          [client, MAIN],
        ] as const,
    ),
  )
  expect(statuses).toEqual([200, 400, 200])
  expect(count).toBeLessThan(200)
})

test('an advance of all merchants comes after those of single ones that were asked for before', async () => {
  const { twin, clients } = await threeMerchants()
  const [first] = clients
  const answered: string[] = []
  const note = async (what: string, answer: Promise<{ status: number }> | undefined) => {
    answered.push(`${what} ${(await answer)?.status}`)
  }
  const advance = (to: string) => first?.request('POST', MAIN, { to: at(to) })
  const begun = note('one', advance('2030-01-31'))
  while (twin.sandbox.merchant.held.size === 0) await turn()
  const two = note('two', advance('2031-01-31'))
  await turns(5)
  expect(twin.sandbox.merchant.clock.target).toBe(at('2030-01-31'))
  await Promise.all([begun, two, note('all', advanceAll(twin, '3y')), note('later', advance('2036-01-31'))])
  expect(answered).toEqual(['one 200', 'two 200', 'all 200', 'later 200'])
})

describe('an advance of all merchants that waits', () => {
  test('for a receiver of webhooks delays no advances of others meanwhile', async () => {
    const shop = await openShop()
    const door = makeDoor()
    shop.inbox.receive = behind(door)
    await shop.endpoint()
    await subscribe(shop, { price: { recurring: { interval: 'day' } } })
    const { secretKey } = await anotherMerchant(shop)
    const other = clientOf(shop.sandbox, secretKey)
    const { merchant } = shop.sandbox
    const advance = shop.advance({ by: '3d', await_webhooks: true })
    while (merchant.held.size === 0) await turn()
    const all = advanceAll(shop)
    // It is asked for before the advance waits for the receiver, and while it does.
    const early = other.advance({ by: '1d' })
    while (merchant.parked.size === 0) await turn()
    await early
    await other.advance({ by: '1d' })
    expect(merchant.held.size).toBe(1)
    door.open()
    await advance
    expect((await all).status).toBe(200)
  })

  test('and is canceled delays no others any more', async () => {
    const { twin, clients } = await threeMerchants()
    const [first, second] = clients
    const advance = first?.advance({ by: '20y' })
    const { merchant } = twin.sandbox
    while (merchant.held.size === 0) await turn()
    const all = asOperator(twin)('POST', 'clock/advance', { all: true, by: '1d', advance_id: 'all' })
    const other = second?.advance({ by: '1d' })
    await turns()
    expect((await asOperator(twin)('POST', 'clock/cancel', { advance_id: 'all' })).status).toBe(200)
    await other
    expect(merchant.held.size).toBe(1)
    expect((await all).status).toBe(200)
    await first?.post('/v1/test_helpers/clock/cancel')
    await advance
  })
})

test('a named advance of many merchants causes no warning of Node', async () => {
  const warnings: string[] = []
  const note = ({ message }: Error) => warnings.push(message)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const twin = await openTwin()
  for (let count = 0; count < 12; count += 1) await anotherMerchant(twin)
  const all = await asOperator(twin)('POST', 'clock/advance', { all: true, by: '1d', advance_id: 'all' })
  expect(all.body.data).toHaveLength(13)
  // Node emits warnings in the next turn.
  await turn()
  expect(warnings).toEqual([])
})

test('a merchant is deleted although its clients keep advancing its clocks', async () => {
  const twin = await openTwin()
  const { merchant, secretKey } = await anotherMerchant(twin)
  const client = clientOf(twin.sandbox, secretKey)
  const paths: string[] = []
  for (let count = 0; count < 20; count += 1) {
    const clock = await client.post('/v1/test_helpers/test_clocks', { frozen_time: at(DEFAULT_NOW) })
    const customer = await client.post('/v1/customers', { test_clock: clock.id })
    await client.post(`/v1/customers/${customer.id}`, { name: 'Ada' })
    paths.push(`/v1/test_helpers/test_clocks/${clock.id}/advance`)
  }
  const count = await beside(
    async () => expect((await asOperator(twin)('DELETE', `merchants/${merchant.id}`)).status).toBe(200),
    [...paths, ...paths].map((path) => [client, path] as const),
  )
  expect(count).toBeLessThan(400)
})

test('if a merchant cannot be deleted, the commands that waited for that run', async () => {
  const { twin } = await threeMerchants()
  const { engine, merchant } = twin.sandbox
  const refused = new Error('signed out')
  const checkCredentials = () => {
    throw refused
  }
  const deleting = engine.deleteMerchant(merchant, { checkCredentials })
  const waiting = twin.advance({ by: '1d' })
  await expect(deleting).rejects.toThrow(refused)
  expect((await waiting).object).toBeDefined()
  const [first, second] = [engine.deleteMerchant(merchant), engine.deleteMerchant(merchant)]
  await first
  await expect(second).rejects.toThrow(MerchantDeleted)
})
