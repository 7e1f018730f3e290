import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Advances } from '../../src/engine/machine/advances.ts'
import { fillDisk } from '../disk.ts'
import { asOperator } from '../http/support.ts'
import type { Body, Twin } from '../twin.ts'
import { behind, makeDoor, openShop, type Shop, turns } from '../webhooks/inbox.ts'
import { onTestClock, subscribe } from './story.ts'

const CLOCKS = '/v1/test_helpers/test_clocks'

type Clocks = {
  readonly shop: Shop
  readonly door: ReturnType<typeof makeDoor>
  readonly twins: readonly Twin[]
}

/** A shop with a subscription on each of several test clocks, whose receiver has got an event and waits at a door. */
async function openClocks(count: number): Promise<Clocks> {
  const shop = await openShop()
  const twins: Twin[] = []
  for (let made = 0; made < count; made += 1) {
    const twin = await onTestClock(shop)
    await subscribe(twin)
    twins.push(twin)
  }
  const door = makeDoor()
  shop.inbox.receive = behind(door)
  await shop.endpoint()
  await shop.post('/v1/customers')
  await turns()
  expect(shop.inbox.underWay).toBe(1)
  return { shop, door, twins }
}

const clocksOf = async (shop: Shop): Promise<Body[]> => (await shop.get(`${CLOCKS}?limit=100`)).data

/** Begins to advance all clocks, and waits until all wait for the receiver. */
async function parkAll({ shop, twins }: Clocks, params: Body = {}): Promise<void> {
  for (const twin of twins) await twin.advance({ by: '3mo', async: true, await_webhooks: true, ...params })
  while (shop.sandbox.merchant.parked.size < twins.length) await turn()
}

/** Counts the turns that work takes. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  let isDone = false
  void work.then(() => {
    isDone = true
  })
  let count = 0
  for (; !isDone; count += 1) await turn()
  return count
}

/** Opens the door of a receiver. @returns how many turns the merchant takes when an attempt has ended and is recorded */
async function readTurnsAtTheEnd({ shop, door }: Clocks): Promise<number> {
  const { engine, merchant } = shop.sandbox
  const next = vi.spyOn(engine.reads, 'next')
  const record = vi.spyOn(engine, 'record')
  onTestFinished(() => {
    next.mockRestore()
    record.mockRestore()
  })
  door.open()
  while (record.mock.calls.length === 0) await turn()
  await record.mock.results[0]?.value
  await turns()
  return next.mock.calls.filter(([owner]) => owner === merchant).length
}

describe('nothing is left of a wait for webhooks', () => {
  test('when the advance is canceled', async () => {
    const clocks = await openClocks(3)
    for (let times = 0; times < 3; times += 1) {
      await parkAll(clocks)
      for (const { id } of await clocksOf(clocks.shop)) await clocks.shop.post(`${CLOCKS}/${id}/cancel`)
      while (clocks.shop.sandbox.merchant.held.size > 0) await turn()
    }
    expect(await readTurnsAtTheEnd(clocks)).toBe(0)
  })

  test('when the advance is canceled while the disk is full, once there is room', async () => {
    const clocks = await openClocks(1)
    const { shop } = clocks
    await parkAll(clocks)
    const [{ id }] = (await clocksOf(shop)) as [Body]
    const makeRoom = fillDisk(shop)
    const canceled = shop.request('POST', `${CLOCKS}/${id}/cancel`)
    while (shop.sandbox.merchant.stalled.size === 0) await turn()
    makeRoom()
    const park = vi.spyOn(shop.sandbox.merchant.parked, 'set')
    await shop.sandbox.engine.runAllDueJobs()
    expect((await canceled).status).toBe(200)
    expect(park).not.toHaveBeenCalled()
  })

  test('when the clock is deleted', async () => {
    const clocks = await openClocks(3)
    await parkAll(clocks)
    for (const { id } of await clocksOf(clocks.shop)) await clocks.shop.delete(`${CLOCKS}/${id}`)
    while (clocks.shop.sandbox.merchant.held.size > 0) await turn()
    expect(await readTurnsAtTheEnd(clocks)).toBe(0)
  })

  test('when nobody waits for the last step', async () => {
    const { shop, door, twins } = await openClocks(1)
    door.open()
    await shop.settled()
    const second = makeDoor()
    let received = 0
    shop.inbox.receive = async () => {
      received += 1
      await second.opened
      return 200
    }
    const options = { by: '3mo', async: true, await_webhooks: true, stop_on: ['invoice.paid'] }
    for (const twin of twins) await twin.advance(options)
    while (shop.sandbox.merchant.held.size > 0 || received === 0) await turn()
    expect(await readTurnsAtTheEnd({ shop, door: second, twins })).toBe(0)
  })

  test('when an advance that has ended at an event is canceled by its id', async () => {
    const shop = await openShop()
    await subscribe(shop)
    await shop.endpoint()
    const door = makeDoor()
    shop.inbox.receive = behind(door)
    const asked = asOperator(shop)('POST', 'clock/advance', {
      by: '3mo',
      await_webhooks: true,
      stop_on: ['invoice.paid'],
      advance_id: 'mine',
    })
    await turns()
    expect([shop.inbox.underWay, shop.sandbox.merchant.held.size]).toEqual([1, 0])
    await asOperator(shop)('POST', 'clock/cancel', { advance_id: 'mine' })
    expect((await asked).status).toBe(200)
    expect(shop.inbox.underWay).toBe(1)
    door.open()
  })
})

test('the end of an attempt costs one turn, however many advances wait for others', async () => {
  const clocks = await openClocks(5)
  await clocks.shop.post('/v1/customers')
  const second = makeDoor()
  await parkAll(clocks)
  clocks.shop.inbox.receive = behind(second)
  expect(await readTurnsAtTheEnd(clocks)).toBe(1)
  second.open()
})

describe('a stop', () => {
  test('does not wait for a turn of each advance', async () => {
    const clocks = await openClocks(40)
    await parkAll(clocks)
    expect(await turnsOf(clocks.shop.sandbox.engine.time.stop())).toBeLessThan(10)
    clocks.door.open()
  })

  test('does not wait for a turn of each advance that waits for its turn', async () => {
    const { shop, door, twins } = await openClocks(40)
    await parkAll({ shop, door, twins })
    door.open()
    while (shop.sandbox.merchant.parked.size > 0) await turn()
    expect(shop.sandbox.merchant.held.size).toBe(40)
    expect(await turnsOf(shop.sandbox.engine.time.stop())).toBeLessThan(10)
  })

  test('ends an advance that was canceled before', async () => {
    const clocks = await openClocks(2)
    await parkAll(clocks)
    const { shop } = clocks
    const [canceled, other] = await clocksOf(shop)
    await shop.post(`${CLOCKS}/${canceled?.id}/cancel`)
    await shop.sandbox.engine.time.stop()
    const { testClocks } = shop.sandbox.merchant
    expect(testClocks.named(canceled?.id).target).toBeNull()
    expect(testClocks.named(other?.id).target).not.toBeNull()
    clocks.door.open()
  })

  test('begins no further attempt', async () => {
    const clocks = await openClocks(2)
    const { shop } = clocks
    const received = shop.inbox.received.length
    await shop.post('/v1/customers')
    const { time } = shop.sandbox.engine
    const stop = vi.spyOn(time, 'stop').mockImplementationOnce(async () => {
      clocks.door.open()
      await turns()
    })
    onTestFinished(() => stop.mockRestore())
    await shop.sandbox.close()
    expect(shop.inbox.received).toHaveLength(received)
  })
})

test('deleting a merchant cancels each of its advances once', async () => {
  const clocks = await openClocks(10)
  await parkAll(clocks)
  const cancel = vi.spyOn(Advances.prototype, 'cancel')
  onTestFinished(() => cancel.mockRestore())
  const { shop } = clocks
  const { id } = shop.sandbox.merchant.settings
  await shop.sandbox.engine.deleteMerchant(shop.sandbox.merchant)
  expect([...shop.sandbox.engine.merchants.values()].some(({ settings }) => settings.id === id)).toBe(false)
  expect(cancel).toHaveBeenCalledTimes(10)
  clocks.door.open()
})
