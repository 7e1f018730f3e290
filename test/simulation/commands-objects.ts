import type { Dice } from './dice.ts'
import { cancel, voidOpen } from './model-billing.ts'
import { DAY, type Interval } from './model-calendar.ts'
import { copyOf } from './model-copy.ts'
import { endDiscount } from './model-discount.ts'
import { type ExpectedEvent, Operation } from './model-events.ts'
import {
  type Command,
  done,
  isOfLiving,
  livingCustomers,
  methodsOf,
  type Table,
  TEST_CARD_IDS,
  TEST_CARDS,
} from './model-play.ts'
import { ref } from './model-shown.ts'
import { type Customer, newKey, nowOf, type Price } from './model-state.ts'

/** Most prices are monthly, because months are the difficult case of calendars. */
export const INTERVALS: readonly Interval[] = [
  { interval: 'day', interval_count: 1 },
  { interval: 'day', interval_count: 10 },
  { interval: 'day', interval_count: 45 },
  { interval: 'week', interval_count: 1 },
  { interval: 'week', interval_count: 2 },
  { interval: 'month', interval_count: 1 },
  { interval: 'month', interval_count: 1 },
  { interval: 'month', interval_count: 1 },
  { interval: 'month', interval_count: 1 },
  { interval: 'month', interval_count: 1 },
  { interval: 'month', interval_count: 2 },
  { interval: 'month', interval_count: 3 },
  { interval: 'month', interval_count: 6 },
  { interval: 'year', interval_count: 1 },
  { interval: 'year', interval_count: 3 },
]

export const createPrice: Command = ({ merchant, dice }) => {
  const price = {
    key: newKey(merchant, 'price'),
    amount: dice.of([0, 1, 999, 2000, 2000, 99_999_999]),
    product: dice.chance(50) ? (dice.any(merchant.products) ?? null) : null,
    meter: null,
    ...(dice.chance(25) ? tiersOf(dice, [[null], [1, null], [1, 2, null], [2, 5, null]]) : NO_TIERS),
    ...dice.of(INTERVALS),
  }
  merchant.prices.push(price)
  const { key, product, interval, interval_count } = price
  const recurring = { interval, interval_count }
  return done({
    method: 'POST',
    path: '/v1/prices',
    body: {
      ...amountBody(price),
      currency: 'usd',
      recurring,
      ...(product !== null && { product: ref(product) }),
    },
    makes: { [key]: 'id' },
  })
}

export const NO_TIERS = { tiers: null, tiersMode: null }

/** Tiers with random amounts. @param limits - where the tiers end */
export function tiersOf(dice: Dice, limits: readonly (readonly (number | null)[])[]) {
  const tiersMode = dice.of(['graduated', 'volume'] as const)
  const tiers = dice
    .of(limits)
    .map((upTo) => ({ upTo, amount: dice.of([0, 1, 3, 20]), flat: dice.of([0, 0, 100, 999]) }))
  return { tiers, tiersMode }
}

/** The parameters of a price for its amounts. */
export const amountBody = ({ amount, tiers, tiersMode }: Pick<Price, 'amount' | 'tiers' | 'tiersMode'>) =>
  tiers
    ? {
        billing_scheme: 'tiered',
        tiers_mode: tiersMode,
        tiers: tiers.map(({ upTo, amount: unit, flat }) => ({
          ...{ up_to: upTo ?? 'inf', unit_amount: unit, flat_amount: flat },
        })),
      }
    : { unit_amount: amount }

export const createCustomer: Command = ({ merchant, dice }) => {
  const clock = dice.chance(30) ? dice.any(merchant.clocks.filter(({ isDeleted }) => !isDeleted)) : undefined
  const key = newKey(merchant, 'cus')
  const customer = {
    key,
    clock: clock?.key ?? null,
    defaultMethod: null,
    discount: null,
    isDeleted: false,
    numbersGiven: 0,
    balances: {},
    transactions: [],
  }
  merchant.customers.push(customer)
  return done({
    method: 'POST',
    path: '/v1/customers',
    body: { name: key, ...(clock && { test_clock: ref(clock.key) }) },
    makes: { [key]: 'id' },
  })
}

/** Sets a default payment method: one of the customer, or a new one by a test id. */
export const giveDefault: Command = (table) => {
  const { dice } = table
  const customer = dice.any(livingCustomers(table))
  if (!customer) return null
  const old = dice.chance(50) ? dice.any(methodsOf(table, customer.key)) : undefined
  const { key, given, makes } = old
    ? { key: old.key, given: ref(old.key), makes: {} }
    : attachTestCard(table, customer.key, 'invoice_settings.default_payment_method')
  customer.defaultMethod = key
  return done({
    method: 'POST',
    path: `/v1/customers/{${customer.key}}`,
    body: { invoice_settings: { default_payment_method: given } },
    makes,
  })
}

/** See docs/contract/payments.md#test-payment-methods. */
export function attachTestCard({ merchant, dice }: Table, customer: string, shownAt: string) {
  const given = dice.of(TEST_CARD_IDS)
  const key = newKey(merchant, 'pm')
  merchant.methods.push({ key, customer, behaviour: TEST_CARDS[given], script: null })
  return { key, given, makes: { [key]: shownAt } }
}

export const attachMethod: Command = (table) => {
  const customer = table.dice.any(livingCustomers(table))
  if (!customer) return null
  const { given, makes } = attachTestCard(table, customer.key, 'id')
  return done({
    method: 'POST',
    path: `/v1/payment_methods/${given}/attach`,
    body: { customer: ref(customer.key) },
    makes,
  })
}

/** See docs/contract/payments.md#detaching. */
export const detachMethod: Command = (table) => {
  const { merchant, dice } = table
  const attached = merchant.methods.filter(({ customer }) => customer !== null && isOfLiving(table, customer))
  const method = dice.any(attached)
  if (!method) return null
  for (const customer of merchant.customers) {
    if (customer.defaultMethod === method.key) customer.defaultMethod = null
  }
  method.customer = null
  return done({ method: 'POST', path: `/v1/payment_methods/{${method.key}}/detach` })
}

export const attachAgain: Command = (table) => {
  const { merchant, dice } = table
  const method = dice.any(merchant.methods.filter(({ customer }) => customer === null))
  const customer = dice.any(livingCustomers(table))
  if (!method || !customer) return null
  method.customer = customer.key
  return done({
    method: 'POST',
    path: `/v1/payment_methods/{${method.key}}/attach`,
    body: { customer: ref(customer.key) },
  })
}

const OUTCOMES = ['succeed', 'succeed', 'decline:insufficient_funds', 'decline:expired_card']

export const scriptMethod: Command = (table) => {
  const { merchant, dice } = table
  const scriptable = merchant.methods.filter(
    ({ customer, behaviour }) => behaviour === 'succeeds' && customer !== null && isOfLiving(table, customer),
  )
  const method = dice.any(scriptable)
  if (!method) return null
  const outcomes = Array.from({ length: dice.below(9) }, () => dice.of(OUTCOMES))
  // biome-ignore lint/suspicious/noThenProperty: the contract's name, and never a function
  const script = { outcomes, then: dice.of(OUTCOMES) }
  method.script = copyOf(script)
  const path = `/v1/test_helpers/payment_methods/{${method.key}}/outcomes`
  return done({ method: 'POST', path, body: script })
}

export const createTestClock: Command = ({ merchant, dice }) => {
  const key = newKey(merchant, 'clock')
  const now = merchant.now + dice.between(-400, 400) * DAY
  merchant.clocks.push({ key, now, isDeleted: false })
  return done({
    method: 'POST',
    path: '/v1/test_helpers/test_clocks',
    body: { frozen_time: now },
    makes: { [key]: 'id' },
  })
}

/** See docs/contract/clocks.md#test-clocks. */
export const deleteTestClock: Command = (table) => {
  const { merchant, dice } = table
  const clock = dice.any(merchant.clocks.filter(({ isDeleted }) => !isDeleted))
  if (!clock) return null
  const emitted = livingCustomers(table)
    .filter((customer) => customer.clock === clock.key)
    .flatMap((customer) => deleteWhole(table, customer))
  clock.isDeleted = true
  const path = `/v1/test_helpers/test_clocks/{${clock.key}}`
  return done({ method: 'DELETE', path, emitted, isUnordered: true })
}

export const deleteCustomer: Command = (table) => {
  const customer = table.dice.any(livingCustomers(table))
  if (!customer) return null
  const emitted = deleteWhole(table, customer)
  return done({ method: 'DELETE', path: `/v1/customers/{${customer.key}}`, emitted, isUnordered: true })
}

/** See docs/contract/customers.md#deleting-a-customer. */
function deleteWhole({ merchant, faults }: Table, customer: Customer): ExpectedEvent[] {
  const at = nowOf(merchant, customer.key)
  const emitted = merchant.subscriptions
    .filter((subscription) => subscription.customer === customer.key)
    .filter(({ status }) => status !== 'canceled' && status !== 'incomplete_expired')
    .flatMap((subscription) => {
      const operation = new Operation(merchant, faults, { at, subscription })
      if (subscription.status === 'incomplete') voidOpen(operation, subscription)
      cancel(operation, subscription, { reason: 'cancellation_requested', isRequestedNow: true })
      return operation.end({ isDeleted: true })
    })
  for (const schedule of merchant.schedules) {
    if (schedule.customer !== customer.key || schedule.status !== 'not_started') continue
    const operation = new Operation(merchant, faults, { at, schedule })
    Object.assign(schedule, { status: 'canceled', canceledAt: at })
    emitted.push(...operation.end())
  }
  const operation = new Operation(merchant, faults, { at })
  const discount = merchant.discounts.find(({ key }) => key === customer.discount)
  if (discount) endDiscount(operation, discount)
  customer.isDeleted = true
  return [...emitted, ...operation.end()]
}
