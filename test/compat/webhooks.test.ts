import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ReceivedHeaders, verifySignature } from '../../src/webhooks/signature.ts'
import { subscribe } from '../scenarios/story.ts'
import { startTwin } from '../twin.ts'
import { makeInbox, type Received, shopOf } from '../webhooks/inbox.ts'

type Claimed = { readonly body: string; readonly headers: ReceivedHeaders; readonly now: number }

const isGenuine = (secret: string, { now, ...received }: Claimed): boolean =>
  verifySignature(secret, received, { now }).isValid

const MONTHS = 3
let secret: string
let first: Received
let last: Received

/** Makes a delivery now, and one after an advance by months. The receivers use the wall clock. */
beforeAll(async () => {
  const inbox = makeInbox()
  const shop = shopOf(await startTwin({ send: inbox.send, seed: null }), inbox)
  secret = (await shop.endpoint()).secret
  await subscribe(shop)
  await shop.advance({ by: `${MONTHS}mo`, await_webhooks: true })
  const [oldest, newest] = [shop.inbox.received[0], shop.inbox.received.at(-1)]
  if (!oldest || !newest) throw new Error('something was delivered')
  first = oldest
  last = newest
  await shop.close()
})

/** A delivery, and ways to damage it in transit. */
const CASES: [string, () => Received][] = [
  ['the first delivery', () => first],
  ['one after an advance of three months', () => last],
]
const changed = (body: string) => body.replace('"livemode":false', '"livemode":true')

test('an advance of three months lies between the deliveries', () => {
  expect(last.event.created - first.event.created).toBeGreaterThan((MONTHS - 1) * 28 * 86_400)
})

describe.each(CASES)('%s', (_, delivered) => {
  test('is verified by the stripe SDK', async () => {
    const { body, headers, event } = delivered()
    const header = headers['paytwin-signature'] ?? ''
    expect(Stripe.webhooks.constructEvent(body, header, secret)).toEqual(event)
    const stripe = new Stripe('sk_test_unused')
    expect(await stripe.webhooks.constructEventAsync(Buffer.from(body), header, secret)).toEqual(event)
    expect(() => Stripe.webhooks.constructEvent(changed(body), header, secret)).toThrow(/signature/i)
    expect(() => Stripe.webhooks.constructEvent(body, header, `${secret}x`)).toThrow(/signature/i)
    const late = header.replace(/t=\d+/, 't=1000000000')
    expect(() => Stripe.webhooks.constructEvent(body, late, secret)).toThrow()
  })

  test('is verified by Standard Webhooks, whatever the header’s case', () => {
    const { body, headers, event } = delivered()
    const webhook = new Webhook(secret)
    expect(webhook.verify(body, { ...headers })).toEqual(event)
    expect(() => webhook.verify(changed(body), { ...headers })).toThrow(/signature/i)
    expect(() => webhook.verify(body, { ...headers, 'webhook-id': 'evt_x' })).toThrow(/signature/i)
    expect(() => new Webhook(`whsec_${'A'.repeat(32)}`).verify(body, { ...headers })).toThrow(/signature/i)
  })

  test('is verified by our own verifier, by either signature', () => {
    const { body, headers } = delivered()
    const { 'paytwin-signature': own = '', ...standard } = headers
    const now = Number(headers['webhook-timestamp'])
    for (const given of [{ 'paytwin-signature': own }, standard]) {
      expect(isGenuine(secret, { body, headers: given, now })).toBe(true)
      expect(isGenuine(secret, { body: changed(body), headers: given, now })).toBe(false)
      expect(isGenuine(`${secret}x`, { body: `${body} `, headers: given, now })).toBe(false)
      expect(isGenuine(secret, { body, headers: given, now: now + 301 })).toBe(false)
      expect(isGenuine(secret, { body, headers: given, now: now + 300 })).toBe(true)
    }
  })
})

test('a delivery that Standard Webhooks signs is one that we accept, and the other way round', () => {
  const date = new Date(1_800_000_000_000)
  const body = '{"id":"evt_1"}'
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1800000000',
    'webhook-signature': new Webhook(secret).sign('evt_1', date, body),
  }
  expect(isGenuine(secret, { body, headers, now: 1_800_000_000 })).toBe(true)
})

test('a header that the stripe SDK generates is one that we accept', () => {
  const payload = '{"id":"evt_1"}'
  const header = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: 1_800_000_000 })
  const headers = { 'paytwin-signature': header }
  expect(isGenuine(secret, { body: payload, headers, now: 1_800_000_000 })).toBe(true)
})
