import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { expectRefused, idsOf, unknown } from './support.ts'

let twin: Twin
let price: Body
beforeEach(async () => {
  twin = await startTwin()
  price = await makePrice(twin)
})
afterEach(() => twin.close())

async function customerWith(): Promise<Body> {
  const { customer, method } = await makeCustomer(twin)
  return {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id }],
  }
}

const subscribe = (body: Body) => twin.post('/v1/subscriptions', body)

describe('finding subscriptions', () => {
  test('by customer, price, status and collection method', async () => {
    const body = await customerWith()
    const other = await makePrice(twin)
    const active = await subscribe(body)
    const trial = await subscribe({ ...body, trial_period_days: 3, items: [{ price: other.id }] })
    const sent = await subscribe({ ...body, collection_method: 'send_invoice' })
    const incomplete = await subscribe({ ...body, default_payment_method: 'pm_card_chargeDeclined' })
    const canceled = await subscribe({
      ...(await customerWith()),
      items: [{ price: other.id }, { price: price.id }],
    })
    await twin.delete(`/v1/subscriptions/${canceled.id}`)

    const found = async (query: string) => idsOf((await twin.get(`/v1/subscriptions?${query}`)).data)
    const living = [incomplete.id, sent.id, trial.id, active.id]
    expect(await found('')).toEqual(living)
    expect(await found('status=all')).toEqual([canceled.id, ...living])
    expect(await found('status=canceled')).toEqual([canceled.id])
    expect(await found('status=ended')).toEqual([canceled.id])
    expect(await found('status=trialing')).toEqual([trial.id])
    expect(await found('status=incomplete')).toEqual([incomplete.id])
    expect(await found('status=past_due')).toEqual([])
    expect(await found('collection_method=send_invoice')).toEqual([sent.id])
    expect(await found(`price=${other.id}`)).toEqual([trial.id])
    expect(await found(`status=all&price=${other.id}`)).toEqual([canceled.id, trial.id])
    expect(await found(`customer=${body.customer}`)).toEqual(living)
    expect(await found(`customer=${canceled.customer}&status=all`)).toEqual([canceled.id])
    expect(await found('customer=cus_unknown')).toEqual([])

    await twin.advance({ by: '8d' })
    expect(await found('status=ended')).toEqual([canceled.id, incomplete.id])
    expect(await found('status=incomplete_expired')).toEqual([incomplete.id])
  })

  test('refuses an unknown status, and an unknown id', async () => {
    for (const status of ['open', 'ACTIVE', '', 'toString']) {
      await expectRefused(twin, ['GET', `/v1/subscriptions?status=${status}`], {
        code: 'parameter_invalid',
        param: 'status',
      })
    }
    await expectRefused(twin, ['GET', '/v1/subscriptions/sub_unknown'], unknown())
    await expectRefused(twin, ['GET', `/v1/subscriptions/${price.id}`], unknown())
  })
})
