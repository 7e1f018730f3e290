import { describe, expect, test } from 'vitest'
import type { Body } from '../twin.ts'
import { makeEvents, openShop, REFUSED, refuses } from '../webhooks/inbox.ts'
import { badState, invalid, type Refusal, unknown } from './support.ts'

const PATH = '/v1/webhook_endpoints'
const NOW = 1769853600

describe('a delivery', () => {
  test('shows the attempts, and the time of the next one', async () => {
    const shop = await openShop()
    shop.inbox.receive = ({ event }) =>
      event.type === 'customer.created' ? { status: 503, body: 'later, please' } : REFUSED
    const endpoint = await shop.endpoint()
    await shop.post('/v1/products', { name: 'Pro' })
    const [event] = await makeEvents(shop, 1)
    await shop.settled()
    const { data, ...page } = await shop.get(`${PATH}/${endpoint.id}/deliveries`)
    expect(page).toEqual({
      object: 'list',
      url: `${PATH}/${endpoint.id}/deliveries`,
      has_more: false,
      livemode: false,
    })
    const attempt = { time: NOW, duration_ms: expect.any(Number) }
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^whd_[A-Za-z0-9]{14,}$/),
        object: 'webhook_delivery',
        created: NOW,
        livemode: false,
        merchant_id: endpoint.merchant_id,
        event,
        endpoint: endpoint.id,
        status: 'pending',
        attempts: [{ ...attempt, response_status: 503, response_body: 'later, please', error: null }],
        next_attempt: NOW + 5,
      },
      expect.objectContaining({
        attempts: [{ ...attempt, response_status: null, response_body: null, error: 'connect ECONNREFUSED' }],
      }),
    ])
  })

  test('is listed newest first, a page at a time, for its endpoint alone', async () => {
    const shop = await openShop()
    const [endpoint, other] = [await shop.endpoint(), await shop.endpoint({ enabled_events: ['price.*'] })]
    const events = await makeEvents(shop, 25)
    await shop.settled()
    const deliveries = await shop.deliveries(endpoint)
    expect(deliveries.map(({ event }) => event)).toEqual(events)
    const path = `${PATH}/${endpoint.id}/deliveries`
    const page = await shop.get(`${path}?limit=5&starting_after=${deliveries[10]?.id}`)
    expect(page.data.map(({ event }: Body) => event)).toEqual(events.slice(5, 10).reverse())
    expect(page.has_more).toBe(true)
    expect(await shop.deliveries(other)).toEqual([])
    await refuses(shop, ['GET', `${path}?starting_after=whd_x`], unknown('starting_after'))
  })
})

describe('resending an event', () => {
  test.each<[string, Body, Refusal]>([
    ['an unknown endpoint', { webhook_endpoint: 'we_x' }, unknown('webhook_endpoint')],
    ['a number', { webhook_endpoint: 5 }, invalid('webhook_endpoint')],
    ['an empty text', { webhook_endpoint: '' }, invalid('webhook_endpoint')],
  ])('to %s is refused', async (_, body, refusal) => {
    const shop = await openShop()
    await shop.endpoint()
    const [event] = await makeEvents(shop, 1)
    await shop.settled()
    await refuses(shop, ['POST', `/v1/events/${event}/resend`, body], refusal)
  })

  test('to an endpoint that is deleted or disabled is refused', async () => {
    const shop = await openShop()
    const [gone, off] = [await shop.endpoint(), await shop.endpoint()]
    const [event] = await makeEvents(shop, 1)
    await shop.settled()
    await shop.delete(`${PATH}/${gone.id}`)
    await shop.post(`${PATH}/${off.id}`, { disabled: true })
    const path = `/v1/events/${event}/resend`
    await refuses(shop, ['POST', path, { webhook_endpoint: gone.id }], unknown('webhook_endpoint'))
    await refuses(shop, ['POST', path, { webhook_endpoint: off.id }], badState(null))
    expect((await shop.post(path)).data).toEqual([])
  })

  test('returns the deliveries that it makes', async () => {
    const shop = await openShop()
    const [event] = await makeEvents(shop, 1)
    const endpoint = await shop.endpoint()
    const { data, ...page } = await shop.post(`/v1/events/${event}/resend`)
    expect(page).toMatchObject({ object: 'list', url: `/v1/events/${event}/resend`, has_more: false })
    expect(data).toMatchObject([{ event, endpoint: endpoint.id, status: 'pending', attempts: [] }])
  })
})
