import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Body, makeCustomer, startTwin, type Twin } from '../twin.ts'

const METERS = '/v1/billing/meters'
const EVENTS = '/v1/billing/meter_events'
const ADJUSTMENTS = '/v1/billing/meter_event_adjustments'
const DAY = 86_400
/** 1 April 2026. */
const NOW = 1_775_001_600

let twin: Twin
let customer: Body
let number = 0
beforeAll(async () => {
  twin = await startTwin({ clock: NOW })
  customer = (await makeCustomer(twin)).customer
})
afterAll(() => twin.close())

/** Creates a meter with a name of its own. */
async function make(params: Body = {}): Promise<Body> {
  number += 1
  const event_name = `calls_${number}`
  return twin.post(METERS, {
    ...{ display_name: 'Calls', event_name, default_aggregation: { formula: 'sum' } },
    ...params,
  })
}

const eventOf = ({ event_name }: Body, params: Body = {}): Body => ({
  event_name,
  payload: { stripe_customer_id: customer.id, value: '1' },
  ...params,
})

/** The usage of the customer on the day before and the day of the clock. */
async function usageOf(meter: Body): Promise<number> {
  const span = `customer=${customer.id}&start_time=${NOW - 40 * DAY}&end_time=${NOW + DAY}`
  return (await twin.get(`${METERS}/${meter.id}/event_summaries?${span}`)).data[0].aggregated_value
}

async function refused(path: string, body: Body): Promise<Body> {
  const answer = await twin.request('POST', path, body)
  expect(answer.status).toBe(400)
  return answer.body.error
}

const typesSince = async (count: number): Promise<string[]> =>
  (await twin.get(`/v1/events?limit=${count}`)).data.map(({ type }: Body) => type).reverse()

describe('a meter', () => {
  test('has the shape and the defaults of the contract', async () => {
    const meter = await make()
    expect(meter).toEqual({
      ...{ id: expect.stringMatching(/^mtr_/), object: 'billing.meter', created: NOW, livemode: false },
      ...{ merchant_id: twin.sandbox.merchant.settings.id, display_name: 'Calls', status: 'active' },
      ...{ event_name: `calls_${number}`, updated: NOW, default_aggregation: { formula: 'sum' } },
      customer_mapping: { type: 'by_id', event_payload_key: 'stripe_customer_id' },
      value_settings: { event_payload_key: 'value' },
      status_transitions: { deactivated_at: null },
    })
    expect(await twin.get(`${METERS}/${meter.id}`)).toEqual(meter)
  })

  test('is renamed, deactivated and reactivated, each with its event', async () => {
    const { id } = await make()
    await twin.post(`${METERS}/${id}`, { display_name: 'Calls' })
    const renamed = await twin.post(`${METERS}/${id}`, { display_name: 'Requests' })
    expect(renamed.display_name).toBe('Requests')
    const inactive = await twin.post(`${METERS}/${id}/deactivate`)
    expect(inactive).toMatchObject({ status: 'inactive', status_transitions: { deactivated_at: NOW } })
    expect((await twin.get(`${METERS}?status=inactive`)).data).toEqual([inactive])
    const active = await twin.post(`${METERS}/${id}/reactivate`)
    expect(active).toMatchObject({ status: 'active', status_transitions: { deactivated_at: null } })
    expect((await twin.get(`${METERS}?status=active&limit=1`)).data).toEqual([active])
    const types = ['created', 'updated', 'deactivated', 'reactivated']
    expect(await typesSince(4)).toEqual(types.map((type) => `billing.meter.${type}`))
    const [event] = (await twin.get('/v1/events?type=billing.meter.updated&limit=1')).data
    expect(event.data).toMatchObject({ object: { id }, previous_attributes: { display_name: 'Calls' } })
  })

  test('keeps its name for itself, also while it is inactive', async () => {
    const { id, event_name } = await make()
    await twin.post(`${METERS}/${id}/deactivate`)
    const body = { display_name: 'Other', event_name, default_aggregation: { formula: 'last' } }
    expect(await refused(METERS, body)).toMatchObject({ code: 'parameter_invalid', param: 'event_name' })
  })

  test.each([
    ['deactivate', 'twice', ['deactivate']],
    ['reactivate', 'while it is active', []],
  ])('refuses to %s %s', async (action, _, before) => {
    const { id } = await make()
    for (const each of before) await twin.post(`${METERS}/${id}/${each}`)
    const error = await refused(`${METERS}/${id}/${action}`, {})
    expect(error).toMatchObject({ code: 'invalid_state_transition', param: 'status' })
  })

  test.each(['event_name', 'default_aggregation', 'customer_mapping', 'value_settings'])(
    'refuses to change %s',
    async (name) => {
      const meter = await make()
      const error = await refused(`${METERS}/${meter.id}`, { display_name: 'Renamed', [name]: meter[name] })
      expect(error).toMatchObject({ code: 'parameter_unknown', param: name })
      expect(error.message).toMatch(/cannot be changed/)
      expect(await twin.get(`${METERS}/${meter.id}`)).toEqual(meter)
    },
  )

  test.each<[string, Body]>([
    ['default_aggregation[formula]', { default_aggregation: { formula: 'max' } }],
    ['customer_mapping[type]', { customer_mapping: { type: 'by_email', event_payload_key: 'x' } }],
    ['event_time_window', { event_time_window: 'day' }],
    ['display_name', { display_name: '' }],
    [
      'customer_mapping[event_payload_key]',
      { customer_mapping: { type: 'by_id', event_payload_key: '__proto__' } },
    ],
    ['value_settings[event_payload_key]', { value_settings: { event_payload_key: 'constructor' } }],
  ])('refuses an invalid %s', async (param, params) => {
    const body = {
      display_name: 'A',
      event_name: 'refused',
      default_aggregation: { formula: 'sum' },
      ...params,
    }
    expect(await refused(METERS, body)).toMatchObject({ param })
  })
})

describe('a metered price', () => {
  const price = { unit_amount: 5, currency: 'usd' }
  const create = (recurring: Body) => twin.request('POST', '/v1/prices', { ...price, recurring })

  test('has its meter', async () => {
    const { id: meter } = await make()
    const recurring = { interval: 'month', usage_type: 'metered', meter }
    const { status, body } = await create(recurring)
    expect(status).toBe(201)
    expect(body.recurring).toEqual({ interval_count: 1, ...recurring })
    const expanded = await twin.get(`/v1/prices/${body.id}?expand[]=recurring.meter`)
    expect(expanded.recurring.meter).toMatchObject({ id: meter, object: 'billing.meter' })
  })

  test('needs an active meter, which a licensed price cannot have', async () => {
    const { id: meter } = await make()
    const param = 'recurring[meter]'
    const missing = await create({ interval: 'month', usage_type: 'metered' })
    expect(missing).toMatchObject({ status: 400, body: { error: { code: 'parameter_missing', param } } })
    for (const usage_type of ['licensed', undefined]) {
      const licensed = await create({ interval: 'month', meter, usage_type })
      expect(licensed).toMatchObject({ status: 400, body: { error: { code: 'parameter_invalid', param } } })
    }
    const unknown = await create({ interval: 'month', usage_type: 'metered', meter: 'mtr_unknown' })
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'resource_missing', param } } })
    await twin.post(`${METERS}/${meter}/deactivate`)
    const inactive = await create({ interval: 'month', usage_type: 'metered', meter })
    expect(inactive).toMatchObject({ status: 400, body: { error: { code: 'parameter_invalid', param } } })
  })

  test('cannot be created with another object', async () => {
    const { id: meter } = await make()
    const recurring = { interval: 'month', usage_type: 'metered', meter }
    const default_price_data = { ...price, recurring }
    const error = await refused('/v1/products', { name: 'A', default_price_data })
    expect(error.param).toBe('default_price_data[recurring][usage_type]')
  })

  test('of an inactive meter stays with its items, but nothing new can be subscribed to it', async () => {
    const { id: meter } = await make()
    const metered = (await create({ interval: 'month', usage_type: 'metered', meter })).body
    const licensed = (await create({ interval: 'month' })).body
    const { customer: payer, method } = await makeCustomer(twin)
    const base = { customer: payer.id, currency: 'usd', default_payment_method: method.id }
    const before = await twin.post('/v1/subscriptions', { ...base, items: [{ price: metered.id }] })
    const other = await twin.post('/v1/subscriptions', { ...base, items: [{ price: licensed.id }] })
    await twin.post(`${METERS}/${meter}/deactivate`)
    const items = [{ price: licensed.id }, { price: metered.id }]
    const param = 'items[1][price]'
    const error = await refused('/v1/subscriptions', { ...base, items })
    expect(error).toMatchObject({ code: 'parameter_invalid', param })
    expect(error.message).toContain(`uses the meter '${meter}', which is inactive`)
    const added = { items: [{ price: metered.id }] }
    expect(await refused(`/v1/subscriptions/${other.id}`, added)).toMatchObject({ param: 'items[0][price]' })
    const phases = [{ items }]
    expect(await refused('/v1/subscription_schedules', { customer: payer.id, phases })).toMatchObject({
      param: 'phases[0][items][1][price]',
    })
    const kept = await twin.post(`/v1/subscriptions/${before.id}`, { items: [{ price: licensed.id }] })
    expect(kept.items.data).toHaveLength(2)
  })

  test('takes no quantity in a subscription', async () => {
    const { id: meter } = await make()
    const metered = (await create({ interval: 'month', usage_type: 'metered', meter })).body
    const licensed = (await create({ interval: 'month' })).body
    const { customer: payer, method } = await makeCustomer(twin)
    const base = { customer: payer.id, currency: 'usd', default_payment_method: method.id }
    const with1 = { ...base, items: [{ price: licensed.id }, { price: metered.id, quantity: 1 }] }
    expect(await refused('/v1/subscriptions', with1)).toMatchObject({
      code: 'parameter_invalid',
      param: 'items[1][quantity]',
    })
    const { id, items } = await twin.post('/v1/subscriptions', { ...base, items: [{ price: metered.id }] })
    expect(items.data[0].quantity).toBeNull()
    const update = { items: [{ id: items.data[0].id, quantity: 2 }] }
    expect(await refused(`/v1/subscriptions/${id}`, update)).toMatchObject({ param: 'items[0][quantity]' })
    const added = { items: [{ price: licensed.id }, { id: items.data[0].id, quantity: 2 }] }
    expect(await refused(`/v1/subscriptions/${id}`, added)).toMatchObject({ param: 'items[1][quantity]' })
    expect((await twin.get(`/v1/subscriptions/${id}`)).items.data).toHaveLength(1)
  })
})

describe('a meter event', () => {
  test('is answered as it was received, and adds to the usage', async () => {
    const meter = await make()
    const payload = { stripe_customer_id: customer.id, value: '2.5', model: 'small' }
    const event = await twin.post(EVENTS, eventOf(meter, { payload, identifier: 'one' }))
    expect(event).toEqual({
      ...{ object: 'billing.meter_event', created: NOW, livemode: false, timestamp: NOW },
      ...{ merchant_id: twin.sandbox.merchant.settings.id, event_name: meter.event_name },
      ...{ identifier: 'one', payload },
    })
    const generated = await twin.post(EVENTS, eventOf(meter, { timestamp: NOW - 35 * DAY }))
    expect(generated.identifier).toMatch(/^mtrevt_/)
    await twin.post(EVENTS, eventOf(meter, { timestamp: NOW + 300 }))
    expect(await usageOf(meter)).toBe(4.5)
  })

  test('uses the keys of its meter, and emits nothing', async () => {
    const meter = await make({
      customer_mapping: { type: 'by_id', event_payload_key: 'who' },
      value_settings: { event_payload_key: 'tokens' },
    })
    const [newest] = (await twin.get('/v1/events?limit=1')).data
    await twin.post(EVENTS, eventOf(meter, { payload: { who: customer.id, tokens: '12' } }))
    expect(await usageOf(meter)).toBe(12)
    expect((await twin.get('/v1/events?limit=1')).data).toEqual([newest])
    const payload = { stripe_customer_id: customer.id, value: '1' }
    expect(await refused(EVENTS, eventOf(meter, { payload }))).toMatchObject({ param: 'payload[tokens]' })
  })

  test.each(['toString', 'hasOwnProperty'])('finds the key %s only in the payload itself', async (key) => {
    const ofCustomer = await make({ customer_mapping: { type: 'by_id', event_payload_key: key } })
    const payload = { stripe_customer_id: customer.id, value: '1' }
    const missing = { code: 'parameter_missing', param: `payload[${key}]` }
    expect(await refused(EVENTS, eventOf(ofCustomer, { payload }))).toMatchObject(missing)
    const ofValue = await make({ value_settings: { event_payload_key: key } })
    expect(await refused(EVENTS, eventOf(ofValue, { payload }))).toMatchObject(missing)
    await twin.post(EVENTS, eventOf(ofValue, { payload: { ...payload, [key]: '2' } }))
    expect(await usageOf(ofValue)).toBe(2)
  })

  test.each<[string, string, Body]>([
    ['unknown event name', 'event_name', { event_name: 'unknown' }],
    ['missing customer', 'payload[stripe_customer_id]', { payload: { value: '1' } }],
    [
      'unknown customer',
      'payload[stripe_customer_id]',
      { payload: { stripe_customer_id: 'cus_x', value: '1' } },
    ],
    ['timestamp too old', 'timestamp', { timestamp: NOW - 35 * DAY - 1 }],
    ['timestamp too new', 'timestamp', { timestamp: NOW + 301 }],
    ['timestamp of milliseconds', 'timestamp', { timestamp: NOW * 1000 }],
    ['empty identifier', 'identifier', { identifier: '' }],
    ['long identifier', 'identifier', { identifier: 'x'.repeat(101) }],
    ['missing payload', 'payload', { payload: undefined }],
    ['payload that is no object', 'payload', { payload: 'x' }],
  ])('is refused with an %s', async (_, param, params) => {
    const meter = await make()
    expect(await refused(EVENTS, eventOf(meter, params))).toMatchObject({ param })
    expect(await usageOf(meter)).toBe(0)
  })

  test.each([
    ...['', 'many', '1e3', '0x10', '1,5', ' 1', '.5', '5.', '+1', '--1', 'NaN', 'Infinity'],
    ...['1000000000000', '0.0000000000001'],
  ])('is refused with the value %j', async (value) => {
    const meter = await make()
    const payload = { stripe_customer_id: customer.id, value }
    expect(await refused(EVENTS, eventOf(meter, { payload }))).toMatchObject({ param: 'payload[value]' })
    expect(await usageOf(meter)).toBe(0)
  })

  test('is refused when its meter is inactive, its customer deleted or its identifier known', async () => {
    const meter = await make()
    const { id } = await twin.post('/v1/customers', {})
    await twin.request('DELETE', `/v1/customers/${id}`)
    const payload = { stripe_customer_id: id, value: '1' }
    const ofDeleted = await refused(EVENTS, eventOf(meter, { payload }))
    expect(ofDeleted).toMatchObject({ param: 'payload[stripe_customer_id]' })
    await twin.post(EVENTS, eventOf(meter, { identifier: 'known' }))
    const other = await make()
    for (const each of [meter, other])
      expect(await refused(EVENTS, eventOf(each, { identifier: 'known' }))).toMatchObject({
        param: 'identifier',
      })
    await twin.post(`${METERS}/${meter.id}/deactivate`)
    expect(await refused(EVENTS, eventOf(meter))).toMatchObject({ param: 'event_name' })
    expect([await usageOf(meter), await usageOf(other)]).toEqual([1, 0])
  })

  test('uses the test clock of its customer, with which it is deleted', async () => {
    const meter = await make()
    const clock = await twin.post('/v1/test_helpers/test_clocks', { frozen_time: NOW + 100 * DAY })
    const late = await twin.post('/v1/customers', { test_clock: clock.id })
    const payload = { stripe_customer_id: late.id, value: '3' }
    const event = await twin.post(EVENTS, eventOf(meter, { payload }))
    expect(event).toMatchObject({ created: NOW + 100 * DAY, timestamp: NOW + 100 * DAY })
    expect(await refused(EVENTS, eventOf(meter, { payload, timestamp: NOW }))).toMatchObject({
      param: 'timestamp',
    })
    const { meterEvents } = twin.sandbox.engine.store
    const merchant = twin.sandbox.merchant.settings.ordinal
    expect(meterEvents.find(merchant, event.identifier)).toMatchObject({ customer: late.id })
    await twin.request('DELETE', `/v1/test_helpers/test_clocks/${clock.id}`)
    expect(meterEvents.find(merchant, event.identifier)).toBeUndefined()
  })
})

describe('an adjustment', () => {
  const cancel = (meter: Body, identifier: string) => ({
    event_name: meter.event_name,
    type: 'cancel',
    cancel: { identifier },
  })

  test('cancels an event once', async () => {
    const meter = await make()
    const { identifier } = await twin.post(EVENTS, eventOf(meter))
    await twin.post(EVENTS, eventOf(meter, { payload: { stripe_customer_id: customer.id, value: '4' } }))
    expect(await twin.post(ADJUSTMENTS, cancel(meter, identifier))).toEqual({
      ...{ object: 'billing.meter_event_adjustment', livemode: false, status: 'complete' },
      ...{ merchant_id: twin.sandbox.merchant.settings.id, ...cancel(meter, identifier) },
    })
    expect(await usageOf(meter)).toBe(4)
    expect(await refused(ADJUSTMENTS, cancel(meter, identifier))).toMatchObject({
      param: 'cancel[identifier]',
    })
    expect(await refused(EVENTS, eventOf(meter, { identifier }))).toMatchObject({ param: 'identifier' })
  })

  test('refuses an unknown event, one of another meter, and one that is older than a day', async () => {
    const [meter, other] = [await make(), await make()]
    const { identifier } = await twin.post(EVENTS, eventOf(meter))
    const param = 'cancel[identifier]'
    expect(await refused(ADJUSTMENTS, cancel(meter, 'unknown'))).toMatchObject({ param })
    expect(await refused(ADJUSTMENTS, cancel(other, identifier))).toMatchObject({ param })
    const missing = { event_name: meter.event_name, type: 'cancel' }
    expect(await refused(ADJUSTMENTS, missing)).toMatchObject({ code: 'parameter_missing' })

    const clock = await twin.post('/v1/test_helpers/test_clocks', { frozen_time: NOW })
    const { id } = await twin.post('/v1/customers', { test_clock: clock.id })
    const event = eventOf(meter, { payload: { stripe_customer_id: id, value: '1' } })
    const old = await twin.post(EVENTS, { ...event, identifier: 'old' })
    await twin.post(`/v1/test_helpers/test_clocks/${clock.id}/advance`, { by: '1d' })
    await twin.post(EVENTS, { ...event, identifier: 'young' })
    await twin.post(`/v1/test_helpers/test_clocks/${clock.id}/advance`, { by: '1s' })
    expect(await refused(ADJUSTMENTS, cancel(meter, old.identifier))).toMatchObject({ param })
    await twin.post(ADJUSTMENTS, cancel(meter, 'young'))
  })
})

describe('event summaries', () => {
  const summaries = (meter: Body, query: string) =>
    twin.get(`${METERS}/${meter.id}/event_summaries?customer=${customer.id}&${query}`)
  const values = ({ data }: Body): string[] =>
    data.map((each: Body) => `${each.start_time - NOW} ${each.end_time - NOW} ${each.aggregated_value}`)

  test.each([
    ['sum', ['-3600 0 6', '-10800 -7200 8']],
    ['count', ['-3600 0 2', '-10800 -7200 1']],
    ['last', ['-3600 0 2', '-10800 -7200 8']],
  ])('group the %s by hour, newest first', async (formula, expected) => {
    const meter = await make({ default_aggregation: { formula } })
    for (const [value, before] of [
      [1, 86_400],
      [8, 7201],
      [4, 3600],
      [2, 1],
    ] as const) {
      const payload = { stripe_customer_id: customer.id, value: String(value) }
      await twin.post(EVENTS, eventOf(meter, { payload, timestamp: NOW - before }))
    }
    const span = `start_time=${NOW - 86_400 + 3600}&end_time=${NOW}&value_grouping_window=hour`
    const page = await summaries(meter, span)
    expect(values(page)).toEqual(expected)
    expect(page.data[0]).toMatchObject({ object: 'billing.meter_event_summary', meter: meter.id })
    const next = await summaries(meter, `${span}&limit=1&starting_after=${page.data[0].id}`)
    expect([values(next), next.has_more]).toEqual([expected.slice(1), false])
    const previous = await summaries(meter, `${span}&limit=1&ending_before=${page.data[1].id}`)
    expect([values(previous), previous.has_more]).toEqual([expected.slice(0, 1), false])
    const days = await summaries(
      meter,
      `start_time=${NOW - 86_400}&end_time=${NOW + 86_400}&value_grouping_window=day`,
    )
    expect(values(days).map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual(['-86400 0'])
  })

  test('without a window are one, also without usage', async () => {
    const meter = await make()
    const span = `start_time=${NOW - 60}&end_time=${NOW}`
    const page = await summaries(meter, span)
    expect(values(page)).toEqual(['-60 0 0'])
    expect(values(await summaries(meter, `${span}&starting_after=${page.data[0].id}`))).toEqual([])
    expect(values(await summaries(meter, `${span}&ending_before=${page.data[0].id}`))).toEqual([])
  })

  test.each(['starting_after', 'ending_before'])(
    'refuse an unknown id, or that of another span, as %s',
    async (param) => {
      const meter = await make()
      await twin.post(EVENTS, eventOf(meter, { timestamp: NOW - 1 }))
      const span = `start_time=${NOW - DAY}&end_time=${NOW}`
      const [hour] = (await summaries(meter, `${span}&value_grouping_window=hour`)).data
      for (const [id, window] of [
        ['mtrusg_x', 'hour'],
        [hour.id, 'day'],
      ]) {
        const path = `${METERS}/${meter.id}/event_summaries?customer=${customer.id}&${span}&value_grouping_window=${window}&${param}=${id}`
        expect(await twin.request('GET', path)).toMatchObject({
          ...{ status: 404, body: { error: { code: 'resource_missing', param } } },
        })
      }
    },
  )

  test.each<[string, string]>([
    ['start_time', `start_time=${NOW + 1}&end_time=${NOW + 60}`],
    ['end_time', `start_time=${NOW}&end_time=${NOW + 3660}&value_grouping_window=hour`],
    ['start_time', `start_time=${NOW + 3600}&end_time=${NOW + DAY}&value_grouping_window=day`],
    ['end_time', `start_time=${NOW}&end_time=${NOW}`],
    ['value_grouping_window', `start_time=${NOW}&end_time=${NOW + DAY}&value_grouping_window=month`],
  ])('refuse an invalid %s', async (param, query) => {
    const { id } = await make()
    const path = `${METERS}/${id}/event_summaries?customer=${customer.id}&${query}`
    const { status, body } = await twin.request('GET', path)
    expect({ status, param: body.error.param }).toEqual({ status: 400, param })
  })

  test('of an unknown customer are 404', async () => {
    const { id } = await make()
    const path = `${METERS}/${id}/event_summaries?customer=cus_x&start_time=${NOW}&end_time=${NOW + 60}`
    expect(await twin.request('GET', path)).toMatchObject({
      status: 404,
      body: { error: { param: 'customer' } },
    })
  })
})
