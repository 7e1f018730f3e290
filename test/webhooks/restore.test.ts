import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { asOperator } from '../http/support.ts'
import type { Body } from '../twin.ts'
import { openShop, REFUSED } from './inbox.ts'

test('a restored state sends none of its queued deliveries, but later events', async () => {
  const shop = await openShop()
  const operator = asOperator(shop)
  const endpoint = await shop.endpoint()
  shop.inbox.receive = () => REFUSED
  await shop.post('/v1/customers', { name: 'before' })
  await shop.settled()
  expect((await operator('POST', 'snapshots', { name: 'queued' })).status).toBe(201)
  expect(await shop.deliveries(endpoint)).toMatchObject([{ status: 'pending' }])

  shop.inbox.receive = () => 200
  await shop.post('/v1/customers', { name: 'gone' })
  await shop.settled()
  expect((await operator('POST', 'snapshots/queued/restore')).status).toBe(200)
  const known = shop.inbox.received.length
  expect(await shop.deliveries(endpoint)).toMatchObject([{ status: 'discarded', next_attempt: null }])
  await shop.advance({ by: '1mo' })
  expect(shop.inbox.received).toHaveLength(known)

  const customer = await shop.post('/v1/customers', { name: 'after' })
  await shop.settled()
  expect(shop.inbox.received.at(-1)?.event.data.object).toMatchObject({ id: customer.id, name: 'after' })
  expect((await shop.deliveries(endpoint)).map(({ status }) => status)).toEqual(['discarded', 'succeeded'])
})

test('a delivery that runs when the state is replaced is not recorded', async () => {
  const shop = await openShop()
  const operator = asOperator(shop)
  await operator('POST', 'snapshots', { name: 'empty' })
  await shop.endpoint()
  let response = () => {}
  shop.inbox.receive = () =>
    new Promise((resolve) => {
      response = () => resolve(200)
    })
  await shop.post('/v1/customers', {})
  while (shop.inbox.underWay === 0) await new Promise((resolve) => setImmediate(resolve))
  expect((await operator('POST', 'snapshots/empty/restore')).status).toBe(200)
  response()
  await shop.settled()
  // The restored state uses the same ids again.
  const endpoint = await shop.endpoint()
  expect(await shop.deliveries(endpoint)).toEqual([])
})

test.each([
  ['first attempt', []],
  ['retry', [500]],
])('a %s that runs when a restore fails is recorded', async (_, earlier) => {
  const shop = await openShop()
  const { engine } = shop.sandbox
  const endpoint = await shop.endpoint()
  shop.inbox.receive = () => earlier[0]
  let respond = () => {}
  const hold = () => {
    shop.inbox.receive = () => new Promise((resolve) => (respond = () => resolve(200)))
  }
  if (earlier.length === 0) hold()
  await shop.post('/v1/customers', {})
  if (earlier.length > 0) {
    await shop.settled()
    hold()
    await asOperator(shop)('POST', 'webhooks/retry', { all: true })
  }
  while (shop.inbox.underWay === 0) await turn()
  const failed = engine.replaceState(() => {
    throw new Error('no')
  })
  await expect(failed).rejects.toThrow('no')
  respond()
  await shop.settled()
  const statuses = (await shop.deliveries(endpoint)).map(({ attempts }) =>
    attempts.map((attempt: Body) => attempt.response_status),
  )
  expect(statuses).toEqual([[...earlier, 200]])
  expect(shop.inbox.received).toHaveLength(earlier.length + 1)
})

test('nothing more is sent to a deleted merchant', async () => {
  const shop = await openShop()
  const operator = asOperator(shop)
  const { body: merchant } = await operator('POST', 'merchants', { name: 'Other' })
  const { body: endpoint } = await operator('POST', 'webhooks', {
    url: 'http://shop.test/other',
    merchant: merchant.id,
  })
  expect(endpoint.secret).toMatch(/^whsec_/)
  shop.inbox.receive = () => REFUSED
  await operator('POST', 'trigger', { type: 'customer.created', merchant: merchant.id })
  await shop.settled()
  expect((await operator('DELETE', `merchants/${merchant.id}`)).status).toBe(200)
  expect((await operator('POST', 'webhooks/retry', { all: true })).body.data).toEqual([])
})

test('an attempt that runs when its merchant is deleted is aborted', async () => {
  const shop = await openShop()
  const operator = asOperator(shop)
  const { body: merchant } = await operator('POST', 'merchants', { name: 'Other' })
  await operator('POST', 'webhooks', { url: 'http://shop.test/other', merchant: merchant.id })
  const signals: AbortSignal[] = []
  shop.inbox.receive = (_, ended) => {
    signals.push(ended)
    return new Promise<number>(() => undefined)
  }
  await operator('POST', 'trigger', { type: 'customer.created', merchant: merchant.id })
  while (signals.length === 0) await new Promise((resolve) => setImmediate(resolve))
  expect((await operator('DELETE', `merchants/${merchant.id}`)).status).toBe(200)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})
