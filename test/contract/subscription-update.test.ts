import { describe, expect, test } from 'vitest'
import { eventsOf, idsOf, typesOf } from '../http/support.ts'
import { type Body, makePrice } from '../twin.ts'
import { begin, type Story } from './subscription-story.ts'
import { DAY, emitted, inFull, NOW, newestOf, PERIOD_END, writesNothing } from './support.ts'

const pathOf = ({ subscription }: Story, action = '') => `/v1/subscriptions/${subscription.id}${action}`
const update = (story: Story, body: Body) => story.twin.post(pathOf(story), body)
const now = (story: Story) => story.twin.get(pathOf(story))
const itemsOf = ({ items }: Body): [string, number][] =>
  items.data.map(({ price, quantity }: Body) => [price.id, quantity])

describe('an update', () => {
  test.each<[Body, Body]>([
    [{ description: 'Gold' }, { description: null }],
    [{ metadata: { a: '1' } }, { metadata: {} }],
    [
      { collection_method: 'send_invoice', days_until_due: 7 },
      { collection_method: 'charge_automatically', days_until_due: null },
    ],
    [{ cancel_at: PERIOD_END + DAY }, { cancel_at: null, canceled_at: null }],
    [{ cancel_at_period_end: true }, { cancel_at_period_end: false, cancel_at: null, canceled_at: null }],
    [{ pause_collection: { behavior: 'void', resumes_at: NOW + DAY } }, { pause_collection: null }],
    [{ default_payment_method: null }, {}],
  ])('to %j reports the replaced values, and only these', async (body, previous) => {
    const story = await begin('active')
    const { default_payment_method } = story.subscription
    const events = await eventsOf(story.twin, async () => {
      expect(await update(story, body)).toMatchObject(body)
    })
    expect(typesOf(events)).toEqual(['subscription.updated'])
    expect(events[0]?.data).toEqual({
      object: await now(story),
      previous_attributes: 'default_payment_method' in body ? { default_payment_method } : previous,
    })
  })

  test('that changes nothing emits nothing', async () => {
    const story = await begin('active', { metadata: { a: '1' }, description: 'x' })
    const { default_payment_method, items } = story.subscription
    for (const body of [
      {},
      { description: 'x', metadata: { a: '1' } },
      { default_payment_method, cancel_at_period_end: false, cancel_at: null, pause_collection: null },
      { items: [{ id: items.data[0].id, quantity: 1 }], proration_behavior: 'none' },
    ]) {
      await writesNothing(story.twin, () => update(story, body))
    }
  })

  test('to send_invoice sets thirty days by default, and back to none', async () => {
    const story = await begin('active')
    expect(await update(story, { collection_method: 'send_invoice' })).toMatchObject({ days_until_due: 30 })
    expect(await update(story, { days_until_due: 3 })).toMatchObject({ days_until_due: 3 })
    expect(await update(story, { collection_method: 'charge_automatically' })).toMatchObject({
      days_until_due: null,
    })
  })

  test('to send_invoice sends the next invoice', async () => {
    const story = await begin('active')
    await update(story, { collection_method: 'send_invoice', days_until_due: 5 })
    expect(await emitted(story.twin, () => story.twin.advance({ to: PERIOD_END }))).toBe(
      inFull('invoice.created invoice.finalized Δ'),
    )
    expect(await newestOf(story.twin, story.subscription)).toMatchObject({
      status: 'open',
      collection_method: 'send_invoice',
      due_date: PERIOD_END + 5 * DAY,
      attempt_count: 0,
      next_payment_attempt: null,
    })
  })

  test('to a test id attaches it first, and the next renewal charges it', async () => {
    const story = await begin('active')
    const events = await emitted(story.twin, () =>
      update(story, { default_payment_method: 'pm_card_chargeDeclined' }),
    )
    expect(events).toBe(inFull('payment_method.attached Δ'))
    await story.twin.advance({ to: PERIOD_END })
    expect((await now(story)).status).toBe('past_due')
  })

  test('of the payment method during dunning makes no attempt; the next retry uses it', async () => {
    const story = await begin('past_due', { afterwards: 'decline:lost_card' })
    expect(await emitted(story.twin, () => update(story, { default_payment_method: 'pm_card_visa' }))).toBe(
      inFull('payment_method.attached Δ'),
    )
    expect(await emitted(story.twin, () => story.twin.advance({ by: '1d' }))).toBe(
      inFull('invoice.paid PI+ Δ'),
    )
  })
})

describe('items', () => {
  test('are added, changed and removed, with effect from the next renewal', async () => {
    const story = await begin('active')
    const { twin, subscription } = story
    const [item] = subscription.items.data
    const [second, third] = [
      await makePrice(twin, { unit_amount: 300 }),
      await makePrice(twin, { unit_amount: 50 }),
    ]
    const events = await emitted(twin, async () => {
      const added = await update(story, { items: [{ price: second.id, quantity: 2 }] })
      expect(itemsOf(added)).toEqual([
        [item.price.id, 1],
        [second.id, 2],
      ])
      expect(added.items.data[0]).toEqual(item)
      const changed = await update(story, { items: [{ id: item.id, quantity: 3 }, { price: third.id }] })
      expect(itemsOf(changed)).toEqual([
        [item.price.id, 3],
        [second.id, 2],
        [third.id, 1],
      ])
      const removed = await update(story, { items: [{ id: item.id, deleted: true }] })
      expect(itemsOf(removed)).toEqual([
        [second.id, 2],
        [third.id, 1],
      ])
    })
    expect(events).toBe(inFull('Δ Δ Δ'))
    expect((await twin.get('/v1/invoices')).data).toHaveLength(1)
    await twin.advance({ to: PERIOD_END })
    expect(await newestOf(twin, subscription)).toMatchObject({ total: 650, status: 'paid' })
  })

  test('keep their id when their price or metadata changes', async () => {
    const story = await begin('active')
    const [item] = story.subscription.items.data
    const { id: price } = await makePrice(story.twin, { unit_amount: 1 })
    const after = await update(story, { items: [{ id: item.id, price, metadata: { a: 'b' } }] })
    expect(after.items.data).toMatchObject([
      { id: item.id, price: { id: price }, quantity: 1, metadata: { a: 'b' } },
    ])
  })

  test('may all be replaced at once, without a charge', async () => {
    const story = await begin('active')
    const [item] = story.subscription.items.data
    const { id: price } = await makePrice(story.twin, { unit_amount: 0 })
    const after = await update(story, { items: [{ id: item.id, deleted: true }, { price }] })
    expect(itemsOf(after)).toEqual([[price, 1]])
    expect(idsOf(after.items.data)).not.toContain(item.id)
    await update(story, { default_payment_method: 'pm_card_chargeDeclined' })
    expect(await emitted(story.twin, () => story.twin.advance({ to: PERIOD_END }))).toBe(inFull('I3 Δ'))
    expect(await newestOf(story.twin, story.subscription)).toMatchObject({
      total: 0,
      status: 'paid',
      payment_intent: null,
    })
  })

  test('keep a price that is no longer active', async () => {
    const story = await begin('active')
    const [item] = story.subscription.items.data
    await story.twin.post(`/v1/prices/${item.price.id}`, { active: false })
    expect(itemsOf(await update(story, { items: [{ id: item.id, quantity: 4 }] }))).toEqual([
      [item.price.id, 4],
    ])
  })
})

describe('cancel_at', () => {
  test('ends a subscription within its period, at that instant, without a refund', async () => {
    const story = await begin('active')
    const cancel_at = NOW + 10 * DAY + 1
    expect(await update(story, { cancel_at })).toMatchObject({
      cancel_at,
      cancel_at_period_end: false,
      canceled_at: NOW,
    })
    const events = await eventsOf(story.twin, () => story.twin.advance({ by: '1y' }))
    expect(typesOf(events)).toEqual(['subscription.deleted'])
    expect(events[0]).toMatchObject({ created: cancel_at })
    expect(await now(story)).toMatchObject({
      status: 'canceled',
      cancel_at,
      canceled_at: NOW,
      ended_at: cancel_at,
      current_period_end: PERIOD_END,
      cancellation_details: { reason: 'cancellation_requested' },
    })
    expect((await story.twin.get('/v1/refunds')).data).toEqual([])
  })

  test('is removed by null, and the subscription continues', async () => {
    const story = await begin('active')
    await update(story, { cancel_at: NOW + DAY })
    expect(await update(story, { cancel_at: null })).toMatchObject({ cancel_at: null, canceled_at: null })
    await story.twin.advance({ to: PERIOD_END })
    expect((await now(story)).status).toBe('active')
  })

  test.each([
    ['an earlier one wins over the period’s end', NOW + DAY, NOW + DAY],
    ['the period’s end wins over a later one', PERIOD_END + DAY, PERIOD_END],
  ])('%s', async (_, cancel_at, ends) => {
    const story = await begin('active')
    await update(story, { cancel_at, cancel_at_period_end: true })
    await story.twin.advance({ by: '1y' })
    expect(await now(story)).toMatchObject({ status: 'canceled', ended_at: ends, cancel_at_period_end: true })
  })

  test('stays in force when only the period’s end is resumed', async () => {
    const story = await begin('active')
    await update(story, { cancel_at: NOW + DAY, cancel_at_period_end: true })
    const after = await story.twin.post(pathOf(story, '/resume'))
    expect(after).toMatchObject({ cancel_at_period_end: false, cancel_at: NOW + DAY })
  })
})

describe('trial_end', () => {
  const END = NOW + 14 * DAY

  test('later moves the trial’s end, and the anchor with it', async () => {
    const story = await begin('trialing')
    const trial_end = END + 3 * DAY
    const events = await eventsOf(story.twin, () => update(story, { trial_end }))
    expect(events[0]?.data.previous_attributes).toEqual({
      trial_end: END,
      billing_cycle_anchor: END,
      current_period_end: END,
    })
    expect(await emitted(story.twin, () => story.twin.advance({ to: trial_end - 1 }))).toBe('')
    expect(await emitted(story.twin, () => story.twin.advance({ by: '1s' }))).toBe(inFull('I3 PI+ Δ'))
    expect(await now(story)).toMatchObject({
      billing_cycle_anchor: trial_end,
      current_period_start: trial_end,
    })
  })

  test('earlier, but still in the future, moves it too', async () => {
    const story = await begin('trialing')
    expect(await update(story, { trial_end: NOW + DAY })).toMatchObject({
      trial_end: NOW + DAY,
      current_period_end: NOW + DAY,
    })
  })

  test('moves a cancellation at its end too', async () => {
    const story = await begin('trialing')
    await update(story, { cancel_at_period_end: true })
    expect(await update(story, { trial_end: END + DAY })).toMatchObject({ cancel_at: END + DAY })
    expect(await emitted(story.twin, () => story.twin.advance({ by: '1mo' }))).toBe('subscription.deleted')
    expect(await now(story)).toMatchObject({ ended_at: END + DAY })
  })

  test('now ends it at once, as at its regular end', async () => {
    const story = await begin('trialing')
    await story.twin.advance({ by: '1d' })
    const after = await update(story, { trial_end: 'now' })
    expect(after).toMatchObject({
      status: 'active',
      trial_end: NOW + DAY,
      billing_cycle_anchor: NOW + DAY,
      current_period_start: NOW + DAY,
      latest_invoice: expect.stringMatching(/^in_/),
    })
    expect(await newestOf(story.twin, story.subscription)).toMatchObject({
      billing_reason: 'subscription_cycle',
      period_start: NOW + DAY,
    })
    expect(await emitted(story.twin, () => story.twin.advance({ to: END }))).toBe('')
  })

  test('now reports the other changes of the update', async () => {
    const story = await begin('trialing')
    const events = await eventsOf(story.twin, () =>
      update(story, { trial_end: 'now', description: 'Gold', metadata: { a: 'b' } }),
    )
    expect(events.at(-1)?.data.previous_attributes).toMatchObject({
      status: 'trialing',
      trial_end: END,
      description: null,
      metadata: {},
    })
  })

  test('now with a test id as payment method attaches and charges it', async () => {
    const story = await begin('trialing', { default_payment_method: undefined })
    const body = { trial_end: 'now', default_payment_method: 'pm_card_visa' }
    expect(await emitted(story.twin, () => update(story, body))).toBe(
      inFull('payment_method.attached I3 PI+ Δ'),
    )
    expect((await now(story)).status).toBe('active')
  })

  test('now with other items bills those', async () => {
    const story = await begin('trialing')
    const { id: price } = await makePrice(story.twin, { unit_amount: 7 })
    await update(story, { trial_end: 'now', items: [{ price }] })
    expect(await newestOf(story.twin, story.subscription)).toMatchObject({ total: 2007, status: 'paid' })
  })

  test('now with a card that is declined leads to dunning', async () => {
    const story = await begin('trialing', { afterwards: 'decline:lost_card' })
    expect(await emitted(story.twin, () => update(story, { trial_end: 'now' }))).toBe(inFull('I3f PI- Δ'))
    expect(await now(story)).toMatchObject({ status: 'past_due', latest_invoice: null })
  })

  const REFUSING = { trial_end: 'now', payment_behavior: 'error_if_incomplete' }
  const refused = async (story: Story, body: Body, decline_code: string) => {
    const { twin } = story
    const response = await writesNothing(twin, () => twin.request('POST', pathOf(story), body))
    expect(response).toMatchObject({ status: 402, body: { error: { decline_code } } })
  }

  test('now with error_if_incomplete and a card that is declined is refused as a whole', async () => {
    const story = await begin('trialing', { afterwards: 'decline:fraudulent' })
    const { id: price } = await makePrice(story.twin, { unit_amount: 7 })
    await refused(story, REFUSING, 'fraudulent')
    await refused(story, { ...REFUSING, items: [{ price }] }, 'fraudulent')
  })

  test.each([
    ['create_invoice', null],
    ['pause', 'paused'],
    ['cancel', 'canceled'],
  ])(
    'now with error_if_incomplete and no payment method follows the setting %s',
    async (missing_payment_method, status) => {
      const story = await begin('trialing', {
        default_payment_method: undefined,
        trial_settings: { end_behavior: { missing_payment_method } },
      })
      if (status === null) await refused(story, REFUSING, 'payment_method_missing')
      else expect(await update(story, REFUSING)).toMatchObject({ status })
    },
  )

  test('now with error_if_incomplete is refused if the last invoice of a planned cancellation is declined', async () => {
    const story = await begin('trialing', { afterwards: 'decline:fraudulent' })
    const { id: subscription, customer } = story.subscription
    await story.twin.post('/v1/invoiceitems', { customer, subscription, amount: 500, currency: 'usd' })
    const ending = { cancel_at_period_end: true, trial_end: 'now' }
    await refused(story, { ...ending, payment_behavior: 'error_if_incomplete' }, 'fraudulent')
    expect(await update(story, ending)).toMatchObject({ status: 'canceled' })
    expect(await newestOf(story.twin, story.subscription)).toMatchObject({ total: 500, status: 'open' })
  })
})
