import { describe, expect, test } from 'vitest'
import { billsOf, phase, playSchedule, stepsOf } from './schedule-story.ts'
import { at } from './story.ts'

/** April has 30 days: 16 April is its middle. */
const APRIL = { now: '2026-04-01T00:00:00Z', until: '2026-07-02T00:00:00Z' }
const MIDDLE = at('2026-04-16T00:00:00Z')

describe('phases that end with a period', () => {
  test('bill their prices from the first renewal on, and release the subscription', async () => {
    const { twin, read } = await playSchedule(APRIL, ({ basic, pro }) => ({
      phases: [phase(basic, { iterations: 2 }), phase(pro, { iterations: 1 })],
    }))
    expect(await billsOf(twin)).toEqual([
      '2026-04-01 2000 to 2026-05-01',
      '2026-05-01 2000 to 2026-06-01',
      '2026-06-01 5000 to 2026-07-01',
      '2026-07-01 5000 to 2026-08-01',
    ])
    expect(await stepsOf(twin)).toEqual([
      '2026-04-01 created',
      '2026-06-01 updated',
      '2026-06-24 expiring',
      '2026-07-01 released',
    ])
    const released = await read()
    expect(released).toMatchObject({ status: 'released', subscription: null, current_phase: null })
    expect(await twin.get(`/v1/subscriptions/${released.released_subscription}`)).toMatchObject({
      ...{ status: 'active', schedule: null },
      items: { data: [{ price: { unit_amount: 5000 } }] },
    })
  })

  test('bill a change of quantity', async () => {
    const { twin } = await playSchedule(APRIL, ({ basic }) => ({
      phases: [
        { items: [{ price: basic, quantity: 2 }], iterations: 1 },
        { items: [{ price: basic, quantity: 5 }], duration: { interval: 'month', interval_count: 2 } },
      ],
    }))
    expect(await billsOf(twin)).toEqual([
      '2026-04-01 4000 to 2026-05-01',
      '2026-05-01 10000 to 2026-06-01',
      '2026-06-01 10000 to 2026-07-01',
      '2026-07-01 10000 to 2026-08-01',
    ])
  })

  test('bill a year from the end of the month on', async () => {
    const { twin } = await playSchedule({ ...APRIL, until: '2027-05-02T00:00:00Z' }, ({ basic, year }) => ({
      phases: [phase(basic, { iterations: 1 }), phase(year, { iterations: 1 })],
    }))
    expect(await billsOf(twin)).toEqual([
      '2026-04-01 2000 to 2026-05-01',
      '2026-05-01 20000 to 2027-05-01',
      '2027-05-01 20000 to 2028-05-01',
    ])
  })

  test('end on the last days of months', async () => {
    const { twin, schedule } = await playSchedule(
      { now: '2026-01-31T10:00:00Z', until: '2026-04-01T00:00:00Z' },
      ({ basic, pro }) => ({ phases: [phase(basic, { iterations: 1 }), phase(pro, { iterations: 1 })] }),
    )
    expect(schedule.phases.map(({ end_date }: { end_date: number }) => end_date)).toEqual([
      at('2026-02-28T10:00:00Z'),
      at('2026-03-31T10:00:00Z'),
    ])
    expect(await billsOf(twin)).toEqual([
      '2026-01-31 2000 to 2026-02-28',
      '2026-02-28 5000 to 2026-03-31',
      '2026-03-31 5000 to 2026-04-30',
    ])
  })

  test('end on leap days', async () => {
    const { twin, schedule } = await playSchedule(
      { now: '2028-02-29T00:00:00Z', until: '2032-03-01T00:00:00Z' },
      ({ year }) => ({
        phases: [phase(year, { iterations: 1 }), { items: [{ price: year, quantity: 2 }], iterations: 3 }],
      }),
    )
    expect(schedule.phases.map(({ end_date }: { end_date: number }) => end_date)).toEqual([
      at('2029-02-28T00:00:00Z'),
      at('2032-02-29T00:00:00Z'),
    ])
    expect(await billsOf(twin)).toEqual([
      '2028-02-29 20000 to 2029-02-28',
      '2029-02-28 40000 to 2030-02-28',
      '2030-02-28 40000 to 2031-02-28',
      '2031-02-28 40000 to 2032-02-29',
      '2032-02-29 40000 to 2033-02-28',
    ])
  })
})

describe('a phase that begins within a period', () => {
  // Half of April is unused: −10.00. Half of April remains at the new price: +25.00.
  test.each([
    ['create_prorations', ['2026-05-01 6500 to 2026-06-01']],
    ['always_invoice', ['2026-04-16 1500 to 2026-05-01', '2026-05-01 5000 to 2026-06-01']],
    ['none', ['2026-05-01 5000 to 2026-06-01']],
  ])('is billed as %s', async (proration_behavior, bills) => {
    const { twin, schedule } = await playSchedule(
      { ...APRIL, until: '2026-05-20T00:00:00Z' },
      ({ basic, pro }) => ({
        phases: [phase(basic, { end_date: MIDDLE }), phase(pro, { iterations: 1, proration_behavior })],
      }),
    )
    expect(schedule.phases[1]).toMatchObject({ start_date: MIDDLE, end_date: at('2026-05-16T00:00:00Z') })
    expect(await billsOf(twin)).toEqual(['2026-04-01 2000 to 2026-05-01', ...bills])
  })

  test('begins a new period with another interval', async () => {
    const { twin } = await playSchedule({ ...APRIL, until: '2027-04-17T00:00:00Z' }, ({ basic, year }) => ({
      phases: [phase(basic, { end_date: MIDDLE }), phase(year)],
    }))
    // −10.00 unused + 200.00 for the year.
    expect(await billsOf(twin)).toEqual([
      '2026-04-01 2000 to 2026-05-01',
      '2026-04-16 19000 to 2027-04-16',
      '2027-04-16 20000 to 2028-04-16',
    ])
  })

  test('begins a new period with billing_cycle_anchor phase_start', async () => {
    const { twin } = await playSchedule({ ...APRIL, until: '2026-05-20T00:00:00Z' }, ({ basic, pro }) => ({
      phases: [phase(basic, { end_date: MIDDLE }), phase(pro, { billing_cycle_anchor: 'phase_start' })],
    }))
    // −10.00 unused + 50.00 for the new month.
    expect(await billsOf(twin)).toEqual([
      '2026-04-01 2000 to 2026-05-01',
      '2026-04-16 4000 to 2026-05-16',
      '2026-05-16 5000 to 2026-06-16',
    ])
  })
})

describe('a schedule', () => {
  test('begins with a trial', async () => {
    const { twin, read } = await playSchedule(APRIL, ({ basic, pro }) => ({
      phases: [
        phase(basic, { iterations: 1, trial: true }),
        phase(basic, { iterations: 1 }),
        phase(pro, { iterations: 2 }),
      ],
    }))
    expect(await billsOf(twin)).toEqual([
      '2026-05-01 2000 to 2026-06-01',
      '2026-06-01 5000 to 2026-07-01',
      '2026-07-01 5000 to 2026-08-01',
    ])
    expect(await read()).toMatchObject({
      status: 'active',
      current_phase: { start_date: at('2026-06-01T00:00:00Z'), end_date: at('2026-08-01T00:00:00Z') },
    })
  })

  test('starts later, and cancels its subscription at the end', async () => {
    const { twin, schedule, read } = await playSchedule(APRIL, ({ basic }) => ({
      start_date: at('2026-04-10T00:00:00Z'),
      end_behavior: 'cancel',
      phases: [phase(basic, { iterations: 2 })],
    }))
    expect(schedule).toMatchObject({ status: 'not_started', subscription: null, current_phase: null })
    expect(await billsOf(twin)).toEqual(['2026-04-10 2000 to 2026-05-10', '2026-05-10 2000 to 2026-06-10'])
    expect(await stepsOf(twin)).toEqual([
      '2026-04-01 created',
      '2026-04-10 updated',
      '2026-06-03 expiring',
      '2026-06-10 completed',
    ])
    const completed = await read()
    expect(completed).toMatchObject({ status: 'completed', completed_at: at('2026-06-10T00:00:00Z') })
    expect(await twin.get(`/v1/subscriptions/${completed.subscription}`)).toMatchObject({
      ...{ status: 'canceled', cancel_at: at('2026-06-10T00:00:00Z') },
      ended_at: at('2026-06-10T00:00:00Z'),
    })
  })
})
