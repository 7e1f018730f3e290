import { afterEach, beforeEach, expect, describe as group, test } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { anotherMerchant, expectRefusal, expectRefused, idsOf, invalid, unknown } from './support.ts'

let twin: Twin
let subscription: Body
beforeEach(async () => {
  twin = await startTwin()
  const { customer, method } = await makeCustomer(twin)
  const prices = await Promise.all([1, 2, 3].map(() => makePrice(twin)))
  subscription = await twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: prices.map(({ id }, index) => ({ price: id, quantity: index + 1, metadata: { place: index } })),
  })
})
afterEach(() => twin.close())

group("a subscription's items", () => {
  test('are listed at their url', async () => {
    const { items } = subscription
    expect(items.url).toBe(`/v1/subscriptions/${subscription.id}/items`)
    expect(await twin.get(items.url)).toEqual(items)
  })

  test('follow the updates of the subscription', async () => {
    const [first, second, third] = idsOf(subscription.items.data)
    const changes = [
      { id: first, deleted: true },
      { id: third, quantity: 9 },
    ]
    await twin.post(`/v1/subscriptions/${subscription.id}`, { items: changes })
    const { data } = await twin.get(subscription.items.url)
    expect(data.map(({ id, quantity }: Body) => [id, quantity])).toEqual([
      [second, 2],
      [third, 9],
    ])
  })

  test('are paginated, in their order', async () => {
    const [first, second, third] = idsOf(subscription.items.data)
    const page = async (query: string) => {
      const { data, has_more } = await twin.get(`${subscription.items.url}?${query}`)
      return [...idsOf(data), has_more]
    }
    expect(await page('limit=2')).toEqual([first, second, true])
    expect(await page(`limit=2&starting_after=${second}`)).toEqual([third, false])
    expect(await page(`limit=1&ending_before=${third}`)).toEqual([second, true])
    for (const param of ['starting_after', 'ending_before']) {
      const path = `${subscription.items.url}?${param}=si_unknown`
      await expectRefused(twin, ['GET', path], unknown(param))
    }
    await expectRefused(twin, ['GET', `${subscription.items.url}?limit=0`], invalid('limit'))
  })

  test('can be expanded to their subscription', async () => {
    const { data } = await twin.get(`${subscription.items.url}?expand[]=data.subscription`)
    expect(data[0].subscription).toEqual(subscription)
  })

  test('are shown of no other subscription, and to no other merchant', async () => {
    await expectRefused(twin, ['GET', '/v1/subscriptions/sub_unknown/items'], unknown())
    const { secretKey } = await anotherMerchant(twin)
    const headers = { Authorization: `Bearer ${secretKey}` }
    expectRefusal(await twin.request('GET', subscription.items.url, undefined, headers), unknown())
  })
})

test('the url of every list within an object returns that list', async () => {
  const invoice = await twin.get(`/v1/invoices/${subscription.latest_invoice}`)
  expect(await twin.get(invoice.lines.url)).toEqual(invoice.lines)
})
