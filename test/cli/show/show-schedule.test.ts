import { expect, test } from 'vitest'
import { Output } from '../../../src/cli/show/output.ts'
import { type ShownSchedule, showSchedule } from '../../../src/cli/show/show-schedule.ts'
import { asOperator } from '../../http/support.ts'
import { makeSchedule, phase, schedulePath } from '../../scenarios/schedule-story.ts'
import { at, openTwin } from '../../scenarios/story.ts'
import { shown } from '../shown.ts'
import { recordedIo } from '../terminal.ts'

const begin = async () =>
  makeSchedule(await openTwin({ now: '2026-04-01T00:00:00Z' }), ({ basic, pro, year }) => ({
    phases: [
      phase(basic, { iterations: 1 }),
      { items: [{ price: pro, quantity: 2 }], iterations: 1 },
      phase(year),
    ],
  }))

test('the timeline shows the phases and what they bill', async () => {
  const { twin, schedule } = await begin()
  await twin.advance({ to: '2026-05-02T00:00:00Z' })
  const { timeline } = await shown(twin, `subscriptions/${schedule.subscription}`)
  expect(timeline).toMatchInlineSnapshot(`
    "2026-04-01T00:00Z          ● schedule created
                               ● subscribed  active
                               ✓ first invoice VC2Z6LEV-0001  20.00 USD  paid
    2026-05-01T00:00Z   +30 d  ● 20.00 USD → 100.00 USD a period
                               ● phase 2 begins
                               ✓ renewal VC2Z6LEV-0002  100.00 USD  paid
    2026-05-02T00:00Z    +1 d ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
    2026-06-01T00:00Z   +30 d  ○ phase 3  200.00 USD a year
                               ○ renewal  200.00 USD
    2027-05-25T00:00Z  +358 d  ○ schedule expires soon
    2027-06-01T00:00Z    +7 d  ◌ schedule ends
                               ◌ renewal  200.00 USD
    2028-06-01T00:00Z  +366 d  ◌ renewal  200.00 USD
    2029-06-01T00:00Z  +365 d  ◌ renewal  200.00 USD
                               ⋮

    ○ due   ◌ projected if nothing changes"
  `)
})

test('the timeline of a customer shows a schedule that has not started', async () => {
  const { twin, customer } = await makeSchedule(
    await openTwin({ now: '2026-04-01T00:00:00Z' }),
    ({ basic }) => ({
      start_date: at('2026-04-10T00:00:00Z'),
      phases: [phase(basic)],
    }),
  )
  expect((await shown(twin, `customers/${customer.id}`)).timeline).toMatchInlineSnapshot(`
    "2026-04-01T00:00Z          ● customer created  Ada
                               ● visa …4242 attached
                               ● schedule created
    2026-04-01T00:00Z         ━┿━ now ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
    2026-04-10T00:00Z    +9 d  ○ phase 1  20.00 USD a month
    2026-05-10T00:00Z   +30 d  ◌ schedule ends

    ○ due   ◌ projected if nothing changes"
  `)
})

test('a schedule is shown with its phases', async () => {
  const { twin, schedule } = await begin()
  const path = `${schedulePath(schedule)}?expand[]=customer&expand[]=phases.items.price`
  const { io, written } = recordedIo({ isTerminal: true, columns: 100, env: { NO_COLOR: '1' } })
  showSchedule(new Output(io), (await twin.get(path)) as ShownSchedule)
  expect(written.stdout.replaceAll(/(sub_sched|sub|cus)_\w+/g, '$1_…')).toMatchInlineSnapshot(`
    "schedule: sub_sched_…
    status: active
    customer: cus_…  Ada
    subscription: sub_…
    at the end: release

    1 (now)	2026-04-01T00:00:00Z	2026-05-01T00:00:00Z	20.00 USD a month	–
    2	2026-05-01T00:00:00Z	2026-06-01T00:00:00Z	2 × 50.00 USD a month	–
    3	2026-06-01T00:00:00Z	2027-06-01T00:00:00Z	200.00 USD a year	–
    "
  `)
})

test('fixtures create schedules', async () => {
  const twin = await openTwin()
  const content = {
    products: [{ ref: 'app', name: 'App' }],
    prices: [
      { ref: 'pro', product: 'app', unit_amount: 900, currency: 'usd', recurring: { interval: 'month' } },
    ],
    customers: [{ ref: 'ada', name: 'Ada' }],
    payment_methods: [{ ref: 'card', customer: 'ada', test_id: 'pm_card_visa' }],
    subscription_schedules: [
      {
        ref: 'ramp',
        customer: 'ada',
        default_settings: { default_payment_method: 'card' },
        phases: [{ items: [{ price: 'pro' }], iterations: 2 }],
      },
    ],
  }
  const load = (files: unknown) => asOperator(twin)('POST', 'fixtures', { files })
  const { status } = await load([{ name: 'a.json', content }])
  expect(status).toBe(200)
  const { data } = await twin.get('/v1/subscription_schedules')
  expect(data).toMatchObject([{ status: 'active', phases: [{ items: [{ quantity: 1 }] }] }])
  const wrong = [{ customer: 'ada', phases: [{ items: [{ price: 'max' }] }] }]
  const refused = await load([{ name: 'a.json', content: { ...content, subscription_schedules: wrong } }])
  expect(refused.body.error.param).toBe('subscription_schedules[0].phases[0].items[0].price')
})

test('the discounts of phases are in the table, and what they take off in the timeline', async () => {
  const twin = await openTwin({ now: '2026-04-01T00:00:00Z' })
  await twin.post('/v1/coupons', { id: 'HALF', percent_off: 50, duration: 'forever' })
  const discounts = [{ coupon: 'HALF' }]
  const { schedule } = await makeSchedule(twin, ({ basic, pro }) => ({
    phases: [
      phase(basic, { iterations: 1, discounts }),
      { items: [{ price: pro, discounts }], iterations: 1 },
    ],
  }))
  const { timeline, whole } = await shown(twin, `subscriptions/${schedule.subscription}`)
  expect(whole).toContain(schedule.id)
  expect(timeline).toContain('◌ renewal  25.00 USD')
  expect(timeline).toContain('○ renewal  25.00 USD')
  const path = `${schedulePath(schedule)}?expand[]=customer&expand[]=phases.items.price`
  const { io, written } = recordedIo({ columns: 120 })
  showSchedule(new Output(io), (await twin.get(path)) as ShownSchedule)
  const rows = written.stdout.split('\n').filter((line) => /^\d/.test(line))
  expect(rows.map((line) => line.split('\t').slice(3))).toEqual([
    ['20.00 USD a month', '–', 'HALF'],
    ['50.00 USD a month − HALF', '–', '–'],
  ])
})
