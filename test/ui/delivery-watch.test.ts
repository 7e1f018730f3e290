import { afterEach, expect, test } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { readDeliveries } from '../../src/ui/delivery-watch.ts'
import { type FakeServer, fakeServer, json } from '../client/server.ts'
import { NOW, sampleDelivery, sampleEvent } from './samples.ts'

let server: FakeServer
afterEach(() => server.close())

const list = (...data: object[]) => ({ object: 'list', url: '', has_more: false, data, livemode: false })
const delivery = (n: number, created: number, endpoint: string) => {
  const { event_type, endpoint_url, ...fields } = sampleDelivery(n, { created, endpoint })
  return fields
}

/** Two merchants with an endpoint each. Event 3 is gone. */
const RESPONSES: Readonly<Record<string, object>> = {
  '/_paytwin/merchants': list({ id: 'mer_1' }, { id: 'mer_2' }),
  '/_paytwin/webhooks?merchant=mer_1&limit=100': list({ id: 'we_1', url: 'http://a/1' }),
  '/_paytwin/webhooks?merchant=mer_2&limit=100': list({ id: 'we_2', url: 'http://b/2' }),
  '/_paytwin/webhooks/we_1/deliveries?limit=100': list(
    delivery(3, NOW + 2, 'we_1'),
    delivery(1, NOW, 'we_1'),
  ),
  '/_paytwin/webhooks/we_2/deliveries?limit=100': list(delivery(2, NOW + 1, 'we_2')),
  '/_paytwin/events/evt_1?form=merchant': { ...sampleEvent(1), livemode: false },
  '/_paytwin/events/evt_2?form=merchant': { ...sampleEvent(2, { type: 'invoice.paid' }), livemode: false },
}

async function daemon(): Promise<Client> {
  server = await fakeServer(({ url = '' }, response) => {
    const body = RESPONSES[url.replace(/\?$/, '')]
    const missing = { error: { code: 'resource_missing', message: `No such event: ${url}` }, livemode: false }
    json(response, body ? 200 : 404, body ?? missing)
  })
  return new Client({ url: server.url, token: null })
}

test('deliveries of all merchants have the types of their events and the URLs of their endpoints, oldest first', async () => {
  const read = await readDeliveries(await daemon(), undefined, new Map())
  expect(read?.map(({ id, event_type, endpoint_url }) => [id, event_type, endpoint_url])).toEqual([
    ['whd_1', 'customer.created', 'http://a/1'],
    ['whd_2', 'invoice.paid', 'http://b/2'],
    ['whd_3', 'evt_3', 'http://a/1'],
  ])
})

test('types of events are read once, and only the given merchant is asked for', async () => {
  const types = new Map<string, string>()
  const client = await daemon()
  await readDeliveries(client, 'mer_1', types)
  const before = server.requests.length
  await readDeliveries(client, 'mer_1', types)
  expect(server.requests.slice(before).map(({ url }) => url)).toEqual([
    '/_paytwin/webhooks?merchant=mer_1&limit=100',
    '/_paytwin/webhooks/we_1/deliveries?limit=100',
  ])
})

test('nothing is read while no daemon answers', async () => {
  await daemon()
  const away = new Client({ url: 'http://127.0.0.1:1', token: null })
  expect(await readDeliveries(away, 'mer_1', new Map())).toBeUndefined()
})
