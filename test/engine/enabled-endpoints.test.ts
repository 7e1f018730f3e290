import { expect, test, vi } from 'vitest'
import { fillDisk } from '../disk.ts'
import { openTwin } from '../scenarios/story.ts'

test('the patterns of an endpoint are compared with all types only when they have changed', async () => {
  const twin = await openTwin()
  const { engine, merchant } = twin.sandbox
  const { list } = engine.store.objects
  const matched: string[] = []
  vi.spyOn(engine.store.objects, 'list').mockImplementation(function (
    this: typeof engine.store.objects,
    ...given
  ) {
    const found = Reflect.apply(list, this, given)
    if (given[0] !== 'webhook_endpoint') return found
    return found.map((endpoint) => {
      const enabled_events: string[] = [...Reflect.get(endpoint, 'enabled_events')]
      const values = [...enabled_events]
      const value = () => {
        matched.push(values.join())
        return values.values()
      }
      Object.defineProperty(enabled_events, Symbol.iterator, { value })
      return { ...endpoint, enabled_events }
    })
  })
  const create = (url: string, enabled_events: string[]) =>
    twin.post('/v1/webhook_endpoints', { url, enabled_events })
  const first = await create('http://127.0.0.1:1/', ['invoice.*'])
  const receiving = () => merchant.endpoints.receiving('invoice.paid').length
  expect(receiving()).toBe(1)
  await create('http://127.0.0.1:1/2', ['*'])
  expect(receiving()).toBe(2)
  await twin.post(`/v1/webhook_endpoints/${first.id}`, { enabled_events: ['customer.*'] })
  expect(receiving()).toBe(1)
  expect(matched).toEqual(['invoice.*', '*', 'customer.*'])
})

test('an endpoint whose creation is rolled back receives nothing, although another command has found it', async () => {
  const twin = await openTwin({ reportError: () => undefined })
  const { merchant } = twin.sandbox
  const receiving = () => merchant.endpoints.receiving('customer.created').map(({ url }) => url)
  const create = (url: string) =>
    twin.request('POST', '/v1/webhook_endpoints', { url, enabled_events: ['*'] })
  await create('http://127.0.0.1:1/')
  const makeRoom = fillDisk(twin)
  const responses = await Promise.all([
    create('http://127.0.0.1:1/2'),
    twin.request('POST', '/v1/customers', {}),
  ])
  expect(responses.map(({ status }) => status)).toEqual([500, 500])
  makeRoom()
  expect(receiving()).toEqual(['http://127.0.0.1:1/'])
})
