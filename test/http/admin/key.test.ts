import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Body, clientOf, startTwin, type Twin } from '../../twin.ts'
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

const NOW = 1_700_000_000

let twin: Twin
let wall: number
let merchant: string
const operator = (...given: Parameters<ReturnType<typeof asOperator>>) => asOperator(twin)(...given)
const keys = async (query = ''): Promise<Body[]> => (await operator('GET', `keys${query}`)).body.data

beforeEach(async () => {
  wall = NOW * 1000
  twin = await startTwin({ wall: () => wall })
  merchant = twin.sandbox.merchant.settings.id
})
afterEach(() => twin.close())

describe('a new key', () => {
  test.each<[Body, 'secret' | 'publishable', string]>([
    [{}, 'secret', 'sk_test_'],
    [{ publishable: false }, 'secret', 'sk_test_'],
    [{ publishable: true }, 'publishable', 'pk_test_'],
  ])('of %j is shown in full once', async (body, type, prefix) => {
    const response = await operator('POST', 'keys', { ...body, name: 'CI' })
    expect(response.status).toBe(201)
    const { secret, ...key } = response.body
    expect(secret).toMatch(new RegExp(`^${prefix}[A-Za-z0-9]{24,}$`))
    expect(key).toEqual({
      id: expect.stringMatching(/^key_[A-Za-z0-9]{14,}$/),
      object: 'key',
      type,
      name: 'CI',
      hint: `${prefix}…${secret.slice(-4)}`,
      created: NOW,
      last_used: null,
      revoked: null,
      livemode: false,
      merchant_id: merchant,
    })
    expect(await keys()).toContainEqual(key)
    const shown = JSON.stringify([
      await operator('GET', 'keys'),
      await operator('POST', `keys/${key.id}/revoke`),
    ])
    expect(shown).not.toContain(secret)
  })

  test('is valid on /v1 for its merchant, and its last use is recorded', async () => {
    const other = await anotherMerchant(twin)
    const { body: key } = await operator('POST', 'keys', { merchant: other.merchant.id })
    wall += 60_000
    const headers = { Authorization: `Bearer ${key.secret}` }
    const { body: customer } = await twin.request('POST', '/v1/customers', {}, headers)
    expect(customer.merchant_id).toBe(other.merchant.id)
    const listed = (await keys()).find(({ id }) => id === key.id)
    expect(listed?.last_used).toBe(NOW + 60)
  })

  test('may have a secret chosen beforehand', async () => {
    const secret = `sk_test_${'C1'.repeat(12)}`
    const { status, body } = await operator('POST', 'keys', { secret })
    expect([status, body.secret, body.hint]).toEqual([201, secret, 'sk_test_…C1C1'])
    const response = await twin.request('GET', '/v1/customers', undefined, {
      Authorization: `Bearer ${secret}`,
    })
    expect(response.status).toBe(200)
  })

  test.each([
    ['sk_test_123', 'sk_test_…', false],
    ['sk_test_your-key_here', 'sk_test_…', false],
    [`sk_test_${'x'.repeat(23)}`, 'sk_test_…', false],
    [`sk_test_${'x'.repeat(200)}`, 'sk_test_…xxxx', false],
    ['rk_test_1', 'rk_test_…', false],
    ['pk_test_123', 'pk_test_…', true],
  ])('may be %s, listed as %s', async (secret, hint, publishable) => {
    const { status, body } = await operator('POST', 'keys', { secret, publishable })
    expect([status, body.secret, body.hint]).toEqual([201, secret, hint])
    expect(body.type).toBe(publishable ? 'publishable' : 'secret')
    const headers = { Authorization: `Bearer ${secret}` }
    const response = await twin.request('GET', '/v1/customers', undefined, headers)
    expect(response.status).toBe(publishable ? 401 : 200)
    expectRefusal(await operator('POST', 'keys', { secret, publishable }), invalid('secret'))
  })

  test('is no live key', async () => {
    const { body } = await operator('POST', 'keys', { secret: 'sk_live_123' })
    expect(body.error.message).toBe(
      'live keys are refused, because paytwin is a sandbox: give a test key, such as sk_test_123',
    )
  })

  test.each(
    rows<unknown>(
      '',
      'secret',
      'sk_test_',
      `sk_test_${'x'.repeat(201)}`,
      `sk_live_${'x'.repeat(24)}`,
      `rk_live_${'x'.repeat(24)}`,
      `pk_test_${'x'.repeat(24)}`,
      'sk_test_a.b',
      'sk_test_a:',
      'sk_test_é',
      'ak_test_1',
      `sk_test_${'x'.repeat(24)}\n`,
      ` sk_test_${'x'.repeat(24)}`,
      5,
      null,
      {},
    ),
  )('has no secret like %j', async (secret) => {
    const before = await keys()
    expectRefusal(await operator('POST', 'keys', { secret }), invalid('secret'))
    expect(await keys()).toEqual(before)
  })

  test('has a secret that no other has, revoked ones included', async () => {
    const secret = `sk_test_${'x'.repeat(24)}`
    const { body: key } = await operator('POST', 'keys', { secret })
    expectRefusal(await operator('POST', 'keys', { secret }), invalid('secret'))
    await operator('POST', `keys/${key.id}/revoke`)
    expectRefusal(await operator('POST', 'keys', { secret }), invalid('secret'))
    expectRefusal(await operator('POST', 'keys', { secret: twin.secretKey }), invalid('secret'))
  })

  test('has a unique secret, also when two are created at once', async () => {
    const secret = `sk_test_${'x'.repeat(24)}`
    const responses = await Promise.all([1, 2, 3].map(() => operator('POST', 'keys', { secret })))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400])
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expectRefusal(response, invalid('secret'))
    }
  })

  test('belongs to a merchant that is named when there are several', async () => {
    await anotherMerchant(twin)
    expectRefusal(await operator('POST', 'keys', {}), missing('merchant'))
    expectRefusal(await operator('POST', 'keys', { merchant: 'mer_unknown' }), unknown('merchant'))
    expect((await operator('POST', 'keys', { merchant })).body.merchant_id).toBe(merchant)
  })

  test.each<[Body, string]>([
    [{ name: 5 }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ publishable: 'yes' }, 'publishable'],
    [{ merchant: 5 }, 'merchant'],
  ])('refuses %j', async (body, param) => {
    expectRefusal(await operator('POST', 'keys', body), invalid(param))
  })
})

describe('the list of keys', () => {
  test('lists all keys, newest first, or those of one merchant', async () => {
    const other = await anotherMerchant(twin)
    const { body: second } = await operator('POST', 'keys', { merchant })
    const all = await keys()
    expect(all).toHaveLength(3)
    expect(all[0]?.id).toBe(second.id)
    expect(idsOf(await keys(`?merchant=${merchant}`))).toEqual([all[0]?.id, all[2]?.id])
    expect(idsOf(await keys(`?merchant=${other.merchant.id}`))).toEqual([all[1]?.id])
    for (const wrong of ['mer_unknown', '', 'toString']) {
      expectRefusal(await operator('GET', `keys?merchant=${wrong}`), unknown('merchant'))
    }
    expect((await operator('GET', 'keys')).body).toMatchObject({ object: 'list', url: '/_paytwin/keys' })
  })

  test('comes in pages, of all keys or of those of one merchant', async () => {
    const other = await anotherMerchant(twin)
    for (let n = 0; n < 12; n += 1)
      await operator('POST', 'keys', { merchant: n % 2 === 0 ? merchant : other.merchant.id })
    expect(await keys()).toHaveLength(10)
    for (const query of ['', `&merchant=${merchant}`, `&merchant=${other.merchant.id}`]) {
      const { body: whole } = await operator('GET', `keys?limit=100${query}`)
      const ids = idsOf(whole.data)
      expect([whole.has_more, ids]).toEqual([false, ids.toSorted().reverse()])
      const { body: first } = await operator('GET', `keys?limit=3${query}`)
      expect([first.has_more, idsOf(first.data)]).toEqual([true, ids.slice(0, 3)])
      const { body: next } = await operator('GET', `keys?limit=3&starting_after=${ids[2]}${query}`)
      expect([next.has_more, idsOf(next.data)]).toEqual([true, ids.slice(3, 6)])
      const { body: last } = await operator('GET', `keys?starting_after=${ids.at(-2)}${query}`)
      expect([last.has_more, idsOf(last.data)]).toEqual([false, ids.slice(-1)])
      const { body: before } = await operator('GET', `keys?limit=2&ending_before=${ids[3]}${query}`)
      expect([before.has_more, idsOf(before.data)]).toEqual([true, ids.slice(1, 3)])
      const { body: newest } = await operator('GET', `keys?ending_before=${ids[1]}${query}`)
      expect([newest.has_more, idsOf(newest.data)]).toEqual([false, ids.slice(0, 1)])
    }
    expectRefusal(await operator('GET', 'keys?starting_after=key_unknown'), unknown('starting_after'))
  })
})

describe('revoking', () => {
  test('is for good; the key stays listed with its hint and when it was used', async () => {
    const { body: key } = await operator('POST', 'keys', {})
    const headers = { Authorization: `Bearer ${key.secret}` }
    expect((await twin.request('GET', '/v1/customers', undefined, headers)).status).toBe(200)
    wall += 5_000
    const { status, body } = await operator('POST', `keys/${key.id}/revoke`)
    const { secret, ...listed } = key
    expect(status).toBe(200)
    expect(body).toEqual({ ...listed, last_used: NOW, revoked: NOW + 5 })
    wall += 5_000
    expect((await operator('POST', `keys/${key.id}/revoke`)).body).toEqual(body)
    expect((await twin.request('GET', '/v1/customers', undefined, headers)).status).toBe(401)
    expect(await keys()).toContainEqual(body)
  })

  test('survives a restart, as do keys and when they were used', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'paytwin-'))
    const options = { database: join(folder, 'paytwin.db'), wall: () => wall }
    const before = await startTwin(options)
    const { body: key } = await asOperator(before)('POST', 'keys', {})
    const use = (sandbox: Twin) =>
      sandbox.request('GET', '/v1/customers', undefined, { Authorization: `Bearer ${key.secret}` })
    expect((await use(before)).status).toBe(200)
    await asOperator(before)('POST', `keys/${key.id}/revoke`)
    const listed = (await asOperator(before)('GET', 'keys')).body
    await before.close()

    const after = await startTwin(options)
    expect((await asOperator(after)('GET', 'keys')).body).toEqual(listed)
    expect(listed.data[0]).toMatchObject({ id: key.id, last_used: NOW, revoked: NOW })
    expect((await use(after)).status).toBe(401)
    expect((await clientOf(after.sandbox, before.secretKey).get('/v1/customers')).data).toEqual([])
    await after.close()
    await rm(folder, { recursive: true })
  })

  test('an unknown key is 404', async () => {
    for (const id of ['key_unknown', 'toString', '%00']) {
      expectRefusal(await operator('POST', `keys/${id}/revoke`), unknown())
    }
  })

  test('of a key that the deletion of its merchant has deleted meanwhile is 404', async () => {
    const { merchant: other } = await anotherMerchant(twin)
    const [key] = await keys(`?merchant=${other.id}`)
    const deleted = operator('DELETE', `merchants/${other.id}`)
    const revoked = operator('POST', `keys/${key?.id}/revoke`)
    expect((await deleted).status).toBe(200)
    expectRefusal(await revoked, unknown())
    expect(await keys()).toHaveLength(1)
  })

  test('several times at once is one revocation', async () => {
    const { body: key } = await operator('POST', 'keys', {})
    const revokeKey = vi.spyOn(twin.sandbox.engine.store.directory, 'revokeKey')
    const revoke = () => operator('POST', `keys/${key.id}/revoke`)
    const responses = await Promise.all([revoke(), revoke()])
    const [listed] = await keys()
    expect(responses.map(({ body }) => body)).toEqual([listed, listed])
    expect(revokeKey).toHaveBeenCalledTimes(1)
  })
})
