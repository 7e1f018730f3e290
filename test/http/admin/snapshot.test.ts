import { describe, expect, test } from 'vitest'
import { EVERYWHERE, PLACES } from '../../places.ts'
import { at, bytesOf, historyOf, nowOf, openTwin, subscribe } from '../../scenarios/story.ts'
import { type Body, clientOf, DEFAULT_NOW, makePrice, startTwin, type Twin } from '../../twin.ts'
import { anotherMerchant, asOperator, expectRefusal, idsOf, invalid, rows, unknown } from '../support.ts'

const WALL = 1_800_000_000

/** Opens a sandbox with a settable wall clock, and helpers for its snapshots. */
async function prepare(place: (typeof EVERYWHERE)[number][0], options: Body = {}) {
  let wall = WALL * 1000
  const twin = await openTwin({ database: PLACES[place](), wall: () => wall, ...options })
  const operator = asOperator(twin)
  return {
    twin,
    operator,
    save: (name: string) => operator('POST', 'snapshots', { name }),
    restore: (name: string) => operator('POST', `snapshots/${name}/restore`),
    list: async (): Promise<Body[]> => (await operator('GET', 'snapshots')).body.data,
    pass: (seconds: number) => (wall += seconds * 1000),
  }
}

const historyBytes = async (twin: Twin) => bytesOf(await historyOf(twin))

describe.each(EVERYWHERE)('%s', (place) => {
  test('a snapshot is shown as it is listed', async () => {
    const { save, list } = await prepare(place)
    const { status, body } = await save('before')
    expect(status).toBe(201)
    expect(body).toEqual({
      id: 'before',
      object: 'snapshot',
      name: 'before',
      created: WALL,
      size: expect.any(Number),
      livemode: false,
    })
    expect(body.size).toBeGreaterThan(1_000)
    expect(await list()).toEqual([body])
  })

  test('snapshots are listed by name', async () => {
    const { save, list } = await prepare(place)
    expect(await list()).toEqual([])
    for (const name of ['b', 'a-2', 'B', '0', 'a.1', 'a']) await save(name)
    expect(idsOf(await list())).toEqual(['0', 'B', 'a', 'a-2', 'a.1', 'b'])
  })

  test.each(
    rows<unknown>(
      '',
      '.',
      '..',
      '.hidden',
      '-x',
      '_x',
      'a/b',
      '../a',
      'a b',
      'ä',
      'a\n',
      'a\u0000',
      'x'.repeat(65),
      null,
      5,
    ),
  )('no snapshot is called %j', async (name) => {
    const { operator, list } = await prepare(place)
    const response = await operator('POST', 'snapshots', { name })
    expectRefusal(response, invalid('name'))
    if (typeof name === 'string')
      expect(response.body.error.message).toMatch(/letter or digit, then up to 63 more/)
    expect(await list()).toEqual([])
  })

  test.each(rows('a', '0', 'A.b_c-d', 'x'.repeat(64), 'con', 'a.db', 'a..b'))(
    'a snapshot may be called %j',
    async (name) => {
      const { save, restore, operator, list } = await prepare(place)
      expect((await save(name)).status).toBe(201)
      expect((await restore(name)).status).toBe(200)
      expect(idsOf(await list())).toEqual([name])
      expect((await operator('DELETE', `snapshots/${name}`)).status).toBe(200)
      expect(await list()).toEqual([])
    },
  )

  test('an unknown snapshot is 404', async () => {
    const { operator, save } = await prepare(place)
    await save('known')
    for (const name of ['unknown', 'KNOWN', 'known.db', '..%2Fpaytwin', '.saving', '%00', '__proto__']) {
      expectRefusal(await operator('POST', `snapshots/${name}/restore`), unknown())
      expectRefusal(await operator('DELETE', `snapshots/${name}`), unknown())
    }
  })

  test('a restore that waits for another save of its snapshot restores and shows the new one', async () => {
    const { twin, save, restore, list, pass } = await prepare(place)
    await save('a')
    pass(60)
    const { id } = await twin.post('/v1/customers', {})
    const [saved, restored] = await Promise.all([save('a'), restore('a')])
    expect(restored.status).toBe(200)
    expect(restored.body).toEqual(saved.body)
    expect((await twin.get('/v1/customers')).data).toMatchObject([{ id }])
    expect(await list()).toEqual([saved.body])
  })

  test('a deleted snapshot is 404', async () => {
    const { operator, save, restore, list } = await prepare(place)
    await save('a')
    await save('b')
    expect((await operator('DELETE', 'snapshots/a')).body).toEqual({
      id: 'a',
      object: 'snapshot',
      deleted: true,
      livemode: false,
    })
    expect(idsOf(await list())).toEqual(['b'])
    expectRefusal(await restore('a'), unknown())
    expectRefusal(await operator('DELETE', 'snapshots/a'), unknown())
  })

  test('saving under an existing name replaces the snapshot', async () => {
    const { twin, save, restore, list, pass } = await prepare(place)
    await save('state')
    await twin.post('/v1/customers', { name: 'Ada' })
    pass(60)
    const { status, body } = await save('state')
    expect(status).toBe(201)
    expect(body.created).toBe(WALL + 60)
    expect(await list()).toEqual([body])
    await twin.post('/v1/customers', { name: 'Bob' })
    await restore('state')
    expect((await twin.get('/v1/customers')).data.map(({ name }: Body) => name)).toEqual(['Ada'])
  })

  test('restoring brings back resources, events, clock and scheduled jobs, byte for byte', async () => {
    const { twin, save, restore } = await prepare(place)
    await subscribe(twin, { outcomes: ['succeed', 'decline:lost_card'] })
    await twin.advance({ to: '2026-03-03T10:00:00Z' })
    const before = await historyBytes(twin)
    const upcoming = await twin.get('/v1/test_helpers/upcoming')
    const saved = (await save('dunning')).body
    await twin.advance({ by: '1y' })
    expect(await historyBytes(twin)).not.toEqual(before)
    const response = await restore('dunning')
    expect(response).toMatchObject({ status: 200, body: saved })
    expect(await historyBytes(twin)).toEqual(before)
    expect(await nowOf(twin)).toBe(at('2026-03-03T10:00:00Z'))
    expect(await twin.get('/v1/test_helpers/upcoming')).toEqual(upcoming)
  })

  test('the same requests after a restore give the same results, ids and card scripts included', async () => {
    const { twin, save, restore } = await prepare(place)
    await subscribe(twin, { outcomes: ['succeed', 'decline:lost_card', 'decline:lost_card'] })
    await save('start')
    const live = async () => {
      await twin.post('/v1/customers', { name: 'Bob' })
      await twin.advance({ by: '1y' })
      return historyBytes(twin)
    }
    const first = await live()
    for (let again = 0; again < 3; again += 1) {
      await restore('start')
      expect(await live()).toEqual(first)
    }
  })

  test('a snapshot is restored as often as is wanted, after others too', async () => {
    const { twin, save, restore } = await prepare(place)
    const states: string[][] = []
    for (const name of ['a', 'b', 'c']) {
      await twin.post('/v1/customers', { name })
      states.push(await historyBytes(twin))
      await save(name)
    }
    for (const n of [0, 2, 1, 1, 0, 2]) {
      await restore(['a', 'b', 'c'][n] ?? '')
      expect(await historyBytes(twin)).toEqual(states[n])
    }
  })

  test('an object is changed where it is in the state that was restored, not where it was before', async () => {
    const { twin, save, restore } = await prepare(place)
    const { secretKey } = await anotherMerchant(twin)
    const other = clientOf(twin.sandbox, secretKey)
    await save('neither')
    // The other merchant's objects come first in the table.
    await subscribe(other)
    const { customer, subscription } = await subscribe(twin)
    await save('other-first')
    await restore('neither')
    await subscribe(twin)
    await subscribe(other)
    await restore('other-first')
    // Cancels a subscription that was not read before.
    await twin.delete(`/v1/customers/${customer.id}`)
    expect((await twin.get(`/v1/subscriptions/${subscription.id}`)).status).toBe('canceled')
  })

  test('a live clock continues from the time of the snapshot, and a frozen one stays at it', async () => {
    const { twin, operator, save, restore, pass } = await prepare(place, { clock: 'live' })
    const { secretKey } = await anotherMerchant(twin, '2030-01-01T00:00:00Z')
    const frozen = clientOf(twin.sandbox, secretKey)
    pass(100)
    await save('state')
    pass(1_000_000)
    await frozen.advance({ by: '1d' })
    expect(await nowOf(twin)).toBe(WALL + 1_000_100)
    await restore('state')
    expect(await twin.get('/v1/test_helpers/clock')).toMatchObject({ mode: 'live', now: WALL + 100 })
    expect(await nowOf(frozen)).toBe(at('2030-01-01T00:00:00Z'))
    pass(7)
    expect(await nowOf(twin)).toBe(WALL + 107)
    expect((await twin.post('/v1/customers')).created).toBe(WALL + 107)
    expect((await operator('GET', 'clock')).body.data[0]).toMatchObject({ now: WALL + 107 })
  })

  test('jobs that were due before saving have run in the snapshot, at their time', async () => {
    const { twin, save, restore, pass } = await prepare(place, { clock: 'live' })
    await subscribe(twin, { price: { recurring: { interval: 'day' } } })
    pass(3 * 86_400 + 5)
    await save('state')
    pass(86_400)
    await restore('state')
    const invoices = (await twin.get('/v1/invoices')).data
    expect(invoices.map(({ created }: Body) => created - WALL)).toEqual([3, 2, 1, 0].map((n) => n * 86_400))
    pass(86_400)
    expect((await twin.get('/v1/invoices')).data[0].created).toBe(WALL + 4 * 86_400)
  })

  test('a frozen clock that was unfrozen since is frozen again, and the other way round', async () => {
    const { twin, save, restore, pass } = await prepare(place)
    await save('frozen')
    await twin.post('/v1/test_helpers/clock/unfreeze')
    await save('live')
    pass(50)
    await restore('frozen')
    pass(50)
    expect(await twin.get('/v1/test_helpers/clock')).toMatchObject({ mode: 'frozen', now: at(DEFAULT_NOW) })
    await restore('live')
    pass(3)
    expect(await twin.get('/v1/test_helpers/clock')).toMatchObject({ mode: 'live', now: at(DEFAULT_NOW) + 3 })
  })

  test('settings of merchants are part of it', async () => {
    const { operator, save, restore } = await prepare(place)
    const [before] = (await operator('GET', 'merchants')).body.data
    await save('state')
    await operator('POST', `merchants/${before.id}`, { name: 'Renamed', dunning_final_action: 'mark_unpaid' })
    await restore('state')
    expect((await operator('GET', 'merchants')).body.data).toEqual([before])
  })

  test('idempotency keys are restored: undone requests run again, others are replayed', async () => {
    const { twin, save, restore } = await prepare(place)
    const make = (key: string) => twin.request('POST', '/v1/customers', {}, { 'Idempotency-Key': key })
    const known = await make('before')
    await save('state')
    const undone = await make('after')
    await restore('state')
    expect((await make('before')).body).toEqual(known.body)
    const again = await make('after')
    expect(again.headers.get('Idempotent-Replayed')).toBeNull()
    expect(again.body).toEqual(undone.body)
    expect((await twin.get('/v1/customers')).data).toHaveLength(2)
  })

  test('the status counts the restored objects', async () => {
    const { twin, operator, save, restore } = await prepare(place)
    await twin.post('/v1/customers')
    await save('state')
    await twin.post('/v1/customers')
    await restore('state')
    expect((await operator('GET', 'status')).body.counts).toMatchObject({ customers: 1, events: 1 })
  })
})

describe.each(EVERYWHERE)('keys, %s,', (place) => {
  const reads = (twin: Twin, secret: string) => clientOf(twin.sandbox, secret).request('GET', '/v1/customers')

  test('are not restored: a later key stays valid, and a revoked one stays revoked', async () => {
    const { twin, operator, save, restore } = await prepare(place)
    const { body: revoked } = await operator('POST', 'keys')
    await save('state')
    await operator('POST', `keys/${revoked.id}/revoke`)
    const { body: made } = await operator('POST', 'keys')
    const before = idsOf((await operator('GET', 'keys')).body.data)
    await restore('state')
    expect((await reads(twin, made.secret)).status).toBe(200)
    expect((await reads(twin, revoked.secret)).status).toBe(401)
    const { data } = (await operator('GET', 'keys')).body
    expect(idsOf(data)).toEqual(before)
    expect(data.find(({ id }: Body) => id === revoked.id).revoked).toBe(WALL)
    expect((await operator('POST', 'keys')).body.id).not.toBe(made.id)
  })

  test('of a merchant outside the snapshot are invalid until the merchant is back', async () => {
    const { twin, operator, save, restore } = await prepare(place)
    await save('without')
    const { merchant, secretKey } = await anotherMerchant(twin)
    await clientOf(twin.sandbox, secretKey).post('/v1/customers')
    await save('with')
    await restore('without')
    expect((await reads(twin, secretKey)).status).toBe(401)
    expect(idsOf((await operator('GET', 'merchants')).body.data)).not.toContain(merchant.id)
    await restore('with')
    expect((await reads(twin, secretKey)).body.data).toHaveLength(1)
  })

  test('of a deleted merchant are invalid for the merchant that takes its place', async () => {
    const { twin, operator, save, restore } = await prepare(place)
    await save('without')
    const first = await anotherMerchant(twin)
    await save('with-the-first')
    await restore('without')
    const second = await anotherMerchant(twin)
    // The seed gives the same id, so only the keys distinguish the two.
    expect(second.merchant.id).toBe(first.merchant.id)
    expect((await reads(twin, first.secretKey)).status).toBe(401)
    expect((await reads(twin, second.secretKey)).status).toBe(200)
    const { data } = (await operator('GET', `keys?merchant=${second.merchant.id}`)).body
    expect(data).toHaveLength(1)
    await restore('with-the-first')
    expect((await reads(twin, first.secretKey)).status).toBe(200)
    expect((await reads(twin, second.secretKey)).status).toBe(401)
  })
})

test('snapshots on disk are there after a restart, and the restored state too', async () => {
  const database = PLACES['on disk']()
  const secretKey = 'sk_test_000000000000000000000000'
  let wall = WALL * 1000
  const open = () => startTwin({ database, secretKey, clock: 'live', wall: () => wall })
  const first = await open()
  await makePrice(first)
  const before = await historyBytes(first)
  await asOperator(first)('POST', 'snapshots', { name: 'state' })
  wall += 1_000_000
  await first.post('/v1/customers')
  await asOperator(first)('POST', 'snapshots/state/restore')
  await first.close()
  wall += 10_000
  const second = await open()
  expect(await historyBytes(second)).toEqual(before)
  // As after any downtime, a live clock has followed the wall clock.
  expect(await nowOf(second)).toBe(WALL + 10)
  expect(idsOf((await asOperator(second)('GET', 'snapshots')).body.data)).toEqual(['state'])
  await second.post('/v1/customers')
  await asOperator(second)('POST', 'snapshots/state/restore')
  expect(await historyBytes(second)).toEqual(before)
  await second.close()
})
