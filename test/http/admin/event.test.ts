import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Body, clientOf, startTwin, type Twin } from '../../twin.ts'
import {
  anotherMerchant,
  asOperator,
  expectRefusal,
  idsOf,
  invalid,
  openStream,
  unknown,
} from '../support.ts'

let twin: Twin
let stranger: Twin
let other: Body
const operator = (...given: Parameters<ReturnType<typeof asOperator>>) => asOperator(twin)(...given)
const headers = () => ({ Authorization: `Bearer ${twin.sandbox.adminToken}`, Host: 'localhost' })

beforeEach(async () => {
  twin = await startTwin()
  const made = await anotherMerchant(twin)
  other = made.merchant
  stranger = clientOf(twin.sandbox, made.secretKey)
})
afterEach(() => twin.close())

/** Creates customers of both merchants alternately. Returns their names in order. */
async function fill(count: number): Promise<string[]> {
  const names: string[] = []
  for (let n = 0; n < count; n += 1) {
    for (const client of [twin, stranger]) {
      names.push(`${n} of ${client === twin ? 'ours' : 'theirs'}`)
      await client.post('/v1/payment_methods', { type: 'pix' })
      await client.post('/v1/customers', { name: names.at(-1) })
    }
  }
  return names
}
const namesOf = (events: readonly Body[]) => events.map(({ data }) => data.object.name)

describe('the events of all merchants', () => {
  test('are listed newest first, in pages', async () => {
    const names = await fill(7)
    const pages: Body[] = []
    for (let cursor = ''; ; cursor = `&starting_after=${pages.at(-1)?.id}`) {
      const { data, has_more } = (await operator('GET', `events?limit=3${cursor}`)).body
      pages.push(...data)
      if (!has_more) break
    }
    expect(namesOf(pages)).toEqual(names.reverse())
    const before = (await operator('GET', `events?limit=4&ending_before=${pages.at(-1)?.id}`)).body
    expect(idsOf(before.data)).toEqual(idsOf(pages.slice(-5, -1)))
  })

  test('are those of one merchant if given, equal to its own list', async () => {
    await fill(3)
    const { body } = await operator('GET', `events?merchant=${other.id}&limit=2`)
    const own = await stranger.get('/v1/events?limit=2')
    expect(body).toEqual({ ...own, url: '/_paytwin/events' })
    expectRefusal(await operator('GET', 'events?merchant=mer_unknown'), unknown('merchant'))
  })

  test('are those of one object if given, in pages both ways', async () => {
    await twin.post('/v1/customers', { name: 'Before' })
    const { id } = await twin.post('/v1/customers', { name: 'Ada' })
    for (let change = 0; change < 5; change += 1) {
      await twin.post(`/v1/customers/${id}`, { name: `Ada ${change}` })
      await twin.post('/v1/customers', { name: 'Another' })
    }
    const all = (await twin.get('/v1/events?limit=100')).data.filter(
      ({ data }: Body) => data.object.id === id,
    )
    const list = async (query = '') => (await operator('GET', `events?object=${id}${query}`)).body
    expect(await list()).toMatchObject({ data: all, has_more: false })
    const after = (await list(`&limit=2&starting_after=${all[1].id}`)) as Body
    expect([idsOf(after.data), after.has_more]).toEqual([idsOf(all.slice(2, 4)), true])
    const before = (await list(`&limit=2&ending_before=${all[4].id}`)) as Body
    expect([idsOf(before.data), before.has_more]).toEqual([idsOf(all.slice(2, 4)), true])
    expect((await list(`&ending_before=${all[0].id}`)).data).toEqual([])
    expect(idsOf((await list('&type=customer.created')).data)).toEqual(idsOf(all.slice(5)))
    const foreign = (await twin.get('/v1/events?limit=1')).data[0].id
    expectRefusal(
      await operator('GET', `events?object=${id}&starting_after=${foreign}`),
      unknown('starting_after'),
    )
    expectRefusal(await operator('GET', `events?object=${id}&merchant=${other.id}`), unknown('object'))
    const streamed = await twin.sandbox.app.request(`/_paytwin/events?object=${id}`, {
      headers: {
        ...headers(),
        Authorization: `Bearer ${twin.sandbox.adminToken}`,
        Accept: 'text/event-stream',
      },
    })
    expect([streamed.status, ((await streamed.json()) as Body).error.param]).toEqual([400, 'object'])
  })

  test('are shown one by one, whoever’s they are', async () => {
    await fill(1)
    for (const client of [twin, stranger]) {
      const [event] = (await client.get('/v1/events')).data
      expect((await operator('GET', `events/${event.id}`)).body).toEqual(event)
    }
    expectRefusal(await operator('GET', 'events/evt_unknown'), unknown())
  })

  test.each([
    ['object=cus_unknown', unknown('object')],
    ['type=nothing', invalid('type')],
    ['limit=0', invalid('limit')],
    ['starting_after=evt_unknown', unknown('starting_after')],
    ['starting_after=a&ending_before=b', invalid('ending_before')],
  ])('refuse %s', async (query, refusal) => {
    expectRefusal(await operator('GET', `events?${query}`), refusal)
  })
})

describe('the stream of all merchants', () => {
  test('streams events of every merchant', async () => {
    const stream = await openStream(twin, '/_paytwin/events', headers())
    const names = await fill(3)
    expect(namesOf((await stream.take(6)).map(({ data }) => data))).toEqual(names)
    await stream.close()
  })

  test('resumes across merchants without loss or repeats', async () => {
    await fill(2)
    const { data } = (await operator('GET', 'events?limit=1')).body
    const missed = await fill(150)
    const resumed = { ...headers(), 'Last-Event-ID': data[0].id }
    const stream = await openStream(twin, '/_paytwin/events', resumed)
    const live = await fill(1)
    const taken = await stream.take(302)
    expect(namesOf(taken.map((event) => event.data))).toEqual([...missed, ...live])
    await stream.close()
  })

  test('streams events of one merchant if given', async () => {
    const stream = await openStream(twin, `/_paytwin/events?merchant=${other.id}`, headers())
    await fill(2)
    const taken = await stream.take(2)
    expect(taken.map(({ data }) => data.merchant_id)).toEqual([other.id, other.id])
    await stream.close()
  })

  test('carries the headers of every response', async () => {
    const stream = await openStream(twin, '/_paytwin/events', headers())
    expect(stream.response.headers.get('Request-Id')).toMatch(/^req_/)
    expect(stream.response.headers.get('X-API-Version')).toBe('2026-03-09')
    await stream.close()
  })

  test('after an unknown event is 404', async () => {
    const unknownEvent = { Accept: 'text/event-stream', 'Last-Event-ID': 'evt_unknown' }
    expectRefusal(await operator('GET', 'events', undefined, unknownEvent), unknown('Last-Event-ID'))
  })
})
