import { describe, expect, test } from 'vitest'
import { eventsOf, typesOf } from '../http/support.ts'
import { subscribe } from '../scenarios/story.ts'
import { type Body, makeCustomer, makePrice } from '../twin.ts'
import { begin, type Story } from './subscription-story.ts'
import { DAY, emitted, expectDecline, inFull, NOW, newestOf, PERIOD_END } from './support.ts'

const pathOf = ({ subscription }: Story, action = '') => `/v1/subscriptions/${subscription.id}${action}`
const now = (story: Story) => story.twin.get(pathOf(story))
const pause = (story: Story, behavior: string, resumes_at?: number) =>
  story.twin.post(pathOf(story), { pause_collection: { behavior, ...(resumes_at && { resumes_at }) } })
const MARCH_31 = 1774951200

describe('while collection is paused', () => {
  test.each([
    ['keep_as_draft', 'draft'],
    ['mark_uncollectible', 'uncollectible'],
    ['void', 'void'],
  ])('with %s each renewal’s invoice is %s, and the subscription continues', async (behavior, status) => {
    const story = await begin('active')
    expect((await pause(story, behavior)).pause_collection).toEqual({ behavior, resumes_at: null })
    const events = await eventsOf(story.twin, () => story.twin.advance({ to: PERIOD_END }))
    const invoice = await newestOf(story.twin, story.subscription)
    const isDraft = status === 'draft'
    expect(invoice).toMatchObject({
      status,
      total: 2000,
      amount_paid: 0,
      attempt_count: 0,
      next_payment_attempt: null,
      number: isDraft ? null : expect.stringMatching(/-0002$/),
      payment_intent: isDraft ? null : expect.stringMatching(/^pi_/),
    })
    const steps = typesOf(events).map((type, index) => [type, events[index]?.data.object.status])
    expect(steps).toEqual([
      ['invoice.created', 'draft'],
      ...(isDraft
        ? []
        : [
            ['invoice.finalized', 'open'],
            [`invoice.${status === 'void' ? 'voided' : 'marked_uncollectible'}`, status],
          ]),
      ['subscription.updated', 'active'],
    ])
    expect(Object.keys(events.at(-1)?.data.previous_attributes)).toEqual([
      'current_period_start',
      'current_period_end',
    ])
    expect(await now(story)).toMatchObject({ status: 'active', current_period_start: PERIOD_END })
    if (status === 'void')
      expect((await story.twin.get(`/v1/payment_intents/${invoice.payment_intent}`)).status).toBe('canceled')
  })

  test('retries of older invoices continue', async () => {
    const story = await begin('past_due')
    await pause(story, 'void')
    expect(await emitted(story.twin, () => story.twin.advance({ by: '1d' }))).toBe(
      inFull('invoice.paid PI+ Δ'),
    )
    expect(await now(story)).toMatchObject({ status: 'active', pause_collection: { behavior: 'void' } })
  })

  test('at resumes_at the pause ends, before a renewal of that second', async () => {
    const story = await begin('active')
    await pause(story, 'void', PERIOD_END)
    const events = await eventsOf(story.twin, () => story.twin.advance({ to: PERIOD_END }))
    expect(typesOf(events).join(' ')).toBe(inFull('Δ I3 PI+ Δ'))
    expect(events[0]).toMatchObject({
      created: PERIOD_END,
      data: { previous_attributes: { pause_collection: { behavior: 'void', resumes_at: PERIOD_END } } },
    })
    expect((await now(story)).pause_collection).toBeNull()
  })

  test('its end is listed as upcoming, and may be within a period', async () => {
    const story = await begin('active')
    await pause(story, 'keep_as_draft', NOW + DAY)
    const { data } = await story.twin.get('/v1/test_helpers/upcoming')
    expect(data.map(({ kind, due }: Body) => [kind, due])).toEqual([
      ['pause_end', NOW + DAY],
      ['renewal', PERIOD_END],
    ])
    expect(await emitted(story.twin, () => story.twin.advance({ to: PERIOD_END - 1 }))).toBe(inFull('Δ'))
  })

  test('resuming or unsetting it collects the next renewal again', async () => {
    for (const end of [
      (story: Story) => story.twin.post(pathOf(story, '/resume')),
      (story: Story) => story.twin.post(pathOf(story), { pause_collection: null }),
    ]) {
      const story = await begin('active')
      await pause(story, 'void')
      await story.twin.advance({ to: PERIOD_END })
      expect(await end(story)).toMatchObject({ pause_collection: null })
      expect(await emitted(story.twin, () => story.twin.advance({ to: MARCH_31 }))).toBe(inFull('I3 PI+ Δ'))
    }
  })

  test('a draft that was kept can be finalized and paid by hand later', async () => {
    const story = await begin('active')
    await pause(story, 'keep_as_draft')
    await story.twin.advance({ to: PERIOD_END })
    const { id } = await newestOf(story.twin, story.subscription)
    expect(await emitted(story.twin, () => story.twin.post(`/v1/invoices/${id}/finalize`))).toBe(
      inFull('invoice.finalized Δ'),
    )
    expect(await emitted(story.twin, () => story.twin.post(`/v1/invoices/${id}/pay`))).toBe(
      inFull('invoice.paid PI+'),
    )
    expect(await now(story)).toMatchObject({ status: 'active', latest_invoice: id })
  })
})

describe('invoices that are sent', () => {
  test.each([
    [undefined, 30],
    [0, 0],
    [10, 10],
  ])('with days_until_due %s are due after %i days', async (days_until_due, days) => {
    const story = await begin('active', { collection_method: 'send_invoice', days_until_due })
    expect(story.subscription).toMatchObject({ days_until_due: days, latest_invoice: null })
    expect(await newestOf(story.twin, story.subscription)).toMatchObject({
      status: 'open',
      due_date: NOW + days * DAY,
      attempted: false,
      attempt_count: 0,
      next_payment_attempt: null,
    })
  })

  test('are due one by one, and the subscription is active again when none is overdue', async () => {
    const story = await begin('active', { collection_method: 'send_invoice', days_until_due: 40 })
    const { twin, subscription } = story
    await twin.advance({ to: PERIOD_END })
    const second = await newestOf(twin, subscription)
    expect(second).toMatchObject({ status: 'open', due_date: PERIOD_END + 40 * DAY })
    expect(await emitted(twin, () => twin.advance({ to: NOW + 40 * DAY }))).toBe(inFull('Δ'))
    expect((await now(story)).status).toBe('past_due')
    // The second one is open too, but not due yet.
    const [, first] = (await twin.get(`/v1/invoices?subscription=${subscription.id}`)).data
    expect(await emitted(twin, () => twin.post(`/v1/invoices/${first.id}/pay`))).toBe(
      inFull('invoice.paid PI+ Δ'),
    )
    expect(await now(story)).toMatchObject({ status: 'active', latest_invoice: second.id })
  })

  test('need no payment method, and paying one without is 402', async () => {
    const story = await begin('active', {
      collection_method: 'send_invoice',
      default_payment_method: undefined,
    })
    const { id } = await newestOf(story.twin, story.subscription)
    const response = await story.twin.request('POST', `/v1/invoices/${id}/pay`)
    expectDecline(response, { decline_code: expect.any(String), charge: null })
    expect((await now(story)).status).toBe('active')
  })

  test('and were kept as drafts get the due date of the subscription when they are finalized, else 30 days', async () => {
    const story = await begin('active', { collection_method: 'send_invoice', days_until_due: 7 })
    const { twin } = story
    await pause(story, 'keep_as_draft')
    await twin.advance({ to: MARCH_31 })
    const drafts: Body[] = (await twin.get(`/v1/invoices?status=draft`)).data
    const finalize = ({ id }: Body) => twin.post(`/v1/invoices/${id}/finalize`)
    const [second, first] = drafts as [Body, Body]
    expect(await finalize(first)).toMatchObject({ due_date: MARCH_31 + 7 * DAY })
    await twin.post(pathOf(story), { collection_method: 'charge_automatically' })
    expect(await finalize(second)).toMatchObject({ due_date: MARCH_31 + 30 * DAY })
  })

  test('of zero are paid at once', async () => {
    const story = await begin('active', { collection_method: 'send_invoice', price: { unit_amount: 0 } })
    expect(await newestOf(story.twin, story.subscription)).toMatchObject({
      status: 'paid',
      due_date: null,
      payment_intent: null,
    })
  })
})

describe('resuming a paused subscription', () => {
  test('starts a new period and a new anchor at that moment', async () => {
    const story = await begin('paused')
    const { twin, subscription, method } = story
    expect(await emitted(twin, () => twin.advance({ by: '45d' }))).toBe('')
    await twin.post(pathOf(story), { default_payment_method: method.id })
    const { now: instant } = await twin.get('/v1/test_helpers/clock')
    const resumed = await twin.post(pathOf(story, '/resume'))
    expect(resumed).toMatchObject({
      status: 'active',
      billing_cycle_anchor: instant,
      current_period_start: instant,
      latest_invoice: expect.stringMatching(/^in_/),
    })
    expect(await newestOf(twin, subscription)).toMatchObject({
      billing_reason: 'subscription_cycle',
      status: 'paid',
      period_start: instant,
      period_end: resumed.current_period_end,
    })
    expect(await emitted(twin, () => twin.advance({ to: resumed.current_period_end }))).toBe(
      inFull('I3 PI+ Δ'),
    )
  })

  test('that cannot be paid is 402, leaves it paused, and voids the invoice with its intent', async () => {
    const story = await begin('paused')
    const { twin } = story
    await twin.post(pathOf(story), { default_payment_method: 'pm_card_chargeDeclined' })
    const before = await now(story)
    const response = await twin.request('POST', pathOf(story, '/resume'))
    const invoice = await newestOf(twin, story.subscription)
    const intent = await twin.get(`/v1/payment_intents/${invoice.payment_intent}`)
    expectDecline(response, {
      decline_code: 'generic_decline',
      charge: invoice.charge,
      payment_intent: intent,
    })
    expect(invoice).toMatchObject({
      status: 'void',
      number: expect.stringMatching(/-0001$/),
      next_payment_attempt: null,
    })
    expect(intent.status).toBe('canceled')
    expect(await now(story)).toEqual(before)
    expect(await emitted(twin, () => twin.advance({ by: '1mo' }))).toBe('')
  })

  test('to a price of zero needs no card', async () => {
    const story = await begin('paused', { price: { unit_amount: 0 } })
    expect(await emitted(story.twin, () => story.twin.post(pathOf(story, '/resume')))).toBe(
      inFull('I3 Δ subscription.resumed'),
    )
  })

  test('charges the customer’s default when it has none of its own', async () => {
    const story = await begin('paused')
    const { customer: id } = story.subscription
    await story.twin.post(`/v1/customers/${id}`, {
      invoice_settings: { default_payment_method: story.method.id },
    })
    expect((await story.twin.post(pathOf(story, '/resume'))).status).toBe('active')
  })
})

test('resuming clears a pending cancellation and a pause in one update', async () => {
  const story = await begin('active')
  await story.twin.post(pathOf(story), { cancel_at_period_end: true, pause_collection: { behavior: 'void' } })
  const events = await eventsOf(story.twin, () => story.twin.post(pathOf(story, '/resume')))
  expect(typesOf(events)).toEqual(['subscription.updated', 'subscription.resumed'])
  expect(events[0]?.data.previous_attributes).toEqual({
    cancel_at: PERIOD_END,
    cancel_at_period_end: true,
    canceled_at: NOW,
    pause_collection: { behavior: 'void', resumes_at: null },
  })
  expect(events[1]?.data).toEqual({ object: await now(story) })
})

describe('a push method never pays for a subscription', () => {
  test.each<[string, Body]>([
    ['charged automatically', {}],
    ['with a trial', { trial_period_days: 5 }],
    ['that is sent', { collection_method: 'send_invoice' }],
    ['with error_if_incomplete', { payment_behavior: 'error_if_incomplete' }],
    ['for nothing', { price: { unit_amount: 0 } }],
  ])('one %s', async (_, given) => {
    const story = await begin('active')
    const { customer } = await makeCustomer(story.twin)
    const { price, ...params } = given
    const { id } = await makePrice(story.twin, price)
    const events = await emitted(story.twin, async () => {
      const body = {
        customer: customer.id,
        currency: 'usd',
        items: [{ price: id }],
        default_payment_method: 'pm_pix',
        ...params,
      }
      const response = await story.twin.request('POST', '/v1/subscriptions', body)
      expect(response.status).toBe(422)
      expect(response.body.error).toMatchObject({
        code: 'unsupported_psp_capability',
        param: 'default_payment_method',
      })
    })
    expect(events).toBe('')
    expect((await story.twin.get(`/v1/subscriptions?customer=${customer.id}`)).data).toEqual([])
  })

  test('nor does the default of its customer: the attempt fails and counts', async () => {
    const { twin } = await begin('active')
    const { subscription } = await subscribe(twin, {
      default_payment_method: undefined,
      trial_period_days: 1,
    })
    const settings = { invoice_settings: { default_payment_method: 'pm_pix' } }
    await twin.post(`/v1/customers/${subscription.customer}`, settings)
    expect(await emitted(twin, () => twin.advance({ by: '1d' }))).toBe(inFull('I3f PI0 Δ'))
    expect(await newestOf(twin, subscription)).toMatchObject({
      status: 'open',
      attempt_count: 1,
      charge: null,
    })
  })
})
