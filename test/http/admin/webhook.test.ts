import { describe, expect, test, vi } from 'vitest'
import { type Body, clientOf, type Twin } from '../../twin.ts'
import { makeEvents, openShop, type Shop, URL } from '../../webhooks/inbox.ts'
import {
  anotherMerchant,
  asOperator,
  badState,
  expectRefusal,
  idsOf,
  invalid,
  missing,
  type Refusal,
  unchanged,
  unknown,
} from '../support.ts'

const NOW = 1769853600

/** Sends a request to the admin API, which must succeed. */
async function succeed(twin: Twin, method: string, path: string, body?: unknown): Promise<Body> {
  const response = await asOperator(twin)(method, path, body)
  expect([response.status < 300, response.body.error]).toEqual([true, undefined])
  return response.body
}

async function refuses(
  shop: Shop,
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
  refusal: Refusal,
): Promise<void> {
  const endpoints = (await shop.get('/v1/webhook_endpoints?limit=100')).data
  const sent = shop.inbox.received.length
  const response = await unchanged(shop, () => asOperator(shop)(method, path, body))
  expectRefusal(response, refusal)
  await shop.settled()
  expect((await shop.get('/v1/webhook_endpoints?limit=100')).data).toEqual(endpoints)
  expect(shop.inbox.received).toHaveLength(sent)
}

/** Creates a second merchant with an endpoint. */
async function withOther(shop: Shop): Promise<{ other: Twin; merchant: string; endpoint: Body }> {
  const { merchant, secretKey } = await anotherMerchant(shop)
  const endpoint = await succeed(shop, 'POST', 'webhooks', {
    url: 'http://other.test/',
    merchant: merchant.id,
  })
  return { other: clientOf(shop.sandbox, secretKey), merchant: merchant.id, endpoint }
}

describe('the operator', () => {
  test('creates an endpoint for all events, or for some', async () => {
    const shop = await openShop()
    const { status, body } = await asOperator(shop)('POST', 'webhooks', { url: URL })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^we_/),
      object: 'webhook_endpoint',
      created: NOW,
      livemode: false,
      merchant_id: shop.sandbox.merchant.settings.id,
      url: URL,
      enabled_events: ['*'],
      description: null,
      status: 'enabled',
      metadata: {},
      secret: expect.stringMatching(/^whsec_/),
    })
    const some = { url: URL, enabled_events: ['invoice.*'], description: 'Mine', metadata: { a: 'b' } }
    expect(await succeed(shop, 'POST', 'webhooks', some)).toMatchObject(some)
    const [event] = await makeEvents(shop, 1)
    await shop.settled()
    expect(shop.ids()).toEqual([event])
  })

  test('lists endpoints, newest first, without their secrets', async () => {
    const shop = await openShop()
    const made = [await shop.endpoint(), await shop.endpoint(), await shop.endpoint()]
    const { data, ...page } = await succeed(shop, 'GET', 'webhooks?limit=2')
    expect(page).toEqual({ object: 'list', url: '/_paytwin/webhooks', has_more: true, livemode: false })
    expect(idsOf(data)).toEqual(idsOf(made.reverse().slice(0, 2)))
    expect(JSON.stringify(data)).not.toContain('whsec_')
    const rest = await succeed(shop, 'GET', `webhooks?starting_after=${data[1].id}`)
    expect(idsOf(rest.data)).toEqual(idsOf(made.slice(2)))
  })

  test('deletes an endpoint of any merchant', async () => {
    const shop = await openShop()
    const { endpoint, other } = await withOther(shop)
    expect(await succeed(shop, 'DELETE', `webhooks/${endpoint.id}`)).toEqual({
      id: endpoint.id,
      object: 'webhook_endpoint',
      deleted: true,
      livemode: false,
    })
    expect((await other.get('/v1/webhook_endpoints')).data).toEqual([])
    await refuses(shop, ['DELETE', `webhooks/${endpoint.id}`], unknown())
  })

  test('lists the deliveries of an endpoint', async () => {
    const shop = await openShop()
    const { endpoint, other } = await withOther(shop)
    const events = await makeEvents(other, 3)
    await shop.sandbox.engine.runAllDueJobs()
    for (const twin of shop.sandbox.engine.merchants.values()) {
      await shop.sandbox.engine.outbox.deliveries?.settled(twin)
    }
    const { data } = await succeed(shop, 'GET', `webhooks/${endpoint.id}/deliveries?limit=2`)
    expect(data.map(({ event }: Body) => event)).toEqual(events.slice(1).reverse())
    const ofMerchant = await other.get(`/v1/webhook_endpoints/${endpoint.id}/deliveries?limit=2`)
    expect(data).toEqual(
      ofMerchant.data.map((delivery: Body) => ({ ...delivery, event_type: 'customer.created' })),
    )
    const [newest] = data
    const rest = await succeed(
      shop,
      'GET',
      `webhooks/${endpoint.id}/deliveries?starting_after=${newest.id}&limit=1`,
    )
    expect(rest.data.map(({ event }: Body) => event)).toEqual([events[1]])
  })

  test('lists the deliveries of events', async () => {
    const shop = await openShop()
    const [endpoint, second] = [await shop.endpoint(), await shop.endpoint()]
    const events = await makeEvents(shop, 3)
    await shop.settled()
    const merchant = shop.sandbox.merchant.settings.id
    const path = `webhooks/deliveries?merchant=${merchant}`
    const { data } = await succeed(shop, 'GET', `${path}&events[]=${events[2]}&events[]=${events[0]}`)
    expect(data.map((each: Body) => each.event)).toEqual([events[2], events[2], events[0], events[0]])
    expect(new Set(idsOf(data.map((each: Body) => ({ id: each.endpoint }))))).toEqual(
      new Set([endpoint.id, second.id]),
    )
    expect(data[0].status).toBe('succeeded')
    const rest = await succeed(shop, 'GET', `${path}&events[]=${events[2]}&starting_after=${data[0].id}`)
    expect(idsOf(rest.data)).toEqual([data[1].id])
    await refuses(shop, ['GET', `${path}&events[]=${events[0]}&events[]=evt_none`], unknown('events[1]'))
    await refuses(shop, ['GET', path], missing('events'))
  })

  test('resends an event of any merchant, to all matching endpoints or to one', async () => {
    const shop = await openShop()
    const { endpoint, other } = await withOther(shop)
    const second = await other.post('/v1/webhook_endpoints', {
      url: 'http://second.test/',
      enabled_events: ['refund.*'],
    })
    const [event] = await makeEvents(other, 1)
    const all = await succeed(shop, 'POST', `events/${event}/resend`)
    expect(all.data).toMatchObject([{ event, endpoint: endpoint.id, status: 'pending' }])
    const one = await succeed(shop, 'POST', `events/${event}/resend`, { webhook_endpoint: second.id })
    expect(one).toMatchObject({
      object: 'list',
      url: `/_paytwin/events/${event}/resend`,
      has_more: false,
      data: [{ event, endpoint: second.id }],
    })
  })

  test('requires the merchant if there are several', async () => {
    const shop = await openShop()
    const { merchant } = await withOther(shop)
    await refuses(shop, ['POST', 'webhooks', { url: URL }], missing('merchant'))
    await refuses(shop, ['GET', 'webhooks'], missing('merchant'))
    expect((await succeed(shop, 'GET', `webhooks?merchant=${merchant}`)).data).toHaveLength(1)
    const mine = shop.sandbox.merchant.settings.id
    expect((await succeed(shop, 'GET', `webhooks?merchant=${mine}`)).data).toEqual([])
  })

  test('retries all of one merchant, or of all', async () => {
    const shop = await openShop()
    const { other, merchant } = await withOther(shop)
    shop.inbox.receive = () => 500
    await shop.endpoint()
    await makeEvents(shop, 2)
    await makeEvents(other, 3)
    const settle = async () => {
      for (const one of shop.sandbox.engine.merchants.values()) {
        await shop.sandbox.engine.outbox.deliveries?.settled(one)
      }
    }
    await settle()
    const retry = (body: Body) => succeed(shop, 'POST', 'webhooks/retry', body)
    expect((await retry({ all: true, merchant })).data).toHaveLength(3)
    await settle()
    const { data, ...page } = await retry({ all: true })
    expect(page).toEqual({
      object: 'list',
      url: '/_paytwin/webhooks/retry',
      has_more: false,
      livemode: false,
    })
    expect(data).toHaveLength(5)
    await settle()
    expect(shop.ids()).toHaveLength(4)
    expect(shop.ids('http://other.test/')).toHaveLength(9)
  })

  test('retries those of each endpoint in a command of its own, because there can be very many', async () => {
    const shop = await openShop()
    shop.inbox.receive = () => 500
    for (let n = 0; n < 3; n += 1) await shop.endpoint()
    await makeEvents(shop, 2)
    await shop.settled()
    const command = vi.spyOn(shop.sandbox.engine, 'command')
    expect((await succeed(shop, 'POST', 'webhooks/retry', { all: true })).data).toHaveLength(6)
    expect(await Promise.all(command.mock.results.map(({ value }) => value))).toEqual(
      Array(3).fill([expect.any(String), expect.any(String)]),
    )
  })
})

describe('the operator is refused', () => {
  test.each<[string, string, Body | undefined, Refusal]>([
    ['POST', 'webhooks', {}, missing('url')],
    ['POST', 'webhooks', { url: 'x' }, invalid('url')],
    ['POST', 'webhooks', { url: 'http://169.254.169.254/' }, invalid('url')],
    ['POST', 'webhooks', { url: URL, enabled_events: [] }, invalid('enabled_events')],
    ['POST', 'webhooks', { url: URL, enabled_events: ['x'] }, invalid('enabled_events[0]')],
    ['POST', 'webhooks', { url: URL, merchant: 'mer_x' }, unknown('merchant')],
    ['GET', 'webhooks?merchant=mer_x', undefined, unknown('merchant')],
    ['GET', 'webhooks?limit=0', undefined, invalid('limit')],
    ['GET', 'webhooks?starting_after=we_x', undefined, unknown('starting_after')],
    ['DELETE', 'webhooks/we_x', undefined, unknown()],
    ['GET', 'webhooks/we_x/deliveries', undefined, unknown()],
    ['POST', 'webhooks/retry', {}, missing('id')],
    ['POST', 'webhooks/retry', { all: false }, missing('id')],
    ['POST', 'webhooks/retry', { id: 'whd_x' }, unknown()],
    ['POST', 'webhooks/retry', { id: 'we_x' }, unknown()],
    ['POST', 'webhooks/retry', { id: 'whd_x', all: true }, invalid('all')],
    ['POST', 'webhooks/retry', { all: true, merchant: 'mer_x' }, unknown('merchant')],
    ['POST', 'webhooks/retry', { all: 'yes' }, invalid('all')],
    ['POST', 'events/evt_x/resend', {}, unknown()],
  ])('%s %s with %j', async (method, path, body, refusal) => {
    const shop = await openShop()
    await shop.endpoint()
    await makeEvents(shop, 1)
    await shop.settled()
    await refuses(shop, [method, path, body], refusal)
  })

  test('a resend to an endpoint that is unknown, deleted or disabled', async () => {
    const shop = await openShop()
    const [gone, off] = [await shop.endpoint(), await shop.endpoint()]
    const [event] = await makeEvents(shop, 1)
    await shop.settled()
    await shop.delete(`/v1/webhook_endpoints/${gone.id}`)
    await shop.post(`/v1/webhook_endpoints/${off.id}`, { disabled: true })
    const path = `events/${event}/resend`
    await refuses(shop, ['POST', path, { webhook_endpoint: 'we_x' }], unknown('webhook_endpoint'))
    await refuses(shop, ['POST', path, { webhook_endpoint: gone.id }], unknown('webhook_endpoint'))
    await refuses(shop, ['POST', path, { webhook_endpoint: off.id }], badState(null))
  })

  test('a retry of a deleted endpoint, or of a finished delivery', async () => {
    const shop = await openShop()
    const endpoint = await shop.endpoint()
    await makeEvents(shop, 1)
    await shop.settled()
    const [delivery] = await shop.deliveries(endpoint)
    await refuses(shop, ['POST', 'webhooks/retry', { id: delivery?.id }], badState())
    expect((await succeed(shop, 'POST', 'webhooks/retry', { id: endpoint.id })).data).toEqual([])
    await shop.delete(`/v1/webhook_endpoints/${endpoint.id}`)
    await refuses(shop, ['POST', 'webhooks/retry', { id: endpoint.id }], unknown())
  })
})
