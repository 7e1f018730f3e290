import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { beginAdvance } from '../../src/engine/machine/begin-advance.ts'
import { deleteTestClock } from '../../src/engine/resources/test-clock.ts'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'
import {
  anotherMerchant,
  asOperator,
  eventsOf,
  expectRefusal,
  expectRefused,
  idsOf,
  invalid,
  missing,
  typesOf,
  unknown,
} from './support.ts'

const PATH = '/v1/test_helpers/test_clocks'
const NOW = 1769853600
/** 29 February 2028. */
const LEAP_DAY = 1835431200
const DAY = 86_400

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(() => twin.close())

const makeClock = (frozen_time = LEAP_DAY, params: Body = {}) => twin.post(PATH, { frozen_time, ...params })

/** A monthly subscription of a new customer, on a test clock or on the main one. */
const subscribeOn = async (test_clock?: string) => {
  const price = await makePrice(twin)
  const customer = await twin.post('/v1/customers', test_clock ? { test_clock } : {})
  return twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: 'pm_card_visa',
    items: [{ price: price.id }],
  })
}

describe('a test clock', () => {
  test('stands still anywhere, before the main clock or after it', async () => {
    for (const frozen_time of [0, NOW - 1, NOW, LEAP_DAY]) {
      const clock = await makeClock(frozen_time, { name: 'Leap day' })
      expect(clock).toEqual({
        id: expect.stringMatching(/^clock_[A-Za-z0-9]{14,}$/),
        object: 'test_clock',
        created: NOW,
        name: 'Leap day',
        mode: 'frozen',
        now: frozen_time,
        frozen_time,
        status: 'ready',
        target: null,
        livemode: false,
        merchant_id: twin.sandbox.merchant.settings.id,
      })
      expect(await twin.get(`${PATH}/${clock.id}`)).toEqual(clock)
    }
  })

  test('needs no name', async () => {
    expect((await makeClock()).name).toBeNull()
  })

  test('is made by a POST that returns 201, in a form too', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const { status, body } = await twin.request('POST', PATH, `frozen_time=${LEAP_DAY}`, form)
    expect([status, body.frozen_time]).toEqual([201, LEAP_DAY])
  })

  test.each([
    [{}, missing('frozen_time')],
    [{ frozen_time: '2028-02-29' }, invalid('frozen_time')],
    [{ frozen_time: -1 }, invalid('frozen_time')],
    [{ frozen_time: LEAP_DAY, name: 7 }, invalid('name')],
  ])('is not made from %j', async (body, refusal) => {
    await expectRefused(twin, ['POST', PATH, body], refusal)
    expect((await twin.get(PATH)).data).toEqual([])
  })

  test('is rolled back with a request that fails in the end', async () => {
    const body = { frozen_time: LEAP_DAY, expand: ['zebra'] }
    await expectRefused(twin, ['POST', PATH, body], invalid('expand'))
    const first = await makeClock()
    expect((await twin.get(PATH)).data).toEqual([first])
  })

  test('is listed newest first, in pages both ways', async () => {
    const made: string[] = []
    for (let n = 0; n < 5; n += 1) made.unshift((await makeClock(NOW + n)).id)
    const page = async (query: string) => {
      const { data, has_more, url } = await twin.get(`${PATH}?${query}`)
      expect(url).toBe(PATH)
      return [idsOf(data), has_more]
    }
    expect(await page('')).toEqual([made, false])
    expect(await page('limit=2')).toEqual([made.slice(0, 2), true])
    expect(await page(`limit=2&starting_after=${made[1]}`)).toEqual([made.slice(2, 4), true])
    expect(await page(`limit=2&starting_after=${made[3]}`)).toEqual([made.slice(4), false])
    expect(await page(`limit=2&ending_before=${made[3]}`)).toEqual([made.slice(1, 3), true])
    expectRefusal(await twin.request('GET', `${PATH}?starting_after=x`), unknown('starting_after'))
  })

  test('is not seen by another merchant', async () => {
    const { id } = await makeClock()
    const { secretKey } = await anotherMerchant(twin)
    const headers = { Authorization: `Bearer ${secretKey}` }
    for (const [method, path, body] of [
      ['GET', `${PATH}/${id}`],
      ['DELETE', `${PATH}/${id}`],
      ['POST', `${PATH}/${id}/advance`, { by: '1d' }],
      ['POST', `${PATH}/${id}/cancel`],
    ] as const) {
      expectRefusal(await twin.request(method, path, body, headers), unknown())
    }
    const refused = await twin.request('POST', '/v1/customers', { test_clock: id }, headers)
    expectRefusal(refused, unknown('test_clock'))
    expect((await twin.request('GET', PATH, undefined, headers)).body.data).toEqual([])
  })
})

describe('a customer on a test clock', () => {
  test('names it, and is made at its instant, with its event', async () => {
    const { id } = await makeClock()
    const customer = await twin.post('/v1/customers', { test_clock: id })
    expect(customer).toMatchObject({ test_clock: id, created: LEAP_DAY })
    const [event] = (await twin.get('/v1/events?limit=1')).data
    expect(event).toMatchObject({ type: 'customer.created', created: LEAP_DAY })
  })

  test.each([['clock_unknown'], ['']])('is not made on %j', async (test_clock) => {
    const { status, body } = await twin.request('POST', '/v1/customers', { test_clock })
    expect([status, body.error.param]).toEqual([test_clock ? 404 : 400, 'test_clock'])
  })

  test('is not made on the main clock, or on a deleted one', async () => {
    const main = await twin.get('/v1/test_helpers/clock')
    const gone = await makeClock()
    await twin.delete(`${PATH}/${gone.id}`)
    for (const test_clock of [main.id, gone.id]) {
      await expectRefused(twin, ['POST', '/v1/customers', { test_clock }], unknown('test_clock'))
    }
  })

  test.each([
    ['before', NOW - 400 * DAY],
    ['after', LEAP_DAY],
  ])('has all that belongs to it made at its instant, %s the main clock', async (_, instant) => {
    const clock = await makeClock(instant)
    const price = await makePrice(twin)
    const events = await eventsOf(twin, async () => {
      const customer = await twin.post('/v1/customers', { test_clock: clock.id })
      const own = { customer: customer.id }
      await twin.post(`/v1/customers/${customer.id}`, { name: 'Ada' })
      const method = await twin.post('/v1/payment_methods/pm_card_visa/attach', own)
      const made = [
        customer,
        method,
        await twin.post('/v1/invoiceitems', { ...own, amount: 500, currency: 'usd' }),
      ]
      const invoice = await twin.post('/v1/invoices', { ...own, collection_method: 'send_invoice' })
      made.push(invoice)
      expect(await twin.post(`/v1/invoices/${invoice.id}/finalize`)).toMatchObject({
        test_clock: clock.id,
        status_transitions: { finalized_at: instant },
      })
      const sent = { payment_method: method.id }
      expect(await twin.post(`/v1/invoices/${invoice.id}/pay`, sent)).toMatchObject({
        status_transitions: { paid_at: instant },
      })
      const intent = await twin.post('/v1/payment_intents', { ...own, amount: 700, currency: 'usd' })
      const confirmed = await twin.post(`/v1/payment_intents/${intent.id}/confirm`, sent)
      made.push(intent, await twin.get(`/v1/charges/${confirmed.latest_charge}`))
      made.push(await twin.post('/v1/refunds', { charge: confirmed.latest_charge }))
      const dropped = await twin.post('/v1/payment_intents', { ...own, amount: 1, currency: 'usd' })
      expect((await twin.post(`/v1/payment_intents/${dropped.id}/cancel`)).canceled_at).toBe(instant)
      const subscription = await twin.post('/v1/subscriptions', {
        ...own,
        currency: 'usd',
        default_payment_method: 'pm_card_mastercard',
        items: [{ price: price.id }],
      })
      made.push(subscription, await twin.get(`/v1/invoices/${subscription.latest_invoice}`))
      expect(subscription).toMatchObject({
        test_clock: clock.id,
        start_date: instant,
        billing_cycle_anchor: instant,
        current_period_start: instant,
      })
      await twin.delete(`/v1/subscriptions/${subscription.id}`)
      expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
        canceled_at: instant,
        ended_at: instant,
      })
      await twin.post(`/v1/payment_methods/${method.id}/detach`)
      await twin.delete(`/v1/customers/${customer.id}`)
      expect(made.map(({ object, created }) => [object, created])).toEqual(
        made.map(({ object }) => [object, instant]),
      )
    })
    expect(events.length).toBeGreaterThan(20)
    expect(events.map(({ type, created }) => [type, created])).toEqual(
      events.map(({ type }) => [type, instant]),
    )
  })

  test('has the future of its clock: a time in its past is refused, even if it is in the future elsewhere', async () => {
    const clock = await makeClock()
    const price = await makePrice(twin)
    const customer = await twin.post('/v1/customers', { test_clock: clock.id })
    const body = {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: 'pm_card_visa',
      items: [{ price: price.id }],
    }
    const between = { ...body, trial_end: NOW + DAY }
    expectRefusal(await twin.request('POST', '/v1/subscriptions', between), invalid('trial_end'))
    const { id } = await twin.post('/v1/subscriptions', body)
    const path = `/v1/subscriptions/${id}`
    expectRefusal(await twin.request('POST', path, { cancel_at: NOW + DAY }), invalid('cancel_at'))
    expect((await twin.post(path, { cancel_at: LEAP_DAY + DAY })).cancel_at).toBe(LEAP_DAY + DAY)
  })
})

describe('an advance', () => {
  test('moves only the customers of its clock', async () => {
    const clock = await makeClock(NOW)
    const other = await makeClock(NOW)
    const [own, others, mains] = [
      await subscribeOn(clock.id),
      await subscribeOn(other.id),
      await subscribeOn(),
    ]
    const moved = await twin.post(`${PATH}/${clock.id}/advance`, { by: '1mo' })
    expect(moved).toMatchObject({
      object: 'test_clock',
      now: 1772272800,
      frozen_time: 1772272800,
      status: 'ready',
      summary: { jobs: 1, events: 6, invoices_paid: 1, payments_failed: 0, stopped_on: null },
    })
    const startOf = async ({ id }: Body) => (await twin.get(`/v1/subscriptions/${id}`)).current_period_start
    expect(await Promise.all([own, others, mains].map(startOf))).toEqual([1772272800, NOW, NOW])
    expect((await twin.get('/v1/test_helpers/clock')).now).toBe(NOW)
    await twin.advance({ by: '1mo' })
    expect(await Promise.all([own, others, mains].map(startOf))).toEqual([1772272800, NOW, 1772272800])
    expect((await twin.get(`${PATH}/${clock.id}`)).now).toBe(1772272800)
  })

  test.each<[Body, number]>([
    [{ frozen_time: LEAP_DAY + DAY }, LEAP_DAY + DAY],
    [{ to: LEAP_DAY + DAY }, LEAP_DAY + DAY],
    [{ to: '2028-03-01T10:00:00Z' }, LEAP_DAY + DAY],
    [{ by: '1y' }, 1866967200],
  ])('goes by %j to %i', async (params, end) => {
    const { id } = await makeClock()
    expect((await twin.post(`${PATH}/${id}/advance`, params)).now).toBe(end)
  })

  test.each<[Body, ReturnType<typeof invalid>]>([
    [{}, missing('to')],
    [{ frozen_time: LEAP_DAY }, invalid('frozen_time')],
    [{ frozen_time: NOW }, invalid('frozen_time')],
    [{ to: NOW }, invalid('to')],
    [{ by: '0s' }, invalid('by')],
    [{ frozen_time: LEAP_DAY + DAY, by: '1d' }, invalid('by')],
    [{ frozen_time: LEAP_DAY + DAY, to: LEAP_DAY + DAY }, invalid('to')],
    [{ by: '1d', stop_on: ['zebra'] }, invalid('stop_on[0]')],
  ])('is refused for %j', async (params, refusal) => {
    const { id } = await makeClock()
    await expectRefused(twin, ['POST', `${PATH}/${id}/advance`, params], refusal)
    expect((await twin.get(`${PATH}/${id}`)).now).toBe(LEAP_DAY)
  })

  test('stops on the given event', async () => {
    const { id } = await makeClock(NOW)
    await subscribeOn(id)
    const stopped = await twin.post(`${PATH}/${id}/advance`, { by: '1y', stop_on: ['invoice.paid'] })
    expect(stopped).toMatchObject({ now: 1772272800, summary: { stopped_on: 'invoice.paid' } })
  })

  test('is listed by upcoming, for its clock only', async () => {
    const { id } = await makeClock(NOW)
    const own = await subscribeOn(id)
    const main = await subscribeOn()
    const upcoming = async (query: string) =>
      (await twin.get(`/v1/test_helpers/upcoming${query}`)).data.map(({ subscription }: Body) => subscription)
    expect(await upcoming(`?test_clock=${id}`)).toEqual([own.id])
    expect(await upcoming('')).toEqual([main.id])
    const refused = await twin.request('GET', '/v1/test_helpers/upcoming?test_clock=clock_x')
    expectRefusal(refused, unknown('test_clock'))
  })
})

describe('deleting a test clock', () => {
  test('keeps an advance from beginning that arrives together with the deletion', async () => {
    const reported: unknown[] = []
    twin.sandbox.engine.listen({ failed: (error) => reported.push(error) })
    const { id } = await makeClock()
    const [deleted, ofMerchant, ofOperator] = await Promise.all([
      twin.request('DELETE', `${PATH}/${id}`),
      twin.request('POST', `${PATH}/${id}/advance`, { by: '1y' }, { 'Idempotency-Key': 'k' }),
      asOperator(twin)('POST', 'clock/advance', { test_clock: id, by: '1y' }),
    ])
    expect(deleted.status).toBe(200)
    expectRefusal(ofMerchant, unknown())
    expectRefusal(ofOperator, unknown('test_clock'))
    expect(twin.sandbox.merchant.held.size).toBe(0)
    expect(reported).toEqual([])
  })

  test('waits for an advance that arrives together with it, and before it', async () => {
    const { id } = await makeClock()
    await subscribeOn(id)
    const { engine, merchant } = twin.sandbox
    const clock = merchant.testClocks.named(id)
    const advanced = beginAdvance(engine, [{ merchant, clock }], (now) => now + 40 * DAY, { param: 'by' })
    const deleted = engine.command(merchant, null, (unit) => deleteTestClock(unit, id))
    expect(await (await advanced).done[0]).toMatchObject({ invoices_paid: 1 })
    expect(await deleted).toMatchObject({ isDeleted: true, target: null, now: LEAP_DAY + 40 * DAY })
    expect([merchant.held.size, merchant.testClocks.advancing()]).toEqual([0, []])
  })

  test('removes the usage of its customers, also of those that were deleted before', async () => {
    const clock = await makeClock()
    const customers = []
    for (let n = 0; n < 2; n += 1)
      customers.push((await twin.post('/v1/customers', { test_clock: clock.id })).id)
    await twin.delete(`/v1/customers/${customers[0]}`)
    const removed = vi.spyOn(twin.sandbox.engine.store.meterEvents, 'removeOf')
    await twin.delete(`${PATH}/${clock.id}`)
    expect(removed.mock.calls.flat().toSorted()).toEqual(customers.toSorted())
  })

  test('cancels the subscriptions of its customers, then deletes those, at its instant', async () => {
    const clock = await makeClock()
    const price = await makePrice(twin)
    const left = await makeCustomer(twin)
    const customers = []
    for (let n = 0; n < 2; n += 1) {
      const customer = await twin.post('/v1/customers', { test_clock: clock.id })
      const items = [{ price: price.id }]
      const body = { customer: customer.id, currency: 'usd', default_payment_method: 'pm_card_visa', items }
      customers.push({ customer, subscription: await twin.post('/v1/subscriptions', body) })
    }
    let stub: Body = {}
    const events = await eventsOf(twin, async () => {
      stub = await twin.delete(`${PATH}/${clock.id}`)
    })
    expect(stub).toEqual({ id: clock.id, object: 'test_clock', deleted: true, livemode: false })
    expect(typesOf(events)).toEqual(customers.flatMap(() => ['subscription.deleted', 'customer.deleted']))
    expect(events.map(({ data }) => data.object.id)).toEqual(
      customers.flatMap(({ customer, subscription }) => [subscription.id, customer.id]),
    )
    expect(events.every(({ created }) => created === LEAP_DAY)).toBe(true)
    expect((await twin.get(PATH)).data).toEqual([])
    expect(idsOf((await twin.get('/v1/customers')).data)).toEqual([left.customer.id])
    for (const path of ['', '/advance', '/cancel']) {
      const method = path === '' ? 'GET' : 'POST'
      expectRefusal(
        await twin.request(method, `${PATH}/${clock.id}${path}`, path ? { by: '1d' } : undefined),
        unknown(),
      )
    }
    // Deleted customers can still be read, and their metadata updated.
    const [{ subscription } = { subscription: {} as Body }] = customers
    const annotated = await twin.post(`/v1/subscriptions/${subscription.id}`, { metadata: { a: '1' } })
    expect(annotated).toMatchObject({ status: 'canceled', test_clock: clock.id, metadata: { a: '1' } })
  })

  test('is rolled back with a request that fails in the end', async () => {
    const { id } = await makeClock()
    await twin.post('/v1/customers', { test_clock: id })
    await expectRefused(twin, ['DELETE', `${PATH}/${id}`, { expand: ['zebra'] }], invalid('expand'))
    expect((await twin.get(PATH)).data).toHaveLength(1)
    expect((await twin.post(`${PATH}/${id}/advance`, { by: '1d' })).now).toBe(LEAP_DAY + DAY)
  })
})

test('freezing the main clock is rolled back with a request that fails in the end', async () => {
  await twin.post('/v1/test_helpers/clock/unfreeze')
  const refused = await twin.request('POST', '/v1/test_helpers/clock/freeze', { expand: ['zebra'] })
  expectRefusal(refused, invalid('expand'))
  expect((await twin.get('/v1/test_helpers/clock')).mode).toBe('live')
})

describe('the operator', () => {
  const operator = (...given: Parameters<ReturnType<typeof asOperator>>) => asOperator(twin)(...given)

  test('sees and moves a test clock by its id alone', async () => {
    const { merchant, secretKey } = await anotherMerchant(twin)
    const headers = { Authorization: `Bearer ${secretKey}` }
    const { body: clock } = await twin.request('POST', PATH, { frozen_time: LEAP_DAY }, headers)
    const test_clock = clock.id
    const shown = await operator('GET', `clock?test_clock=${test_clock}`)
    expect(shown.body.data).toEqual([clock])
    const moved = await operator('POST', 'clock/advance', { test_clock, by: '1d' })
    expect(moved.body.data).toMatchObject([
      { object: 'test_clock', now: LEAP_DAY + DAY, merchant_id: merchant.id, summary: { jobs: 0 } },
    ])
    expect((await operator('GET', `upcoming?test_clock=${test_clock}`)).body.data).toEqual([])
    expect((await operator('POST', 'clock/cancel', { test_clock })).status).toBe(200)
  })

  test.each<[string, Body, ReturnType<typeof invalid>]>([
    ['advance', { test_clock: 'clock_x', by: '1d' }, unknown('test_clock')],
    ['freeze', { test_clock: 'any' }, invalid('test_clock')],
    ['unfreeze', { test_clock: 'any' }, invalid('test_clock')],
    ['advance', { test_clock: 'any', all: true, by: '1d' }, invalid('all')],
  ])('is refused to %s %j', async (verb, body, refusal) => {
    expectRefusal(await operator('POST', `clock/${verb}`, body), refusal)
  })
})
