import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { EVERYWHERE, PLACES } from '../../places.ts'
import { bytesOf, historyOf, openTwin, subscribe } from '../../scenarios/story.ts'
import { clientOf, type Twin } from '../../twin.ts'
import { letIn, makeApp, opens } from '../oauth/support.ts'
import {
  anotherMerchant,
  asOperator,
  expectRefusal,
  expectUnauthenticated,
  idsOf,
  invalid,
  openStream,
  unknown,
} from '../support.ts'

/** Opens a sandbox with a second merchant, to be deleted. */
async function prepare(
  place: keyof typeof PLACES = 'in memory',
  clock: string | number = '2026-06-01T09:00:00Z',
) {
  const twin = await openTwin({ database: PLACES[place]() })
  const { merchant, secretKey } = await anotherMerchant(twin, clock)
  const other = clientOf(twin.sandbox, secretKey)
  const remove = (id: string = merchant.id) => asOperator(twin)('DELETE', `merchants/${id}`)
  return { twin, other, merchant, secretKey, remove }
}

const historyBytes = async (twin: Twin) => bytesOf(await historyOf(twin))

describe.each(EVERYWHERE)('%s a merchant that is deleted', (place) => {
  test('removes the merchant and its keys', async () => {
    const { twin, other, merchant, remove } = await prepare(place)
    expect(await remove()).toMatchObject({
      status: 200,
      body: { id: merchant.id, object: 'merchant', deleted: true, livemode: false },
    })
    const operator = asOperator(twin)
    expect(idsOf((await operator('GET', 'merchants')).body.data)).toEqual([twin.sandbox.merchant.settings.id])
    expect((await operator('GET', 'keys')).body.data).toHaveLength(1)
    for (const [method, path] of [
      ['GET', '/v1/customers'],
      ['POST', '/v1/customers'],
      ['GET', '/v1/events'],
      ['GET', '/v1/nothing'],
    ] as const) {
      expectUnauthenticated(await other.request(method, path))
    }
    expectRefusal(await remove(), unknown())
    expectRefusal(await operator('POST', `merchants/${merchant.id}`, { name: 'x' }), unknown())
    expectRefusal(await operator('GET', `events?merchant=${merchant.id}`), unknown('merchant'))
  })

  test('leaves all others as they are, and no row behind', async () => {
    const { twin, other, merchant, remove } = await prepare(place)
    await subscribe(twin)
    const before = await historyBytes(twin)
    await subscribe(other, { outcomes: ['succeed', 'decline:lost_card'] })
    await other.request('POST', '/v1/customers', {}, { 'Idempotency-Key': 'k' })
    await other.advance({ by: '2mo' })
    const { store } = twin.sandbox.engine
    expect(store.idempotency.get(merchant.id, 'k')).toBeDefined()
    await remove()
    expect(await historyBytes(twin)).toEqual(before)
    expect(store.journal.head(2)).toBe(0)
    expect(store.idempotency.get(merchant.id, 'k')).toBeUndefined()
    expect((await asOperator(twin)('GET', 'events?limit=100')).body.data).toHaveLength(
      (await twin.events()).length,
    )
    await twin.advance({ by: '1mo' })
    expect((await twin.get('/v1/invoices')).data).toHaveLength(2)
  })

  test('is undone by a snapshot that has the merchant, without its keys', async () => {
    const { twin, other, merchant, remove } = await prepare(place)
    await subscribe(other)
    const before = await historyBytes(other)
    await asOperator(twin)('POST', 'snapshots', { name: 'with' })
    await remove()
    await asOperator(twin)('POST', 'snapshots/with/restore')
    expectUnauthenticated(await other.request('GET', '/v1/events'))
    const { body: key } = await asOperator(twin)('POST', 'keys', { merchant: merchant.id })
    expect(await historyBytes(clientOf(twin.sandbox, key.secret))).toEqual(before)
  })
})

test('the data of a merchant in a snapshot survives the deletion of another merchant with the same ordinal', async () => {
  const { twin, remove } = await prepare()
  const operator = asOperator(twin)
  await remove()
  await operator('POST', 'snapshots', { name: 'without' })
  const first = await anotherMerchant(twin)
  const one = clientOf(twin.sandbox, first.secretKey)
  const tokens = await letIn(one, await makeApp(twin))
  await operator('POST', 'snapshots', { name: 'with' })
  await operator('POST', 'snapshots/without/restore')

  const second = await anotherMerchant(twin)
  expect(second.merchant.id).toBe(first.merchant.id)
  await remove(second.merchant.id)
  await operator('POST', 'snapshots/with/restore')
  expect((await one.request('GET', '/v1/customers')).status).toBe(200)
  expect(await opens(twin, tokens)).toBe(true)
  expectUnauthenticated(await clientOf(twin.sandbox, second.secretKey).request('GET', '/v1/customers'))
})

describe('deleting a merchant', () => {
  test('is refused for the default merchant, and the error names the alternative', async () => {
    const { twin, remove } = await prepare()
    await twin.post('/v1/customers')
    const response = await remove(twin.sandbox.merchant.settings.id)
    expectRefusal(response, invalid('id'))
    expect(response.body.error.message).toContain('reset')
    expect((await twin.get('/v1/customers')).data).toHaveLength(1)
  })

  test('is 404 for an unknown merchant', async () => {
    const { remove } = await prepare()
    for (const id of ['mer_unknown', '__proto__', '%00']) expectRefusal(await remove(id), unknown())
  })

  test('ends its streams, but not those of others, which miss no event', async () => {
    const { twin, other, secretKey, merchant, remove } = await prepare()
    const admin = { Authorization: `Bearer ${twin.sandbox.adminToken}`, Host: 'localhost' }
    const theirs = await openStream(twin, '/v1/events', { Authorization: `Bearer ${secretKey}` })
    const operators = await openStream(twin, `/_paytwin/events?merchant=${merchant.id}`, admin)
    const ours = await openStream(twin)
    const all = await openStream(twin, '/_paytwin/events', admin)
    for (let n = 0; n < 5; n += 1) await other.post('/v1/customers', { name: 'theirs' })
    await all.take(5)
    await remove()
    await theirs.take(5)
    await expect(theirs.take(1)).rejects.toThrow('ended')
    await operators.take(5)
    await expect(operators.take(1)).rejects.toThrow('ended')
    for (let n = 0; n < 3; n += 1) await twin.post('/v1/customers', { name: `ours ${n}` })
    const names = async (stream: typeof all) =>
      (await stream.take(3)).map(({ data }) => data.data.object.name)
    expect(await names(ours)).toEqual(['ours 0', 'ours 1', 'ours 2'])
    expect(await names(all)).toEqual(['ours 0', 'ours 1', 'ours 2'])
    await ours.close()
    await all.close()
  })

  test('cancels its advance, and refuses requests that wait for it', async () => {
    const { twin, other, merchant, remove } = await prepare()
    await subscribe(other, { price: { recurring: { interval: 'day' } } })
    const state = twin.sandbox.engine.merchants.get(2)
    const advance = other.request('POST', '/v1/test_helpers/clock/advance', { by: '20y' })
    while (!state?.held.size) await turn()
    const waiting = other.request('POST', '/v1/customers')
    const operated = asOperator(twin)('POST', `merchants/${merchant.id}/v1/customers`)
    while (state.held.get(state.clock)?.length !== 2) await turn()
    expect((await remove()).status).toBe(200)
    expect(await advance).toMatchObject({ status: 200, body: { status: 'ready' } })
    expectUnauthenticated(await waiting)
    // The operator's token is still valid.
    expectRefusal(await operated, unknown('merchant'))
    expect(twin.sandbox.engine.time.isMoving).toBe(false)
  })

  test('answers concurrent requests as if before or after it', async () => {
    const { twin, other, remove } = await prepare()
    const before = Array.from({ length: 20 }, () => other.request('POST', '/v1/customers'))
    const removed = remove()
    const after = Array.from({ length: 20 }, () => other.request('POST', '/v1/customers'))
    expect((await removed).status).toBe(200)
    const responses = await Promise.all([...before, ...after])
    for (const response of responses) {
      if (response.status === 201) continue
      expectUnauthenticated(response)
    }
    expect(twin.sandbox.engine.store.journal.head(2)).toBe(0)
  })

  test('removes a clock that was never frozen', async () => {
    const { twin, remove } = await prepare('in memory', 'live')
    await remove()
    await twin.sandbox.engine.runAllDueJobs()
    expect((await asOperator(twin)('GET', 'clock')).body.data).toHaveLength(1)
  })
})
