import { describe, expect, test } from 'vitest'
import { EVERYWHERE, PLACES } from '../../places.ts'
import { at, bytesOf, historyOf, nowOf, openTwin, subscribe } from '../../scenarios/story.ts'
import { type Body, clientOf, DEFAULT_NOW, startTwin, type Twin } from '../../twin.ts'
import { anotherMerchant, asOperator, contents, expectUnauthenticated, idsOf } from '../support.ts'

const historyBytes = async (twin: Twin) => bytesOf(await historyOf(twin))
const reset = (twin: Twin) => asOperator(twin)('POST', 'reset')

describe.each(EVERYWHERE)('%s a reset', (place) => {
  const open = (options: Body = {}) => openTwin({ database: PLACES[place](), ...options })

  test('brings back the state of the first start', async () => {
    const twin = await open()
    const first = await contents(twin)
    const [merchant] = (await asOperator(twin)('GET', 'merchants')).body.data
    await subscribe(twin)
    await twin.advance({ by: '1y' })
    await asOperator(twin)('POST', `merchants/${merchant.id}`, {
      name: 'New',
      dunning_final_action: 'cancel',
    })
    const { status, body } = await reset(twin)
    expect(status).toBe(200)
    expect(body).toMatchObject({ object: 'status', merchants: [merchant] })
    expect(body.counts).toEqual({ customers: 0, subscriptions: 0, invoices: 0, events: 0 })
    expect(await contents(twin)).toEqual(first)
  })

  test('repeats the same history with the same seed', async () => {
    const twin = await open({ seed: '7' })
    const live = async () => {
      await subscribe(twin, { outcomes: ['succeed', 'decline:lost_card'] })
      await twin.advance({ by: '1y' })
      const { merchant } = await anotherMerchant(twin)
      return [...(await historyBytes(twin)), merchant]
    }
    const first = await live()
    await reset(twin)
    expect(await live()).toEqual(first)
    await reset(twin)
    expect(await live()).toEqual(first)
  })

  test('repeats the decisions of random faults', async () => {
    const twin = await open({ seed: '7' })
    const live = async () => {
      const { body: fault } = await asOperator(twin)('POST', 'faults', { kind: 'decline', rate: 0.5 })
      const outcomes: number[] = []
      for (let count = 0; count < 20; count += 1) {
        const params = { amount: 100, currency: 'usd', payment_method: 'pm_card_visa', confirm: true }
        outcomes.push((await twin.request('POST', '/v1/payment_intents', params)).status)
      }
      return [fault.id, ...outcomes]
    }
    const first = await live()
    expect(new Set(first)).toEqual(new Set(['fault_1', 201, 402]))
    await reset(twin)
    expect(await live()).toEqual(first)
  })

  test('keeps the keys of the default merchant, and deletes other merchants with theirs', async () => {
    const twin = await open()
    const operator = asOperator(twin)
    const [first] = (await operator('GET', 'keys')).body.data
    const { body: revoked } = await operator('POST', 'keys')
    await operator('POST', `keys/${revoked.id}/revoke`)
    const { secretKey } = await anotherMerchant(twin)
    await reset(twin)
    const { data } = (await operator('GET', 'keys')).body
    expect(idsOf(data)).toEqual([revoked.id, first.id])
    expectUnauthenticated(await clientOf(twin.sandbox, revoked.secret).request('GET', '/v1/events'))
    expectUnauthenticated(await clientOf(twin.sandbox, secretKey).request('GET', '/v1/events'))
    expect((await operator('GET', 'merchants')).body.data).toHaveLength(1)
    // The new merchant has the same ordinal and id. The former keys must be invalid for it.
    await anotherMerchant(twin)
    expectUnauthenticated(await clientOf(twin.sandbox, secretKey).request('GET', '/v1/events'))
    expect((await operator('POST', 'keys', { merchant: data[0].merchant_id })).status).toBe(201)
  })

  test('makes no key where all were revoked', async () => {
    const twin = await open()
    const operator = asOperator(twin)
    const [key] = (await operator('GET', 'keys')).body.data
    await operator('POST', `keys/${key.id}/revoke`)
    await reset(twin)
    expect((await operator('GET', 'keys')).body.data).toEqual([expect.objectContaining({ id: key.id })])
    expectUnauthenticated(await twin.request('GET', '/v1/events'))
  })

  test('keeps snapshots, which can be restored', async () => {
    const twin = await open()
    await subscribe(twin)
    const before = await historyBytes(twin)
    await asOperator(twin)('POST', 'snapshots', { name: 'state' })
    await reset(twin)
    expect((await twin.get('/v1/customers')).data).toEqual([])
    await asOperator(twin)('POST', 'snapshots/state/restore')
    expect(await historyBytes(twin)).toEqual(before)
  })

  test('sets a live clock to the wall clock again', async () => {
    let wall = 1_800_000_000_000
    const twin = await open({ clock: 'live', wall: () => wall })
    await twin.advance({ by: '1y' })
    wall += 60_000
    await reset(twin)
    expect(await nowOf(twin)).toBe(1_800_000_060)
    wall += 5_000
    expect(await nowOf(twin)).toBe(1_800_000_065)
  })

  test('removes idempotency keys and faults', async () => {
    const twin = await open()
    const make = () => twin.request('POST', '/v1/customers', {}, { 'Idempotency-Key': 'k' })
    await make()
    await asOperator(twin)('POST', 'faults', { kind: 'latency', ms: 0 })
    await reset(twin)
    expect((await asOperator(twin)('GET', 'faults')).body.data).toEqual([])
    expect((await make()).headers.get('Idempotent-Replayed')).toBeNull()
    expect((await twin.get('/v1/customers')).data).toHaveLength(1)
  })
})

test('a reset returns to the clock of the database’s first start, also after another start', async () => {
  const database = PLACES['on disk']()
  const secretKey = 'sk_test_000000000000000000000000'
  const first = await startTwin({ database, secretKey })
  const { id } = first.sandbox.merchant.settings
  await first.advance({ by: '1y' })
  await first.close()
  const second = await startTwin({ database, secretKey, clock: null, seed: null })
  await second.post('/v1/customers')
  await reset(second)
  expect(await nowOf(second)).toBe(at(DEFAULT_NOW))
  expect(second.sandbox.merchant.settings.id).toBe(id)
  await second.close()
  const third = await startTwin({ database, secretKey })
  expect(await nowOf(third)).toBe(at(DEFAULT_NOW))
  expect((await third.get('/v1/customers')).data).toEqual([])
  await third.close()
})
