import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSandbox } from '../../src/daemon/sandbox.ts'
import { makeApp } from '../http/oauth/support.ts'
import { anotherMerchant, asOperator } from '../http/support.ts'
import { type Body, clientOf, type Twin } from '../twin.ts'
import { behind, makeDoor, makeInbox, openShop, type Shop, shopOf, turns } from '../webhooks/inbox.ts'
import { at, bytesOf, historyOf, listAll, nowOf, onTestClock, subscribe } from './story.ts'

const NOW = at('2026-01-31T10:00:00Z')
const FEBRUARY = at('2026-02-28T10:00:00Z')
const MARCH = at('2026-03-31T10:00:00Z')
const APRIL = at('2026-04-30T10:00:00Z')

const awaiting = (shop: Twin, params: Body) => shop.advance({ ...params, await_webhooks: true })

/** A shop with a subscription whose receiver waits at a door, and an advance that waits for the receiver. */
async function parked(params: Body = { by: '3mo' }, shop?: Shop) {
  const open = shop ?? (await openShop())
  await open.endpoint({ enabled_events: ['invoice.paid'] })
  const subscribed = await subscribe(open)
  await open.settled()
  const door = makeDoor()
  open.inbox.receive = async (_, ended) => {
    await Promise.race([door.opened, new Promise((resolve) => ended.addEventListener('abort', resolve))])
    return 200
  }
  const advance = awaiting(open, params)
  await turns()
  expect(open.inbox.underWay).toBe(1)
  return { shop: open, door, advance, ...subscribed }
}

describe('while an advance is parked', () => {
  test.each([
    ['a snapshot', 'snapshots', { name: 'parked' }, 201],
    ['a reset', 'reset', {}, 200],
  ])('%s waits for its end, and does not block it', async (_, path, body, status) => {
    const { shop, door, advance } = await parked()
    const asked = asOperator(shop)('POST', path, body)
    await turns()
    door.open()
    expect(await advance).toMatchObject({ status: 'ready', now: APRIL })
    expect((await asked).status).toBe(status)
  })

  test.each([
    ['a snapshot', 'snapshots', { name: 'parked' }, 201],
    ['a reset', 'reset', {}, 200],
  ])('%s that waits for it delays neither revocations nor other merchants', async (_, path, body, status) => {
    const { shop, door, advance } = await parked()
    const operator = asOperator(shop)
    const { merchant: second, secretKey } = await anotherMerchant(shop)
    const other = clientOf(shop.sandbox, secretKey)
    const app = await makeApp(shop)
    const { body: key } = await operator('POST', 'keys', { merchant: shop.sandbox.merchant.settings.id })
    const asked = operator('POST', path, body)
    await turns()
    expect((await other.post('/v1/customers')).object).toBe('customer')
    expect((await other.advance({ by: '1mo' })).status).toBe('ready')
    expect((await operator('POST', `apps/${app.id}/rotate_secret`)).status).toBe(200)
    expect((await operator('DELETE', `apps/${app.id}`)).status).toBe(200)
    expect((await operator('POST', `keys/${key.id}/revoke`)).status).toBe(200)
    const revoked = clientOf(shop.sandbox, key.secret)
    expect((await revoked.request('POST', '/v1/customers')).status).toBe(401)
    expect((await operator('DELETE', `merchants/${second.id}`)).status).toBe(200)
    door.open()
    expect(await advance).toMatchObject({ status: 'ready', now: APRIL })
    expect((await asked).status).toBe(status)
  })

  test('and many others are, each goes on in a turn of its own', async () => {
    const shop = await openShop()
    await shop.endpoint({ enabled_events: ['invoice.paid'] })
    const twins: Twin[] = []
    for (let count = 0; count < 8; count += 1) {
      const twin = await onTestClock(shop)
      await subscribe(twin)
      twins.push(twin)
    }
    await shop.settled()
    const clocks = (await shop.get('/v1/test_helpers/test_clocks')).data
    const door = makeDoor()
    shop.inbox.receive = behind(door)
    const { testClocks, parked: waiting } = shop.sandbox.merchant
    const advances = twins.map((twin) => twin.advance({ by: '3mo', await_webhooks: true }))
    while (waiting.size < twins.length) await turns(1)
    const instants = () => clocks.map(({ id }: Body) => testClocks.find(id)?.instant)
    const moved: number[] = []
    door.open()
    for (let before = instants(); waiting.size > 0 || moved.length < 10; before = instants()) {
      await turns(1)
      moved.push(instants().filter((instant: number, index: number) => instant !== before[index]).length)
    }
    expect(Math.max(...moved)).toBe(1)
    for (const { status } of await Promise.all(advances)) expect(status).toBe('ready')
  })

  test('writes are admitted at its instant, and reads see it', async () => {
    const { shop, door, advance } = await parked()
    expect(await shop.get('/v1/test_helpers/clock')).toMatchObject({ status: 'advancing', now: FEBRUARY })
    expect((await shop.post('/v1/customers')).created).toBe(FEBRUARY)
    door.open()
    expect((await advance).now).toBe(APRIL)
  })

  test('canceling ends it there', async () => {
    const { shop, door, advance } = await parked()
    await shop.post('/v1/test_helpers/clock/cancel')
    expect(await advance).toMatchObject({
      status: 'ready',
      now: FEBRUARY,
      target: null,
      summary: { jobs: 1, invoices_paid: 1 },
    })
    expect((await shop.post('/v1/customers')).created).toBe(FEBRUARY)
    expect(shop.inbox.underWay).toBe(1)
    door.open()
    await shop.settled()
    expect((await shop.advance({ to: MARCH })).summary).toMatchObject({ jobs: 1 })
  })

  test('the operator can cancel it too', async () => {
    const { shop, advance } = await parked()
    const { body } = await asOperator(shop)('POST', 'clock/cancel', {})
    expect(body.data).toHaveLength(1)
    expect((await advance).now).toBe(FEBRUARY)
  })

  test('a second advance waits until it has ended', async () => {
    const { shop, door, advance } = await parked({ by: '2mo' })
    let isSecondDone = false
    const second = shop.advance({ by: '1mo' }).finally(() => {
      isSecondDone = true
    })
    await turns()
    expect([await nowOf(shop), isSecondDone]).toEqual([FEBRUARY, false])
    door.open()
    expect((await advance).now).toBe(MARCH)
    expect((await second).now).toBe(APRIL)
  })

  test('an advance that a receiver requests begins when this one has ended', async () => {
    const shop = await openShop()
    await shop.endpoint()
    await subscribe(shop)
    await shop.settled()
    let nested: Promise<Body> | undefined
    shop.inbox.receive = ({ event }) => {
      // It must not wait for the response, because the advance waits for the receiver.
      if (event.type === 'invoice.paid') nested ??= shop.advance({ by: '1d' })
      return 200
    }
    expect((await awaiting(shop, { by: '1mo' })).now).toBe(FEBRUARY)
    expect((await nested)?.now).toBe(FEBRUARY + 86_400)
  })

  test('a command between two steps waits until the advance is parked again, and runs at that instant', async () => {
    const shop = await openShop()
    await shop.endpoint({ enabled_events: ['invoice.paid'] })
    await subscribe(shop)
    await shop.settled()
    let late: Promise<Body> | undefined
    const { clock } = shop.sandbox.merchant
    shop.sandbox.engine.listen({
      // Right after the step of February, before the advance is parked.
      committed: () => {
        if (clock.instant === FEBRUARY && clock.target !== null) late ??= shop.post('/v1/customers')
      },
    })
    await awaiting(shop, { by: '3mo' })
    expect([FEBRUARY, MARCH]).toContain((await late)?.created)
  })

  test('admitted commands run no due jobs', async () => {
    const { shop, door, advance } = await parked()
    await Promise.all(Array.from({ length: 20 }, () => shop.post('/v1/customers')))
    expect((await listAll(shop, '/v1/invoices')).map(({ created }) => created)).toEqual([NOW, FEBRUARY])
    door.open()
    await advance
    expect((await listAll(shop, '/v1/invoices')).map(({ created }) => created)).toEqual([
      NOW,
      FEBRUARY,
      MARCH,
      APRIL,
    ])
  })

  test('disabling the endpoint does not wait for the running attempt, and does not block', async () => {
    const { shop, door, advance } = await parked()
    const [endpoint] = (await shop.get('/v1/webhook_endpoints')).data
    await shop.delete(`/v1/webhook_endpoints/${endpoint.id}`)
    door.open()
    expect((await advance).now).toBe(APRIL)
    expect(shop.inbox.received).toHaveLength(2)
  })

  test('freezing and unfreezing do not affect it', async () => {
    const { shop, door, advance } = await parked()
    await shop.post('/v1/test_helpers/clock/unfreeze')
    await shop.post('/v1/test_helpers/clock/freeze')
    door.open()
    expect(await advance).toMatchObject({ now: APRIL, mode: 'frozen' })
  })

  test('other merchants are not delayed', async () => {
    const { shop, door, advance } = await parked()
    const { body } = await asOperator(shop)('POST', 'merchants', { clock: '2026-05-01T00:00:00Z' })
    const key = (await asOperator(shop)('POST', 'keys', { merchant: body.id })).body.secret
    const other = clientOf(shop.sandbox, key)
    expect((await other.advance({ by: '1mo', await_webhooks: true })).now).toBe(at('2026-06-01T00:00:00Z'))
    door.open()
    await advance
  })
})

describe('stopping while an advance is parked', () => {
  test.each(['closed', 'killed'])('lets it continue at the next start when the daemon is %s', async (how) => {
    const folder = mkdtempSync(join(tmpdir(), 'paytwin-parked-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const database = join(folder, 'paytwin.db')
    const secretKey = 'sk_test_000000000000000000000000'
    const undisturbed = await openShop({ secretKey })
    await undisturbed.endpoint({ enabled_events: ['invoice.paid'] })
    await subscribe(undisturbed)
    await undisturbed.settled()
    await awaiting(undisturbed, { by: '3mo' })

    const { shop, advance } = await parked({ by: '3mo' }, await openShop({ database, secretKey }))
    const [, underWay] = shop.ids()
    if (how === 'closed') {
      await shop.close()
      expect(await advance).toMatchObject({ now: FEBRUARY, status: 'advancing', summary: { jobs: 1 } })
    } else {
      // The files as a kill leaves them: the log is not checkpointed, and nothing was closed.
      for (const suffix of ['', '-wal']) copyFileSync(database + suffix, database + how + suffix)
    }

    const inbox = makeInbox()
    const door = makeDoor()
    inbox.receive = behind(door)
    const left = how === 'closed' ? database : database + how
    const sandbox = await openSandbox({ database: left, send: inbox.send })
    const again = shopOf(clientOf(sandbox, secretKey), inbox)
    onTestFinished(() => again.close())
    const resumed = Promise.all(sandbox.engine.time.resume(sandbox.engine.merchants.values()))
    await turns()
    // It waits again for unanswered deliveries before the next step.
    expect(again.ids()).toEqual([underWay])
    expect(await again.get('/v1/test_helpers/clock')).toMatchObject({ now: FEBRUARY, status: 'advancing' })
    door.open()
    expect(await resumed).toMatchObject([{ jobs: 3, invoices_paid: 3 }])
    expect(await nowOf(again)).toBe(APRIL)
    expect(bytesOf(await historyOf(again))).toEqual(bytesOf(await historyOf(undisturbed)))
  })
})

describe('on a test clock', () => {
  /** A subscription on a test clock, and an advance of that clock that waits for webhooks. */
  async function parkedOnTestClock(method?: string) {
    const shop = await openShop()
    await shop.endpoint({ enabled_events: ['invoice.paid'] })
    const twin = await onTestClock(shop)
    const { customer, subscription } = await subscribe(twin, method ? { default_payment_method: method } : {})
    await shop.settled()
    const door = makeDoor()
    shop.inbox.receive = behind(door)
    const advance = twin.advance({ by: '3mo', await_webhooks: true })
    await turns()
    return {
      shop,
      twin,
      door,
      advance,
      customer,
      subscription,
      path: `/v1/test_helpers/test_clocks/${customer.test_clock}`,
    }
  }

  test('deleting the clock ends its advance at that instant, and no job of it runs any more', async () => {
    const { shop, door, advance, customer, path } = await parkedOnTestClock('pm_card_refundFail')
    const { data } = await shop.get(`/v1/charges?customer=${customer.id}`)
    const refund = await shop.post('/v1/refunds', { charge: data[0].id })
    const { body } = await shop.request('DELETE', path)
    expect(body).toMatchObject({ deleted: true })
    expect(await advance).toMatchObject({
      status: 'ready',
      now: FEBRUARY,
      target: null,
      summary: { jobs: 1 },
    })
    door.open()
    await shop.settled()
    const [last] = (await shop.get('/v1/events?limit=1')).data
    expect([last.type, last.created]).toEqual(['customer.deleted', FEBRUARY])
    expect((await shop.get(`/v1/refunds/${refund.id}`)).status).toBe('pending')
    expect(shop.sandbox.merchant.held.size).toBe(0)
  })

  test('an advance waits too, and admits the writes of its customers', async () => {
    const { shop, door, advance, customer, path } = await parkedOnTestClock()
    expect(await shop.get(path)).toMatchObject({ status: 'advancing', now: FEBRUARY })
    await shop.post(`/v1/customers/${customer.id}`, { name: 'Grace' })
    const [event] = (await shop.get('/v1/events?limit=1')).data
    expect(event).toMatchObject({ type: 'customer.updated', created: FEBRUARY })
    expect(await nowOf(shop)).toBe(NOW)
    door.open()
    expect((await advance).now).toBe(APRIL)
    expect(await nowOf(shop)).toBe(NOW)
  })

  test('a receiver cancels a subscription during an advance', async () => {
    const { shop, door, advance, subscription } = await parkedOnTestClock()
    await shop.delete(`/v1/subscriptions/${subscription.id}`)
    door.open()
    expect((await advance).summary).toMatchObject({ jobs: 1 })
    expect((await shop.get(`/v1/subscriptions/${subscription.id}`)).ended_at).toBe(FEBRUARY)
  })

  test('canceling ends it there', async () => {
    const { shop, advance, path } = await parkedOnTestClock()
    await shop.post(`${path}/cancel`)
    expect(await advance).toMatchObject({ status: 'ready', now: FEBRUARY })
  })

  test('deleting the clock deletes its customers too, and ends the advance', async () => {
    const { shop, door, advance, subscription, path } = await parkedOnTestClock()
    await shop.delete(path)
    door.open()
    expect((await advance).summary).toMatchObject({ jobs: 1 })
    expect((await shop.get(`/v1/subscriptions/${subscription.id}`)).status).toBe('canceled')
    expect((await shop.request('GET', path)).status).toBe(404)
  })
})
