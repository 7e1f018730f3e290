import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ESCAPE, type List, NOW, NOW_SECONDS, withDaemon } from '../command-line.ts'
import { api, startDaemon, subscribe } from '../executable.ts'

type Endpoint = { id: string; secret: string; url: string }
type Delivery = { id: string; event: string; status: string; attempts: { response_status: number }[] }
type Event = { id: string; type: string; pending_webhooks: number }

const { daemon, json, text, fail } = withDaemon()

/** A receiver with configurable responses, which records its requests. */
let receiverStatus = 200
let meanwhile = async (): Promise<void> => undefined
const got: string[] = []
const server = createServer((request, response) => {
  got.push(String(request.headers['webhook-id']))
  request
    .resume()
    .on('end', () => meanwhile().then(() => response.writeHead(receiverStatus).end('thank you\nfor all')))
})
let receiver: string
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
afterEach(async () => {
  receiverStatus = 200
  meanwhile = async () => undefined
  got.length = 0
  const { merchant } = daemon()
  const { data }: List<Endpoint> = JSON.parse(
    await text('webhooks', 'list', '--merchant', merchant, '--json'),
  )
  for (const { id } of data) await text('webhooks', 'delete', id)
})

/** Emits one event. @returns its id, when none of its deliveries is under way */
async function tellEvent(isOver = ({ pending_webhooks }: Event) => pending_webhooks === 0): Promise<string> {
  await api(daemon(), '/v1/customers', {})
  for (;;) {
    const { data } = await api<List<Event>>(daemon(), '/v1/events?limit=1')
    const [event] = data
    if (event && isOver(event)) return event.id
  }
}

/** Emits an event, and lets its delivery to an endpoint fail a number of times. */
async function failEvent(endpoint: string, attempts = 1): Promise<Delivery> {
  receiverStatus = 500
  await api(daemon(), '/v1/customers', {})
  return waitFor(endpoint, (delivery) => delivery.attempts.length === attempts)
}

/** Returns the newest delivery of an endpoint once it has the expected state. */
async function waitFor(endpoint: string, isThere: (delivery: Delivery) => boolean): Promise<Delivery> {
  for (;;) {
    const { data } = await api<List<Delivery>>(daemon(), `/v1/webhook_endpoints/${endpoint}/deliveries`)
    if (data[0] && isThere(data[0])) return data[0]
  }
}

describe('webhooks create', () => {
  test('prints the secret, this once', async () => {
    const endpoint = await json<Endpoint>('webhooks', 'create', receiver)
    expect(endpoint).toMatchObject({
      object: 'webhook_endpoint',
      url: receiver,
      enabled_events: ['*'],
      secret: expect.stringMatching(/^whsec_/),
      livemode: false,
    })
    expect(await text('webhooks', 'list')).not.toContain('whsec_')
    const printed = await text('webhooks', 'create', receiver, '--event', 'invoice.*', 'charge.failed')
    expect(printed).toMatch(
      /^id: we_\w+\nsecret: whsec_\S+\nurl: .*\nevents: invoice\.\* charge\.failed\nmerchant: mer_\w+\n$/,
    )
  })

  test.each([
    [['create', 'http://169.254.169.254/'], /never sent \(parameter_invalid\)/],
    [['create', 'not a url'], /is not a valid webhook URL.*\(parameter_invalid\)/],
    [
      ['create', 'http://localhost:3000/', '--event', 'zebra'],
      /'zebra' matches no event type.*\(parameter_invalid\)/,
    ],
    [['create', 'http://localhost:3000/', '--merchant', 'mer_x'], /No such merchant.*\(resource_missing\)/],
    [['list', '--merchant', 'mer_x'], /No such merchant.*\(resource_missing\)/],
    [['delete', 'we_x'], /No such webhook endpoint: 'we_x' \(resource_missing\)/],
    [['deliveries', 'we_x'], /No such webhook endpoint: 'we_x' \(resource_missing\)/],
    [['retry', 'we_x'], /No such webhook endpoint: 'we_x' .*'paytwin webhooks list'/],
    [['retry', 'whd_x'], /No such webhook delivery: 'whd_x' \(resource_missing\)/],
  ])('webhooks %j is refused by the daemon: exit 1', async (args, message) => {
    const { status, stderr } = await fail('webhooks', ...args)
    expect([status, stderr]).toEqual([1, expect.stringMatching(message)])
    expect(stderr).toMatch(/^error: .*\n$/)
  })

  test.each([
    [['create']],
    [['create', 'http://a/', 'http://b/']],
    [['create', 'http://a/', '--event']],
    [['delete']],
    [['deliveries', 'we_x', '-n', 'many']],
    [['retry']],
    [['retry', 'whd_x', '--all']],
    [['retry', 'whd_x', '--merchant', 'mer_x']],
    [['listen', '--port', 'x']],
    [['listen', 'x']],
  ])('webhooks %j is wrong usage: exit 2', async (args) => {
    expect((await fail('webhooks', ...args)).status).toBe(2)
  })
})

test('webhooks deliveries shows the status and the response of each delivery', async () => {
  const { id } = await json<Endpoint>('webhooks', 'create', receiver)
  expect(await text('webhooks', 'deliveries', id)).toBe('')
  const taken = await tellEvent()
  const failed = await failEvent(id)
  const rows = (await text('webhooks', 'deliveries', id)).trimEnd().split('\n')
  expect(rows.map((row) => row.split('\t').slice(1))).toEqual([
    ['customer.created', 'pending', '1', '500 thank you', '2026-01-31T10:00:05Z', failed.event, id],
    ['customer.created', 'succeeded', '1', '200 thank you', '–', taken, id],
  ])
  expect(rows.join('')).not.toContain(ESCAPE)
  expect(await json<List<Delivery>>('webhooks', 'deliveries', id, '-n', '1')).toMatchObject({
    object: 'list',
    has_more: true,
    data: [{ event: failed.event, attempts: [{ response_status: 500, time: NOW_SECONDS }] }],
  })
})

test('webhooks deliveries lists those of all endpoints, also only those of a customer', async () => {
  const one = await json<Endpoint>('webhooks', 'create', receiver)
  const two = await json<Endpoint>('webhooks', 'create', `${receiver}/two`)
  const { id: ada } = await api(daemon(), '/v1/customers', { email: 'ada@example.com' })
  await api(daemon(), '/v1/customers', { email: 'grace@example.com' })
  const shown = async (...args: string[]) =>
    (await json<List<Delivery & { endpoint: string }>>('webhooks', 'deliveries', ...args)).data
  const all = await shown()
  expect(all.map(({ endpoint }) => endpoint).toSorted()).toEqual([one.id, one.id, two.id, two.id].toSorted())
  expect(all.map(({ id }) => id)).toEqual(
    all
      .map(({ id }) => id)
      .toSorted()
      .reverse(),
  )
  expect(await shown('-n', '1')).toMatchObject([{ id: all[0]?.id }])
  const [event] = (await json<List<Event>>('events', 'list', '--customer', 'ada@example.com')).data
  expect(event).toMatchObject({ type: 'customer.created', data: { object: { id: ada } } })
  for (const given of ['ada@example.com', ada])
    expect((await shown('--customer', given)).map((delivery) => delivery.event)).toEqual([
      event?.id,
      event?.id,
    ])
  expect(await shown(two.id, '--customer', ada)).toMatchObject([{ event: event?.id, endpoint: two.id }])
})

test('clock next shows billing first, and webhook retries in one line', async () => {
  const { subscription } = await subscribe(daemon())
  const { id } = await json<Endpoint>('webhooks', 'create', receiver)
  receiverStatus = 500
  for (let count = 0; count < 12; count += 1) await api(daemon(), '/v1/customers', {})
  await expect
    .poll(() => text('clock', 'next', '-n', '3'), { timeout: 10_000 })
    .toBe(
      [
        `2026-02-28T10:00:00Z\trenewal\t${subscription}\t–\t${daemon().merchant}\n`,
        `2026-01-31T10:00:05Z\twebhook_retry × 12\t–\t–\t${daemon().merchant}\n`,
      ].join(''),
    )
  expect((await json<List<{ kind: string }>>('clock', 'next', '-n', '1')).data).toMatchObject([
    { kind: 'webhook_retry' },
  ])
  await text('webhooks', 'delete', id)
  await api(daemon(), `/v1/subscriptions/${subscription}`, { cancel_at_period_end: false })
  await text('delete', `subscriptions/${subscription}`)
})

test('webhooks list shows the URL, the event types and the status of endpoints, newest first', async () => {
  const first = await json<Endpoint>('webhooks', 'create', receiver)
  const second = await json<Endpoint>(
    'webhooks',
    'create',
    `${receiver}/b`,
    '--event',
    'invoice.*',
    'charge.failed',
  )
  await api(daemon(), `/v1/webhook_endpoints/${first.id}`, { disabled: true })
  expect(await text('webhooks', 'list')).toBe(
    [
      `${second.id}\tenabled\t${receiver}/b\tinvoice.* charge.failed\t${NOW}\n`,
      `${first.id}\tdisabled\t${receiver}\t*\t${NOW}\n`,
    ].join(''),
  )
})

test('an unreachable receiver is reported with the network error, and a 410 disables its endpoint', async () => {
  const { id } = await json<Endpoint>('webhooks', 'create', 'http://127.0.0.1:9/')
  await api(daemon(), '/v1/customers', {})
  await waitFor(id, ({ attempts }) => attempts.length === 1)
  expect(await text('webhooks', 'deliveries', id)).toMatch(
    /\tpending\t1\t.*ECONNREFUSED.*\t2026-01-31T10:00:05Z\tevt_/,
  )
  const gone = await json<Endpoint>('webhooks', 'create', receiver)
  receiverStatus = 410
  await api(daemon(), '/v1/customers', {})
  const { event } = await waitFor(gone.id, ({ status }) => status === 'discarded')
  expect(await text('webhooks', 'deliveries', gone.id)).toMatch(
    new RegExp(`\tdiscarded\t1\t410[^\\t]*\t–\t${event}\t${gone.id}\n$`),
  )
  expect(await text('webhooks', 'list')).toContain(`${gone.id}\tdisabled\t`)
  expect(await fail('events', 'resend', event, '--to', gone.id)).toEqual({
    status: 1,
    stderr: `error: The webhook endpoint '${gone.id}' is disabled; enable it first (invalid_state_transition)\n`,
  })
})

test('webhooks retry sends one delivery, those of an endpoint, or all', async () => {
  const { id } = await json<Endpoint>('webhooks', 'create', receiver)
  const first = await failEvent(id)
  const second = await failEvent(id)
  got.length = 0
  expect(await text('webhooks', 'retry', second.id)).toBe(`Sending ${second.event} to ${id}.\n`)
  await waitFor(id, ({ attempts }) => attempts.length === 2)
  expect(got).toEqual([second.event])
  receiverStatus = 200
  expect((await text('webhooks', 'retry', id)).split('\n')).toHaveLength(3)
  await waitFor(id, ({ status }) => status === 'succeeded')
  expect(got.slice(1).toSorted()).toEqual([first.event, second.event].toSorted())
  expect(await text('webhooks', 'retry', '--all')).toMatch(/^Nothing to send/)
  const third = await failEvent(id)
  receiverStatus = 200
  expect(await text('webhooks', 'retry', '--all')).toBe(`Sending ${third.event} to ${id}.\n`)
  await waitFor(id, ({ status }) => status === 'succeeded')
  expect(await fail('webhooks', 'retry', third.id)).toEqual({
    status: 1,
    stderr:
      'error: The delivery is succeeded; only a delivery that waits can be retried (invalid_state_transition)\n',
  })
  expect(await json('webhooks', 'retry', '--all', '--merchant', daemon().merchant)).toMatchObject({
    data: [],
  })
})

test('webhooks delete deletes an endpoint with its pending deliveries', async () => {
  const { id } = await json<Endpoint>('webhooks', 'create', receiver)
  await failEvent(id)
  expect(await text('webhooks', 'delete', id)).toBe(`Deleted ${id}.\n`)
  expect(await text('webhooks', 'list')).toBe('')
  expect(await text('clock', 'next')).toBe('')
})

test('events resend sends an event again, to all subscribed endpoints or to one', async () => {
  const { id } = await json<Endpoint>('webhooks', 'create', receiver)
  const other = await json<Endpoint>('webhooks', 'create', `${receiver}/other`, '--event', 'refund.*')
  const event = await tellEvent()
  got.length = 0
  expect(await text('events', 'resend', event)).toBe(`Sending ${event} to ${id}.\n`)
  await waitFor(id, ({ status }) => status === 'succeeded')
  expect(await json('events', 'resend', event, '--to', other.id)).toMatchObject({
    object: 'list',
    data: [{ event, endpoint: other.id, status: 'pending' }],
  })
  await waitFor(other.id, ({ status }) => status === 'succeeded')
  expect(got).toEqual([event, event])
  await text('webhooks', 'delete', id)
  expect(await text('events', 'resend', event)).toMatch(/^Nothing to send/)
  expect(await fail('events', 'resend', 'evt_x')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/resource_missing/),
  })
})

test('clock advance --await-webhooks waits for the receiver', async () => {
  await json<Endpoint>('webhooks', 'create', receiver, '--event', 'refund.failed')
  const charge = await api<{ latest_charge: string }>(daemon(), '/v1/payment_intents', {
    amount: 100,
    currency: 'usd',
    payment_method: 'pm_card_refundFail',
    confirm: true,
  })
  await api(daemon(), '/v1/refunds', { charge: charge.latest_charge })
  expect(await text('clock', 'advance', '1h', '--await-webhooks')).toContain('1 job, 1 event')
  expect(got).toHaveLength(1)
})

test('clock advance --test-clock --await-webhooks waits for a receiver that calls back, and lets it in at that instant', async () => {
  const { id: test_clock } = await api(daemon(), '/v1/test_helpers/test_clocks', { frozen_time: NOW_SECONDS })
  const { id: customer } = await api(daemon(), '/v1/customers', { test_clock })
  const price = await api(daemon(), '/v1/prices', {
    unit_amount: 100,
    currency: 'usd',
    recurring: { interval: 'month' },
  })
  const { id } = await api(daemon(), '/v1/subscriptions', {
    customer,
    currency: 'usd',
    default_payment_method: 'pm_card_visa',
    items: [{ price: price.id }],
  })
  await json<Endpoint>('webhooks', 'create', receiver, '--event', 'invoice.paid')
  meanwhile = async () => {
    await delay(100)
    meanwhile = async () => undefined
    await api(daemon(), `/v1/subscriptions/${id}`, { cancel_at_period_end: true })
  }
  const advanced = await text('clock', 'advance', '3mo', '--test-clock', test_clock, '--await-webhooks')
  expect(advanced).toContain('1 paid invoice')
  expect(got).toHaveLength(1)
  expect(await api(daemon(), `/v1/subscriptions/${id}`)).toMatchObject({
    status: 'canceled',
    canceled_at: Date.parse('2026-02-28T10:00:00Z') / 1_000,
    ended_at: Date.parse('2026-03-31T10:00:00Z') / 1_000,
  })
})

describe('with several merchants', () => {
  let other: { id: string }
  beforeAll(async () => {
    other = await json('merchants', 'create', '--name', 'Other', '--clock', NOW)
  })
  afterAll(async () => {
    await text('merchants', 'delete', other.id)
  })

  test.each([[['create', 'http://localhost:3000/']], [['list']], [['deliveries']], [['listen']]])(
    'webhooks %j needs --merchant: exit 2',
    async (args) => {
      const { status, stderr } = await fail('webhooks', ...args)
      expect(status).toBe(2)
      expect(stderr).toMatch(/^error: There are 2 merchants \(.*Other.*\): choose one with --merchant\.\n$/)
    },
  )

  test('--merchant selects the merchant; commands with an ID do not need it', async () => {
    const { id } = await json<Endpoint>('webhooks', 'create', receiver, '--merchant', other.id)
    expect((await text('webhooks', 'list', '--merchant', other.id)).split('\t')[0]).toBe(id)
    expect(await text('webhooks', 'list', '--merchant', daemon().merchant)).toBe('')
    await text('trigger', 'customer.created', '--merchant', other.id)
    await api(daemon(), '/v1/customers', {})
    await expect
      .poll(() => text('webhooks', 'deliveries', id))
      .toMatch(/^whd_\S+\tcustomer\.created\tsucceeded\t1\t200[^\t]*\t–\tevt_\S+\twe_\S+\n$/)
    expect(got).toHaveLength(1)
    await text('webhooks', 'delete', id)
  })
})

test('adding a webhook_failure prints a description', async () => {
  expect(await text('faults', 'add', 'webhook_failure', '--count', '1', '--route', `${receiver}*`)).toMatch(
    /^fault_\d+: webhook_failure affects the next webhook to http:.*\*\.\n$/,
  )
  await text('faults', 'clear')
})

test('the daemon stops at once even if receivers do not answer', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
  const own = await startDaemon(['--ephemeral', '--clock', NOW])
  const connected = once(silent, 'request')
  await api(own, '/v1/webhook_endpoints', { url, enabled_events: ['*'] })
  await api(own, '/v1/customers', {})
  await connected
  const begun = performance.now()
  expect(await own.stop()).toBe(0)
  expect(performance.now() - begun).toBeLessThan(1_500)
  silent.closeAllConnections()
  silent.close()
})
