import { expect, test } from 'vitest'
import { customerOnClock, errorOf, stripeOfFile } from './sdk.ts'

const JAN_31 = 1_769_853_600
const DAY = 86_400

const sdk = stripeOfFile()
const { stripe } = sdk

const priceWith = (trial_period_days: number) =>
  stripe.prices.create({
    currency: 'usd',
    unit_amount: 800,
    product_data: { name: 'Base' },
    recurring: { interval: 'month', trial_period_days },
  })

test('a price keeps the days of its trial, which its plan shows too', async () => {
  const price = await priceWith(7)
  expect(price.recurring?.trial_period_days).toBe(7)
  expect((await stripe.plans.retrieve(price.id)).trial_period_days).toBe(7)
  expect((await priceWith(0)).recurring?.trial_period_days).toBe(null)
})

test('a subscription has the longest trial of its prices only with trial_from_plan', async () => {
  const { customer, clock } = await customerOnClock(stripe, JAN_31)
  const items = [{ price: (await priceWith(7)).id }, { price: (await priceWith(14)).id }]
  const without = await stripe.subscriptions.create({ customer, items })
  expect(without).toMatchObject({ status: 'active', trial_end: null })
  const trial = await stripe.subscriptions.create({ customer, items, trial_from_plan: true })
  expect(trial).toMatchObject({ status: 'trialing', trial_end: JAN_31 + 14 * DAY })
  await sdk.advance(clock, JAN_31 + 15 * DAY)
  expect((await stripe.subscriptions.retrieve(trial.id)).status).toBe('active')
})

test('trial_period_days goes before the plan, and 0 is no trial', async () => {
  const { customer } = await customerOnClock(stripe, JAN_31)
  const items = [{ price: (await priceWith(7)).id }]
  const longer = { customer, items, trial_from_plan: true, trial_period_days: 30 }
  expect((await stripe.subscriptions.create(longer)).trial_end).toBe(JAN_31 + 30 * DAY)
  const none = await stripe.subscriptions.create({ customer, items, trial_period_days: 0 })
  expect(none).toMatchObject({ status: 'active', trial_start: null, trial_end: null })
})

test('a customer without a payment method can begin with the trial of a plan', async () => {
  const { id: customer } = await stripe.customers.create()
  const items = [{ price: (await priceWith(7)).id }]
  expect((await errorOf(stripe.subscriptions.create({ customer, items }))).code).toBe('resource_missing')
  const trial = await stripe.subscriptions.create({ customer, items, trial_from_plan: true })
  expect(trial.status).toBe('trialing')
})

test.each([
  ['trial_end', { trial_end: JAN_31 + 9 * DAY }],
  ['billing_cycle_anchor', { billing_cycle_anchor: JAN_31 + 9 * DAY }],
  ['backdate_start_date', { backdate_start_date: JAN_31 - DAY }],
])('a trial of a plan together with %s is refused', async (name, params) => {
  const { customer } = await customerOnClock(stripe, JAN_31)
  const items = [{ price: (await priceWith(7)).id }]
  const error = await errorOf(
    stripe.subscriptions.create({ customer, items, trial_from_plan: true, ...params }),
  )
  expect({ param: error.param, named: error.message.includes(name) }).toEqual({
    param: 'trial_from_plan',
    named: true,
  })
})
