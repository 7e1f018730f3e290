import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { SIGNATURES } from '../../../src/webhooks/signature.ts'
import { type Finished, lines, paytwin, type RunningDaemon, start, startDaemon } from '../executable.ts'

let daemon: RunningDaemon
beforeAll(async () => {
  daemon = await startDaemon(['--ephemeral', '--dialect', 'stripe', '--clock', '2026-01-31T10:00:00Z'])
})
afterAll(() => daemon.stop())

const run = (...args: string[]): Promise<Finished> => paytwin(args, { env: daemon.env })
async function text(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(...args)
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' })
  return stdout
}
const json = async (...args: string[]) => JSON.parse(await text(...args, '--json'))
const typesIn = (output: string) => output.match(/(?<=Z {2})[a-z_.]+/g)

test('a trigger, lists and single events have the names and bodies of Stripe', async () => {
  expect(typesIn(await text('trigger', 'customer.subscription.deleted'))).toContain(
    'customer.subscription.deleted',
  )
  const list = await text('events', 'list', '--type', 'customer.subscription.*')
  expect(typesIn(list)).toEqual(['customer.subscription.deleted', 'customer.subscription.created'])
  const { data } = await json('events', 'list', '--type', 'customer.subscription.created')
  expect(data).toMatchObject([
    { type: 'customer.subscription.created', api_version: Stripe.API_VERSION, merchant_id: daemon.merchant },
  ])
  expect(data[0].data.object.items.data[0]).toHaveProperty('current_period_end')
  expect(await json('events', 'show', data[0].id)).toEqual(data[0])
  const { customer } = data[0].data.object
  const related = await text(
    'events',
    'list',
    '--customer',
    customer,
    '--type',
    'customer.subscription.deleted',
  )
  expect(typesIn(related)).toEqual(['customer.subscription.deleted'])
})

test('a mistyped name is refused with those of Stripe', async () => {
  const { status, stderr } = await run('trigger', 'customer.subscription.create')
  expect(status).toBe(1)
  expect(stderr).toContain('Did you mean customer.subscription.created')
})

test('an advance shows and stops at an event by the name of Stripe', async () => {
  await text('trigger', 'customer.subscription.created')
  const options = ['--stop-on', 'customer.subscription.updated']
  expect(await json('clock', 'advance', '2mo', ...options)).toMatchObject({
    data: [{ now: 1772272800 }],
  })
  const [line = ''] = (await text('events', 'list', '--type', 'customer.subscription.updated')).split('\n')
  expect(line).toContain('period 2026-02-28T10:00:00Z – 2026-03-31T10:00:00Z')
})

test('listen forwards the bodies that a webhook endpoint gets, with the filters of stripe listen', async () => {
  const received: { body: string; signature: string }[] = []
  const server = createServer(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('')
    received.push({ body, signature: String(request.headers['stripe-signature']) })
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const secret = (await text('listen', '--print-secret')).trim()
  const target = `127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
  const events = 'customer.subscription.created,invoice.paid'
  const child = start(['listen', '-f', target, '--events', events, '--format', 'JSON'], { env: daemon.env })
  expect(await lines(child.stderr).next()).toContain(`signed with ${secret}`)
  const printed = lines(child.stdout)
  await text('trigger', 'invoice.paid')
  const shown = [await printed.next(), await printed.next()].map((line) => JSON.parse(line ?? ''))
  child.kill('SIGTERM')
  server.close()
  const got = received.map(({ body, signature }) => Stripe.webhooks.constructEvent(body, signature, secret))
  expect(got.map(({ type }) => type)).toEqual(['customer.subscription.created', 'invoice.paid'])
  expect(shown).toEqual(got.map((event) => ({ ...event, merchant_id: daemon.merchant })))
  expect(got[0]).not.toHaveProperty('merchant_id')
})

test('webhooks listen prints deliveries with the signature of Stripe, and rejects another secret', async () => {
  const child = start(['webhooks', 'listen', '--event', 'customer.subscription.created'], { env: daemon.env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said, printed] = [lines(child.stderr), lines(child.stdout)]
  const [, url = ''] = /^Listening on (\S+) as /.exec((await said.next()) ?? '') ?? []
  const body = '{"id":"evt_1","type":"x","data":{"object":{}}}'
  const message = { id: 'evt_1', timestamp: Math.floor(Date.now() / 1_000), body }
  const { status } = await fetch(url, {
    method: 'POST',
    body,
    headers: SIGNATURES.stripe('whsec_other', message),
  })
  expect(status).toBe(401)
  expect(await said.next()).toBe(
    'Rejected: The signature does not match: another secret was used, or the body has changed.',
  )
  await text('trigger', 'customer.subscription.created')
  // The reason for a rejection would arrive in place of a line.
  const line = await Promise.race([printed.next(), said.next()])
  expect(line).toMatch(/^\S+ {2}customer\.subscription\.created {2}sub_\w+/)
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  expect(await closed).toEqual([0, null])
})

test.each([
  ['setup_intent.succeeded', ['setup_intent.created', 'setup_intent.succeeded']],
  ['invoice.payment_action_required', ['invoice.payment_action_required']],
])('a trigger takes %s, which only Stripe has', async (type, expected) => {
  expect(typesIn(await text('trigger', type))).toEqual(expect.arrayContaining(expected))
})

test('checkout open prints the page of a session, and refuses one that has none', async () => {
  const stripe = new Stripe(daemon.secret_key ?? '', connection())
  const { id, url } = await stripe.checkout.sessions.create({
    mode: 'setup',
    currency: 'usd',
    success_url: 'https://shop.example/done',
  })
  expect(await text('checkout', 'open', id)).toBe(`${url}\n`)
  expect(await json('checkout', 'open', id)).toEqual({
    object: 'checkout_page',
    session: id,
    status: 'open',
    url,
    expires_at: expect.any(Number),
    livemode: false,
    merchant_id: daemon.merchant,
  })
  await stripe.checkout.sessions.expire(id)
  expect(await run('checkout', 'open', id)).toMatchObject({
    status: 1,
    stderr: 'error: The session is expired, so it has no page\n',
  })
  expect((await run('checkout', 'open', 'cs_test_none')).stderr).toContain(
    "No such checkout session: 'cs_test_none'",
  )
})

/** Connects the SDK with the daemon. */
function connection(): Stripe.StripeConfig {
  const { hostname: host, port } = new URL(daemon.url)
  return { host, port, protocol: 'http', telemetry: false }
}
