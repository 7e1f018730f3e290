import type { Body } from '../../twin.ts'
import type { Dice } from '../dice.ts'
import type { Command } from './commands.ts'
import type { Story } from './story.ts'

const DAY = 86_400
const post = (path: string, params: Body = {}) => ({ method: 'POST', path, params })

export const recurringPrice = async (story: Story, dice: Dice): Promise<string | undefined> =>
  dice.any((await story.list('/v1/prices')).filter(({ recurring }) => recurring !== null))?.id

/** Chooses a subscription, mostly one that has not ended. */
async function anySubscription(story: Story, dice: Dice): Promise<Body | undefined> {
  const all = await story.list('/v1/subscriptions?status=all')
  const live = all.filter(({ ended_at }) => ended_at === null)
  return dice.any(live.length > 0 && dice.chance(95) ? live : all)
}

export async function discounts(story: Story, dice: Dice): Promise<Body[] | undefined> {
  const coupon = dice.any(await story.list('/v1/coupons'))
  const code = dice.any(await story.list('/v1/promotion_codes'))
  if (code && dice.chance(30)) return [{ promotion_code: code.id }]
  return coupon ? [{ coupon: coupon.id }] : undefined
}

/** Returns the time of an object's clock. */
export async function nowOf(story: Story, { test_clock }: Body): Promise<number> {
  if (!test_clock) return story.now
  const { body } = await story.send({ method: 'GET', path: `/v1/test_helpers/test_clocks/${test_clock}` })
  return body.frozen_time
}

const PRORATIONS = ['create_prorations', 'create_prorations', 'always_invoice', 'none', null] as const

export const subscribe: Command = async (story, dice) => {
  const [customer, price] = [dice.any(await story.list('/v1/customers')), await recurringPrice(story, dice)]
  if (!customer || !price) return null
  const isSent = dice.chance(12)
  return post('/v1/subscriptions', {
    customer: customer.id,
    items: [{ price, quantity: dice.of([1, 1, 2, 7]) }],
    payment_behavior: dice.of([
      ...[null, null, 'allow_incomplete', 'default_incomplete', 'error_if_incomplete'],
    ]),
    ...(isSent && { collection_method: 'send_invoice', days_until_due: dice.of([0, 3, 30]) }),
    ...(dice.chance(25) && { trial_period_days: dice.of([1, 7, 14]) }),
    ...(dice.chance(20) && {
      trial_settings: {
        end_behavior: { missing_payment_method: dice.of(['create_invoice', 'pause', 'cancel']) },
      },
    }),
    ...(dice.chance(25) && { discounts: await discounts(story, dice) }),
    ...(dice.chance(20) && { payment_settings: { save_default_payment_method: 'on_subscription' } }),
    ...(dice.chance(8) && {
      trial_period_days: null,
      backdate_start_date: (await nowOf(story, customer)) - dice.between(1, 100) * DAY,
    }),
    expand: ['latest_invoice', 'pending_setup_intent'],
  })
}

export const changeItems: Command = async (story, dice) => {
  const [found, price] = [await anySubscription(story, dice), await recurringPrice(story, dice)]
  const item: Body | undefined = found && dice.any(found.items.data)
  if (!found || !item) return null
  const pending = dice.chance(15)
  return post(`/v1/subscriptions/${found.id}`, {
    items: [{ id: item.id, ...(dice.chance(60) ? { price } : { quantity: dice.between(1, 9) }) }],
    proration_behavior: pending ? 'always_invoice' : dice.of(PRORATIONS),
    payment_behavior: pending
      ? 'pending_if_incomplete'
      : dice.of([null, null, 'error_if_incomplete', 'default_incomplete']),
    ...(!pending && dice.chance(10) && { billing_cycle_anchor: 'now' }),
  })
}

/** Adds an item with the interval of the others, changes one, or removes one. */
export const changeItem: Command = async (story, dice) => {
  const found = await anySubscription(story, dice)
  const item: Body | undefined = found && dice.any(found.items.data)
  if (!found || !item) return null
  const proration_behavior = dice.of(PRORATIONS)
  if (dice.chance(20))
    return { method: 'DELETE', path: `/v1/subscription_items/${item.id}`, params: { proration_behavior } }
  if (dice.chance(30))
    return post(`/v1/subscription_items/${item.id}`, { quantity: dice.between(1, 5), proration_behavior })
  const { interval, interval_count } = item.price.recurring
  return post('/v1/subscription_items', {
    subscription: found.id,
    price_data: {
      ...{ currency: 'usd', product: item.price.product, unit_amount: dice.of([100, 777]) },
      recurring: { interval, interval_count },
    },
    proration_behavior,
  })
}

/** Changes a cancellation, a pause, the trial, the discounts or the method of payment. */
export const updateSubscription: Command = async (story, dice) => {
  const found = await anySubscription(story, dice)
  if (!found) return null
  const now = await nowOf(story, found)
  const methods = await story.list(`/v1/customers/${found.customer}/payment_methods`).catch(() => [])
  const resumes_at = dice.of([null, now + 20 * DAY])
  const choices: Body[] = [
    { cancel_at_period_end: dice.chance(60) },
    { cancel_at: dice.of(['', 'min_period_end', now + 12 * DAY, now + 100 * DAY]) },
    { pause_collection: { behavior: dice.of(['void', 'keep_as_draft', 'mark_uncollectible']), resumes_at } },
    { pause_collection: '' },
    { trial_end: dice.of(['now', now + 5 * DAY, now + 40 * DAY]), proration_behavior: dice.of(PRORATIONS) },
    { discounts: (await discounts(story, dice)) ?? '' },
    { discounts: '' },
    { default_payment_method: dice.any(methods)?.id ?? '' },
    { metadata: { plan: dice.of(['a', 'b']) } },
    { billing_cycle_anchor: 'now', proration_behavior: dice.of(PRORATIONS) },
    dice.chance(50)
      ? { collection_method: 'send_invoice', days_until_due: 7 }
      : { collection_method: 'charge_automatically' },
  ]
  return post(`/v1/subscriptions/${found.id}`, dice.of(choices))
}

export const cancel: Command = async (story, dice) => {
  const found = await anySubscription(story, dice)
  const params = { ...(dice.chance(40) && { prorate: true }), ...(dice.chance(40) && { invoice_now: true }) }
  return found ? { method: 'DELETE', path: `/v1/subscriptions/${found.id}`, params } : null
}

export const resume: Command = async (story, dice) => {
  const paused = await story.list('/v1/subscriptions?status=paused')
  const found = dice.any(paused)
  return found ? post(`/v1/subscriptions/${found.id}/resume`) : null
}

/** Plans the phases of a subscription, or ends its plan. */
export const plan: Command = async (story, dice) => {
  const schedules = await story.list('/v1/subscription_schedules')
  const active = dice.any(schedules.filter(({ status }) => status === 'active'))
  if (active && dice.chance(40))
    return post(`/v1/subscription_schedules/${active.id}/${dice.of(['release', 'cancel'])}`)
  const price = await recurringPrice(story, dice)
  if (active && price) {
    const [phase] = active.phases
    const items = phase.items.map(({ price, quantity }: Body) => ({ price, quantity }))
    const { start_date, end_date } = phase
    return post(`/v1/subscription_schedules/${active.id}`, {
      phases: [
        { items, start_date, end_date },
        { items: [{ price }], duration: { interval: 'month' } },
      ],
      end_behavior: dice.of(['release', 'cancel']),
    })
  }
  const found = await anySubscription(story, dice)
  return found ? post('/v1/subscription_schedules', { from_subscription: found.id }) : null
}
