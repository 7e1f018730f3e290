import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Body, clientOf, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import { anotherMerchant, expectRefusal, idsOf, invalid, unknown } from './support.ts'

const LISTS = [
  'customers',
  'products',
  'prices',
  'payment_methods',
  'subscriptions',
  'invoices',
  'payment_intents',
  'charges',
  'events',
]

let twin: Twin
let strangers: Record<string, string>
beforeAll(async () => {
  twin = await startTwin()
  await fill(twin, 12)
  const { secretKey } = await anotherMerchant(twin)
  const other = clientOf(twin.sandbox, secretKey)
  await fill(other, 1)
  strangers = {}
  for (const name of LISTS) strangers[name] = (await other.get(`/v1/${name}`)).data[0].id
  // Objects without events are created before later events.
  await twin.post('/v1/payment_methods', { type: 'pix' })
  await twin.advance({ by: '1d' })
  await fill(twin, 2)
})
afterAll(() => twin.close())

/** Creates several objects of every kind. */
async function fill(client: Twin, count: number): Promise<void> {
  const price = await makePrice(client)
  for (let n = 0; n < count; n += 1) {
    await client.post('/v1/products', { name: `Plan ${n}` })
    await makePrice(client)
    await client.post('/v1/payment_methods', { type: 'boleto' })
    const { customer, method } = await makeCustomer(client)
    await client.post('/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: method.id,
      items: [{ price: price.id }],
    })
  }
}

describe.each(LISTS)('the list of %s', (name) => {
  const page = (query = ''): Promise<Body> => twin.get(`/v1/${name}?${query}`)

  test('has the form of a list, with ten entries by default', async () => {
    const list = await twin.get(`/v1/${name}`)
    expect(Object.keys(list).sort()).toEqual(['data', 'has_more', 'livemode', 'object', 'url'])
    expect(list).toMatchObject({ object: 'list', url: `/v1/${name}`, has_more: true, livemode: false })
    expect(list.data).toHaveLength(10)
  })

  test('is newest first, also within one second', async () => {
    const { data } = await page('limit=100')
    const ids = idsOf(data)
    expect(ids).toEqual([...ids].sort().reverse())
    expect(data[0].created).toBe(1769940000)
    expect(data.at(-1).created).toBe(1769853600)
  })

  test.each([1, 2, 3, 7, 100])('is the same in pages of %d, forward and backward', async (limit) => {
    const whole: string[] = []
    for (let cursor = ''; ; cursor = `&starting_after=${whole.at(-1)}`) {
      const { data, has_more } = await page(`limit=${limit}${cursor}`)
      whole.push(...idsOf(data))
      if (!has_more) break
      expect(data).toHaveLength(limit)
    }
    const all: string[] = []
    for (let cursor = ''; ; cursor = `&starting_after=${all.at(-1)}`) {
      const { data, has_more } = await page(`limit=100${cursor}`)
      all.push(...idsOf(data))
      if (!has_more) break
    }
    expect(whole).toEqual(all)

    let back: string[] = all.slice(-1)
    for (;;) {
      const { data, has_more } = await page(`limit=${limit}&ending_before=${back[0]}`)
      back = [...idsOf(data), ...back]
      if (!has_more) break
    }
    expect(back).toEqual(all)
  })

  test('ends after its last and before its first entry', async () => {
    const { data } = await page('limit=1')
    expect(await page(`ending_before=${data[0].id}`)).toMatchObject({ data: [], has_more: false })
    let last = data[0].id
    for (let more = true; more; ) {
      const next = await page(`limit=100&starting_after=${last}`)
      last = next.data.at(-1)?.id ?? last
      more = next.has_more
    }
    expect(await page(`starting_after=${last}`)).toMatchObject({ data: [], has_more: false })
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['limit[]=1', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=99999999999999999999', 'limit'],
    ['starting_after[]=x', 'starting_after'],
    ['ending_before[a]=x', 'ending_before'],
  ])('refuses %s', async (query, param) => {
    expectRefusal(await twin.request('GET', `/v1/${name}?${query}`), invalid(param))
  })

  test('refuses two cursors, known or not', async () => {
    const [first, second] = idsOf((await page('limit=2')).data)
    for (const query of [
      `starting_after=${first}&ending_before=${second}`,
      'starting_after=a&ending_before=b',
    ]) {
      expectRefusal(await twin.request('GET', `/v1/${name}?${query}`), invalid('ending_before'))
    }
  })

  test.each(['starting_after', 'ending_before'])('has no place for an unknown %s', async (param) => {
    const others = LISTS.filter((other) => other !== name)
    const [strange] = idsOf((await twin.get(`/v1/${others[0]}?limit=1`)).data)
    for (const id of [
      'nothing',
      '',
      strange,
      strangers[name],
      `${strangers[name]}x`,
      '%00',
      '__proto__',
      'é',
    ]) {
      expectRefusal(await twin.request('GET', `/v1/${name}?${param}=${id}`), unknown(param))
    }
  })
})

describe.each(LISTS.filter((name) => name !== 'payment_methods'))('the list of %s by created', (name) => {
  const count = async (query: string) => (await twin.get(`/v1/${name}?limit=100&${query}`)).data.length
  const [then, now] = [1769853600, 1769940000]

  test('accepts bounds, open and closed', async () => {
    const late = await count(`created[gt]=${then}`)
    expect(late).toBeGreaterThanOrEqual(2)
    expect(await count(`created[gte]=${now}`)).toBe(late)
    expect(await count(`created[gt]=${now}`)).toBe(0)
    expect(await count(`created[lt]=${then}`)).toBe(0)
    expect(await count(`created[lte]=${then}`)).toBe(await count(`created[lt]=${now}`))
    expect(await count(`created%5Bgte%5D=${then}&created[lte]=${now}`)).toBe(await count(''))
    expect(await count(`created[gt]=${then}&created[lt]=${now}`)).toBe(0)
  })

  test('accepts an instant', async () => {
    expect(await count(`created=${now}`)).toBe(await count(`created[gte]=${now}`))
    expect(await count(`created=${now - 1}`)).toBe(0)
    expect(await count(`created=${then}`)).toBe(await count(`created[lte]=${then}`))
  })

  test('keeps them from page to page', async () => {
    const query = `created[lte]=${then}&limit=5`
    const first = await twin.get(`/v1/${name}?${query}`)
    const second = await twin.get(`/v1/${name}?${query}&starting_after=${first.data.at(-1).id}`)
    expect(second.data).toHaveLength(5)
    expect(new Set(idsOf([...first.data, ...second.data])).size).toBe(10)
  })

  test.each([
    ['created[gt]=yesterday', 'created[gt]'],
    ['created[lte]=1.5', 'created[lte]'],
    ['created[lt]=-1', 'created[lt]'],
    ['created[gte]=', 'created[gte]'],
    ['created[gt]=1769853600&created[lt]=tomorrow', 'created[lt]'],
    ['created=now', 'created'],
    ['created=', 'created'],
    ['created=-1', 'created'],
    ['created[]=1769853600', 'created'],
  ])('refuses %s', async (query, param) => {
    expectRefusal(await twin.request('GET', `/v1/${name}?${query}`), invalid(param))
  })
})

test.each([
  ['/v1/coupons', { percent_off: 5 }],
  ['/v1/test_helpers/test_clocks', { frozen_time: 1_769_853_600 }],
])('a loop over %s deletes them all, two at a time', async (path, params) => {
  for (let n = 0; n < 5; n += 1) await twin.post(path, params)
  let deleted = 0
  for (let query = 'limit=2'; ; ) {
    const { data, has_more } = await twin.get(`${path}?${query}`)
    for (const { id } of data) await twin.delete(`${path}/${id}`)
    deleted += data.length
    if (!has_more) break
    query = `limit=2&starting_after=${data.at(-1).id}`
  }
  expect(deleted).toBe(5)
  expect((await twin.get(path)).data).toEqual([])
})
