import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import {
  SIGNATURES,
  type SignedMessage,
  signatureHeaders,
  verifySignature,
} from '../../src/webhooks/signature.ts'

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, so').toString('base64')}`
const NOW = 1_769_853_600
const BODY = '{"id":"evt_1","name":"Ada Lövelace 日本"}'
const MESSAGE: SignedMessage = { id: 'evt_1', timestamp: NOW, body: BODY }
const HEADERS = signatureHeaders(SECRET, MESSAGE)
const STRIPE_HEADERS = SIGNATURES.stripe(SECRET, MESSAGE)

/** Sets the wall clock, which the library of Standard Webhooks reads by itself. */
const wallSeconds = () => Math.floor(Date.now() / 1000)

test('signatures equal those of openssl', () => {
  expect(signatureHeaders('whsec_AAEC', { id: 'evt_1', timestamp: 1, body: '{}' })).toEqual({
    'Paytwin-Signature': 't=1,v1=9dbf8f1c3cc328f99edc39d0a8edec9305bb143e841432ddf06ade43576a5063',
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1',
    'webhook-signature': 'v1,dZ097eEELbsVzI7i/PzMG8emJjxdav484l3rW5JGTZQ=',
  })
})

describe('the library of Standard Webhooks', () => {
  test('accepts signatures of paytwin', () => {
    const headers = signatureHeaders(SECRET, { ...MESSAGE, timestamp: wallSeconds() })
    expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(JSON.parse(BODY))
  })

  test.each([
    ['another body', {}, `${BODY} `],
    ['another id', { 'webhook-id': 'evt_2' }, BODY],
  ])('refuses %s', (_what, change, body) => {
    const headers = { ...signatureHeaders(SECRET, { ...MESSAGE, timestamp: wallSeconds() }), ...change }
    expect(() => new Webhook(SECRET).verify(body, headers)).toThrow(WebhookVerificationError)
  })

  test('creates signatures that paytwin accepts', () => {
    const signature = new Webhook(SECRET).sign('evt_1', new Date(NOW * 1000), BODY)
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(NOW),
      'webhook-signature': signature,
    }
    expect(verifySignature(SECRET, { headers, body: BODY }, { now: NOW })).toEqual({
      isValid: true,
      scheme: 'standard_webhooks',
    })
  })
})

test.each([
  ['as it was sent', HEADERS],
  [
    'with names in lower case',
    Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name.toLowerCase(), value])),
  ],
  [
    'with values in lists',
    Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name, [value]])),
  ],
  [
    'with the signature of a former secret beside it',
    { 'Paytwin-Signature': `${HEADERS['Paytwin-Signature']},v1=00` },
  ],
  ['with a former one first', { 'Paytwin-Signature': `v1=00, ${HEADERS['Paytwin-Signature']}` }],
  ['behind 19 others', { 'Paytwin-Signature': `${'v1=00,'.repeat(19)}${HEADERS['Paytwin-Signature']}` }],
])('a delivery is accepted %s', (_how, headers) => {
  const verdict = { isValid: true, scheme: 'paytwin' }
  expect(verifySignature(SECRET, { headers, body: BODY }, { now: NOW })).toEqual(verdict)
  expect(verifySignature(SECRET, { headers, body: Buffer.from(BODY) }, { now: NOW })).toEqual(verdict)
})

test('a delivery with the signature of Stripe is accepted', () => {
  expect(verifySignature(SECRET, { headers: STRIPE_HEADERS, body: BODY }, { now: NOW })).toEqual({
    isValid: true,
    scheme: 'stripe',
  })
})

const WRONG = 'The signature does not match: another secret was used, or the body has changed.'
const standard = ({ 'Paytwin-Signature': _, ...headers }: Record<string, string>) => headers

test.each([
  [
    'no signature',
    {},
    {},
    'The request has neither a Paytwin-Signature nor a Stripe-Signature nor a webhook-signature header.',
  ],
  [
    '20 wrong signatures first',
    { 'Paytwin-Signature': `${'v1=00,'.repeat(20)}${HEADERS['Paytwin-Signature']}` },
    {},
    WRONG,
  ],
  ['a changed body', HEADERS, { body: `${BODY} ` }, WRONG],
  ['another secret', HEADERS, { secret: 'whsec_AAEC' }, WRONG],
  ['another id', standard({ ...HEADERS, 'webhook-id': 'evt_2' }), {}, WRONG],
  ['an unknown version', standard({ ...HEADERS, 'webhook-signature': 'v2,AAEC' }), {}, WRONG],
  ['one good and one wrong scheme', { ...HEADERS, 'webhook-signature': 'v1,AAEC' }, {}, WRONG],
  [
    "a good signature beside a wrong one of Stripe's",
    { ...HEADERS, 'Stripe-Signature': `t=${NOW},v1=00` },
    {},
    WRONG,
  ],
  ["another secret in Stripe's signature", STRIPE_HEADERS, { secret: 'whsec_AAEC' }, WRONG],
  [
    "an old signature of Stripe's",
    STRIPE_HEADERS,
    { now: NOW + 301 },
    `The signature's timestamp ${NOW} differs from the current time ${NOW + 301} by more than 300 seconds.`,
  ],
  [
    'a header without parts',
    { 'Paytwin-Signature': 'hello' },
    {},
    'The signature has no timestamp in Unix seconds.',
  ],
  ['no v1', { 'Paytwin-Signature': `t=${NOW},v0=00` }, {}, WRONG],
  [
    'a time that is none',
    { 'Paytwin-Signature': 't=1e9,v1=00' },
    {},
    'The signature has no timestamp in Unix seconds.',
  ],
  [
    'one of long ago',
    HEADERS,
    { now: NOW + 301 },
    `The signature's timestamp ${NOW} differs from the current time ${NOW + 301} by more than 300 seconds.`,
  ],
  [
    'one of the future',
    HEADERS,
    { now: NOW - 301 },
    `The signature's timestamp ${NOW} differs from the current time ${NOW - 301} by more than 300 seconds.`,
  ],
  [
    'another time than was signed',
    { 'Paytwin-Signature': HEADERS['Paytwin-Signature']?.replace(`t=${NOW}`, `t=${NOW + 1}`) },
    {},
    WRONG,
  ],
])(
  'a delivery with %s is refused',
  (_what, headers, {
    secret = SECRET,
    body = BODY,
    now = NOW,
  }: { secret?: string; body?: string; now?: number }, reason) => {
    expect(verifySignature(secret, { headers, body }, { now })).toEqual({ isValid: false, reason })
  },
)

test.each([
  [300, true],
  [-300, true],
  [600, false],
])('a signature of %i seconds ago is accepted within a tolerance of 300: %s', (age, isValid) => {
  expect(
    verifySignature(SECRET, { headers: HEADERS, body: BODY }, { now: NOW + age, tolerance: 300 }),
  ).toMatchObject({ isValid })
})
