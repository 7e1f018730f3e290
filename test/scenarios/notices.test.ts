import { describe, expect, test } from 'vitest'
import { linesOf as rows } from '../table.ts'
import { type Body, makePrice, type Twin } from '../twin.ts'
import { linesOf, newestInvoice } from './plan-story.ts'
import { makeSchedule, phase, playSchedule } from './schedule-story.ts'
import { at, bytesOf, historyOf, listAll, openTwin, play, subscribe, timelineOf } from './story.ts'

const NOW = '2026-04-01T00:00:00Z'
const ALL = { invoice_upcoming: 7, trial_will_end: 3, invoice_will_be_due: 3, invoice_overdue: 1 }

/** A trial that pauses at its end. */
const WITHOUT_CARD = {
  trial_period_days: 20,
  default_payment_method: undefined,
  trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
}

const operator = ({ sandbox: { adminToken } }: Twin) => ({
  Authorization: `Bearer ${adminToken}`,
  Host: 'localhost',
})

/** Sets when notices are emitted, as the operator does. */
async function notify(twin: Twin, notices: Body): Promise<void> {
  const { merchant } = twin.sandbox
  const path = `/_paytwin/merchants/${merchant.settings.id}`
  const { status, body } = await twin.request('POST', path, { notices }, operator(twin))
  expect([status, body.notices]).toMatchObject([200, notices])
}

const NOTICES = /invoice\.(upcoming|will_be_due|overdue)|trial_will_end/
const noticesOf = (lines: readonly string[]) => lines.filter((line) => NOTICES.test(line))
const previewsOf = async (twin: Twin): Promise<Body[]> =>
  (await listAll(twin, '/v1/events?type=invoice.upcoming')).map(({ data }) => data.object)

describe('invoice.upcoming', () => {
  test('follows the setting at the start of the period, also after a change within it that is billed', async () => {
    const { lines } = await play({
      now: NOW,
      until: '2026-06-15T00:00:00Z',
      begin: async (fresh) => {
        const begun = await subscribe(fresh)
        await notify(fresh, { invoice_upcoming: 7 })
        const { id, items } = begun.subscription
        await fresh.advance({ by: '1d' })
        await fresh.post(`/v1/subscriptions/${id}`, {
          items: [{ id: items.data[0].id, quantity: 2 }],
          proration_behavior: 'always_invoice',
        })
        return begun
      },
    })
    expect(noticesOf(lines)).toEqual(['2026-05-25T00:00:00Z invoice.upcoming draft'])
  })

  test('announces each renewal, as a preview without an id', async () => {
    const { lines, twin, begun } = await play({
      now: NOW,
      until: '2026-06-15T00:00:00Z',
      begin: async (fresh) => {
        await notify(fresh, { invoice_upcoming: 7 })
        return subscribe(fresh)
      },
    })
    expect(noticesOf(lines)).toEqual(
      rows(`
      2026-04-24T00:00:00Z invoice.upcoming draft
      2026-05-25T00:00:00Z invoice.upcoming draft
      `),
    )
    const [first] = await previewsOf(twin)
    expect(first).toMatchObject({
      id: null,
      object: 'invoice',
      number: null,
      status: 'draft',
      subscription: begun.subscription.id,
      billing_reason: 'subscription_cycle',
      total: 2000,
      amount_due: 2000,
      period_start: at('2026-05-01'),
      period_end: at('2026-06-01'),
      created: at('2026-05-01'),
    })
  })

  test('shows the pending items and the plan at that moment, which stay in the event', async () => {
    const { twin, lines } = await play({
      now: NOW,
      until: '2026-05-02T00:00:00Z',
      begin: async (fresh) => {
        await notify(fresh, { invoice_upcoming: 15 })
        const { customer, subscription } = await subscribe(fresh, { price: { nickname: 'Basic' } })
        const { id: pro } = await makePrice(fresh, { unit_amount: 5000, nickname: 'Pro' })
        await fresh.post('/v1/invoiceitems', {
          ...{ customer: customer.id, subscription: subscription.id, amount: 300, currency: 'usd' },
          description: 'Setup',
        })
        await fresh.advance({ to: '2026-04-11T00:00:00Z' })
        const path = `/v1/subscriptions/${subscription.id}`
        const [item] = subscription.items.data
        await fresh.post(path, {
          items: [{ id: item.id, price: pro }],
          proration_behavior: 'create_prorations',
        })
        await fresh.advance({ to: '2026-04-21T00:00:00Z' })
        await fresh.post(path, { items: [{ id: item.id, quantity: 2 }] })
      },
    })
    expect(noticesOf(lines)).toEqual(['2026-04-16T00:00:00Z invoice.upcoming draft'])
    const [preview] = await previewsOf(twin)
    // 20 of 30 days remained: 13.33 of 20.00 back, 33.33 of 50.00.
    expect(linesOf(preview as Body)).toEqual([
      '300 Setup',
      '-1333 Unused time on Basic after 2026-04-11',
      '3333 Remaining time on Pro after 2026-04-11',
      '5000 1 × 50.00 USD',
    ])
    expect(preview).toMatchObject({ total: 7300 })
    expect(await newestInvoice(twin)).toMatchObject({ total: 12_300 })
  })

  test('changes nothing else', async () => {
    const run = async (twin: Twin) => {
      await subscribe(twin, { outcomes: ['succeed', 'decline:insufficient_funds'], afterwards: 'succeed' })
      await twin.advance({ to: '2026-07-15T00:00:00Z' })
      const { events, ...objects } = await historyOf(twin)
      return bytesOf({ ...objects, events: events.filter(({ type }) => type !== 'invoice.upcoming') }).map(
        (line) => line.replaceAll(/evt_\w+/g, 'evt'),
      )
    }
    const [plain, noticed] = [await openTwin({ now: NOW }), await openTwin({ now: NOW })]
    await notify(noticed, { invoice_upcoming: 3 })
    expect(await run(noticed)).toEqual(await run(plain))
    expect(await previewsOf(noticed)).toHaveLength(3)
    expect(await previewsOf(plain)).toHaveLength(0)
  })

  test('is not emitted for a cancellation, unless that is withdrawn in time', async () => {
    const begin = (resumed: string) => async (fresh: Twin) => {
      await notify(fresh, { invoice_upcoming: 7 })
      const { subscription } = await subscribe(fresh)
      const path = `/v1/subscriptions/${subscription.id}`
      await fresh.delete(`${path}?cancel_at_period_end=true`)
      await fresh.advance({ to: resumed })
      await fresh.post(`${path}/resume`)
    }
    const story = { now: NOW, until: '2026-05-27T00:00:00Z' }
    const inTime = await play({ ...story, begin: begin('2026-04-20T00:00:00Z') })
    expect(noticesOf(inTime.lines).map((line) => line.slice(0, 10))).toEqual(['2026-04-24', '2026-05-25'])
    const late = await play({ ...story, begin: begin('2026-04-25T00:00:00Z') })
    expect(noticesOf(late.lines).map((line) => line.slice(0, 10))).toEqual(['2026-05-25'])
  })

  test.each([
    ['invoices that are sent', { collection_method: 'send_invoice' }, undefined],
    ['periods that are not longer', { price: { recurring: { interval: 'week' } } }, undefined],
    ['a pause of collection', {}, { pause_collection: { behavior: 'void' } }],
    ['the pause of a trial without a card', WITHOUT_CARD, undefined],
  ])('is not emitted for %s', async (_name, params, update) => {
    const { lines } = await play({
      now: NOW,
      until: '2026-04-30T00:00:00Z',
      begin: async (fresh) => {
        await notify(fresh, { invoice_upcoming: 7 })
        const { subscription } = await subscribe(fresh, params)
        if (update) await fresh.post(`/v1/subscriptions/${subscription.id}`, update)
      },
    })
    expect(noticesOf(lines)).toEqual([])
  })

  test('counts the days that were set when the period began', async () => {
    const { lines } = await play({
      now: NOW,
      until: '2026-06-15T00:00:00Z',
      begin: async (fresh) => {
        await notify(fresh, { invoice_upcoming: 7 })
        await subscribe(fresh)
        await notify(fresh, { invoice_upcoming: 3 })
      },
    })
    expect(noticesOf(lines).map((line) => line.slice(0, 10))).toEqual(['2026-04-24', '2026-05-29'])
  })

  test('is the same in a list, by its id, in a stream page and after a restart of the history', async () => {
    const twin = await openTwin({ now: NOW })
    await notify(twin, { invoice_upcoming: 7 })
    await subscribe(twin)
    await twin.advance({ to: '2026-04-25T00:00:00Z' })
    const [listed] = (await twin.get('/v1/events?type=invoice.upcoming')).data
    const { id: price } = await makePrice(twin, { unit_amount: 1 })
    const [subscription] = (await twin.get('/v1/subscriptions')).data
    await twin.post(`/v1/subscriptions/${subscription.id}`, { items: [{ price }] })
    await twin.advance({ by: '2mo' })
    expect(await twin.get(`/v1/events/${listed.id}`)).toEqual(listed)
    expect((await twin.get('/v1/invoices')).data.map(({ id }: Body) => id)).not.toContain(null)
  })
})

describe('subscription.trial_will_end', () => {
  test('comes three days before the end, before the invoice of the end is announced', async () => {
    const { lines, history } = await play({
      now: NOW,
      until: '2026-04-16T00:00:00Z',
      begin: async (fresh) => {
        await notify(fresh, { trial_will_end: 3, invoice_upcoming: 7 })
        await subscribe(fresh, { trial_period_days: 14 })
      },
    })
    expect(lines).toEqual(
      rows(`
      2026-04-01T00:00:00Z subscription.created trialing
      2026-04-08T00:00:00Z invoice.upcoming draft
      2026-04-12T00:00:00Z subscription.trial_will_end trialing
      2026-04-15T00:00:00Z invoice.created draft
      2026-04-15T00:00:00Z invoice.finalized open
      2026-04-15T00:00:00Z invoice.paid paid #1
      2026-04-15T00:00:00Z payment_intent.succeeded succeeded
      2026-04-15T00:00:00Z charge.succeeded succeeded
      2026-04-15T00:00:00Z subscription.updated active Δ status latest_invoice current_period_start current_period_end
      `),
    )
    const notice = history.events.find(({ type }) => type === 'subscription.trial_will_end')
    expect(notice?.data.object.trial_end).toBe(at('2026-04-15'))
  })

  test('comes at once if the trial is shorter', async () => {
    const { lines } = await play({
      now: NOW,
      until: '2026-04-02T00:00:00Z',
      begin: async (fresh) => {
        await notify(fresh, ALL)
        await subscribe(fresh, { trial_period_days: 3 })
      },
    })
    expect(lines).toEqual(
      rows(`
      2026-04-01T00:00:00Z subscription.created trialing
      2026-04-01T00:00:00Z subscription.trial_will_end trialing
      `),
    )
  })

  test.each([
    ['a later end', '2026-04-30T00:00:00Z', ['2026-04-27']],
    ['a near end', '2026-04-04T00:00:00Z', ['2026-04-02']],
    ['now', 'now', ['2026-04-02']],
  ])('follows a change of the end to %s', async (_name, end, days) => {
    const { lines } = await play({
      now: NOW,
      until: '2026-05-05T00:00:00Z',
      begin: async (fresh) => {
        await notify(fresh, { trial_will_end: 3 })
        const { subscription } = await subscribe(fresh, { trial_period_days: 14 })
        await fresh.advance({ to: '2026-04-02T00:00:00Z' })
        const trial_end = end === 'now' ? end : at(end)
        await fresh.post(`/v1/subscriptions/${subscription.id}`, { trial_end })
      },
    })
    expect(noticesOf(lines).map((line) => line.slice(0, 10))).toEqual(days)
  })
})

describe('notices of due dates', () => {
  test('come before and after the due date of each sent invoice', async () => {
    const { lines } = await play({
      now: NOW,
      until: '2026-04-20T00:00:00Z',
      begin: async (fresh) => {
        await notify(fresh, { invoice_will_be_due: 3, invoice_overdue: 1 })
        await subscribe(fresh, { collection_method: 'send_invoice', days_until_due: 10 })
      },
    })
    expect(lines).toEqual(
      rows(`
      2026-04-01T00:00:00Z subscription.created active
      2026-04-01T00:00:00Z invoice.created draft
      2026-04-01T00:00:00Z invoice.finalized open
      2026-04-08T00:00:00Z invoice.will_be_due open
      2026-04-11T00:00:00Z subscription.updated past_due Δ status
      2026-04-12T00:00:00Z invoice.overdue open
      `),
    )
  })

  test('with 0 days, overdue comes at the due date, after the status', async () => {
    const { lines } = await play({
      now: NOW,
      until: '2026-04-20T00:00:00Z',
      begin: async (fresh) => {
        await notify(fresh, { invoice_overdue: 0, invoice_will_be_due: 30 })
        await subscribe(fresh, { collection_method: 'send_invoice', days_until_due: 10 })
      },
    })
    expect(lines.slice(3)).toEqual(
      rows(`
      2026-04-11T00:00:00Z subscription.updated past_due Δ status
      2026-04-11T00:00:00Z invoice.overdue open
      `),
    )
  })

  test.each(['pay', 'void', 'mark_uncollectible'])('stop with %s', async (how) => {
    const { lines } = await play({
      now: NOW,
      until: '2026-04-20T00:00:00Z',
      begin: async (fresh) => {
        await notify(fresh, ALL)
        await subscribe(fresh, { collection_method: 'send_invoice', days_until_due: 10 })
        await fresh.advance({ by: '1d' })
        await fresh.post(`/v1/invoices/${(await newestInvoice(fresh)).id}/${how}`)
      },
    })
    expect(noticesOf(lines)).toEqual([])
  })
})

describe('upcoming jobs and timelines', () => {
  const UPCOMING = '/v1/test_helpers/upcoming'
  const kindsOf = (jobs: Body[]) => jobs.map(({ kind }) => kind).filter((kind) => kind !== 'renewal')
  const upcomingOf = async (twin: Twin) => kindsOf((await twin.get(UPCOMING)).data)
  /** The kinds in both lists, which must be the same. */
  async function listed(twin: Twin, { id }: Body): Promise<string[]> {
    const { body } = await twin.request('GET', `/_paytwin/subscriptions/${id}`, undefined, operator(twin))
    const upcoming = await upcomingOf(twin)
    expect(kindsOf(body.timeline.upcoming.data)).toEqual(upcoming)
    return upcoming
  }

  test('show the notices that apply', async () => {
    const twin = await openTwin({ now: NOW })
    await notify(twin, ALL)
    const { subscription } = await subscribe(twin, { trial_period_days: 14 })
    expect(await listed(twin, subscription)).toEqual(['invoice_upcoming', 'trial_will_end', 'trial_end'])
    const path = `/v1/subscriptions/${subscription.id}`
    await twin.delete(`${path}?cancel_at_period_end=true`)
    expect(await listed(twin, subscription)).toEqual(['trial_will_end', 'cancellation'])
    await twin.post(`${path}/resume`)
    expect(await listed(twin, subscription)).toEqual(['invoice_upcoming', 'trial_will_end', 'trial_end'])
    await twin.post(path, { pause_collection: { behavior: 'void' } })
    expect(await listed(twin, subscription)).toEqual(['trial_will_end', 'trial_end'])
  })

  test('leave out the invoice of a trial that ends without one', async () => {
    const twin = await openTwin({ now: NOW })
    await notify(twin, ALL)
    const { id: price } = await makePrice(twin)
    const customer = await twin.post('/v1/customers')
    const subscription = await twin.post('/v1/subscriptions', {
      ...{ customer: customer.id, currency: 'usd', items: [{ price }] },
      ...WITHOUT_CARD,
    })
    expect(await listed(twin, subscription)).toEqual(['trial_will_end', 'trial_end'])
    await twin.advance({ to: '2026-05-01T00:00:00Z' })
    expect(await previewsOf(twin)).toEqual([])
  })

  test('fill the pages with jobs that apply', async () => {
    const twin = await openTwin({ now: NOW })
    await notify(twin, { invoice_upcoming: 7 })
    for (let count = 0; count < 3; count += 1) {
      const { subscription } = await subscribe(twin)
      if (count < 2) await twin.delete(`/v1/subscriptions/${subscription.id}?cancel_at_period_end=true`)
    }
    const kinds = ['invoice_upcoming', 'cancellation', 'cancellation']
    expect(await upcomingOf(twin)).toEqual(kinds)
    const first = await twin.get(`${UPCOMING}?limit=2`)
    expect([kindsOf(first.data), first.has_more]).toEqual([kinds.slice(0, 2), true])
    const rest = await twin.get(`${UPCOMING}?limit=2&starting_after=${first.data[1].id}`)
    expect([rest.data.map(({ kind }: Body) => kind), rest.has_more]).toEqual([
      ['cancellation', 'renewal'],
      false,
    ])
    const back = await twin.get(`${UPCOMING}?limit=2&ending_before=${rest.data[0].id}`)
    expect(back.data).toEqual(first.data)
  })
})

describe('phases of a schedule', () => {
  const trial = (days: number) => ({ trial: true, duration: { interval: 'day', interval_count: days } })

  // The trial of 10 and 20 days ends on 1 May. Only that end makes an invoice.
  test('announce the invoice of a trial that a phase moves once', async () => {
    const { twin } = await playSchedule(
      { now: NOW, until: '2026-05-02T00:00:00Z' },
      ({ basic, pro }) => ({
        start_date: at('2026-04-01T00:00:01Z'),
        phases: [phase(basic, trial(10)), phase(pro, trial(20)), phase(pro)],
      }),
      ({ twin: fresh }) => notify(fresh, ALL),
    )
    expect(noticesOf(timelineOf(await twin.events()))).toEqual(
      rows(`
      2026-04-08T00:00:01Z subscription.trial_will_end trialing
      2026-04-24T00:00:01Z invoice.upcoming draft
      2026-04-28T00:00:01Z subscription.trial_will_end trialing
      `),
    )
  })

  const SENT = { collection_method: 'send_invoice' }
  const CHARGED = { collection_method: 'charge_automatically' }
  const month = (more: Body = {}) => ({ iterations: 1, ...more })

  const until = (date: string, more: Body = {}) => ({ end_date: at(`2026-${date}T00:00:00Z`), ...more })
  /** A phase that begins a new period. */
  const anew = (more: Body = {}) => ({ billing_cycle_anchor: 'phase_start', ...more })
  const paused = (date: string) => ({ behavior: 'void', resumes_at: at(`2026-${date}T00:00:00Z`) })

  // The period ends on 1 May.
  test.each<[string, { phases: Body[]; end_behavior?: string; pause?: Body; isAnnounced: boolean }]>([
    ['the trial goes on', { phases: [trial(30), trial(30)], isAnnounced: false }],
    ['the next phase sends invoices', { phases: [month(CHARGED), month(SENT)], isAnnounced: false }],
    ['the next phase charges', { phases: [month(SENT), month(CHARGED)], isAnnounced: true }],
    [
      'a phase charges for a new period, and the next one sends invoices',
      { phases: [until('04-27', SENT), until('04-29', anew(CHARGED)), month(SENT)], isAnnounced: true },
    ],
    [
      'the schedule cancels before the end of the period, but after a new one',
      { phases: [until('04-27'), until('04-29', anew())], end_behavior: 'cancel', isAnnounced: true },
    ],
    [
      'the schedule cancels before the end of the period',
      { phases: [until('04-27'), until('04-29')], end_behavior: 'cancel', isAnnounced: false },
    ],
    [
      'a new period begins while collection is paused until later in this one',
      { phases: [until('04-27'), anew()], pause: paused('04-29'), isAnnounced: false },
    ],
    [
      'a new period begins after a pause of collection',
      { phases: [until('04-27'), anew()], pause: paused('04-27'), isAnnounced: true },
    ],
  ])('list the announcements when %s', async (_, { phases, end_behavior, pause, isAnnounced }) => {
    const twin = await openTwin({ now: NOW })
    await notify(twin, { invoice_upcoming: 7 })
    const { schedule } = await makeSchedule(twin, ({ basic }) => ({
      phases: phases.map((params) => phase(basic, params)),
      ...(end_behavior && { end_behavior }),
    }))
    const { subscription } = schedule
    if (pause) await twin.post(`/v1/subscriptions/${subscription}`, { pause_collection: pause })
    const listed = async () =>
      (await twin.get('/v1/test_helpers/upcoming')).data.map(({ kind }: Body) => kind)
    const drawn = async () => {
      const path = `/_paytwin/subscriptions/${subscription}`
      const { body } = await twin.request('GET', path, undefined, operator(twin))
      return body.timeline.upcoming.data.map(({ kind }: Body) => kind)
    }
    expect((await listed()).includes('invoice_upcoming')).toBe(isAnnounced)
    expect((await drawn()).includes('invoice_upcoming')).toBe(isAnnounced)
    await twin.advance({ to: '2026-04-26T23:59:59Z' })
    const announced = isAnnounced ? ['2026-04-24T00:00:00Z invoice.upcoming draft'] : []
    expect(noticesOf(timelineOf(await twin.events()))).toEqual(announced)
  })

  test('announce the end of a trial at once that is nearer than three days', async () => {
    const { twin } = await playSchedule(
      { now: NOW, until: '2026-04-14T00:00:00Z' },
      ({ basic, pro }) => ({
        start_date: at('2026-04-01T00:00:01Z'),
        phases: [phase(basic, trial(10)), phase(pro, trial(2)), phase(pro)],
      }),
      ({ twin: fresh }) => notify(fresh, { trial_will_end: 3 }),
    )
    expect(noticesOf(timelineOf(await twin.events()))).toEqual(
      rows(`
      2026-04-08T00:00:01Z subscription.trial_will_end trialing
      2026-04-11T00:00:01Z subscription.trial_will_end trialing
      `),
    )
  })
})

test.each([
  [{ invoice_upcoming: 4 }, 'notices[invoice_upcoming]'],
  [{ trial_will_end: 2 }, 'notices[trial_will_end]'],
  [{ invoice_will_be_due: 0 }, 'notices[invoice_will_be_due]'],
  [{ invoice_overdue: -1 }, 'notices[invoice_overdue]'],
])('the setting %j is refused', async (notices, param) => {
  const twin = await openTwin({ now: NOW })
  const { merchant, adminToken } = twin.sandbox
  const headers = { Authorization: `Bearer ${adminToken}`, Host: 'localhost' }
  const path = `/_paytwin/merchants/${merchant.settings.id}`
  const { status, body } = await twin.request('POST', path, { notices }, headers)
  expect([status, body.error.param]).toEqual([400, param])
})
