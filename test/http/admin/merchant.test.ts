import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NO_NOTICES } from '../../../src/core/notices.ts'
import { type Body, clientOf, makePrice, startTwin, type Twin } from '../../twin.ts'
import {
  anotherMerchant,
  asOperator,
  expectRefusal,
  idsOf,
  invalid,
  missing,
  rows,
  unknown,
} from '../support.ts'

const NOW = 1769853600

let twin: Twin
const operator = (...given: Parameters<ReturnType<typeof asOperator>>) => asOperator(twin)(...given)
const merchants = async (): Promise<Body[]> => (await operator('GET', 'merchants')).body.data
beforeEach(async () => {
  twin = await startTwin({ wall: () => 1_800_000_000_000 })
})
afterEach(() => twin.close())

describe('a merchant', () => {
  test('is made with a clock of its own', async () => {
    const { status, body } = await operator('POST', 'merchants', { name: 'Shop', clock: '2030-01-01' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^mer_[A-Za-z0-9]{14,}$/),
      object: 'merchant',
      name: 'Shop',
      created: 1_893_456_000,
      api_version: '2026-03-09',
      dialect: 'paytwin',
      dunning_final_action: 'cancel',
      retry_schedule: [1, 3, 5, 7],
      notices: NO_NOTICES,
      mails: null,
      livemode: false,
      merchant_id: body.id,
      clock: expect.objectContaining({
        object: 'clock',
        mode: 'frozen',
        now: 1_893_456_000,
        merchant_id: body.id,
      }),
    })
    expect(idsOf(await merchants())).toEqual([twin.sandbox.merchant.settings.id, body.id])
  })

  test('is made with a first key of its own, or not at all', async () => {
    const { body } = await operator('POST', 'merchants', { secret_key: 'sk_test_123' })
    expect(JSON.stringify(body)).not.toContain('sk_test')
    const shop = clientOf(twin.sandbox, 'sk_test_123')
    expect((await shop.post('/v1/customers', {})).merchant_id).toBe(body.id)
    const before = idsOf(await merchants())
    for (const secret_key of ['sk_test_123', 'pk_test_123', 'sk_live_123', '']) {
      expectRefusal(await operator('POST', 'merchants', { secret_key }), invalid('secret_key'))
    }
    expect(idsOf(await merchants())).toEqual(before)
  })

  test.each<[unknown, string, number]>([
    [undefined, 'live', 1_800_000_000],
    ['live', 'live', 1_800_000_000],
    [NOW, 'frozen', NOW],
    [String(NOW), 'frozen', NOW],
    ['2026-01-31T10:00:00Z', 'frozen', NOW],
    [0, 'frozen', 0],
  ])('with clock %j is %s', async (clock, mode, now) => {
    const { body } = await operator('POST', 'merchants', clock === undefined ? {} : { clock })
    expect(body.clock).toMatchObject({ mode, now })
  })

  test.each(rows<unknown>('', 'frozen', 'LIVE', 'yesterday', -1, 1.5, null, true, {}, '2026-02-30'))(
    'has no clock like %j',
    async (clock) => {
      const before = await merchants()
      expectRefusal(await operator('POST', 'merchants', { clock }), invalid('clock'))
      expect(await merchants()).toEqual(before)
    },
  )

  test.each<[Body, string]>([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: 5 }, 'name'],
    [{ name: null }, 'name'],
    [{ api_version: 'latest' }, 'api_version'],
    [{ api_version: '2026-03-10' }, 'api_version'],
    [{ api_version: 20260309 }, 'api_version'],
    [{ dunning_final_action: 'forget' }, 'dunning_final_action'],
    [{ dunning_final_action: null }, 'dunning_final_action'],
  ])('refuses %j, new or known', async (body, param) => {
    const before = await merchants()
    expectRefusal(await operator('POST', 'merchants', body), invalid(param))
    const { id } = twin.sandbox.merchant.settings
    expectRefusal(await operator('POST', `merchants/${id}`, body), invalid(param))
    expect(await merchants()).toEqual(before)
  })

  test('changes its settings, one or all', async () => {
    const [merchant] = await merchants()
    const change = (body: Body) => operator('POST', `merchants/${merchant?.id}`, body)
    expect((await change({ name: 'New' })).body).toEqual({ ...merchant, name: 'New' })
    const { body } = await change({ dunning_final_action: 'mark_unpaid', api_version: '2026-03-09' })
    expect(body).toEqual({ ...merchant, name: 'New', dunning_final_action: 'mark_unpaid' })
    expect((await change({})).body).toEqual(body)
    expect(await merchants()).toEqual([body])
  })

  test('that is unknown is 404', async () => {
    for (const id of ['mer_unknown', 'toString', '__proto__', '%00']) {
      expectRefusal(await operator('POST', `merchants/${id}`, { name: 'x' }), unknown())
    }
  })

  test('has to be named where there are several, which the refusal does, up to five', async () => {
    const refusal = async () => {
      const refused = await operator('POST', 'keys', {})
      expectRefusal(refused, missing('merchant'))
      return refused.body.error.message
    }
    const { id } = twin.sandbox.merchant.settings
    const made = async () => (await operator('POST', 'merchants', { name: 'Shop' })).body.id
    const second = await made()
    const both = `${id} Default merchant, ${second} Shop`
    expect(await refusal()).toBe(`Missing required parameter: merchant. The 2 merchants: ${both}`)
    for (let count = 3; count <= 6; count += 1) await made()
    expect(await refusal()).toMatch(/The 6 merchants: (mer_\w+ [^,]+, ){5}…$/)
  })

  test('has data, ids, clock and events of its own', async () => {
    const { secretKey, merchant } = await anotherMerchant(twin)
    const other = clientOf(twin.sandbox, secretKey)
    const price = await makePrice(twin)
    expect(price.merchant_id).toBe(twin.sandbox.merchant.settings.id)
    for (const list of ['prices', 'events', 'customers']) {
      expect((await other.get(`/v1/${list}`)).data).toEqual([])
    }
    const theirs = await makePrice(other)
    expect(theirs.id).not.toBe(price.id)
    expect(theirs.merchant_id).toBe(merchant.id)
    await other.advance({ by: '1d' })
    expect((await twin.get('/v1/test_helpers/clock')).now).toBe(NOW)
    const update = await other.request('POST', `/v1/prices/${price.id}`, { active: false })
    expectRefusal(update, unknown())
  })

  test.each([0, 1, 2])(
    'keeps both of two changes, the second asked for %i turns after the first',
    async (turns) => {
      const path = `merchants/${twin.sandbox.merchant.settings.id}`
      const first = operator('POST', path, { name: 'Renamed' })
      for (let turn = 0; turn < turns; turn += 1) await nextTurn()
      const second = operator('POST', path, { dunning_final_action: 'mark_unpaid' })
      expect((await first).body).toMatchObject({ name: 'Renamed' })
      expect((await second).body).toMatchObject({ name: 'Renamed', dunning_final_action: 'mark_unpaid' })
      expect((await merchants())[0]).toMatchObject({ name: 'Renamed', dunning_final_action: 'mark_unpaid' })
    },
  )
})

describe('status', () => {
  test('shows the status of the daemon', async () => {
    const { body } = await operator('GET', 'status')
    expect(body).toMatchObject({
      object: 'status',
      url: expect.stringMatching(/^http:\/\//),
      pid: process.pid,
      data: null,
      version: expect.any(String),
      uptime: expect.any(Number),
      merchants: await merchants(),
      counts: { customers: 0, subscriptions: 0, invoices: 0, events: 0 },
      livemode: false,
    })
    await twin.post('/v1/customers')
    const { secretKey } = await anotherMerchant(twin)
    await clientOf(twin.sandbox, secretKey).post('/v1/customers')
    expect((await operator('GET', 'status')).body.counts).toMatchObject({ customers: 2, events: 2 })
    expect(JSON.stringify((await operator('GET', 'status')).body)).not.toContain(twin.secretKey)
  })
})
