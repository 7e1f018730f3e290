import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addIntervals, type IntervalUnit, SECONDS_PER_DAY } from '../../src/core/calendar.ts'
import { isLong, requested } from '../long.ts'
import { type Body, makePrice, startTwin, type Twin } from '../twin.ts'
import { holdInvariants, holdLatestInvoices, holdPeriods } from './invariants.ts'
import {
  type ActionKind,
  act,
  isPlain,
  OTHER_ACTIONS,
  PLAIN_ACTIONS,
  type Subscribed,
} from './steps-actions.ts'
import { at, bytesOf, type History, historyOf, nowOf, PACES, setFinalAction } from './story.ts'

/** Histories that are compared. `npm run steps` compares more, with another seed each time. */
const RUNS = requested('rounds', isLong ? 100 : 25)
/** The seed of the suite, the given one, or a new one, which fast-check prints if a history differs. */
const SEED = requested('seed', isLong ? Date.now() : 20_260_131)

/** A failed payment is retried for seven days; the further days let the last period end. */
const AFTERMATH = 9 * SECONDS_PER_DAY

const OUTCOMES = ['succeed', 'decline:insufficient_funds', 'decline:expired_card']

/** Days that are difficult for calendars, and some others. */
const begins = fc
  .tuple(
    fc.constantFrom(
      '2026-01-28',
      '2026-01-29',
      '2026-01-30',
      '2026-01-31',
      '2027-11-30',
      '2028-02-29',
      '2026-06-15',
    ),
    fc.constantFrom('00:00:00', '10:00:00', '23:59:59'),
  )
  .map(([day, time]) => at(`${day}T${time}Z`))

const recurrings = fc.constantFrom<[IntervalUnit, number]>(
  ...(['day', 'day', 'week', 'month', 'month', 'year'] as const).flatMap((interval) => {
    const counts = { day: [1, 3, 7, 30], week: [1, 2, 5], month: [1, 2, 6], year: [1, 2] }[interval]
    return counts.map((count): [IntervalUnit, number] => [interval, count])
  }),
)

const subscriptions = fc.record({
  customer: fc.integer({ min: 0, max: 1 }),
  unit_amount: fc.constantFrom(0, 1, 2000, 2000),
  quantity: fc.integer({ min: 1, max: 3 }),
  card: fc.constantFrom(
    'scripted',
    'scripted',
    'scripted',
    'pm_card_visa',
    'pm_card_chargeCustomerFail',
    'none',
  ),
  outcomes: fc.array(fc.constantFrom(...OUTCOMES), { maxLength: 8 }),
  afterwards: fc.constantFrom(...OUTCOMES),
  trial_period_days: fc.option(fc.constantFrom(1, 7, 14, 31), { nil: undefined, freq: 2 }),
  missing_payment_method: fc.constantFrom('create_invoice', 'pause', 'cancel'),
  payment_behavior: fc.constantFrom('default_incomplete', 'allow_incomplete', 'error_if_incomplete'),
  collection_method: fc.constantFrom('charge_automatically', 'charge_automatically', 'send_invoice'),
  days_until_due: fc.constantFrom(0, 1, 7, 30),
})

/** An action during a history: its time as a part of the whole, and its subscription. */
const actionsOf = (...whats: readonly ActionKind[]) =>
  fc.array(
    fc.record({
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      of: fc.integer({ min: 0, max: 2 }),
      what: fc.constantFrom(...whats),
    }),
    { maxLength: 4 },
  )

const plans = fc.record({
  begin: begins,
  recurring: recurrings,
  periods: fc.integer({ min: 1, max: 4 }),
  final_action: fc.constantFrom('cancel', 'mark_unpaid', 'leave_past_due'),
  subscriptions: fc.array(subscriptions, { minLength: 1, maxLength: 3 }),
  actions: fc.oneof(actionsOf(...PLAIN_ACTIONS), actionsOf(...PLAIN_ACTIONS, ...OTHER_ACTIONS)),
  pace: fc.constantFrom('a step to each due instant', 'cuts', 'stops'),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
})

type Plan = typeof plans extends fc.Arbitrary<infer Value> ? Value : never
type Pace = (twin: Twin, until: number) => Promise<void>

/** Plays a plan. The responses of its requests are part of the result. */
async function play(
  plan: Plan,
  pace: Pace,
): Promise<{ history: History; responses: number[]; overdue: Body[] }> {
  const twin = await startTwin({ clock: plan.begin })
  try {
    await setFinalAction(twin, plan.final_action)
    const begun = await begin(twin, plan)
    const responses: number[] = []
    for (const { part, of, what } of plan.actions.toSorted((left, right) => left.part - right.part)) {
      await reach(twin, pace, plan.begin + Math.floor(part * lengthOf(plan)))
      const subscribed = begun[of % begun.length]
      if (subscribed) responses.push(await act(twin, subscribed, what))
    }
    await reach(twin, pace, plan.begin + lengthOf(plan))
    const { data } = await twin.get('/v1/test_helpers/upcoming?limit=100')
    const now = await nowOf(twin)
    return { history: await historyOf(twin), responses, overdue: data.filter(({ due }: Body) => due <= now) }
  } finally {
    await twin.close()
  }
}

function lengthOf({ begin: from, recurring: [interval, interval_count], periods }: Plan): number {
  return addIntervals(from, { interval, interval_count }, periods) - from + AFTERMATH
}

async function reach(twin: Twin, pace: Pace, until: number): Promise<void> {
  if ((await nowOf(twin)) < until) await pace(twin, until)
}

async function begin(twin: Twin, plan: Plan): Promise<Subscribed[]> {
  const [interval, interval_count] = plan.recurring
  const customers = [await twin.post('/v1/customers', { name: 'Ada' }), await twin.post('/v1/customers')]
  const begun: Subscribed[] = []
  for (const { customer: place, card, ...given } of plan.subscriptions) {
    const price = await makePrice(twin, {
      unit_amount: given.unit_amount,
      recurring: { interval, interval_count },
    })
    const customer: string = customers[place]?.id
    const isCardNeeded = given.trial_period_days === undefined && given.collection_method !== 'send_invoice'
    const method = card === 'none' && !isCardNeeded ? null : await attach(twin, customer, card, given)
    const { body } = await twin.request('POST', '/v1/subscriptions', {
      customer,
      currency: 'usd',
      items: [{ price: price.id, quantity: given.quantity }],
      trial_period_days: given.trial_period_days,
      trial_settings: { end_behavior: { missing_payment_method: given.missing_payment_method } },
      payment_behavior: given.payment_behavior,
      collection_method: given.collection_method,
      ...(method && { default_payment_method: method }),
      ...(given.collection_method === 'send_invoice' && { days_until_due: given.days_until_due }),
    })
    begun.push({ id: body.id ?? null, customer, method })
  }
  return begun
}

async function attach(
  twin: Twin,
  customer: string,
  card: string,
  { outcomes, afterwards }: Body,
): Promise<string> {
  const isScripted = card === 'scripted' || card === 'none'
  const path = `/v1/payment_methods/${isScripted ? 'pm_card_visa' : card}/attach`
  const { id } = await twin.post(path, { customer })
  // biome-ignore lint/suspicious/noThenProperty: the contract's name, and never a function
  const script = { outcomes, then: afterwards }
  if (isScripted) await twin.post(`/v1/test_helpers/payment_methods/${id}/outcomes`, script)
  return id
}

const atOnce: Pace = async (twin, until) => {
  await twin.advance({ to: until })
}

/** Steps to random times, and stops after each event. */
const inSteps = ({ pace, cuts, ...plan }: Plan): Pace => {
  const times = cuts.map((part) => plan.begin + Math.floor(part * lengthOf({ pace, cuts, ...plan })))
  if (pace === 'cuts') {
    return async (twin, until) => {
      const now = await nowOf(twin)
      const steps = new Set([...times.filter((time) => time > now && time < until), until])
      for (const to of [...steps].sort((left, right) => left - right)) await twin.advance({ to })
    }
  }
  if (pace === 'stops') {
    return async (twin, until) => {
      const stop_on = ['*']
      while ((await twin.advance({ to: until, stop_on })).summary.stopped_on !== null) {
        if ((await nowOf(twin)) === until && !(await isAnythingDue(twin, until))) return
      }
    }
  }
  return PACES[pace] ?? atOnce
}

const isAnythingDue = async (twin: Twin, by: number): Promise<boolean> =>
  (await twin.get('/v1/test_helpers/upcoming?limit=1')).data.some(({ due }: Body) => due <= by)

test('one jump and many steps give the same history, and its invariants hold', {
  timeout: isLong ? 24 * 3_600_000 : 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const jump = await play(plan, atOnce)
      const steps = await play(plan, inSteps(plan))
      expect(steps.responses).toEqual(jump.responses)
      expect(bytesOf(steps.history)).toEqual(bytesOf(jump.history))
      expect(jump.overdue).toEqual([])
      holdInvariants(jump.history)
      if (plan.actions.every(({ what }) => what !== 'pause')) holdLatestInvoices(jump.history)
      if (plan.actions.every(({ what }) => isPlain(what))) holdPeriods(jump.history)
    }),
    { seed: SEED, numRuns: RUNS },
  )
})
