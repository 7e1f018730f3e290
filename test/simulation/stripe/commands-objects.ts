import type { Body } from '../../twin.ts'
import type { Command } from './commands.ts'

const post = (path: string, params: Body = {}) => ({ method: 'POST', path, params })

const INTERVALS = [
  ['day', 1],
  ['day', 10],
  ['week', 1],
  ['week', 2],
  ['month', 1],
  ['month', 1],
  ['month', 1],
  ['month', 3],
  ['year', 1],
] as const

/** Cards that succeed, and others that are declined or need an authentication, at once or later. */
const CARDS = [
  ...Array<string>(10).fill('pm_card_visa'),
  'pm_card_chargeCustomerFail',
  'pm_card_chargeCustomerFail',
  'pm_card_chargeDeclined',
  'pm_card_authenticationRequired',
  'pm_card_authenticationRequiredOnSetup',
  'pm_card_refundFail',
  'pm_card_createDispute',
]

export const createPrice: Command = async (_, dice) => {
  const [interval, interval_count] = dice.of(INTERVALS)
  return post('/v1/prices', {
    product_data: { name: dice.of(['Basic', 'Pro', 'Team']) },
    currency: 'usd',
    unit_amount: dice.of([0, 1, 333, 999, 2000, 2000, 5000, 25_000]),
    ...(dice.chance(90) && { recurring: { interval, interval_count } }),
  })
}

export const createClock: Command = async (story) =>
  post('/v1/test_helpers/test_clocks', { frozen_time: story.now })

export const createCustomer: Command = async (story, dice) => {
  const clock = dice.chance(60) ? dice.any(await story.list('/v1/test_helpers/test_clocks')) : undefined
  return post('/v1/customers', {
    ...{ name: dice.of(['Ada', 'Grace']), email: 'ada@example.com', test_clock: clock?.id },
    ...(dice.chance(60) && { payment_method: 'pm_card_visa' }),
  })
}

export const attachMethod: Command = async (story, dice) => {
  const customer = dice.any(await story.list('/v1/customers'))
  return customer ? post(`/v1/payment_methods/${dice.of(CARDS)}/attach`, { customer: customer.id }) : null
}

/** Makes one of a customer's methods the default of its invoices, or none. */
export const setDefault: Command = async (story, dice) => {
  const customer = dice.any(await story.list('/v1/customers'))
  if (!customer) return null
  const method = dice.any(await story.list(`/v1/customers/${customer.id}/payment_methods`))
  const id = dice.chance(90) ? (method?.id ?? '') : ''
  return post(`/v1/customers/${customer.id}`, { invoice_settings: { default_payment_method: id } })
}

export const updateCustomer: Command = async (story, dice) => {
  const customer = dice.any(await story.list('/v1/customers'))
  return customer
    ? post(`/v1/customers/${customer.id}`, { name: dice.of(['Ada', 'Lin']), metadata: { n: dice.below(5) } })
    : null
}

export const detachMethod: Command = async (story, dice) => {
  const customer = dice.any(await story.list('/v1/customers'))
  const method = customer && dice.any(await story.list(`/v1/customers/${customer.id}/payment_methods`))
  return method ? post(`/v1/payment_methods/${method.id}/detach`) : null
}

export const deleteCustomer: Command = async (story, dice) => {
  const customer = dice.any(await story.list('/v1/customers'))
  return customer ? { method: 'DELETE', path: `/v1/customers/${customer.id}` } : null
}

export const adjustBalance: Command = async (story, dice) => {
  const customer = dice.any(await story.list('/v1/customers'))
  if (!customer) return null
  const amount = dice.of([-5000, -333, -1, 250, 4000])
  return post(`/v1/customers/${customer.id}/balance_transactions`, { amount, currency: 'usd' })
}

export const createCoupon: Command = async (_, dice) =>
  post('/v1/coupons', {
    ...(dice.chance(60)
      ? { percent_off: dice.of([10, 33, 12.5, 100]) }
      : { amount_off: dice.of([1, 500, 3333]), currency: 'usd' }),
    ...dice.of<Body>([
      { duration: 'once' },
      { duration: 'forever' },
      { duration: 'repeating', duration_in_months: 2 },
    ]),
  })

export const createCode: Command = async (story, dice) => {
  const coupon = dice.any(await story.list('/v1/coupons'))
  return coupon ? post('/v1/promotion_codes', { promotion: { type: 'coupon', coupon: coupon.id } }) : null
}

export const deleteCoupon: Command = async (story, dice) => {
  const coupon = dice.any(await story.list('/v1/coupons'))
  return coupon ? { method: 'DELETE', path: `/v1/coupons/${coupon.id}` } : null
}

/** Changes how the merchant retries, or what follows the last retry. */
export const setDunning: Command = async (story, dice) => ({
  method: 'POST',
  path: `merchants/${story.merchant}`,
  params: {
    dunning_final_action: dice.of(['cancel', 'mark_unpaid', 'leave_past_due']),
    retry_schedule: dice.of(['smart', [1, 3, 5, 7], [2, 4], [1]]),
  },
  isOperators: true,
})

const DAY = 86_400

export const advanceMain: Command = async (story, dice) => {
  const by = dice.of([3_600, DAY, 10 * DAY, 31 * DAY, 45 * DAY, 100 * DAY]) + dice.of([0, 0, 1_799, 7_200])
  return { clock: null, from: story.now, to: story.now + by }
}

export const advanceTest: Command = async (story, dice) => {
  const clock = dice.any(await story.list('/v1/test_helpers/test_clocks'))
  if (!clock) return null
  const by = dice.of([1, 3_600, DAY, 10 * DAY, 31 * DAY, 45 * DAY, 200 * DAY]) + dice.of([0, 0, 1_799, 7_200])
  return { clock: clock.id, from: clock.frozen_time, to: clock.frozen_time + by }
}
