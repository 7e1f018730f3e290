import { describe, expect, test } from 'vitest'
import {
  CHECKOUT_STATUSES,
  type CheckoutSession,
  checkoutEnd,
  completed,
  expired,
  PLAIN_OUTCOMES,
  plainSettings,
  recoverableUntil,
  successUrlOf,
  withQuantity,
} from '../../src/core/checkout-session.ts'
import { checkoutJobs } from '../../src/core/jobs.ts'

const NOW = 1_800_000_000
const line = { price: 'price_1', metadata: {}, amount_subtotal: 2_000, amount_discount: 500 }

const aSession = (given: Partial<CheckoutSession> = {}): CheckoutSession => ({
  id: 'cs_test_1',
  created: NOW,
  mode: 'payment',
  status: 'open',
  payment_status: 'unpaid',
  currency: 'usd',
  customer: null,
  customer_email: null,
  customer_details: null,
  details_email: null,
  accepted_terms: false,
  client_reference_id: null,
  lines: [
    { ...line, id: 'li_1', quantity: 2, adjustable: { minimum: 1, maximum: 5 } },
    { ...line, id: 'li_2', quantity: 1, adjustable: null },
  ],
  amount_total: 3_000,
  discounts: [],
  settings: plainSettings('https://shop.example/{CHECKOUT_SESSION_ID}?also={CHECKOUT_SESSION_ID}'),
  outcomes: PLAIN_OUTCOMES,
  payment_intent: null,
  setup_intent: null,
  subscription: null,
  invoice: null,
  recovered_from: null,
  expires_at: NOW + 86_400,
  metadata: {},
  test_clock: null,
  ...given,
})

describe('the status of a session', () => {
  test.each(CHECKOUT_STATUSES)('%s changes only if it is open', (status) => {
    const session = aSession({ status })
    const complete = () => completed(session, { payment_status: 'paid', invoice: 'in_1' })
    if (status === 'open') {
      expect(complete()).toMatchObject({ status: 'complete', payment_status: 'paid', invoice: 'in_1' })
      expect(expired(session)).toMatchObject({ status: 'expired', payment_status: 'unpaid' })
    } else {
      expect(complete).toThrow(`has a status of ${status}`)
      expect(() => expired(session)).toThrow(`has a status of ${status}`)
    }
    const jobs = checkoutJobs(session).map(({ kind, due }) => [kind, due])
    expect(jobs).toEqual(status === 'open' ? [['checkout_expiry', NOW + 86_400]] : [])
  })

  test.each([
    [undefined, NOW + 86_400],
    [NOW + 1_800, NOW + 1_800],
    [NOW + 86_400, NOW + 86_400],
    [NOW + 1_799, 'at least 30 minutes'],
    [NOW + 86_401, 'less than 24 hours'],
  ])('with expires_at %s ends at %s', (given, end) => {
    if (typeof end === 'number') expect(checkoutEnd(given, NOW)).toBe(end)
    else expect(() => checkoutEnd(given, NOW)).toThrow(end)
  })

  test('can be recovered for 30 days if it has expired and says so', () => {
    const settings = { ...aSession().settings, recovery: { allow_promotion_codes: false } }
    expect(recoverableUntil(aSession({ status: 'expired', settings }))).toBe(NOW + 31 * 86_400)
    expect(recoverableUntil(aSession({ status: 'open', settings }))).toBeNull()
    expect(recoverableUntil(aSession({ status: 'expired' }))).toBeNull()
  })
})

describe('the lines of a session', () => {
  test.each([
    ['li_1', 5, undefined],
    ['li_1', 1, undefined],
    ['li_1', 0, 'from 1 to 5'],
    ['li_1', 6, 'from 1 to 5'],
    ['li_2', 2, 'cannot be changed'],
    ['li_3', 1, 'cannot be changed'],
  ])('take for %s the quantity %s, or refuse it', (id, quantity, refusal) => {
    const change = () => withQuantity(aSession(), id, quantity)
    if (refusal === undefined) expect(change().lines.find((each) => each.id === id)?.quantity).toBe(quantity)
    else expect(change).toThrow(refusal)
  })

  test('stay as they are if the quantity is the same', () => {
    const session = aSession()
    expect(withQuantity(session, 'li_2', 1)).toBe(session)
  })
})

test('the address after a session has its id in every place that names it', () => {
  expect(successUrlOf(aSession())).toBe('https://shop.example/cs_test_1?also=cs_test_1')
})
