import { describe, expect, test } from 'vitest'
import { makeSchedule, type Prices, phase, schedulePath } from '../scenarios/schedule-story.ts'
import { at, openTwin } from '../scenarios/story.ts'
import type { Body, Twin } from '../twin.ts'

const NOW = '2026-04-01T00:00:00Z'
const MAY = at('2026-05-01T00:00:00Z')

/** Sends a request that must be refused, and checks that nothing was written. @returns `code param` */
async function refusal(twin: Twin, path: string, body: Body): Promise<string> {
  const before = await twin.events()
  const { status, body: response } = await twin.request('POST', path, body)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(await twin.events()).toEqual(before)
  return `${response.error.code} ${response.error.param}`
}

const begin = async (params: (prices: Prices) => Body = ({ basic }) => ({ phases: [phase(basic)] })) =>
  makeSchedule(await openTwin({ now: NOW }), params)

type Case = readonly [what: string, expected: string, params: (prices: Prices, more: Body) => Body]

const PHASES = 'parameter_invalid phases'
const CREATE: readonly Case[] = [
  ['no phases', 'parameter_missing phases', () => ({})],
  ['an empty list of phases', PHASES, () => ({ phases: [] })],
  ['a phase without items', `${PHASES}[0][items]`, () => ({ phases: [{ items: [] }] })],
  ['an unknown price', 'resource_missing phases[0][items][0][price]', () => ({ phases: [phase('price_0')] })],
  [
    'a gap',
    `${PHASES}[1][start_date]`,
    ({ basic }) => ({ phases: [phase(basic, { end_date: MAY }), phase(basic, { start_date: MAY + 1 })] }),
  ],
  [
    'an overlap',
    `${PHASES}[1][start_date]`,
    ({ basic }) => ({ phases: [phase(basic, { end_date: MAY }), phase(basic, { start_date: MAY - 1 })] }),
  ],
  [
    'an end before the start',
    `${PHASES}[0][end_date]`,
    ({ basic }) => ({ phases: [phase(basic, { end_date: at(NOW) })] }),
  ],
  [
    'iterations with an end',
    `${PHASES}[0][iterations]`,
    ({ basic }) => ({ phases: [phase(basic, { end_date: MAY, iterations: 1 })] }),
  ],
  [
    'a duration with iterations',
    `${PHASES}[0][duration]`,
    ({ basic }) => ({ phases: [phase(basic, { duration: { interval: 'month' }, iterations: 1 })] }),
  ],
  [
    'an end in a distant future',
    `${PHASES}[0][iterations]`,
    ({ year }) => ({ phases: [phase(year, { iterations: 9_000 })] }),
  ],
  [
    'eleven phases',
    PHASES,
    ({ basic }) => ({ phases: Array.from({ length: 11 }, () => phase(basic, { iterations: 1 })) }),
  ],
  [
    'a start in the past',
    'parameter_invalid start_date',
    ({ basic }) => ({ start_date: at(NOW) - 1, phases: [phase(basic)] }),
  ],
  [
    'a trial after a paid phase',
    `${PHASES}[1][trial]`,
    ({ basic }) => ({ phases: [phase(basic), phase(basic, { trial: true })] }),
  ],
  [
    'a trial beyond its phase',
    `${PHASES}[0][trial_end]`,
    ({ basic }) => ({ phases: [phase(basic, { end_date: MAY, trial_end: MAY + 1 })] }),
  ],
  [
    'phase_start with a trial',
    `${PHASES}[0][billing_cycle_anchor]`,
    ({ basic }) => ({ phases: [phase(basic, { trial: true, billing_cycle_anchor: 'phase_start' })] }),
  ],
  [
    'a due date of a charge',
    `${PHASES}[0][invoice_settings][days_until_due]`,
    ({ basic }) => ({ phases: [phase(basic, { invoice_settings: { days_until_due: 3 } })] }),
  ],
  [
    'another currency',
    `${PHASES}[1][currency]`,
    ({ basic }) => ({ phases: [phase(basic), phase(basic, { currency: 'eur' })] }),
  ],
  [
    'a price twice',
    `${PHASES}[0][items][1][price]`,
    ({ basic }) => ({ phases: [{ items: [{ price: basic }, { price: basic }] }] }),
  ],
  [
    'taxes',
    'parameter_unknown phases[0][default_tax_rates]',
    ({ basic }) => ({ phases: [phase(basic, { default_tax_rates: ['txr_1'] })] }),
  ],
  [
    'a subscription that has a schedule',
    'parameter_invalid from_subscription',
    (_, { subscription }) => ({ customer: undefined, from_subscription: subscription }),
  ],
  [
    'from_subscription with phases',
    'parameter_invalid phases',
    ({ basic }, { subscription }) => ({
      ...{ customer: undefined, from_subscription: subscription },
      phases: [phase(basic)],
    }),
  ],
]

describe('a new schedule is refused', () => {
  test.each(CREATE)('for %s', async (_, expected, params) => {
    const { twin, prices, customer, schedule } = await begin()
    const body = { customer: customer.id, ...params(prices, schedule) }
    expect(await refusal(twin, '/v1/subscription_schedules', body)).toBe(expected)
  })
})

const UPDATE: readonly Case[] = [
  [
    'phases without a start',
    'parameter_missing phases[0][start_date]',
    ({ basic }) => ({ phases: [phase(basic)] }),
  ],
  [
    'phases that do not begin with the current one',
    `${PHASES}[0][start_date]`,
    ({ basic }) => ({ phases: [phase(basic, { start_date: MAY + 1 })] }),
  ],
  [
    'a change of a phase that has ended',
    `${PHASES}[0]`,
    ({ pro, basic }) => ({ phases: [phase(pro, { start_date: at(NOW) }), phase(basic, { iterations: 2 })] }),
  ],
  [
    'a current phase that ends in the past',
    `${PHASES}[0][end_date]`,
    ({ basic }) => ({ phases: [phase(basic, { start_date: MAY, end_date: MAY + 1 })] }),
  ],
  [
    'another currency',
    `${PHASES}[0][currency]`,
    ({ basic }) => ({ phases: [phase(basic, { start_date: MAY, currency: 'eur' })] }),
  ],
]

describe('an update is refused', () => {
  test.each(UPDATE)('for %s', async (_, expected, params) => {
    const { twin, prices, schedule } = await begin(({ basic }) => ({
      phases: [phase(basic, { iterations: 1 }), phase(basic, { iterations: 1 })],
    }))
    await twin.advance({ to: MAY + 86_400 })
    expect(await refusal(twin, schedulePath(schedule), params(prices, schedule))).toBe(expected)
  })

  test('of a schedule that has ended, except for metadata', async () => {
    const { twin, schedule } = await begin()
    const path = schedulePath(schedule)
    await twin.post(`${path}/release`)
    for (const [name, body] of [
      ['', { end_behavior: 'cancel' }],
      ['/release', {}],
      ['/cancel', {}],
    ] as const)
      expect(await refusal(twin, `${path}${name}`, body)).toBe('invalid_state_transition status')
    expect(await twin.post(path, { metadata: { a: 'b' } })).toMatchObject({ metadata: { a: 'b' } })
  })
})

describe('a managed subscription', () => {
  test.each([
    ['cancel_at', { cancel_at: MAY }],
    ['cancel_at_period_end', { cancel_at_period_end: true }],
    ['trial_end', { trial_end: MAY + 86_400 }],
    ['payment_behavior', { payment_behavior: 'pending_if_incomplete', items: [] }],
  ])('refuses %s', async (param, body) => {
    const { twin, schedule } = await begin(({ basic }) => ({ phases: [phase(basic, { trial: true })] }))
    const { items, ...given } = body as Body
    const path = `/v1/subscriptions/${schedule.subscription}`
    const [item] = (await twin.get(path)).items.data
    const more = items ? { items: [{ id: item.id, quantity: 2 }], proration_behavior: 'always_invoice' } : {}
    expect(await refusal(twin, path, { ...given, ...more })).toMatch(new RegExp(` ${param}$`))
  })

  test('refuses DELETE at the end of the period', async () => {
    const { twin, schedule } = await begin()
    const path = `/v1/subscriptions/${schedule.subscription}`
    const { status, body } = await twin.request('DELETE', path, { cancel_at_period_end: true })
    expect([status, body.error.param]).toEqual([400, 'cancel_at_period_end'])
  })
})
