import { priceOf } from './model-amounts.ts'
import { DAY } from './model-calendar.ts'
import { copyOf } from './model-copy.ts'
import { type Code, type Coupon, endDiscount, type Holder } from './model-discount.ts'
import { Operation } from './model-events.ts'
import { type Command, done, livingCustomers, refused, subscriptionIn, type Table } from './model-play.ts'
import { type Entry, invalidate, redeem, redeemAll } from './model-redeem.ts'
import { ref } from './model-shown.ts'
import { isEnded, type Merchant, named, newKey, nowOf } from './model-state.ts'

export const createProduct: Command = ({ merchant }) => {
  const key = newKey(merchant, 'prod')
  merchant.products.push(key)
  return done({ method: 'POST', path: '/v1/products', body: { name: key }, makes: { [key]: 'id' } })
}

/** Hundredths of a percent. */
const PERCENTS = [1, 1000, 1000, 2500, 3333, 5000, 10_000]
const AMOUNTS = [1, 100, 500, 1999, 2000, 99_999_999]

/** See docs/contract/discounts.md#coupons. */
export const createCoupon: Command = ({ merchant, dice }) => {
  const duration = dice.of(['once', 'repeating', 'forever'] as const)
  const isPercent = dice.chance(60)
  const products = dice.chance(25) ? [dice.any(merchant.products)].filter((key) => key !== undefined) : []
  const coupon: Coupon = {
    key: newKey(merchant, 'coupon'),
    percent: isPercent ? dice.of(PERCENTS) : null,
    amount: isPercent ? null : dice.of(AMOUNTS),
    currency: isPercent ? null : dice.of(['usd', 'usd', 'usd', 'usd', 'eur']),
    duration,
    months: duration === 'repeating' ? dice.of([1, 1, 2, 3, 12]) : null,
    products: products.length > 0 ? products : null,
    max: dice.chance(25) ? dice.between(1, 4) : null,
    redeemBy: dice.chance(20) ? merchant.now + dice.between(-100, 40 * DAY) : null,
    redeemed: 0,
    valid: true,
    isDeleted: false,
  }
  const body = {
    ...(coupon.percent === null
      ? { amount_off: coupon.amount, currency: coupon.currency }
      : { percent_off: coupon.percent / 100 }),
    duration,
    ...(coupon.months !== null && { duration_in_months: coupon.months }),
    ...(coupon.products && { applies_to: { products: coupon.products.map(ref) } }),
    ...(coupon.max !== null && { max_redemptions: coupon.max }),
    ...(coupon.redeemBy !== null && { redeem_by: coupon.redeemBy }),
  }
  const play = { method: 'POST' as const, path: '/v1/coupons', body }
  if (coupon.redeemBy !== null && coupon.redeemBy <= merchant.now) return refused(play)
  merchant.coupons.push(coupon)
  return done({ ...play, makes: { [coupon.key]: 'id' } })
}

export const deleteCoupon: Command = ({ merchant, dice }) => {
  const coupon = dice.any(merchant.coupons)
  if (!coupon) return null
  const play = { method: 'DELETE' as const, path: `/v1/coupons/{${coupon.key}}` }
  if (coupon.isDeleted) return refused(play)
  coupon.isDeleted = true
  invalidate(merchant, coupon)
  return done(play)
}

/** See docs/contract/discounts.md#promotion-codes. */
export const createCode: Command = (table) => {
  const { merchant, dice } = table
  const coupon = dice.any(merchant.coupons.slice(-8))
  if (!coupon) return null
  const code: Code = {
    key: newKey(merchant, 'promo'),
    coupon: coupon.key,
    customer: dice.chance(20) ? (dice.any(livingCustomers(table))?.key ?? null) : null,
    expiresAt: dice.chance(25) ? merchant.now + dice.between(-100, 40 * DAY) : null,
    max: dice.chance(25) ? dice.between(1, 3) : null,
    least: dice.chance(25) ? dice.of([1, 1999, 2000, 50_000]) : null,
    isFirst: dice.chance(20),
    redeemed: 0,
    active: true,
  }
  const body = {
    coupon: ref(coupon.key),
    ...(code.customer !== null && { customer: ref(code.customer) }),
    ...(code.expiresAt !== null && { expires_at: code.expiresAt }),
    ...(code.max !== null && { max_redemptions: code.max }),
    ...((code.least !== null || code.isFirst) && {
      restrictions: {
        ...(code.least !== null && { minimum_amount: code.least, minimum_amount_currency: 'usd' }),
        ...(code.isFirst && { first_time_transaction: true }),
      },
    }),
  }
  const play = { method: 'POST' as const, path: '/v1/promotion_codes', body }
  const { redeemBy, max, valid } = coupon
  const isLater = code.expiresAt !== null && redeemBy !== null && code.expiresAt > redeemBy
  const isMore = code.max !== null && max !== null && code.max > max
  const isPast = code.expiresAt !== null && code.expiresAt <= merchant.now
  if (!valid || isLater || isMore || isPast) return refused(play)
  merchant.codes.push(code)
  return done({ ...play, makes: { [code.key]: 'id' } })
}

/** A code that cannot be redeemed any more cannot be switched on. */
export const switchCode: Command = ({ merchant, dice }) => {
  const code = dice.any(merchant.codes)
  if (!code) return null
  const active = dice.chance(50)
  const play = { method: 'POST' as const, path: `/v1/promotion_codes/{${code.key}}`, body: { active } }
  const isOver =
    !named<Coupon>(merchant.coupons, code.coupon).valid ||
    code.redeemed === code.max ||
    (code.expiresAt !== null && code.expiresAt <= merchant.now)
  if (active && !code.active && isOver) return refused(play)
  code.active = active
  return done(play)
}

/** Gives a customer a discount, or removes it. See docs/contract/discounts.md#discounts-of-a-customer. */
export const discountCustomer: Command = (table) => {
  const { merchant, faults, dice } = table
  const customer = dice.any(livingCustomers(table))
  if (!customer) return null
  const path = `/v1/customers/{${customer.key}}`
  const operation = new Operation(merchant, faults, { at: nowOf(merchant, customer.key) })
  const former = merchant.discounts.find(({ key }) => key === customer.discount)
  if (dice.chance(20)) {
    const isByRoute = dice.chance(50)
    const play = isByRoute
      ? { method: 'DELETE' as const, path: `${path}/discount` }
      : { method: 'POST' as const, path, body: { coupon: '' } }
    if (!former) return isByRoute ? refused(play) : done(play)
    endDiscount(operation, former)
    return done({ ...play, emitted: operation.end() })
  }
  const entry = newEntry(table)
  if (!entry) return null
  const play = { method: 'POST' as const, path, body: entryBody(entry) }
  const before = copyOf(merchant)
  const purchase = { customer: customer.key, holder: {}, amount: null }
  const discount = redeem(operation, purchase, entry, former ? 'updated' : 'created')
  if (!discount) {
    Object.assign(merchant, before)
    return refused(play)
  }
  if (former) former.isOver = true
  customer.discount = discount.key
  return done({ ...play, emitted: operation.end() })
}

/** Replaces the discounts of a subscription, or of one of its items. */
export const discountSubscription: Command = (table) => {
  const { merchant, faults, dice } = table
  const subscription = subscriptionIn(
    table,
    'active',
    'past_due',
    'trialing',
    'incomplete',
    'unpaid',
    'paused',
  )
  if (!subscription || subscription.pending) return null
  const { key, customer, items, itemDiscounts } = subscription
  const item = dice.chance(35) ? dice.any(items) : undefined
  const current = item ? (itemDiscounts[item.key] ?? []) : subscription.discounts
  const entries = entriesOf(table, current)
  const discounts = entries.length === 0 ? '' : entries.map(entryBody)
  const play = {
    method: 'POST' as const,
    path: `/v1/subscriptions/{${key}}`,
    body: item ? { items: [{ id: `{item of ${key} ${item.price}}`, discounts }] } : { discounts },
  }
  const before = copyOf(merchant)
  const at = nowOf(merchant, customer)
  const operation = new Operation(merchant, faults, { at, subscription })
  const holder: Holder = { subscription: key, ...(item && { item: item.key }) }
  const amount = priceOf(merchant, item ? [item] : items)
  const given = redeemAll(operation, { customer, holder, amount }, { entries, current })
  if (!given) {
    Object.assign(merchant, before)
    return refused(play)
  }
  const removed = current.filter((each) => !given.includes(each))
  if (item) itemDiscounts[item.key] = given
  else subscription.discounts = given
  for (const each of removed) endDiscount(operation, named(merchant.discounts, each))
  return done({ ...play, emitted: operation.end() })
}

/** Removes the discounts of a subscription, and keeps those of its items. */
export const removeDiscounts: Command = (table) => {
  const { merchant, faults, dice } = table
  const subscription = dice.any(merchant.subscriptions.slice(-12))
  if (!subscription) return null
  const play = { method: 'DELETE' as const, path: `/v1/subscriptions/{${subscription.key}}/discount` }
  if (isEnded(subscription) || subscription.discounts.length === 0) return refused(play)
  const at = nowOf(merchant, subscription.customer)
  const operation = new Operation(merchant, faults, { at, subscription })
  for (const key of subscription.discounts) endDiscount(operation, named(merchant.discounts, key))
  return done({ ...play, emitted: operation.end() })
}

/** A list of discounts: some of those that the object has, and new ones. */
export function entriesOf(table: Table, current: readonly string[] = []): Entry[] {
  const { merchant, dice } = table
  const kept = current.filter(() => dice.chance(60)).map((discount) => ({ discount }))
  const other = dice.chance(3) ? dice.any<Merchant['discounts'][number]>(merchant.discounts) : undefined
  const made = Array.from({ length: dice.of([0, 1, 1, 1, 2, 3]) }, () => newEntry(table))
  return [...made, ...kept, ...(other ? [{ discount: other.key }] : [])].filter((each) => each !== null)
}

function newEntry({ merchant, dice }: Table): Exclude<Entry, { discount: string }> | null {
  const code = dice.chance(35) ? dice.any(merchant.codes.slice(-8)) : undefined
  if (code) return { promotion_code: code.key }
  const coupon = dice.any(merchant.coupons.slice(-8))
  return coupon ? { coupon: coupon.key } : null
}

export const entryBody = (entry: Entry): Record<string, unknown> =>
  Object.fromEntries(Object.entries(entry).map(([name, key]) => [name, ref(key as string)]))
