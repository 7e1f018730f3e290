import { describe, expect, test } from 'vitest'
import type { Version } from '../../src/http/versions.ts'
import { asOperator, expectRefusal, expectUnauthenticated, invalid } from '../http/support.ts'
import { openTwin } from '../scenarios/story.ts'
import { type Body, makeCustomer, type Twin } from '../twin.ts'
import { makeIntent, writesNothing } from './support.ts'

const [OLD, MIDDLE, NEW] = ['2025-01-01', '2026-03-09', '2026-10-01']

/** Test versions in which `title` became `name`, and refunds and customers lost a field. */
const VERSIONS: readonly Version[] = [
  { date: OLD, changes: [] },
  {
    date: MIDDLE,
    changes: [
      {
        description: 'A customer’s title is its name',
        request: (route, { title, ...params }) =>
          route.startsWith('POST /v1/customers') && title !== undefined
            ? { ...params, name: title }
            : { ...params, ...(title !== undefined && { title }) },
        response: ({ name, ...rest }) =>
          rest.object === 'customer'
            ? { ...rest, title: name }
            : name === undefined
              ? rest
              : { ...rest, name },
      },
    ],
  },
  {
    date: NEW,
    changes: [
      {
        description: 'An intent’s description is not null but empty, and its default is another',
        request: (route, params) =>
          route === 'POST /v1/payment_intents' ? { description: 'unnamed', ...params } : params,
        response: (resource) =>
          resource.object === 'payment_intent'
            ? { ...resource, description: resource.description ?? '' }
            : resource,
      },
    ],
  },
]

const open = () => openTwin({ versions: VERSIONS })
const as = (version: string) => ({ 'X-API-Version': version })
const setDefault = async (twin: Twin, api_version: string) => {
  const response = await asOperator(twin)('POST', `merchants/${twin.sandbox.merchant.settings.id}`, {
    api_version,
  })
  expect(response.body.api_version).toBe(api_version)
}

describe('an older version', () => {
  test('has its parameters converted to the current ones', async () => {
    const twin = await open()
    const { body } = await twin.request('POST', '/v1/customers', { title: 'Ada' }, as(OLD))
    expect(body).toMatchObject({ title: 'Ada' })
    expect(body).not.toHaveProperty('name')
    expect(await twin.get(`/v1/customers/${body.id}`)).toMatchObject({ name: 'Ada' })
    const today = await twin.request('POST', '/v1/customers', { title: 'Bea' }, as(MIDDLE))
    expect(today.body.name).toBeNull()
    expect(today.headers.get('Paytwin-Ignored-Params')).toBe('title')
  })

  test('shows every resource in its own form, in lists and inside others', async () => {
    const twin = await open()
    const { customer } = await makeCustomer(twin)
    const { body: list } = await twin.request('GET', '/v1/customers', undefined, as(OLD))
    expect(list.data).toMatchObject([{ title: 'Ada' }])
    await makeIntent(twin, { customer: customer.id })
    const path = '/v1/payment_intents?expand[]=data.customer'
    const { body } = await twin.request('GET', path, undefined, as(OLD))
    expect(body.data).toMatchObject([{ description: '', customer: { title: 'Ada' } }])
    expect(body.data[0].customer).not.toHaveProperty('name')
  })

  test('includes the changes of all later versions', async () => {
    const twin = await open()
    const body = { amount: 5, currency: 'usd' }
    const descriptions = []
    for (const version of [OLD, MIDDLE, NEW]) {
      const response = await twin.request('POST', '/v1/payment_intents', body, as(version))
      expect(response.headers.get('X-API-Version')).toBe(version)
      descriptions.push(response.body.description)
    }
    expect(descriptions).toEqual(['unnamed', 'unnamed', null])
  })

  test('shows an error’s intent in its own form', async () => {
    const twin = await open()
    const body = {
      amount: 5,
      currency: 'usd',
      payment_method: 'pm_card_chargeDeclined',
      confirm: true,
      description: null,
    }
    const response = await twin.request('POST', '/v1/payment_intents', body, as(MIDDLE))
    expect(response.status).toBe(402)
    expect(response.body.error.payment_intent.description).toBe('')
  })
})

describe('which version is used', () => {
  test('is set by the header, else by the account', async () => {
    const twin = await open()
    const used = async (headers = {}) =>
      (await twin.request('GET', '/v1/customers', undefined, headers)).headers.get('X-API-Version')
    expect(await used()).toBe(NEW)
    await setDefault(twin, OLD)
    expect(await used()).toBe(OLD)
    expect(await used(as(MIDDLE))).toBe(MIDDLE)
    expect(await used(as(NEW))).toBe(NEW)
  })

  test('the account’s applies to bodies too', async () => {
    const twin = await open()
    await setDefault(twin, OLD)
    expect(await twin.post('/v1/customers', { title: 'Ada' })).toMatchObject({ title: 'Ada' })
  })

  test('an account cannot get an unknown version', async () => {
    const twin = await open()
    const { id } = twin.sandbox.merchant.settings
    const response = await asOperator(twin)('POST', `merchants/${id}`, { api_version: '2020-01-01' })
    expectRefusal(response, invalid('api_version'))
  })

  test.each(['2020-01-01', '2026-3-9', 'latest', '', '2026-03-09 '.repeat(2)])(
    '%j is refused, and nothing is written',
    async (version) => {
      const twin = await open()
      await setDefault(twin, MIDDLE)
      const response = await writesNothing(twin, () => twin.request('POST', '/v1/customers', {}, as(version)))
      expectRefusal(response, invalid('X-API-Version'))
      expect(response.headers.get('X-API-Version')).toBe(MIDDLE)
    },
  )

  test('on a 401 it is the requested one, else the newest', async () => {
    const twin = await open()
    await setDefault(twin, OLD)
    for (const [headers, version] of [
      [{}, NEW],
      [as(MIDDLE), MIDDLE],
      [as('2020-01-01'), NEW],
    ] as const) {
      const response = await twin.request('GET', '/v1/customers', undefined, {
        Authorization: '',
        ...headers,
      })
      expectUnauthenticated(response)
      expect(response.headers.get('X-API-Version')).toBe(version)
    }
  })

  test('there is one version, which every merchant has', async () => {
    const twin = await openTwin()
    expect((await twin.request('GET', '/v1/customers', undefined, as('2026-03-09'))).status).toBe(200)
    expect((await asOperator(twin)('GET', 'merchants')).body.data).toMatchObject([
      { api_version: '2026-03-09' },
    ])
  })
})

describe('events', () => {
  test('keep the account’s version at their creation', async () => {
    const twin = await open()
    await setDefault(twin, OLD)
    await twin.post('/v1/customers', { title: 'Ada' })
    await setDefault(twin, NEW)
    await twin.post('/v1/customers', { name: 'Bea' })
    for (const headers of [{}, as(OLD), as(MIDDLE)]) {
      const { body } = await twin.request('GET', '/v1/events', undefined, headers)
      expect(
        body.data.map(({ api_version, data }: Body) => [api_version, data.object.name, data.object.title]),
      ).toEqual([
        [NEW, 'Bea', undefined],
        [OLD, undefined, 'Ada'],
      ])
      const single = await twin.request('GET', `/v1/events/${body.data[1].id}`, undefined, headers)
      expect(single.body).toEqual(body.data[1])
    }
  })

  test('have the account’s version, whatever the request’s version', async () => {
    const twin = await open()
    await twin.request('POST', '/v1/customers', { title: 'Ada' }, as(OLD))
    expect(await twin.events()).toMatchObject([{ api_version: NEW, data: { object: { name: 'Ada' } } }])
  })

  test('show previous attributes in that version too', async () => {
    const twin = await open()
    await setDefault(twin, OLD)
    const { id } = await twin.post('/v1/customers', { title: 'Ada' })
    await twin.post(`/v1/customers/${id}`, { title: 'Bea' })
    expect((await twin.events()).at(-1)?.data.previous_attributes).toEqual({ title: 'Ada' })
  })
})

test('a replay has the version of the first response, whatever is requested', async () => {
  const twin = await open()
  const create = (version: string, body: Body) =>
    twin.request('POST', '/v1/customers', body, { ...as(version), 'Idempotency-Key': 'k' })
  const first = await create(OLD, { title: 'Ada' })
  const again = await create(NEW, { title: 'Ada' })
  expect(again.headers.get('Idempotent-Replayed')).toBe('true')
  expect(again.headers.get('X-API-Version')).toBe(OLD)
  expect(again.body).toEqual(first.body)
})
