import { describe, expect, test } from 'vitest'
import { formatInstant } from '../../../src/core/calendar.ts'
import { at, nowOf, openTwin, setFinalAction, subscribe } from '../../scenarios/story.ts'
import { type Body, makeCustomer, type Twin } from '../../twin.ts'
import { anotherMerchant, asOperator, expectRefusal, idsOf, invalid, typesOf, unknown } from '../support.ts'

const DECLINED = 'decline:insufficient_funds'

/** Returns an object as the admin API shows it. */
const show = async (twin: Twin, path: string): Promise<Body> => {
  const { status, body } = await asOperator(twin)('GET', path)
  expect({ status, error: body.error }).toEqual({ status: 200, error: undefined })
  return body
}
const happened = ({ timeline }: Body): Body[] => timeline.happened.data
const upcoming = ({ timeline }: Body): Body[] => timeline.upcoming.data

describe('an object is shown', () => {
  test.each(['customers', 'subscriptions', 'invoices'])('as /v1 shows it, of %s', async (kind) => {
    const twin = await openTwin()
    const { customer, subscription } = await subscribe(twin)
    const ids: Body = {
      customers: customer.id,
      subscriptions: subscription.id,
      invoices: subscription.latest_invoice,
    }
    const { related, timeline, ...object } = await show(twin, `${kind}/${ids[kind]}`)
    expect(object).toEqual(await twin.get(`/v1/${kind}/${ids[kind]}`))
    const now = await nowOf(twin)
    expect(timeline).toMatchObject({ object: 'timeline', now, as_of: now, happened: { has_more: false } })
    expect(related.customer).toEqual(await twin.get(`/v1/customers/${customer.id}`))
    expect(related.owed).toEqual([])
  })

  test('whoever’s it is', async () => {
    const twin = await openTwin()
    const { merchant, secretKey } = await anotherMerchant(twin, '2030-01-01T00:00:00Z')
    const headers = { Authorization: `Bearer ${secretKey}` }
    const { body } = await twin.request('POST', '/v1/customers', { name: 'Theirs' }, headers)
    const shown = await show(twin, `customers/${body.id}`)
    expect(shown).toMatchObject({ name: 'Theirs', merchant_id: merchant.id })
    expect(shown.timeline.now).toBe(at('2030-01-01T00:00:00Z'))
  })

  test('after its deletion, as its stub with its history', async () => {
    const twin = await openTwin()
    const { customer } = await subscribe(twin)
    await twin.delete(`/v1/customers/${customer.id}`)
    const { related, timeline, ...stub } = await show(twin, `customers/${customer.id}`)
    expect(stub).toEqual({ id: customer.id, object: 'customer', deleted: true, livemode: false })
    expect(timeline.happened.data.at(-1)).toMatchObject({
      type: 'customer.deleted',
      resource_id: customer.id,
    })
    expect(timeline.upcoming.data).toEqual([])
    expect(related.subscriptions.data).toMatchObject([{ status: 'canceled' }])
  })

  test.each([
    ['customers/cus_unknown', unknown()],
    ['subscriptions/cus_unknown', unknown()],
    ['invoices/in_unknown', unknown()],
  ])('not before its creation: %s', async (path, refusal) => {
    expectRefusal(await asOperator(await openTwin())('GET', path), refusal)
  })

  test('not when it was a draft that is deleted, but as it was before', async () => {
    const twin = await openTwin()
    const { customer } = await makeCustomer(twin)
    await twin.post('/v1/invoiceitems', { customer: customer.id, amount: 700, currency: 'jpy' })
    const draft = await twin.post('/v1/invoices', { customer: customer.id })
    await twin.advance({ by: '1d' })
    await twin.delete(`/v1/invoices/${draft.id}`)
    expectRefusal(await asOperator(twin)('GET', `invoices/${draft.id}`), unknown())
    const before = await show(twin, `invoices/${draft.id}?at=2026-01-31T12:00:00Z`)
    expect(before).toMatchObject({ status: 'draft', total: 700 })
  })
})

describe('the past', () => {
  test('shows the details of each event', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed', DECLINED] })
    await twin.advance({ to: '2026-02-28T10:00:00Z' })
    const shown = await show(twin, `subscriptions/${subscription.id}`)
    expect(typesOf(happened(shown).slice(-6))).toEqual([
      'invoice.created',
      'invoice.finalized',
      'invoice.payment_failed',
      'payment_intent.payment_failed',
      'charge.failed',
      'subscription.updated',
    ])
    const [, , failed, , charge, updated] = happened(shown).slice(-6)
    const { data } = await twin.get('/v1/invoices?limit=1')
    expect(failed).toMatchObject({
      created: at('2026-02-28T10:00:00Z'),
      resource: 'invoice',
      resource_id: data[0].id,
      subscription: subscription.id,
      label: data[0].number,
      status: 'open',
      amount: 2000,
      currency: 'usd',
      reason: 'insufficient_funds',
      attempt: { number: 1, scheduled: true, next: at('2026-03-01T10:00:00Z') },
      request: null,
    })
    expect(charge).toMatchObject({
      invoice: data[0].id,
      subscription: subscription.id,
      reason: 'insufficient_funds',
    })
    expect(updated).toMatchObject({ status: 'past_due', previous_status: 'active' })
    expect(updated?.changes).toMatchObject({
      status: { from: 'active', to: 'past_due' },
      current_period_end: { from: at('2026-02-28T10:00:00Z'), to: at('2026-03-31T10:00:00Z') },
    })
    for (const { id, type, created } of happened(shown))
      expect(await twin.get(`/v1/events/${id}`)).toMatchObject({ type, created })
  })

  test('of a customer has all changes of its objects, in the order of the events', async () => {
    const twin = await openTwin()
    const { customer, method } = await subscribe(twin)
    await subscribe(twin)
    await twin.post(`/v1/customers/${customer.id}`, { name: 'Grace' })
    const charge = (await twin.get(`/v1/charges?customer=${customer.id}`)).data[0]
    await twin.post('/v1/refunds', { charge: charge.id, amount: 500 })
    await twin.advance({ by: '3mo' })
    await twin.post(`/v1/payment_methods/${method.id}/detach`)
    const owned = [customer.id, method.id, charge.id]
    const own = (await twin.events()).filter(({ data: { object } }) =>
      [object.id, object.customer, object.charge].some((id) => owned.includes(id)),
    )
    const shown = await show(twin, `customers/${customer.id}`)
    expect(typesOf(happened(shown))).toContain('payment_method.detached')
    expect(idsOf(happened(shown))).toEqual(idsOf(own))
  })

  test('is limited to the newest changes, with has_more', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin)
    await twin.advance({ by: '1y' })
    const all = await show(twin, `subscriptions/${subscription.id}`)
    const cut = await show(twin, `subscriptions/${subscription.id}?limit=12`)
    expect(all.timeline.happened.has_more).toBe(false)
    expect(cut.timeline.happened).toMatchObject({ has_more: true, data: happened(all).slice(-12) })
    expectRefusal(
      await asOperator(twin)('GET', `subscriptions/${subscription.id}?limit=1001`),
      invalid('limit'),
    )
  })
})

describe('the future', () => {
  const entriesOf = (shown: Body) =>
    upcoming(shown).map(({ due, kind, projected, attempt, consequence }) =>
      [formatInstant(due).slice(0, 10), kind, projected ? 'projected' : 'due', attempt, consequence]
        .filter((word) => word !== null)
        .join(' '),
    )

  test('has the scheduled jobs, then their projections', async () => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes: ['succeed'], afterwards: DECLINED })
    await setFinalAction(twin, 'mark_unpaid')
    await twin.advance({ to: '2026-03-04T00:00:00Z' })
    const shown = await show(twin, `subscriptions/${subscription.id}`)
    expect(entriesOf(shown)).toEqual([
      '2026-03-05 payment_retry due 4',
      '2026-03-07 payment_retry projected 5 mark_unpaid',
      '2026-03-31 renewal due',
      '2026-04-30 renewal projected',
      '2026-05-31 renewal projected',
      '2026-06-30 renewal projected',
    ])
    const queued = (await twin.get('/v1/test_helpers/upcoming')).data
    const due = upcoming(shown).filter(({ projected }) => !projected)
    expect(due.map(({ due, kind }) => [due, kind])).toEqual(queued.map(({ due, kind }: Body) => [due, kind]))
  })

  test('of a refund that the bank sends back is its settlement', async () => {
    const twin = await openTwin()
    const { customer, subscription } = await subscribe(twin, { card: 'pm_card_refundFail' })
    const { charge } = await twin.get(`/v1/invoices/${subscription.latest_invoice}`)
    await twin.post('/v1/refunds', { charge })
    const pending = await show(twin, `invoices/${subscription.latest_invoice}`)
    expect(entriesOf(pending)).toEqual(['2026-01-31 refund_settlement due'])
    await twin.advance({ by: '1h' })
    expect(upcoming(await show(twin, `invoices/${subscription.latest_invoice}`))).toEqual([])
    const then = await show(twin, `customers/${customer.id}?at=2026-01-31T10:00:30Z`)
    expect(entriesOf(then)[0]).toBe('2026-01-31 refund_settlement due')
  })
})

/** Stories whose clock stops at many instants, with an optional action at each. */
const STORIES: Readonly<
  Record<
    string,
    { params: Body; actions: Readonly<Record<string, (twin: Twin, ids: Body) => Promise<unknown>>> }
  >
> = {
  'a card that recovers': { params: { outcomes: ['succeed', DECLINED, DECLINED] }, actions: {} },
  'a dunning that ends in a cancellation': {
    params: { outcomes: ['succeed'], afterwards: DECLINED },
    actions: {},
  },
  'a trial whose first payment fails': {
    params: { trial_period_days: 14, outcomes: [DECLINED] },
    actions: {},
  },
  'invoices that are sent': {
    params: { collection_method: 'send_invoice', days_until_due: 10 },
    actions: {
      '2026-02-20T00:00:00Z': async (twin) => {
        const { data } = await twin.get('/v1/invoices?limit=1')
        await twin.post(`/v1/invoices/${data[0].id}/pay`)
      },
    },
  },
  'a first payment that never comes': { params: { card: 'pm_card_chargeDeclined' }, actions: {} },
  'changes by hand': {
    params: {},
    actions: {
      '2026-02-10T00:00:00Z': (twin, { customer }) =>
        twin.post(`/v1/customers/${customer}`, { name: 'Grace' }),
      '2026-02-20T00:00:00Z': (twin, { subscription }) =>
        twin.post(`/v1/subscriptions/${subscription}`, {
          pause_collection: { behavior: 'void' },
          description: 'x',
        }),
      '2026-03-10T00:00:00Z': async (twin, { customer, subscription, price }) => {
        await twin.post(`/v1/subscriptions/${subscription}/resume`)
        await twin.post(`/v1/prices/${price}`, { nickname: 'Later' })
        await twin.post('/v1/payment_methods/pm_card_amex/attach', { customer })
      },
      '2026-03-20T00:00:00Z': async (twin, { subscription, method }) => {
        await twin.post(`/v1/payment_methods/${method}/detach`)
        await twin.delete(`/v1/subscriptions/${subscription}`, { cancel_at_period_end: true })
      },
    },
  },
}

const STOPS = [
  '2026-01-31T10:00:00Z',
  '2026-02-10T00:00:00Z',
  '2026-02-14T10:00:00Z',
  '2026-02-20T00:00:00Z',
  '2026-02-28T10:00:00Z',
  '2026-03-01T10:00:00Z',
  '2026-03-02T09:59:59Z',
  '2026-03-03T10:00:00Z',
  '2026-03-07T10:00:00Z',
  '2026-03-10T00:00:00Z',
  '2026-03-20T00:00:00Z',
  '2026-04-30T10:00:00Z',
]

describe('an object as it was', () => {
  test.each(Object.entries(STORIES))('is what was shown then, in the story of %s', async (_name, story) => {
    const twin = await openTwin()
    const { customer, subscription, method } = await subscribe(twin, story.params)
    const ids = {
      customer: customer.id,
      subscription: subscription.id,
      method: method.id,
      price: subscription.items.data[0].price.id,
    }
    const invoice = (await twin.get('/v1/invoices')).data[0]?.id
    const paths = [
      `customers/${customer.id}`,
      `subscriptions/${subscription.id}`,
      ...(invoice === undefined ? [] : [`invoices/${invoice}`]),
    ]
    const responses: [stop: string, path: string, response: Body][] = []
    for (const stop of STOPS) {
      if (at(stop) > (await nowOf(twin))) await twin.advance({ to: stop })
      await story.actions[stop]?.(twin, ids)
      for (const path of paths) responses.push([stop, path, await show(twin, path)])
    }
    await twin.advance({ by: '1mo' })
    const now = await nowOf(twin)
    for (const [stop, path, then] of responses) {
      // The former setting of the merchant is not stored.
      for (const job of upcoming(then))
        if (job.kind === 'payment_retry' && job.consequence !== 'expire') job.consequence = null
      then.timeline.now = now
      expect(await show(twin, `${path}?at=${stop}`)).toEqual(then)
    }
  })

  test.each([
    ['2026-01-31T09:59:59Z', { ...unknown(), message: /created at 2026-01-31T10:00:00Z/ }],
    ['1769853599', { ...unknown(), message: /No such subscription at 2026-01-31T09:59:59Z/ }],
    ['2026-03-01T00:00:01Z', { ...invalid('at'), message: /the time of the clock is 2026-03-01T00:00:00Z/ }],
    ['soon', { ...invalid('at'), message: /'soon' is not a time/ }],
  ])('is refused at %s', async (instant, { message, ...refusal }) => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin)
    await twin.advance({ to: '2026-03-01T00:00:00Z' })
    const response = await asOperator(twin)('GET', `subscriptions/${subscription.id}?at=${instant}`)
    expectRefusal(response, refusal)
    expect(response.body.error.message).toMatch(message)
  })
})

describe('objects that move from a customer to one on another clock', () => {
  const LATER = 1_900_000_000
  const DAY = 86_400

  /** Creates a customer on a test clock in 2030, and one on the main clock. */
  async function openClocks() {
    const twin = await openTwin()
    const clock = await twin.post('/v1/test_helpers/test_clocks', { frozen_time: LATER })
    const ada = await twin.post('/v1/customers', { name: 'Ada', test_clock: clock.id })
    const bea = await twin.post('/v1/customers', { name: 'Bea' })
    const wait = (days: number) =>
      twin.post(`/v1/test_helpers/test_clocks/${clock.id}/advance`, { frozen_time: LATER + days * DAY })
    return { twin, ada: ada.id as string, bea: bea.id as string, wait }
  }

  test('a payment method is shown as it was while the customer had it', async () => {
    const { twin, ada, bea, wait } = await openClocks()
    const { id } = await twin.post('/v1/payment_methods', {
      type: 'card',
      card: { number: '4242424242424242' },
    })
    const attach = (customer: string) => twin.post(`/v1/payment_methods/${id}/attach`, { customer })
    await attach(ada)
    await twin.post(`/v1/customers/${ada}`, { invoice_settings: { default_payment_method: id } })
    await wait(1)
    const then = await show(twin, `customers/${ada}?at=${LATER}`)
    expect(idsOf(then.related.payment_methods.data)).toEqual([id])

    await twin.post(`/v1/payment_methods/${id}/detach`)
    await attach(bea)
    // Far more changes than between two keyframes, then the same customers again.
    for (let n = 0; n < 40; n += 1) {
      await twin.post(`/v1/payment_methods/${id}/detach`)
      await attach(n % 2 === 0 ? ada : bea)
    }
    await wait(2)

    const again = await show(twin, `customers/${ada}?at=${LATER}`)
    expect(again.related).toEqual(then.related)
    expect(happened(again)).toEqual(happened(then))
    const entries = happened(await show(twin, `customers/${ada}`))
    expect(entries.every(({ created }) => created >= LATER)).toBe(true)
    expect(typesOf(entries).filter((type) => type === 'payment_method.attached')).toHaveLength(21)
    const hers = happened(await show(twin, `customers/${bea}`))
    expect(hers.every(({ created }) => created < LATER)).toBe(true)
    expect(typesOf(hers).filter((type) => type.startsWith('payment_method.'))).toHaveLength(41)
  })

  test('the changes of a payment intent are each in the timeline of the customer that had it', async () => {
    const { twin, ada, bea } = await openClocks()
    const decline = { payment_method: 'pm_card_chargeDeclined', confirm: true }
    const made = { amount: 700, currency: 'usd', customer: ada, ...decline }
    expect((await twin.request('POST', '/v1/payment_intents', made)).status).toBe(402)
    const [intent] = (await twin.get(`/v1/payment_intents?customer=${ada}`)).data
    expect(intent).toMatchObject({ status: 'requires_payment_method' })
    await twin.post(`/v1/payment_intents/${intent.id}`, { customer: bea, payment_method: 'pm_card_visa' })
    await twin.post(`/v1/payment_intents/${intent.id}/confirm`)
    const of = async (customer: string) =>
      typesOf(happened(await show(twin, `customers/${customer}`))).filter((type) =>
        type.startsWith('payment_intent.'),
      )
    expect(await of(ada)).toEqual(['payment_intent.created', 'payment_intent.payment_failed'])
    expect(await of(bea)).toEqual(['payment_intent.succeeded'])
  })
})

describe('a name in fixtures', () => {
  const fixtures = (name: string) => ({
    files: [{ name, content: { customers: [{ ref: 'ada', name: 'Ada' }] } }],
  })

  test('finds the object to which it was given last', async () => {
    const twin = await openTwin()
    const operator = asOperator(twin)
    const ids: string[] = []
    for (const name of ['first.json', 'second.json']) {
      const { body } = await operator('POST', 'fixtures', fixtures(name))
      ids.push(body.made[0].id)
    }
    expect(await show(twin, 'customers/ada')).toMatchObject({ object: 'customer', id: ids[1], name: 'Ada' })
    expect(await show(twin, `customers/${ids[0]}`)).toMatchObject({ id: ids[0] })
    expect(await operator('GET', 'subscriptions/ada')).toMatchObject({ status: 404 })
  })

  test('is refused if objects of several merchants have it', async () => {
    const twin = await openTwin()
    const operator = asOperator(twin)
    const content = {
      customers: [{ ref: 'ada' }],
      merchants: [{ name: 'Other', customers: [{ ref: 'ada' }] }],
    }
    await operator('POST', 'fixtures', { files: [{ name: 'two.json', content }] })
    expectRefusal(await operator('GET', 'customers/ada'), invalid('id'))
  })
})

test('at a past instant, the next renewal has the items that were pending then', async () => {
  const twin = await openTwin({ now: '2026-04-01T00:00:00Z' })
  const { customer, subscription } = await subscribe(twin, { price: { nickname: 'Basic' } })
  await twin.advance({ to: '2026-04-16T00:00:00Z' })
  const [item] = subscription.items.data
  await twin.post(`/v1/subscriptions/${subscription.id}`, {
    items: [{ id: item.id, quantity: 2 }],
    proration_behavior: 'create_prorations',
  })
  // An item of the customer alone waits for a manual invoice.
  await twin.post('/v1/invoiceitems', { customer: customer.id, amount: 700, currency: 'usd' })
  const amounts = (shown: Body) => upcoming(shown).map(({ amount }) => amount)
  expect(amounts(await show(twin, `subscriptions/${subscription.id}`))).toEqual([5000, 4000, 4000, 4000])
  await twin.advance({ by: '2mo' })
  expect(amounts(await show(twin, `subscriptions/${subscription.id}`))).toEqual([4000, 4000, 4000, 4000])
  const past = await show(twin, `subscriptions/${subscription.id}?at=2026-04-20T00:00:00Z`)
  expect(amounts(past)).toEqual([5000, 4000, 4000, 4000])
  expect(happened(past).at(-1)).toMatchObject({
    type: 'subscription.updated',
    prorations: [
      { amount: -1000, description: 'Unused time on Basic after 2026-04-16' },
      { amount: 2000, description: 'Remaining time on 2 × Basic after 2026-04-16' },
    ],
  })
})

test('at a past instant, the next renewal has as many pending items as one invoice bills', async () => {
  const twin = await openTwin({ now: '2026-04-01T00:00:00Z' })
  const { customer, subscription } = await subscribe(twin)
  const item = { customer: customer.id, subscription: subscription.id, currency: 'usd' }
  for (let number = 0; number < 260; number += 1)
    await twin.post('/v1/invoiceitems', { ...item, amount: 1_000 + number })
  const path = `subscriptions/${subscription.id}`
  const { amount } = upcoming(await show(twin, path))[0] ?? {}
  await twin.advance({ by: '2mo' })
  expect(upcoming(await show(twin, `${path}?at=2026-04-01T00:00:00Z`))[0]?.amount).toBe(amount)
})
