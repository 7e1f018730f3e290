import { amountBody, INTERVALS, NO_TIERS, tiersOf } from './commands-objects.ts'
import { DAY } from './model-calendar.ts'
import { type Command, done, livingCustomers, refused, type Table } from './model-play.ts'
import { ref } from './model-shown.ts'
import { type Customer, named, newKey, nowOf } from './model-state.ts'
import { isAccepted, type Meter, type MeterEvent, usageOf } from './model-usage.ts'

export const createMeter: Command = ({ merchant, dice }) => {
  const key = newKey(merchant, 'meter')
  const formula = dice.of(['sum', 'sum', 'count', 'last'] as const)
  merchant.meters.push({ key, formula, isActive: true })
  const body = { display_name: key, event_name: key, default_aggregation: { formula } }
  return done({ method: 'POST', path: '/v1/billing/meters', body, makes: { [key]: 'id' } })
}

/** See docs/contract/usage.md#meters. */
export const switchMeter: Command = ({ merchant, dice }) => {
  const meter = dice.any(merchant.meters)
  if (!meter) return null
  const toActive = dice.chance(50)
  const path = `/v1/billing/meters/{${meter.key}}/${toActive ? 'reactivate' : 'deactivate'}`
  if (meter.isActive === toActive) return refused({ method: 'POST', path })
  meter.isActive = toActive
  return done({ method: 'POST', path, returns: { status: toActive ? 'active' : 'inactive' } })
}

/** See docs/contract/usage.md#metered-prices. */
export const createMeteredPrice: Command = ({ merchant, dice }) => {
  const meter = dice.any(merchant.meters)
  if (!meter) return null
  const { interval, interval_count } = dice.of([
    ...INTERVALS,
    ...merchant.prices,
    ...merchant.prices,
    ...merchant.prices,
  ])
  const amounts = [0, 1, 7, 50, 1000, 99_999_999]
  const tiered = dice.chance(50)
    ? tiersOf(dice, [[null], [100, null], [1, 10, null], [5, 1000, null]])
    : NO_TIERS
  const price = {
    key: newKey(merchant, 'price'),
    ...{ amount: dice.of(amounts), interval, interval_count, meter: meter.key, ...tiered },
    product: dice.chance(30) ? (dice.any(merchant.products) ?? null) : null,
  }
  const body = {
    currency: 'usd',
    recurring: { interval, interval_count, usage_type: 'metered', meter: ref(meter.key) },
    ...amountBody(price),
    ...(price.product !== null && { product: ref(price.product) }),
  }
  const play = { method: 'POST' as const, path: '/v1/prices', body }
  if (!meter.isActive) return refused(play)
  merchant.prices.push(price)
  return done({ ...play, makes: { [price.key]: 'id' } })
}

/** Values, in thousandths. */
const VALUES = [1000, 1000, 5000, 10_000, 99_000, 100_000, 101_000, 500, 1, -3000, 250_500, 5_000_000_000]

/** See docs/contract/usage.md#meter-events. */
export const reportUsage: Command = (table) => {
  const { merchant, dice } = table
  const meter = dice.any(merchant.meters)
  const customer = dice.any(dice.chance(97) ? customersOf(table, meter) : merchant.customers)
  if (!meter || !customer) return null
  const now = customer.isDeleted ? merchant.now : nowOf(merchant, customer.key)
  const timestamp = dice.chance(60) ? timeOf(table, customer, now) : undefined
  const isDouble = dice.chance(3) && merchant.meterEvents.length > 0
  const event: MeterEvent = {
    key: isDouble ? dice.of(merchant.meterEvents).key : newKey(merchant, 'use'),
    ...{ meter: meter.key, customer: customer.key, value: dice.of(VALUES) },
    ...{ timestamp: timestamp ?? now, received: now, isCanceled: false },
  }
  const body = {
    event_name: meter.key,
    payload: { stripe_customer_id: ref(customer.key), value: String(event.value / 1000) },
    identifier: event.key,
    ...(timestamp !== undefined && { timestamp }),
  }
  const play = { method: 'POST' as const, path: '/v1/billing/meter_events', body }
  const isRefused = isDouble || customer.isDeleted || !meter.isActive || !isAccepted(event.timestamp, now)
  if (isRefused) return refused(play)
  merchant.meterEvents.push(event)
  return done(play)
}

/** The customers with a subscription that uses a meter, or all. */
function customersOf(table: Table, meter: Meter | undefined): Customer[] {
  const { merchant, dice } = table
  const living = livingCustomers(table)
  const prices = merchant.prices.filter((price) => price.meter === meter?.key).map(({ key }) => key)
  const uses = ({ key }: Customer) =>
    merchant.subscriptions.some(
      ({ customer, items }) => customer === key && items.some(({ price }) => prices.includes(price)),
    )
  const using = living.filter(uses)
  return using.length > 0 && dice.chance(85) ? using : living
}

/** An instant at a border: of a period, or of what is accepted. */
function timeOf({ merchant, dice }: Table, { key }: Customer, now: number): number {
  const borders = merchant.subscriptions
    .filter(({ customer }) => customer === key)
    .flatMap(({ start, end }) => [start - 1, start, end - 1, end])
    .filter((border) => isAccepted(border, now))
  const limits = [now - 35 * DAY, now - 35 * DAY - 1, now + 300, now + 301, now, now - 1]
  const border = dice.chance(60) ? dice.any(borders) : undefined
  return border ?? dice.of([...limits, now - dice.below(35 * DAY), now - dice.below(DAY)])
}

/** See docs/contract/usage.md#canceling-an-event. */
export const cancelUsage: Command = ({ merchant, dice }) => {
  const event = dice.any(merchant.meterEvents.slice(-10))
  if (!event || named<Customer>(merchant.customers, event.customer).isDeleted) return null
  const body = { event_name: event.meter, type: 'cancel', cancel: { identifier: event.key } }
  const play = { method: 'POST' as const, path: '/v1/billing/meter_event_adjustments', body }
  const isLate = nowOf(merchant, event.customer) - event.received > DAY
  if (event.isCanceled || isLate) return refused(play)
  event.isCanceled = true
  return done(play)
}

/** See docs/contract/usage.md#summaries. */
export const summarizeUsage: Command = (table) => {
  const { merchant, dice } = table
  const meter = dice.any(merchant.meters)
  const customer = dice.any(customersOf(table, meter))
  if (!meter || !customer) return null
  const now = nowOf(merchant, customer.key)
  const start = Math.floor((now - dice.below(40 * DAY)) / 60) * 60
  const end = start + dice.between(1, 40 * 24 * 60) * 60
  const usage = usageOf(merchant, { meter: meter.key, customer: customer.key }, { start, end })
  const query = `customer={${customer.key}}&start_time=${start}&end_time=${end}`
  const path = `/v1/billing/meters/{${meter.key}}/event_summaries?${query}`
  return done({ method: 'GET', path, returns: { data: [{ aggregated_value: usage / 1000 }] } })
}
