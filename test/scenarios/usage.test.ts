import { describe, expect, test } from 'vitest'
import { asOperator } from '../http/support.ts'
import { type Body, makePrice, type Twin } from '../twin.ts'
import { at, bytesOf, historyOf, listAll, nowOf, PACES } from './story.ts'
import {
  begin,
  END,
  invoicesOf,
  MIDDLE,
  makeMeter,
  makeMetered,
  newestInvoice,
  START,
} from './usage-story.ts'

const GRADUATED = {
  unit_amount: undefined,
  billing_scheme: 'tiered',
  tiers_mode: 'graduated',
  tiers: [
    { up_to: 100, unit_amount: 10 },
    { up_to: 'inf', unit_amount: 5 },
  ],
}
/** 5.00 and 0.02 each up to 10, then 3.00 more and 0.01 each. */
const FLAT = {
  ...GRADUATED,
  tiers: [
    { up_to: 10, unit_amount: 2, flat_amount: 500 },
    { up_to: 'inf', unit_amount: 1, flat_amount: 300 },
  ],
}
const VOLUME = { ...GRADUATED, tiers_mode: 'volume' }

/** One advance, and from job to job. */
const LIGHT = Object.entries(PACES).filter(([name]) => !name.includes('hours'))

const linesOfNewest = async (twin: Twin): Promise<number[]> =>
  (await newestInvoice(twin)).lines.data.map(({ amount }: Body) => amount)

type Story = Awaited<ReturnType<typeof begin>> & { readonly to: (time: string) => Promise<void> }
type Example = {
  readonly price?: Body
  readonly given?: Body
  readonly play: (story: Story) => Promise<unknown>
  /** All invoices at the end, oldest first. */
  readonly invoices: readonly string[]
}

/** Reports values at times; the clock moves to END between and after them. */
const reports =
  (...values: readonly (readonly [time: string, value: string | number])[]) =>
  async ({ to, report }: Story) => {
    for (const [time, value] of values) {
      await to(time)
      await report(value)
    }
    await to(END)
  }

const EXAMPLES: Readonly<Record<string, Example>> = {
  'the sum of a month, at the beginning of the next': {
    play: reports([START, 100], ['2026-04-10T12:00:00Z', 20], ['2026-04-30T23:59:59Z', 30]),
    invoices: ['paid 0', 'paid 750 | 750 150 × Calls'],
  },
  'no usage as a line of 0': {
    play: reports(),
    invoices: ['paid 0', 'paid 0 | 0 0 × Calls'],
  },
  'an event at the border second in the period that begins': {
    play: async ({ to, report }) => {
      await to('2026-04-20T00:00:00Z')
      await report(1, { timestamp: at(START) })
      await report(2, { timestamp: at('2026-03-31T23:59:59Z') })
      await to('2026-04-30T23:58:00Z')
      await report(4, { timestamp: at('2026-04-30T23:59:59Z') })
      await report(8, { timestamp: at(END) })
      await to('2026-06-01T00:00:00Z')
    },
    // 1 + 4 in April, 8 in May; the 2 of March came before the subscription.
    invoices: ['paid 0', 'paid 25 | 25 5 × Calls', 'paid 40 | 40 8 × Calls'],
  },
  'the number of events': {
    given: { formula: 'count' },
    play: reports([START, 100], [MIDDLE, 20], [MIDDLE, '0.5']),
    invoices: ['paid 0', 'paid 15 | 15 3 × Calls'],
  },
  'the last value by timestamp, of several the last reported': {
    given: { formula: 'last' },
    play: async ({ to, report }) => {
      await to(MIDDLE)
      await report(7, { timestamp: at(MIDDLE) })
      await report(9, { timestamp: at(MIDDLE) })
      await report(100, { timestamp: at(START) })
      await to(END)
    },
    invoices: ['paid 0', 'paid 45 | 45 9 × Calls'],
  },
  // 100 × 10 = 1000
  'a graduated tier up to its border': {
    price: GRADUATED,
    play: reports([MIDDLE, 100]),
    invoices: ['paid 0', 'paid 1000 | 1000 100 × Calls'],
  },
  // 100 × 10 + 0.5 × 5 = 1002.5, rounded away from zero
  'half a unit beyond the border of a graduated tier': {
    price: GRADUATED,
    play: reports([START, '60.25'], [MIDDLE, '40.25']),
    invoices: ['paid 0', 'paid 1003 | 1003 100.5 × Calls'],
  },
  'a volume up to the border of its tier': {
    price: VOLUME,
    play: reports([MIDDLE, 60], [MIDDLE, 40]),
    invoices: ['paid 0', 'paid 1000 | 1000 100 × Calls'],
  },
  // 101 × 5 = 505
  'a volume in the tier that it reaches': {
    price: VOLUME,
    play: reports([MIDDLE, 60], [MIDDLE, 41]),
    invoices: ['paid 0', 'paid 505 | 505 101 × Calls'],
  },
  'flat amounts up to the border of a tier': {
    price: FLAT,
    play: reports([MIDDLE, 10]),
    invoices: ['paid 0', 'paid 520 | 520 10 × Calls'],
  },
  // 500 + 20 + 300 + 0.5, rounded away from zero
  'flat amounts of each tier that is reached': {
    price: FLAT,
    play: reports([MIDDLE, '10.5']),
    invoices: ['paid 0', 'paid 821 | 821 10.5 × Calls'],
  },
  // 3 × 0.1 + 0.2 = 0.5 exactly, × 0.03 = 0.015 of a cent each: 50 × 0.03 = 1.5
  'decimals exactly, rounded once': {
    price: { unit_amount: undefined, unit_amount_decimal: '0.03' },
    play: reports([START, '0.1'], [START, '0.2'], [MIDDLE, '49.7']),
    invoices: ['paid 0', 'paid 2 | 2 50 × Calls'],
  },
  // 150.5 minutes are 3 begun hours
  'packages of the usage': {
    price: { unit_amount: 1000, transform_quantity: { divide_by: 60, round: 'up' } },
    play: reports([START, '100.5'], [MIDDLE, 50]),
    invoices: ['paid 0', 'paid 3000 | 3000 150.5 × Calls'],
  },
  'a negative usage as none': {
    play: reports([START, -5], [MIDDLE, 2]),
    invoices: ['paid 0', 'paid 0 | 0 0 × Calls'],
  },
  'no event that is reported after the end of its period': {
    play: async ({ to, report }) => {
      await to(MIDDLE)
      await report(10)
      await to(END)
      await report(50, { timestamp: at('2026-04-30T12:00:00Z') })
      await report(1)
      await to('2026-06-01T00:00:00Z')
    },
    invoices: ['paid 0', 'paid 50 | 50 10 × Calls', 'paid 5 | 5 1 × Calls'],
  },
  'the months of an anchor on the 31st': {
    given: { now: '2026-01-31T10:00:00Z' },
    play: async ({ to, report }) => {
      await to('2026-02-28T09:59:59Z')
      await report(1)
      await to('2026-02-28T10:00:00Z')
      await report(2)
      await to('2026-03-31T09:59:59Z')
      await report(4)
      await to('2026-03-31T10:00:00Z')
    },
    invoices: ['paid 0', 'paid 5 | 5 1 × Calls', 'paid 30 | 30 6 × Calls'],
  },
  'usage before the licensed items of the next period': {
    given: { more: [{ unit_amount: 2000, nickname: 'Basic' }] },
    play: reports([MIDDLE, 120]),
    invoices: ['paid 2000 | 2000 1 × 20.00 USD', 'paid 2600 | 600 120 × Calls | 2000 1 × 20.00 USD'],
  },
  'nothing for the usage of a trial': {
    given: { trial_end: at(MIDDLE) },
    play: async ({ to, report }) => {
      await report(100)
      await to(MIDDLE)
      await report(3)
      await to('2026-05-16T00:00:00Z')
    },
    invoices: ['paid 0', 'paid 15 | 15 3 × Calls'],
  },
}

describe('a metered price bills', () => {
  describe.each(Object.entries(EXAMPLES))('%s', (_, { price = {}, given = {}, play, invoices }) => {
    let first: string[] | undefined
    test.each(LIGHT)('in %s', async (_name, pace) => {
      const story = await begin(price, given)
      const to = async (time: string) => {
        if ((await nowOf(story.twin)) < at(time)) await pace(story.twin, at(time))
      }
      await play({ ...story, to })
      expect(await invoicesOf(story.twin)).toEqual(invoices)
      const history = bytesOf(await historyOf(story.twin))
      first ??= history
      expect(history).toEqual(first)
    })
  })
})

test('a line shows the usage, its period and its price', async () => {
  const { twin, report, metered, item } = await begin()
  await report('2.5')
  await twin.advance({ to: END })
  const invoice = await newestInvoice(twin)
  expect(invoice).toMatchObject({ period_start: at(END), billing_reason: 'subscription_cycle' })
  expect(invoice.lines.data[0]).toMatchObject({
    ...{ amount: 13, unit_amount: 5, quantity: 2, quantity_decimal: '2.5', price: metered.id },
    ...{ subscription_item: item, invoice_item: null, proration: false },
    period: { start: at(START), end: at(END) },
  })
})

test('usage beyond the largest amount does not stop a renewal', async () => {
  const { twin, report } = await begin({ unit_amount: 99_999_999 }, { more: [{ unit_amount: 2000 }] })
  await report(999_999_999_999)
  await report('999999999999.999999999999')
  await twin.advance({ to: END })
  expect(await newestInvoice(twin)).toMatchObject({ total: 99_999_999, status: 'paid' })
})

describe('a draft', () => {
  /** Pauses collection, so that the renewal leaves a draft with the usage of April. */
  async function paused(behavior: string) {
    const story = await begin()
    await story.twin.post(story.path, { pause_collection: { behavior } })
    await story.report(10)
    await story.twin.advance({ to: END })
    return { ...story, invoice: await newestInvoice(story.twin) }
  }

  test('bills late and canceled events until it is finalized', async () => {
    const { twin, report, invoice } = await paused('keep_as_draft')
    expect(invoice).toMatchObject({ status: 'draft', total: 50 })
    const { identifier } = await report(3, { timestamp: at(MIDDLE) })
    await report(4, { timestamp: at(MIDDLE) })
    await report(100)
    await twin.post('/v1/billing/meter_event_adjustments', {
      event_name: 'calls',
      type: 'cancel',
      cancel: { identifier },
    })
    const open = await twin.post(`/v1/invoices/${invoice.id}/finalize`)
    expect(open).toMatchObject({ status: 'open', total: 70, amount_due: 70 })
    await report(1, { timestamp: at(MIDDLE) })
    expect(await twin.post(`/v1/invoices/${invoice.id}/pay`)).toMatchObject({ status: 'paid', total: 70 })
  })

  /** A draft whose usage and credit of a downgrade are each near the largest amount. */
  async function credited(calls: number) {
    const { twin, subscription, path, report } = await begin(
      { unit_amount: 1 },
      { more: [{ unit_amount: 99_999_998 }] },
    )
    await twin.post(path, { pause_collection: { behavior: 'keep_as_draft' } })
    await report(calls)
    await twin.advance({ to: MIDDLE })
    const basic = await makePrice(twin, { nickname: 'Basic' })
    const [, { id }] = subscription.items.data
    await twin.post(path, { items: [{ id, price: basic.id }], proration_behavior: 'create_prorations' })
    const preview = await twin.post('/v1/invoices/create_preview', { subscription: subscription.id })
    await twin.advance({ to: END })
    return { twin, report, preview, draft: await newestInvoice(twin) }
  }
  const amountsOf = ({ lines }: Body): number[] => lines.data.map(({ amount }: Body) => amount)

  test('bills as much usage beside a credit as its preview', async () => {
    const { twin, preview, draft } = await credited(140_000_000)
    const [credit] = amountsOf(draft)
    expect(credit).toBeLessThan(-49_000_000)
    // The credit makes no room for more usage.
    expect(amountsOf(draft)).toEqual([credit, 1_000, 99_997_999, 2_000])
    expect(amountsOf(preview)).toEqual(amountsOf(draft))
    const open = await twin.post(`/v1/invoices/${draft.id}/finalize`)
    expect(amountsOf(open)).toEqual(amountsOf(draft))
    expect(open.total).toBe(preview.total)
  })

  test('bills late usage beside a credit up to the largest amount', async () => {
    const { twin, report, draft } = await credited(10)
    await report(140_000_000, { timestamp: at(MIDDLE) })
    const open = await twin.post(`/v1/invoices/${draft.id}/finalize`)
    expect(amountsOf(open).slice(1)).toEqual([1_000, 99_997_999, 2_000])
  })

  test('keeps usage beside items that exceed the largest amount before discounts', async () => {
    const { twin, customer, path, report } = await begin({ unit_amount: 1 })
    const coupon = await twin.post('/v1/coupons', { duration: 'forever', percent_off: 100 })
    await twin.post(path, {
      pause_collection: { behavior: 'keep_as_draft' },
      discounts: [{ coupon: coupon.id }],
    })
    await report(60_000_000)
    await twin.advance({ to: END })
    const { id: invoice } = await newestInvoice(twin)
    for (const amount of [99_999_999, 99_999_999])
      await twin.post('/v1/invoiceitems', { customer: customer.id, currency: 'usd', invoice, amount })
    await report(5, { timestamp: at(MIDDLE) })
    const open = await twin.post(`/v1/invoices/${invoice}/finalize`)
    expect(amountsOf(open).sort()).toEqual([60_000_000, 99_999_999, 99_999_999])
  })

  test('is paid by hand with the late events', async () => {
    const { twin, report, invoice } = await paused('keep_as_draft')
    await report('0.5', { timestamp: at(MIDDLE) })
    const paid = await twin.post(`/v1/invoices/${invoice.id}/pay`)
    expect(paid).toMatchObject({ status: 'paid', total: 53, amount_paid: 53 })
    expect(paid.lines.data[0]).toMatchObject({ quantity: 10, quantity_decimal: '10.5' })
  })

  test.each(['void', 'mark_uncollectible'])('is closed with its usage by %s', async (behavior) => {
    const { invoice } = await paused(behavior)
    expect(invoice).toMatchObject({ total: 50, status: behavior === 'void' ? 'void' : 'uncollectible' })
  })
})

describe('the end of a subscription', () => {
  test.each([
    ['bills the usage with invoice_now', { invoice_now: true }, ['paid 0', 'paid 50 | 50 10 × Calls']],
    ['does not bill it without', {}, ['paid 0']],
    ['prorates no usage', { invoice_now: true, prorate: true }, ['paid 0', 'paid 50 | 50 10 × Calls']],
  ])('now %s, with that of the present second', async (_, params, invoices) => {
    const { twin, report, path } = await begin()
    await twin.advance({ to: MIDDLE })
    await report(10)
    await report(99, { timestamp: at(MIDDLE) + 1 })
    expect((await twin.request('DELETE', path, params)).status).toBe(200)
    expect(await invoicesOf(twin)).toEqual(invoices)
  })

  test.each(Object.entries(PACES))('at the end of the period bills it, in %s', async (_, pace) => {
    const { twin, report, path } = await begin()
    await report(10)
    await twin.request('DELETE', path, { cancel_at_period_end: true })
    await pace(twin, at('2026-06-01T00:00:00Z'))
    expect(await invoicesOf(twin)).toEqual(['paid 0', 'paid 50 | 50 10 × Calls'])
  })

  test('makes no invoice without usage, nor in a trial', async () => {
    const idle = await begin()
    await idle.twin.request('DELETE', idle.path, { invoice_now: true })
    expect(await invoicesOf(idle.twin)).toEqual(['paid 0'])
    const trial = await begin({}, { trial_end: at(END) })
    await trial.report(10)
    await trial.twin.advance({ to: MIDDLE })
    await trial.twin.request('DELETE', trial.path, { invoice_now: true })
    expect(await invoicesOf(trial.twin)).toEqual([])
  })
})

describe('a change of the price', () => {
  const change = async (twin: Twin, story: Awaited<ReturnType<typeof begin>>, params: Body) => {
    const pro = await makeMetered(twin, story.meter, { unit_amount: 3, nickname: 'Calls Pro' })
    return twin.post(story.path, { items: [{ id: story.item, price: pro.id }], ...params })
  }

  test.each<[string, string[]]>([
    ['none', ['paid 0', 'paid 120 | 120 40 × Calls Pro']],
    ['create_prorations', ['paid 0', 'paid 620 | 500 100 × Calls | 120 40 × Calls Pro']],
    ['always_invoice', ['paid 0', 'paid 500 | 500 100 × Calls', 'paid 120 | 120 40 × Calls Pro']],
  ])('with %s', async (proration_behavior, invoices) => {
    const story = await begin()
    const { twin, report } = story
    await report(100)
    await twin.advance({ to: MIDDLE })
    await change(twin, story, { proration_behavior })
    // Usage is no proration, also on an invoice item.
    for (const { proration } of (await twin.get('/v1/invoiceitems')).data) expect(proration).toBe(false)
    await report(40)
    await twin.advance({ to: END })
    expect(await invoicesOf(twin)).toEqual(invoices)
  })

  test('counts from the proration_date', async () => {
    const story = await begin()
    await story.report(100)
    await story.twin.advance({ to: MIDDLE })
    await story.report(7, { timestamp: at('2026-04-10T00:00:00Z') })
    const times = { proration_behavior: 'create_prorations', proration_date: at('2026-04-10T00:00:00Z') }
    await change(story.twin, story, times)
    await story.twin.advance({ to: END })
    expect(await invoicesOf(story.twin)).toEqual(['paid 0', 'paid 521 | 500 100 × Calls | 21 7 × Calls Pro'])
  })

  // 1 + 100 calls up to 16 April, 10 calls since then; the later date of the two is that of the first change.
  test('never bills a usage twice, also with an earlier proration_date than the last change', async () => {
    const between = [
      async () => {},
      async ({ twin, path, item }: Awaited<ReturnType<typeof begin>>) => {
        const { id: price } = await makePrice(twin, { unit_amount: 0, nickname: 'Free' })
        await twin.post(path, { items: [{ id: item, price }] })
      },
    ]
    for (const meanwhile of between) {
      const story = await begin()
      const { twin, report, path, item, meter } = story
      await report(1)
      await twin.advance({ to: '2026-04-12T00:00:00Z' })
      await report(100)
      await twin.advance({ to: MIDDLE })
      await change(twin, story, { proration_behavior: 'create_prorations' })
      await meanwhile(story)
      await report(10)
      const { id: price } = await makeMetered(twin, meter, { unit_amount: 2, nickname: 'Calls Max' })
      await twin.post(path, {
        items: [{ id: item, price }],
        ...{ proration_behavior: 'create_prorations', proration_date: at('2026-04-10T00:00:00Z') },
      })
      await twin.advance({ to: END })
      expect(await invoicesOf(twin)).toEqual(['paid 0', 'paid 525 | 505 101 × Calls | 20 10 × Calls Max'])
    }
  })

  test('counts from now with a later proration_date, so that no usage is lost', async () => {
    const story = await begin()
    await story.report(5)
    await story.twin.advance({ to: MIDDLE })
    await change(story.twin, story, { proration_behavior: 'create_prorations', proration_date: at(END) })
    await story.report(7)
    await story.twin.advance({ to: END })
    expect(await invoicesOf(story.twin)).toEqual(['paid 0', 'paid 46 | 25 5 × Calls | 21 7 × Calls Pro'])
  })

  test('bills no flat amount if no time has passed', async () => {
    const story = await begin(FLAT)
    await change(story.twin, story, { proration_behavior: 'always_invoice' })
    await story.twin.advance({ to: END })
    expect(await invoicesOf(story.twin)).toEqual(['paid 0', 'paid 0 | 0 0 × Calls Pro'])
  })

  test('does not touch the usage of an item that stays', async () => {
    const { twin, report, path } = await begin({}, { more: [{ unit_amount: 2000 }] })
    const { items } = await twin.get(path)
    await report(10)
    await twin.advance({ to: MIDDLE })
    const more = { items: [{ id: items.data[1].id, quantity: 2 }], proration_behavior: 'always_invoice' }
    await twin.post(path, more)
    await report(10)
    await twin.advance({ to: END })
    expect((await newestInvoice(twin)).total).toBe(100 + 4000)
  })

  test('that removes the metered item bills or drops its usage', async () => {
    for (const [proration_behavior, total] of [
      ['none', 2000],
      ['create_prorations', 2050],
    ] as const) {
      const { twin, report, path, item } = await begin({}, { more: [{ unit_amount: 2000 }] })
      await report(10)
      await twin.advance({ to: MIDDLE })
      await twin.post(path, { items: [{ id: item, deleted: true }], proration_behavior })
      await report(500)
      await twin.advance({ to: END })
      expect((await newestInvoice(twin)).total).toBe(total)
    }
  })

  test('that begins a new period bills the usage of the old one', async () => {
    const { twin, report, path } = await begin()
    await report(10)
    await twin.advance({ to: MIDDLE })
    await twin.post(path, { billing_cycle_anchor: 'now', proration_behavior: 'create_prorations' })
    await report(3)
    await twin.advance({ to: '2026-05-16T00:00:00Z' })
    expect(await invoicesOf(twin)).toEqual(['paid 0', 'paid 50 | 50 10 × Calls', 'paid 15 | 15 3 × Calls'])
  })

  test('credits what was billed before the price became metered without a proration', async () => {
    const { twin, path, subscription } = await begin({}, { more: [{ nickname: 'Basic' }] })
    const exports = await makeMeter(twin, 'count', 'exports')
    const other = await makeMetered(twin, exports.id, { nickname: 'Exports' })
    await twin.post(path, { items: [{ id: subscription.items.data[1].id, price: other.id }] })
    await twin.advance({ to: MIDDLE })
    await twin.post(path, { billing_cycle_anchor: 'now', proration_behavior: 'create_prorations' })
    const [line] = (await newestInvoice(twin)).lines.data
    expect(line).toMatchObject({
      ...{ amount: -1000, quantity: 1, unit_amount: null, proration: true },
      description: 'Unused time on Exports after 2026-04-16',
    })
  })

  test('credits nothing of a period that another one has replaced in the same second', async () => {
    const { twin, path, subscription, metered } = await begin({}, { more: [{ nickname: 'Basic' }] })
    const [{ id: item }, { id: other, price: basic }] = subscription.items.data
    await twin.post(path, {
      items: [
        { id: item, deleted: true },
        { id: other, price: metered.id },
      ],
    })
    await twin.post(path, { billing_cycle_anchor: 'now' })
    const proration_behavior = 'always_invoice'
    await twin.post(path, { items: [{ id: other, price: basic.id }], proration_behavior })
    expect(await linesOfNewest(twin)).toEqual([2000])
  })

  describe('that waits for its payment and exceeds the largest invoice', () => {
    /** A change to a licensed price, whose charge of 10.00 has no room on the invoice beside the usage. */
    async function change() {
      const { twin, report, path, item, subscription } = await begin({ unit_amount: 99_999_999 })
      await report(1)
      await twin.advance({ to: MIDDLE })
      const basic = await makePrice(twin, { nickname: 'Basic' })
      const card = await twin.post('/v1/payment_methods/pm_card_chargeCustomerFail/attach', {
        customer: subscription.customer,
      })
      await twin.post(path, { default_payment_method: card.id })
      const { latest_invoice, pending_update } = await twin.post(path, {
        items: [{ id: item, price: basic.id }],
        ...{ proration_behavior: 'always_invoice', payment_behavior: 'pending_if_incomplete' },
      })
      expect(pending_update).not.toBeNull()
      expect((await newestInvoice(twin)).lines.data.map(({ amount }: Body) => amount)).toEqual([99_999_999])
      return { twin, invoice: latest_invoice as string, path, basic, item }
    }
    const waiting = async (twin: Twin) =>
      (await listAll(twin, '/v1/invoiceitems?pending=true')).map(({ amount }) => amount)

    test('bills the rest with the next invoice once it is paid', async () => {
      const { twin, invoice } = await change()
      expect(await waiting(twin)).toEqual([1_000])
      await twin.post(`/v1/invoices/${invoice}/pay`, { payment_method: 'pm_card_visa' })
      await twin.advance({ to: END })
      expect((await newestInvoice(twin)).lines.data.map(({ amount }: Body) => amount)).toEqual([1_000, 2_000])
    })

    test('bills and credits nothing of it once it is dropped', async () => {
      const { twin, path, basic, item } = await change()
      const behavior = { proration_behavior: 'create_prorations', billing_cycle_anchor: 'now' }
      await twin.post(path, { items: [{ id: item, price: basic.id }], ...behavior })
      // The usage of the dropped invoice waits alone: it has no room beside the new period.
      expect(await waiting(twin)).toEqual([99_999_999])
      expect((await newestInvoice(twin)).lines.data.map(({ amount }: Body) => amount)).toEqual([2_000])
    })
  })

  test('credits nothing of a period that another one has replaced in the same second, and that was credited in part', async () => {
    const { twin, customer, metered, method } = await begin()
    const { id: price } = await makePrice(twin, { recurring: { interval: 'month', interval_count: 2 } })
    const params = {
      ...{ customer: customer.id, currency: 'usd', items: [{ price }] },
      default_payment_method: method.id,
    }
    const { id, items } = await twin.post('/v1/subscriptions', params)
    const change = (given: Body) =>
      twin.post(`/v1/subscriptions/${id}`, { proration_behavior: 'always_invoice', ...given })
    const item = items.data[0].id
    // April and May have 61 days, of which 31 remain: 20.00 × 31 ÷ 61 = 10.16.
    await change({ items: [{ id: item, price: metered.id }], proration_date: at(END) })
    expect(await linesOfNewest(twin)).toEqual([-1016])
    await change({ items: [{ id: item, price }] })
    expect(await linesOfNewest(twin)).toEqual([2000])
  })

  test('credits nothing again of a replaced period whose invoice also bills another item', async () => {
    const { twin, customer, metered, method } = await begin()
    const { id: price } = await makePrice(twin, { recurring: { interval: 'month', interval_count: 2 } })
    const { id, items } = await twin.post('/v1/subscriptions', {
      ...{ customer: customer.id, currency: 'usd', items: [{ price }] },
      default_payment_method: method.id,
    })
    await twin.post('/v1/invoiceitems', {
      customer: customer.id,
      subscription: id,
      amount: 4917,
      currency: 'usd',
    })
    await twin.post(`/v1/subscriptions/${id}`, {
      items: [{ id: items.data[0].id, price: metered.id }],
      proration_behavior: 'always_invoice',
    })
    expect(await linesOfNewest(twin)).toEqual([4917, -2000])
    const reset = { billing_cycle_anchor: 'now', proration_behavior: 'create_prorations' }
    await twin.post(`/v1/subscriptions/${id}`, reset)
    expect(await linesOfNewest(twin)).toEqual([])
  })

  test('between licensed and metered prorates the licensed part alone', async () => {
    const story = await begin()
    const { twin, report, path, item } = story
    await report(10)
    await twin.advance({ to: MIDDLE })
    const basic = await twin.post('/v1/prices', {
      ...{ unit_amount: 2000, currency: 'usd', nickname: 'Basic', recurring: { interval: 'month' } },
    })
    const proration_behavior = 'create_prorations'
    const changed = await twin.post(path, { items: [{ id: item, price: basic.id }], proration_behavior })
    expect(changed.items.data[0]).toMatchObject({ quantity: 1 })
    await twin.post(path, { items: [{ id: item, price: story.metered.id }], proration_behavior })
    await twin.advance({ to: END })
    expect((await newestInvoice(twin)).lines.data.map(({ amount }: Body) => amount)).toEqual([
      50, 1000, -1000, 0,
    ])
  })
})

describe('a schedule', () => {
  test.each(Object.entries(PACES))('bills the usage of each phase at its price, in %s', async (_, pace) => {
    const { twin, report, subscription, metered, meter } = await begin()
    const pro = await makeMetered(twin, meter, { unit_amount: 3, nickname: 'Calls Pro' })
    const schedule = await twin.post('/v1/subscription_schedules', { from_subscription: subscription.id })
    const [{ start_date }] = schedule.phases
    await twin.post(`/v1/subscription_schedules/${schedule.id}`, {
      phases: [
        { items: [{ price: metered.id }], start_date, end_date: at(END) },
        { items: [{ price: pro.id }], end_date: at('2026-05-16T00:00:00Z') },
        { items: [{ price: metered.id }], iterations: 1 },
      ],
    })
    await report(10)
    await pace(twin, at(END))
    await report(2)
    await pace(twin, at('2026-05-16T00:00:00Z'))
    await report(7)
    await pace(twin, at('2026-06-01T00:00:00Z'))
    expect(await invoicesOf(twin)).toEqual([
      'paid 0',
      'paid 50 | 50 10 × Calls',
      'paid 41 | 6 2 × Calls Pro | 35 7 × Calls',
    ])
  })

  test('takes no quantity for a metered price', async () => {
    const { twin, metered, customer } = await begin()
    const items = [{ price: metered.id, quantity: 1 }]
    const body = { customer: customer.id, start_date: 'now', phases: [{ items, iterations: 1 }] }
    const { status, body: answer } = await twin.request('POST', '/v1/subscription_schedules', body)
    expect({ status, param: answer.error.param }).toEqual({
      status: 400,
      param: 'phases[0][items][0][quantity]',
    })
  })
})

describe('previews and timelines', () => {
  const timelineOf = async (twin: Twin, id: string, query = '') =>
    (await asOperator(twin)('GET', `subscriptions/${id}${query}`)).body.timeline.upcoming.data

  test('show the usage so far', async () => {
    const { twin, report, subscription } = await begin({}, { more: [{ unit_amount: 2000 }] })
    await report(10)
    await twin.advance({ to: MIDDLE })
    await report(5)
    const preview = await twin.post('/v1/invoices/create_preview', { subscription: subscription.id })
    expect(preview).toMatchObject({ total: 2075 })
    const upcoming = await timelineOf(twin, subscription.id)
    expect(upcoming.map(({ amount, usage_amount }: Body) => [amount, usage_amount])).toEqual([
      [2075, 75],
      [2000, 0],
      [2000, 0],
      [2000, 0],
    ])
    const past = await timelineOf(twin, subscription.id, `?at=${at('2026-04-10T00:00:00Z')}`)
    expect(past[0]).toMatchObject({ amount: 2050, usage_amount: 50 })
    const final = await twin.post('/v1/invoices/create_preview', {
      subscription: subscription.id,
      subscription_details: { cancel_now: true },
    })
    expect(final).toMatchObject({ total: 75 })
    expect(await invoicesOf(twin)).toHaveLength(1)
  })
})

test('a timeline shows what later renewals bill without usage', async () => {
  const { twin, subscription } = await begin(FLAT)
  const { upcoming } = (await asOperator(twin)('GET', `subscriptions/${subscription.id}`)).body.timeline
  const amounts = upcoming.data.map(({ amount, usage_amount }: Body) => [amount, usage_amount])
  expect(amounts).toEqual(Array(4).fill([500, 500]))
})

test.each([
  ['a renewal', false],
  ['a change', true],
])(
  'a credit note credits the share of a quantity in a usage with a fraction that %s billed',
  async (_, isChange) => {
    const { twin, report, meter, path, item } = await begin({ unit_amount: 100 })
    await report('2.5')
    await twin.advance({ to: isChange ? MIDDLE : END })
    if (isChange) {
      const { id: price } = await makeMetered(twin, meter, { unit_amount: 3, nickname: 'Calls Pro' })
      await twin.post(path, { items: [{ id: item, price }], proration_behavior: 'always_invoice' })
    }
    const { id: invoice, lines } = await newestInvoice(twin)
    expect(lines.data[0]).toMatchObject({ amount: 250, quantity: 2, quantity_decimal: '2.5' })
    const lineOf = (quantity: number) => ({
      ...{ type: 'invoice_line_item', invoice_line_item: lines.data[0].id, quantity },
    })
    // 250 × 2 ÷ 2.5
    const note = await twin.post('/v1/credit_notes', { invoice, lines: [lineOf(2)], credit_amount: 200 })
    expect(note).toMatchObject({ amount: 200 })
    const { body } = await twin.request('POST', '/v1/credit_notes', { invoice, lines: [lineOf(3)] })
    expect(body.error).toMatchObject({
      param: 'lines[0][quantity]',
      message: expect.stringContaining('is 2.5'),
    })
  },
)

test('a summary shows up to 15 digits of a usage exactly', async () => {
  const { twin, report, meter, customer } = await begin()
  for (const value of ['5000000', '0.5', '0.001']) await report(value)
  const span = `customer=${customer.id}&start_time=${at(START)}&end_time=${at(END)}`
  const { data } = await twin.get(`/v1/billing/meters/${meter}/event_summaries?${span}`)
  expect(data[0].aggregated_value).toBe(5000000.501)
})

test('snapshots have the events', async () => {
  const { twin, report, meter, customer } = await begin()
  const usage = async () => {
    const span = `customer=${customer.id}&start_time=${at(START)}&end_time=${at(END)}`
    return (await twin.get(`/v1/billing/meters/${meter}/event_summaries?${span}`)).data[0].aggregated_value
  }
  await report(10)
  await asOperator(twin)('POST', 'snapshots', { name: 'ten' })
  const { identifier } = await report(5)
  expect(await usage()).toBe(15)
  await asOperator(twin)('POST', 'snapshots/ten/restore')
  expect(await usage()).toBe(10)
  // The restored state knows nothing of the later event.
  await report(1, { identifier })
  expect(await usage()).toBe(11)
})
