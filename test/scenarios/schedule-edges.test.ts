import { describe, expect, test } from 'vitest'
import { type Body, makePrice } from '../twin.ts'
import {
  billsOf,
  makeSchedule,
  type Prices,
  phase,
  playSchedule,
  schedulePath,
  stepsOf,
} from './schedule-story.ts'
import { at, openTwin, subscribe } from './story.ts'

const NOW = '2026-04-01T00:00:00Z'
const MIDDLE = at('2026-04-16T00:00:00Z')
const MAY = at('2026-05-01T00:00:00Z')
const JUNE = at('2026-06-01T00:00:00Z')
const SPAN = { now: NOW, until: '2026-06-02T00:00:00Z' }

const ramp = ({ basic, pro }: Prices): Body => ({
  phases: [phase(basic, { iterations: 1 }), phase(pro, { iterations: 1 })],
})
const begin = async (params: (prices: Prices) => Body = ramp) =>
  makeSchedule(await openTwin({ now: NOW }), params)

const wordsOf = async (twin: Parameters<typeof stepsOf>[0]) =>
  (await stepsOf(twin)).map((step) => step.split(' ')[1])

describe('the phases of a schedule, those that have ended included,', () => {
  const HOUR = 3_600
  const hourly = (price: string, from: number, count: number) =>
    Array.from({ length: count }, (_, n) =>
      phase(price, {
        ...(n === 0 && { start_date: from }),
        end_date: from + (n + 1) * HOUR,
        proration_behavior: 'none',
      }),
    )

  test('have at most 1,000,000 characters when the schedule is created, too', async () => {
    const { twin, prices, customer } = await begin()
    // A control character has six in JSON.
    const metadata = (keys: number) =>
      Object.fromEntries(Array.from({ length: keys }, (_, n) => [`key${n}`, '\u0001'.repeat(500)]))
    const { status, body } = await twin.request('POST', '/v1/subscription_schedules', {
      customer: customer.id,
      phases: [50, 50, 50, 50, 50, 50, 40].map((keys) =>
        phase(prices.basic, { iterations: 1, metadata: metadata(keys) }),
      ),
    })
    expect([status, body.error.param]).toEqual([400, 'phases'])
    expect(body.error.message).toMatch(/at most 1000000 characters as JSON/)
  })

  test('have at most 1,000,000 characters when they take over the items of the subscription, too', async () => {
    const { twin, schedule, read } = await makeSchedule(
      await openTwin({ now: NOW }),
      async (_prices, twin) => {
        const prices = await Promise.all(Array.from({ length: 8 }, () => makePrice(twin)))
        return { phases: [{ items: prices.map(({ id }) => ({ price: id })), iterations: 1 }] }
      },
    )
    const path = `/v1/subscriptions/${schedule.subscription}`
    const { items } = await twin.get(path)
    const metadata = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`key${n}`, '\u0001'.repeat(500)]),
    )
    const describeItems = (from: number) =>
      twin.request('POST', path, {
        items: items.data.slice(from, from + 4).map(({ id }: Body) => ({ id, metadata })),
      })
    expect((await describeItems(0)).status).toBe(200)
    const before = await read()
    const { status, body } = await describeItems(4)
    expect([status, body.error.param]).toEqual([400, 'items'])
    expect(body.error.message).toContain(`current phase of the subscription schedule '${schedule.id}'`)
    expect(await read()).toEqual(before)

    await twin.post(`${schedulePath(schedule)}/release`)
    expect((await describeItems(4)).status).toBe(200)
    const from = { from_subscription: schedule.subscription }
    const refused = await twin.request('POST', '/v1/subscription_schedules', from)
    expect([refused.status, refused.body.error.param]).toEqual([400, 'from_subscription'])
    expect(refused.body.error.message).toContain('more than 1000000 characters as JSON')
  })

  test('are at most 100', async () => {
    const { twin, prices, schedule, read } = await begin(({ basic }) => ({
      phases: hourly(basic, at(NOW), 10).map(({ start_date, ...rest }: Body) => rest),
    }))
    for (let ended = 9; ended < 99; ended += 9) {
      const start = at(NOW) + ended * HOUR
      await twin.advance({ to: start })
      const phases = hourly(prices.basic, start, Math.min(10, 100 - ended))
      await twin.post(schedulePath(schedule), { phases })
    }
    await twin.advance({ to: at(NOW) + 99 * HOUR })
    const before = await read()
    expect(before.phases).toHaveLength(100)
    const { status, body } = await twin.request('POST', schedulePath(schedule), {
      phases: hourly(prices.basic, at(NOW) + 99 * HOUR, 2),
    })
    expect([status, body.error.param]).toEqual([400, 'phases'])
    expect(body.error.message).toMatch(
      /at most 100 phases, those that have ended included\. Release this schedule/,
    )
    expect(await read()).toEqual(before)
  })

  test('have at most a million characters', async () => {
    const { twin, prices, schedule, read } = await begin(({ basic }) => ({
      phases: hourly(basic, at(NOW), 1).map(({ start_date, ...rest }: Body) => rest),
    }))
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`key${n}`, 'x'.repeat(490)]))
    const large = (from: number, count: number) =>
      hourly(prices.basic, from, count).map((each) => ({ ...each, metadata }))
    const update = (from: number) => twin.request('POST', schedulePath(schedule), { phases: large(from, 10) })
    const answers: number[] = []
    for (let ended = 0; ended < 45; ended += 9) {
      const start = at(NOW) + ended * HOUR
      if (ended > 0) await twin.advance({ to: start })
      const before = await read()
      const { status, body } = await update(start)
      answers.push(status)
      if (status === 200) continue
      expect(body.error).toMatchObject({ code: 'parameter_invalid', param: 'phases' })
      expect(await read()).toEqual(before)
      break
    }
    expect(answers).toEqual([200, 200, 200, 200, 400])
  })
})

describe('an update', () => {
  // Half of April is unused: −10.00. Half of April remains at the new price: +25.00.
  test.each([
    [undefined, ['2026-05-01 6500 to 2026-06-01']],
    ['always_invoice', ['2026-04-16 1500 to 2026-05-01', '2026-05-01 5000 to 2026-06-01']],
    ['none', ['2026-05-01 5000 to 2026-06-01']],
  ])('of the current phase is billed as %s', async (proration_behavior, bills) => {
    const { twin, prices, schedule } = await begin(({ basic }) => ({
      phases: [phase(basic, { iterations: 2 })],
    }))
    await twin.advance({ to: MIDDLE })
    await twin.post(schedulePath(schedule), {
      phases: [phase(prices.pro, { start_date: at(NOW), iterations: 2 })],
      ...(proration_behavior && { proration_behavior }),
    })
    await twin.advance({ to: MAY })
    expect(await billsOf(twin)).toEqual(['2026-04-01 2000 to 2026-05-01', ...bills])
  })

  test('ends the current phase now, and begins the next one', async () => {
    const { twin, prices, schedule, read } = await begin()
    await twin.advance({ to: MIDDLE })
    await twin.post(schedulePath(schedule), {
      phases: [
        phase(prices.basic, { start_date: at(NOW), end_date: 'now' }),
        phase(prices.pro, { proration_behavior: 'always_invoice', end_date: JUNE }),
      ],
    })
    expect(await billsOf(twin)).toEqual(['2026-04-01 2000 to 2026-05-01', '2026-04-16 1500 to 2026-05-01'])
    expect(await read()).toMatchObject({ current_phase: { start_date: MIDDLE, end_date: JUNE } })
  })

  // The period of a month begins on 2 February, or after the year that is not paid. Counted from 31 January, the second phase
  // would end on 31 May.
  test.each([
    ['the first period is paid', '10:00', {}],
    ['the first payment fails', '10:00', { default_payment_method: 'pm_card_chargeCustomerFail' }],
    ['a trial of the phase has ended', '12:00', { trial_end: at('2026-01-31T12:00:00Z') }],
  ])('counts later phases from the new interval of the current one, if %s', async (_, time, params) => {
    const [start, end_date] = [at('2026-01-31T10:00:00Z'), at(`2026-02-28T${time}:00Z`)]
    const twin = await openTwin({ now: '2026-01-31T10:00:00Z' })
    const { prices, schedule } = await makeSchedule(twin, ({ year }) => ({
      phases: [phase(year, { end_date, ...params })],
    }))
    await twin.advance({ to: '2026-02-02T00:00:00Z' })
    const { phases } = await twin.post(schedulePath(schedule), {
      phases: [
        phase(prices.basic, { start_date: start, end_date, ...params }),
        phase(prices.basic, { iterations: 3 }),
      ],
    })
    expect(phases[1].end_date).toBe(at(`2026-05-28T${time}:00Z`))
  })

  test('sets and clears the planned cancellation', async () => {
    const { twin, schedule } = await begin()
    const cancelAt = async () => (await twin.get(`/v1/subscriptions/${schedule.subscription}`)).cancel_at
    await twin.post(schedulePath(schedule), { end_behavior: 'cancel' })
    expect(await cancelAt()).toBe(JUNE)
    await twin.post(schedulePath(schedule), { end_behavior: 'release' })
    expect(await cancelAt()).toBeNull()
  })

  test('starts a schedule that was to start later', async () => {
    const { twin, prices, schedule, read } = await begin(({ basic }) => ({
      start_date: MAY,
      phases: [phase(basic)],
    }))
    await twin.post(schedulePath(schedule), { phases: [phase(prices.pro, { start_date: 'now' })] })
    expect(await read()).toMatchObject({ status: 'active', current_phase: { end_date: MAY } })
    expect(await billsOf(twin)).toEqual(['2026-04-01 5000 to 2026-05-01'])
  })

  test('that moves the start plans it after other starts of that second', async () => {
    const { twin, prices, customer, schedule } = await begin((all) => ({ ...ramp(all), start_date: JUNE }))
    const second = await twin.post('/v1/subscription_schedules', {
      customer: customer.id,
      start_date: MAY,
      phases: [phase(prices.basic)],
    })
    await twin.post(schedulePath(schedule), { phases: [phase(prices.basic, { start_date: MAY })] })
    await twin.advance({ to: MAY })
    const started = await twin.events('&type=subscription_schedule.updated')
    expect(started.slice(-2).map(({ data }) => data.object.id)).toEqual([second.id, schedule.id])
  })

  test('of the subscription itself becomes that of the current phase', async () => {
    const { twin, schedule, read } = await begin()
    const path = `/v1/subscriptions/${schedule.subscription}`
    const [item] = (await twin.get(path)).items.data
    await twin.post(path, { items: [{ id: item.id, quantity: 3 }], description: 'Three' })
    const { phases } = await read()
    expect(phases[0]).toMatchObject({ items: [{ quantity: 3 }], description: 'Three' })
    expect(phases[1]).toMatchObject({ items: [{ quantity: 1 }], description: null })
    await twin.advance({ to: MAY })
    expect(await billsOf(twin)).toEqual(['2026-04-01 2000 to 2026-05-01', '2026-05-01 5000 to 2026-06-01'])
  })
})

describe('from a subscription', () => {
  test('a schedule plans a change at the end of the period', async () => {
    const twin = await openTwin({ now: NOW })
    const { subscription } = await subscribe(twin, { price: { nickname: 'Basic' } })
    const schedule = await twin.post('/v1/subscription_schedules', { from_subscription: subscription.id })
    expect(schedule).toMatchObject({
      ...{ status: 'active', end_behavior: 'release' },
      phases: [{ start_date: at(NOW), end_date: MAY, items: [{ quantity: 1 }] }],
    })
    const [{ start_date, end_date, items }] = schedule.phases
    await twin.post(schedulePath(schedule), {
      phases: [
        { start_date, end_date, items },
        { items: [{ price: items[0].price, quantity: 4 }], iterations: 1 },
      ],
    })
    await twin.advance({ to: JUNE })
    expect(await billsOf(twin)).toEqual([
      '2026-04-01 2000 to 2026-05-01',
      '2026-05-01 8000 to 2026-06-01',
      '2026-06-01 8000 to 2026-07-01',
    ])
    expect(await wordsOf(twin)).toEqual(['created', 'updated', 'updated', 'expiring', 'released'])
  })

  test('a schedule takes over a planned cancellation', async () => {
    const twin = await openTwin({ now: NOW })
    const { subscription } = await subscribe(twin, { price: { nickname: 'Basic' } })
    await twin.post(`/v1/subscriptions/${subscription.id}`, { cancel_at_period_end: true })
    const schedule = await twin.post('/v1/subscription_schedules', { from_subscription: subscription.id })
    expect(schedule).toMatchObject({ end_behavior: 'cancel', phases: [{ end_date: MAY }] })
    await twin.advance({ to: MAY })
    expect(await twin.get(schedulePath(schedule))).toMatchObject({ status: 'completed' })
    expect(await billsOf(twin)).toEqual(['2026-04-01 2000 to 2026-05-01'])
  })
})

describe('the end of a schedule', () => {
  test('by release keeps the subscription, and the planned cancellation only on request', async () => {
    for (const [preserve_cancel_date, cancel_at] of [
      [true, JUNE],
      [false, null],
    ] as const) {
      const { twin, schedule } = await begin((prices) => ({ ...ramp(prices), end_behavior: 'cancel' }))
      await twin.post(`${schedulePath(schedule)}/release`, { preserve_cancel_date })
      expect(await twin.get(`/v1/subscriptions/${schedule.subscription}`)).toMatchObject({
        ...{ status: 'active', schedule: null, cancel_at },
      })
      expect(await wordsOf(twin)).toEqual(['created', 'released'])
    }
  })

  test('by cancellation settles the period', async () => {
    const { twin, schedule, customer, read } = await begin()
    await twin.advance({ to: MIDDLE })
    await twin.post(`${schedulePath(schedule)}/cancel`)
    expect(await read()).toMatchObject({ status: 'canceled', canceled_at: MIDDLE })
    // Half of April is unused: a credit of 10.00.
    expect((await billsOf(twin)).at(-1)).toBe('2026-04-16 -1000 to 2026-04-16')
    expect((await twin.get(`/v1/customers/${customer.id}`)).balance).toBe(-1000)
    expect(await wordsOf(twin)).toEqual(['created', 'canceled'])
  })

  test.each<
    [
      string,
      (
        subscription: string,
        customer: Body,
        twin: Awaited<ReturnType<typeof begin>>['twin'],
      ) => Promise<unknown>,
    ]
  >([
    ['its subscription', (id, _, twin) => twin.delete(`/v1/subscriptions/${id}`)],
    ['its customer', (_, { id }, twin) => twin.delete(`/v1/customers/${id}`)],
  ])('by the deletion of %s is an abort', async (_, remove) => {
    const { twin, schedule, customer, read } = await begin()
    await remove(schedule.subscription, customer, twin)
    expect(await read()).toMatchObject({ status: 'canceled', current_phase: null })
    await twin.advance({ to: JUNE })
    expect(await wordsOf(twin)).toEqual(['created', 'aborted'])
  })

  test('by the deletion of the customer before it starts is an abort', async () => {
    const { twin, customer } = await begin(({ basic }) => ({ start_date: MAY, phases: [phase(basic)] }))
    await twin.delete(`/v1/customers/${customer.id}`)
    await twin.advance({ to: JUNE })
    expect(await wordsOf(twin)).toEqual(['created', 'aborted'])
    expect(await billsOf(twin)).toEqual([])
  })

  test('by the deletion of its test clock is an abort', async () => {
    const twin = await openTwin({ now: NOW })
    const { id } = await twin.post('/v1/test_helpers/test_clocks', { frozen_time: at(NOW) })
    const onClock = {
      ...twin,
      post: (path: string, body?: unknown) =>
        twin.post(path, path === '/v1/customers' ? { ...Object(body), test_clock: id } : body),
    }
    await makeSchedule(onClock, ramp)
    await twin.delete(`/v1/test_helpers/test_clocks/${id}`)
    expect(await wordsOf(twin)).toEqual(['created', 'aborted'])
  })

  test('by failed payments is an abort after the last retry', async () => {
    const { twin } = await playSchedule(SPAN, ramp, async ({ twin, method }) =>
      twin.post(`/v1/test_helpers/payment_methods/${method.id}/outcomes`, {
        outcomes: Array.from({ length: 9 }, () => 'decline:insufficient_funds'),
      }),
    )
    // The renewal of 1 May fails; the last retry is 7 days later.
    expect(await stepsOf(twin)).toEqual(['2026-04-01 created', '2026-05-01 updated', '2026-05-08 aborted'])
  })
})

test('a phase begins while collection is paused, and cancels a paused subscription at its end', async () => {
  const { twin, read } = await playSchedule(SPAN, ramp, ({ twin, schedule }) =>
    twin.post(`/v1/subscriptions/${schedule.subscription}`, { pause_collection: { behavior: 'void' } }),
  )
  expect(await billsOf(twin)).toEqual([
    '2026-04-01 2000 to 2026-05-01',
    '2026-05-01 5000 to 2026-06-01',
    '2026-06-01 5000 to 2026-07-01',
  ])
  expect((await read()).status).toBe('released')
})

// The whole price of 365.00 counts from May to May, so April has 30.00 of it.
test('a change between a phase with a new interval and its renewal prorates the ended period by that interval', async () => {
  const { twin, schedule } = await begin(({ basic, year }) => ({
    phases: [phase(basic, { iterations: 1 }), phase(year)],
  }))
  const second = await makePrice(twin, { unit_amount: 36_500, recurring: { interval: 'year' } })
  await twin.advance({ to: MAY, stop_on: ['subscription_schedule.updated'] })
  await twin.post(`/v1/subscriptions/${schedule.subscription}`, {
    items: [{ price: second.id }],
    ...{ proration_behavior: 'create_prorations', proration_date: at(NOW) },
  })
  await twin.advance({ to: MAY })
  expect(await billsOf(twin)).toEqual(['2026-04-01 2000 to 2026-05-01', '2026-05-01 59500 to 2027-05-01'])
})

test('a paused subscription is canceled at the end of its schedule', async () => {
  const twin = await openTwin({ now: NOW })
  const { customer, ...made } = await subscribe(twin, {
    ...{ trial_end: MAY, default_payment_method: undefined },
    trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
  })
  await twin.post(`/v1/payment_methods/${made.method.id}/detach`)
  const schedule = await twin.post('/v1/subscription_schedules', { from_subscription: made.subscription.id })
  const [{ start_date, end_date, items, trial_end }] = schedule.phases
  await twin.post(schedulePath(schedule), {
    end_behavior: 'cancel',
    phases: [
      { start_date, end_date, items, trial_end },
      { items, end_date: JUNE },
    ],
  })
  await twin.advance({ to: MAY })
  const path = `/v1/subscriptions/${made.subscription.id}`
  expect((await twin.get(path)).status).toBe('paused')
  await twin.advance({ to: JUNE })
  expect((await twin.get(path)).status).toBe('canceled')
  expect(await wordsOf(twin)).toEqual(['created', 'updated', 'updated', 'expiring', 'completed'])
})

test('a second trial phase moves the notice of the trial end', async () => {
  const twin = await openTwin({ now: NOW })
  const { merchant, adminToken } = twin.sandbox
  const headers = { Authorization: `Bearer ${adminToken}`, Host: 'localhost' }
  const path = `/_paytwin/merchants/${merchant.settings.id}`
  await twin.request('POST', path, { notices: { trial_will_end: 3 } }, headers)
  await makeSchedule(twin, ({ basic, pro }) => ({
    phases: [phase(basic, { trial: true }), phase(pro, { trial: true })],
  }))
  await twin.advance({ to: JUNE })
  const notices = await twin.events('&type=subscription.trial_will_end')
  const day = 86_400
  expect(notices.map(({ created }) => created)).toEqual([MAY - 3 * day, JUNE - 3 * day])
  expect(await billsOf(twin)).toEqual(['2026-06-01 5000 to 2026-07-01'])
})

describe('the future', () => {
  test('lists the phases before the renewals of the same second', async () => {
    const { twin, schedule } = await begin()
    const { data } = await twin.get('/v1/test_helpers/upcoming')
    expect(data.map(({ due, kind }: Body) => [due, kind])).toEqual([
      [MAY, 'schedule_phase'],
      [MAY, 'renewal'],
      [at('2026-05-25T00:00:00Z'), 'schedule_expiring'],
    ])
    expect(data[0].subscription).toBe(schedule.subscription)
  })

  test('stops at the event of a phase', async () => {
    const { twin } = await begin()
    const { now, summary } = await twin.advance({ to: JUNE, stop_on: ['subscription_schedule.updated'] })
    expect([now, summary.stopped_on]).toEqual([MAY, 'subscription_schedule.updated'])
    // The renewal of the same second is still due.
    expect(await billsOf(twin)).toEqual(['2026-04-01 2000 to 2026-05-01'])
  })

  test('is previewed with the price of the next phase', async () => {
    const { twin, schedule } = await begin()
    const preview = await twin.post('/v1/invoices/create_preview', { subscription: schedule.subscription })
    expect(preview).toMatchObject({ total: 5000, period_start: MAY })
  })
})
