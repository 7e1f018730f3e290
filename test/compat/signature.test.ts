import Stripe from 'stripe'
import { expect, test } from 'vitest'
import { signatureHeaders, verifySignature } from '../../src/webhooks/signature.ts'

const { webhooks } = new Stripe('sk_test_0')
const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, so').toString('base64')}`
const TIMESTAMP = Math.floor(Date.now() / 1000)
const EVENT = {
  id: 'evt_1',
  object: 'event',
  type: 'customer.created',
  data: { object: { name: 'Ada Lövelace' } },
}
const BODY = JSON.stringify(EVENT)

const headerOf = (timestamp: number): string =>
  signatureHeaders(SECRET, { id: 'evt_1', timestamp, body: BODY })['Paytwin-Signature'] ?? ''

test('stripe’s constructEvent accepts the content of Paytwin-Signature', () => {
  expect(webhooks.constructEvent(BODY, headerOf(TIMESTAMP), SECRET)).toEqual(EVENT)
  expect(webhooks.constructEvent(Buffer.from(BODY), headerOf(TIMESTAMP), SECRET)).toEqual(EVENT)
})

test.each([
  ['another body', `${BODY} `, headerOf(TIMESTAMP), SECRET],
  ['another secret', BODY, headerOf(TIMESTAMP), 'whsec_AAEC'],
  ['an old signature', BODY, headerOf(TIMESTAMP - 301), SECRET],
])('and refuses %s, as it is refused here', (_what, body, header, secret) => {
  expect(() => webhooks.constructEvent(body, header, secret)).toThrow(
    Stripe.errors.StripeSignatureVerificationError,
  )
  const headers = { 'Paytwin-Signature': header }
  expect(verifySignature(secret, { headers, body }, { now: TIMESTAMP }).isValid).toBe(false)
})

test('a signature of the stripe test helper is accepted', () => {
  const header = webhooks.generateTestHeaderString({ payload: BODY, secret: SECRET, timestamp: TIMESTAMP })
  expect(
    verifySignature(SECRET, { headers: { 'Paytwin-Signature': header }, body: BODY }, { now: TIMESTAMP }),
  ).toEqual({
    isValid: true,
    scheme: 'paytwin',
  })
})
