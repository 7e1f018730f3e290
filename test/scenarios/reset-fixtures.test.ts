import { expect, test } from 'vitest'
import { asOperator, expectRefusal, unknown } from '../http/support.ts'
import { type Body, clientOf } from '../twin.ts'
import { bytesOf, historyOf, openTwin } from './story.ts'

const KEY = 'sk_test_000000000000000000000001'
const REVOKED = 'sk_test_000000000000000000000002'

const FIXTURES = {
  prices: [{ ref: 'basic', unit_amount: 2000, currency: 'usd', recurring: { interval: 'month' } }],
  customers: [{ ref: 'ada', name: 'Ada' }],
  payment_methods: [{ ref: 'card', customer: 'ada', test_id: 'pm_card_visa' }],
  subscriptions: [
    { customer: 'ada', currency: 'usd', default_payment_method: 'card', items: [{ price: 'basic' }] },
  ],
  merchants: [
    {
      name: 'Other',
      clock: '2026-01-31T10:00:00Z',
      keys: [{ secret: KEY }, { secret: REVOKED }],
      customers: [{ name: 'Grace' }],
    },
  ],
}

const begin = () => openTwin({ fixtures: () => [{ name: 'shop.json', content: FIXTURES }] })

test('a reset brings back what the start loaded, merchants and their keys too, under the same ids', async () => {
  const twin = await begin()
  const operator = asOperator(twin)
  const other = clientOf(twin.sandbox, KEY)
  const before = [bytesOf(await historyOf(twin)), bytesOf(await historyOf(other))]
  const { data: merchants } = (await operator('GET', 'merchants')).body
  await twin.advance({ by: '1y' })
  await other.post('/v1/customers', { name: 'Alan' })
  await operator('POST', 'merchants', { name: 'Third' })
  expect((await operator('POST', 'reset')).status).toBe(200)
  expect([bytesOf(await historyOf(twin)), bytesOf(await historyOf(other))]).toEqual(before)
  expect((await operator('GET', 'merchants')).body.data).toEqual(merchants)
})

test('a key of the fixtures that was revoked stays so through a reset', async () => {
  const twin = await begin()
  const operator = asOperator(twin)
  const { data } = (await operator('GET', 'keys')).body
  const key = data.find(({ hint }: Body) => hint.endsWith('0002'))
  await operator('POST', `keys/${key.id}/revoke`)
  await operator('POST', 'reset')
  expect((await clientOf(twin.sandbox, REVOKED).request('GET', '/v1/customers')).status).toBe(401)
  expect((await clientOf(twin.sandbox, KEY).request('GET', '/v1/customers')).status).toBe(200)
})

test('a restore puts test clocks back to where they stood, and those that came later are gone', async () => {
  const twin = await begin()
  const operator = asOperator(twin)
  const path = '/v1/test_helpers/test_clocks'
  const clock = await twin.post(path, { frozen_time: 1_769_853_600 })
  const customer = await twin.post('/v1/customers', { test_clock: clock.id })
  await operator('POST', 'snapshots', { name: 'before' })
  await twin.post(`${path}/${clock.id}/advance`, { by: '1y' })
  const later = await twin.post(path, { frozen_time: 0 })
  expect((await operator('POST', 'snapshots/before/restore')).status).toBe(200)
  expect(await twin.get(`${path}/${clock.id}`)).toEqual(clock)
  expectRefusal(await twin.request('GET', `${path}/${later.id}`), unknown())
  expect((await twin.post(`/v1/customers/${customer.id}`, { name: 'Ada' })).name).toBe('Ada')
  expect((await twin.post(`${path}/${clock.id}/advance`, { by: '1d' })).now).toBe(1_769_940_000)
})
