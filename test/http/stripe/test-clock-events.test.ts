import Stripe from 'stripe'
import { expect, onTestFinished, test } from 'vitest'
import { beginAdvance } from '../../../src/engine/machine/begin-advance.ts'
import type { WebhookRequest } from '../../../src/webhooks/sender.ts'
import { anotherMerchant, asOperator, openStream } from '../support.ts'
import { customerOnClock, errorOf, startStripe } from './sdk.ts'

const JAN_31 = 1_769_853_600
const DAY = 86_400

async function start(options: Parameters<typeof startStripe>[0] = {}) {
  const sdk = await startStripe(options)
  onTestFinished(() => sdk.close())
  return sdk
}

const isOfClock = ({ type }: Pick<Stripe.Event, 'type'>) => type.startsWith('test_helpers.')
const typesOf = (events: readonly Stripe.Event[]) => events.map(({ type }) => type)

test('the life of a test clock is reported by events, which lists and retrieve show', async () => {
  const { stripe, advance } = await start()
  const { id } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31, name: 'Spring' })
  await advance(id, JAN_31 + DAY)
  await stripe.testHelpers.testClocks.del(id)
  const { data } = await stripe.events.list({ type: 'test_helpers.test_clock.*' })
  expect(typesOf(data.toReversed())).toEqual([
    'test_helpers.test_clock.created',
    'test_helpers.test_clock.advancing',
    'test_helpers.test_clock.ready',
    'test_helpers.test_clock.deleted',
  ])
  const [, ready, advancing] = data as [Stripe.Event, Stripe.Event, Stripe.Event]
  expect(advancing.data.object).toMatchObject({
    id,
    object: 'test_helpers.test_clock',
    name: 'Spring',
    status: 'advancing',
    frozen_time: JAN_31,
    status_details: { advancing: { target_frozen_time: JAN_31 + DAY } },
  })
  expect(ready.data.object).toMatchObject({ id, status: 'ready', frozen_time: JAN_31 + DAY })
  expect(await stripe.events.retrieve(ready.id)).toEqual(ready)
  expect((await errorOf(stripe.events.retrieve(`${ready.id}x`))).code).toBe('resource_missing')
})

test('pages go through the events of clocks and of objects in the order of their occurrence', async () => {
  const { stripe, advance } = await start()
  const { clock, customer } = await customerOnClock(stripe, JAN_31)
  const { id: price } = await stripe.prices.create({
    currency: 'usd',
    unit_amount: 500,
    recurring: { interval: 'month' },
    product_data: { name: 'Pro' },
  })
  await stripe.subscriptions.create({ customer, items: [{ price }] })
  for (const days of [1, 2, 3, 40]) await advance(clock, JAN_31 + days * DAY)
  const { data: all } = await stripe.events.list({ limit: 100 })
  expect(all.filter(isOfClock)).toHaveLength(9)
  expect(typesOf(all.slice(0, 1))).toEqual(['test_helpers.test_clock.ready'])
  for (const limit of [1, 2, 3, 7]) {
    expect(await stripe.events.list({ limit }).autoPagingToArray({ limit: 1_000 })).toEqual(all)
    const back = await stripe.events
      .list({ limit, ending_before: all.at(-1)?.id ?? '' })
      .autoPagingToArray({ limit: 1_000 })
    expect(back).toEqual(all.slice(0, -1).reverse())
  }
  const types = ['invoice.paid', 'test_helpers.test_clock.ready']
  const chosen = all.filter(({ type }) => types.includes(type))
  expect(chosen).toHaveLength(6)
  for (const limit of [1, 2, 5])
    expect(await stripe.events.list({ types, limit }).autoPagingToArray({ limit: 100 })).toEqual(chosen)
})

test('ids of other events do not depend on how often a clock was moved', async () => {
  const play = async (stops: readonly number[]) => {
    const { stripe, advance } = await start({ now: '2026-01-31T10:00:00Z' })
    const { clock } = await customerOnClock(stripe, JAN_31)
    for (const stop of stops) await advance(clock, stop)
    await stripe.customers.create({ name: 'Last' })
    const { data } = await stripe.events.list({ limit: 100 })
    return { clocks: data.filter(isOfClock).length, others: data.filter((event) => !isOfClock(event)) }
  }
  const withoutRequests = (events: readonly Stripe.Event[]) => events.map(({ request: _, ...event }) => event)
  const [once, often] = [
    await play([JAN_31 + 9 * DAY]),
    await play([1, 2, 5, 9].map((day) => JAN_31 + day * DAY)),
  ]
  expect([once.clocks, often.clocks]).toEqual([3, 9])
  expect(withoutRequests(often.others)).toEqual(withoutRequests(once.others))
})

test('webhook endpoints receive them, signed, and they can be sent again', async () => {
  const received: WebhookRequest[] = []
  const sdk = await start({
    send: async (request) => {
      received.push(request)
      return { status: 200, body: '' }
    },
  })
  const { stripe, advance } = sdk
  const { engine, merchant } = sdk.twin.sandbox
  const settled = () => engine.outbox.settled(merchant)
  const endpoint = await stripe.webhookEndpoints.create({
    url: 'http://localhost:3000/hooks',
    enabled_events: ['test_helpers.test_clock.ready'],
  })
  expect(endpoint.enabled_events).toEqual(['test_helpers.test_clock.ready'])
  const { id } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  await advance(id, JAN_31 + DAY)
  await settled()
  const [request] = received
  const signature = request?.headers['Stripe-Signature'] ?? ''
  const event = Stripe.webhooks.constructEvent(request?.body ?? '', signature, endpoint.secret ?? '')
  expect(event).toMatchObject({
    type: 'test_helpers.test_clock.ready',
    data: { object: { id, status: 'ready', frozen_time: JAN_31 + DAY } },
  })
  const { status } = await asOperator(sdk.twin)('POST', `events/${event.id}/resend`)
  expect(status).toBe(200)
  await settled()
  expect(received).toHaveLength(2)
})

test('an advance that is canceled is reported as ready where the clock stopped', async () => {
  const { stripe, twin } = await start()
  const { id } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const { engine, merchant } = twin.sandbox
  const clock = merchant.testClocks.named(id)
  await beginAdvance(engine, [{ merchant, clock }], () => JAN_31 + DAY, { param: 'frozen_time' })
  engine.time.cancel(merchant, clock)
  await engine.time.idle()
  const [ready] = (await stripe.events.list()).data
  expect(ready).toMatchObject({
    type: 'test_helpers.test_clock.ready',
    data: { object: { frozen_time: JAN_31, status: 'ready' } },
  })
})

test('the operator sees them in both forms, and streams have them', async () => {
  const { stripe, advance, twin } = await start()
  const { id } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const { data } = await stripe.events.list({ limit: 1 })
  await advance(id, JAN_31 + DAY)
  const operator = asOperator(twin)
  const own = await operator('GET', 'events?limit=1')
  expect(own.body.data[0]).toMatchObject({
    type: 'test_helpers.test_clock.ready',
    data: { object: { object: 'test_clock', now: JAN_31 + DAY } },
  })
  const asMerchant = await operator('GET', 'events?limit=1&form=merchant')
  expect(asMerchant.body.data[0].data.object.object).toBe('test_helpers.test_clock')
  const stream = await twin.sandbox.app.request(`/_paytwin/events?starting_after=${data[0]?.id}`, {
    headers: {
      Authorization: `Bearer ${twin.sandbox.adminToken}`,
      Host: 'localhost:4242',
      Accept: 'text/event-stream',
    },
  })
  const reader = stream.body?.getReader()
  let text = ''
  while (!text.includes('test_clock.ready')) text += new TextDecoder().decode((await reader?.read())?.value)
  await reader?.cancel()
  expect(text.match(/event: .*/g)).toEqual([
    'event: test_helpers.test_clock.advancing',
    'event: test_helpers.test_clock.ready',
  ])
})

test('events after the deletion of a merchant follow those of test clocks, in streams and lists', async () => {
  const { stripe, twin } = await start()
  const operator = asOperator(twin)
  const { merchant, secretKey } = await anotherMerchant(twin)
  await stripe.customers.create({ name: 'First' })
  await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31, name: 'Early' })
  const asOther = { Authorization: `Bearer ${secretKey}` }
  for (let count = 0; count < 5; count += 1)
    await twin.request('POST', '/v1/customers', { name: 'Other' }, asOther)
  for (const name of ['Middle', 'Late'])
    await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31, name })
  const stream = await openStream(twin, '/_paytwin/events', {
    Authorization: `Bearer ${twin.sandbox.adminToken}`,
    Host: 'localhost:4242',
  })
  onTestFinished(() => stream.close())

  await operator('DELETE', `merchants/${merchant.id}`)
  await stripe.customers.create({ name: 'Second' })
  await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31, name: 'Last' })
  const named = (event: { data: { object: { name: string } } }) => event.data.object.name
  const { body } = await operator('GET', 'events')
  expect(body.data.map(named)).toEqual(['Last', 'Second', 'Late', 'Middle', 'Early', 'First'])
  const { body: page } = await operator('GET', `events?starting_after=${body.data[1].id}`)
  expect(page.data.map(named)).toEqual(['Late', 'Middle', 'Early', 'First'])
  expect((await stream.take(2)).map(({ data }) => named(data as never))).toEqual(['Second', 'Last'])
})

test('a reader that reconnects after a restore gets no event of a test clock that was restored', async () => {
  const { stripe, twin, advance } = await start()
  const operator = asOperator(twin)
  const { id } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  await operator('POST', 'snapshots', { name: 'state' })
  await operator('POST', 'snapshots/state/restore')
  await advance(id, JAN_31 + DAY)
  for (const query of ['', `?merchant=${twin.sandbox.merchant.settings.id}`]) {
    const stream = await openStream(twin, `/_paytwin/events${query}`, {
      Authorization: `Bearer ${twin.sandbox.adminToken}`,
      Host: 'localhost:4242',
      'Last-Event-ID': 'evt_of_another_state',
      'Paytwin-State': 'another',
    })
    onTestFinished(() => stream.close())
    const types = (await stream.take(3)).map(({ event }) => event)
    expect(types).toEqual(['reset', 'test_helpers.test_clock.advancing', 'test_helpers.test_clock.ready'])
  }
})

const OPERATOR_HOST = { Host: 'localhost:4242' }

test('a slow reader of all events misses none of a test clock when another merchant is deleted', async () => {
  const { stripe, twin } = await start()
  const { merchant, secretKey } = await anotherMerchant(twin)
  await stripe.customers.create({ name: 'First' })
  const stream = await openStream(twin, '/_paytwin/events', {
    Authorization: `Bearer ${twin.sandbox.adminToken}`,
    ...OPERATOR_HOST,
  })
  onTestFinished(() => stream.close())
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, key) => [key, 'x'.repeat(500)]))
  const large = { name: 'Large', metadata }
  // The reader has room for three of them.
  for (let count = 0; count < 5; count += 1)
    await twin.request('POST', '/v1/customers', large, { Authorization: `Bearer ${secretKey}` })
  for (const name of ['Middle', 'Late'])
    await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31, name })

  await asOperator(twin)('DELETE', `merchants/${merchant.id}`)
  await stripe.customers.create({ name: 'Second' })
  const names = (await stream.take(6)).map(({ data }) => data.data.object.name)
  expect(names).toEqual(['Large', 'Large', 'Large', 'Middle', 'Late', 'Second'])
})

test('the deletion of a merchant repeats no event for a reader of another state', async () => {
  const { stripe, twin } = await start()
  const operator = asOperator(twin)
  const { merchant, secretKey } = await anotherMerchant(twin)
  await twin.request('POST', '/v1/customers', {}, { Authorization: `Bearer ${secretKey}` })
  await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31, name: 'Restored' })
  await operator('POST', 'snapshots', { name: 'state' })
  await operator('POST', 'snapshots/state/restore')
  await operator('DELETE', `merchants/${merchant.id}`)
  await stripe.customers.create({ name: 'New' })
  const stream = await openStream(twin, '/_paytwin/events', {
    Authorization: `Bearer ${twin.sandbox.adminToken}`,
    'Last-Event-ID': 'evt_of_another_state',
    'Paytwin-State': 'another',
    ...OPERATOR_HOST,
  })
  onTestFinished(() => stream.close())
  expect((await stream.take(2)).map(({ event }) => event)).toEqual(['reset', 'customer.created'])
})

test('merchants with paytwin’s own API have no such events', async () => {
  const { twin } = await start({ dialect: 'paytwin' })
  const { id } = await twin.post('/v1/test_helpers/test_clocks', { frozen_time: JAN_31 })
  await twin.post(`/v1/test_helpers/test_clocks/${id}/advance`, { by: '1d' })
  expect((await twin.get('/v1/events')).data).toEqual([])
})
