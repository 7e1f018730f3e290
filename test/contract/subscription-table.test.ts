import { describe, expect, test } from 'vitest'
import { table } from '../table.ts'
import type { Body } from '../twin.ts'
import { beforeCreation, begin, type Given, type Story } from './subscription-story.ts'
import { emitted, inFull, newestOf } from './support.ts'

/** A trigger of a transition: its preconditions, the actions before it, and the action. */
type Trigger = {
  readonly given?: Given
  readonly first?: (story: Story) => Promise<unknown>
  readonly act: (story: Story) => Promise<unknown>
}

const DECLINED = 'decline:lost_card'
const WEEKLY = { price: { recurring: { interval: 'week' } } }
const fails = { afterwards: DECLINED }
const pathOf = ({ subscription }: Story, action = '') => `/v1/subscriptions/${subscription.id}${action}`

const wait =
  (by: string) =>
  ({ twin }: Story) =>
    twin.advance({ by })
/** Advances to a second before the period's end, and beyond it. */
const almostEnd = async ({ twin, subscription }: Story) => {
  const { current_period_end } = await twin.get(`/v1/subscriptions/${subscription.id}`)
  await twin.advance({ to: current_period_end - 1 })
}
const overTheEnd = wait('1s')
const update = (body: Body) => (story: Story) => story.twin.post(pathOf(story), body)
const remove = (body?: Body) => (story: Story) => story.twin.delete(pathOf(story), body)
const resume = (story: Story) => story.twin.request('POST', pathOf(story, '/resume'))
const cancelAtPeriodEnd = update({ cancel_at_period_end: true })
const pause = (behavior: string) => update({ pause_collection: { behavior } })
const inTurn =
  (...steps: ((story: Story) => Promise<unknown>)[]) =>
  async (story: Story) => {
    for (const step of steps) await step(story)
  }
const onInvoice =
  (action: string) =>
  async ({ twin, subscription }: Story) => {
    const { id } = await newestOf(twin, subscription)
    return twin.request('POST', `/v1/invoices/${id}/${action}`)
  }
const confirm = async ({ twin, subscription, method }: Story) => {
  const { payment_intent } = await newestOf(twin, subscription)
  return twin.request('POST', `/v1/payment_intents/${payment_intent}/confirm`, { payment_method: method.id })
}
const cancelInAnHour = async (story: Story) => {
  const { now } = await story.twin.get('/v1/test_helpers/clock')
  await update({ cancel_at: now + 3600 })(story)
}
/** Two weekly invoices are open, and the card works again. */
const twoOpen: Trigger = {
  given: { ...WEEKLY, final_action: 'leave_past_due', outcomes: ['succeed', ...Array(6).fill(DECLINED)] },
  first: wait('2w'),
  act: wait('1d'),
}

const TRIGGERS: Readonly<Record<string, Trigger>> = {
  'retry succeeds': { act: wait('1d') },
  'retry fails': { given: fails, act: wait('1d') },
  'last retry fails': { given: fails, first: wait('6d'), act: wait('1d') },
  'last retry fails, mark_unpaid': {
    given: { ...fails, final_action: 'mark_unpaid' },
    first: wait('6d'),
    act: wait('1d'),
  },
  'last retry fails, leave_past_due': {
    given: { ...fails, final_action: 'leave_past_due' },
    first: wait('6d'),
    act: wait('1d'),
  },
  'pay succeeds': { act: onInvoice('pay') },
  'pay fails': { given: fails, act: onInvoice('pay') },
  'confirm succeeds': { act: confirm },
  'confirm fails': { given: fails, act: confirm },
  void: { act: onInvoice('void') },
  mark_uncollectible: { act: onInvoice('mark_uncollectible') },
  'retry succeeds, another open': twoOpen,
  'pay succeeds, another open': { ...twoOpen, act: onInvoice('pay') },
  'period end, paid': { first: almostEnd, act: overTheEnd },
  'period end, fails': {
    given: { ...fails, final_action: 'leave_past_due' },
    first: almostEnd,
    act: overTheEnd,
  },
  'period end while incomplete': {
    given: { ...fails, price: { recurring: { interval: 'day' } } },
    first: almostEnd,
    act: overTheEnd,
  },
  'period end, sent': {
    given: { collection_method: 'send_invoice', days_until_due: 60 },
    first: almostEnd,
    act: overTheEnd,
  },
  'due date passes': { given: { collection_method: 'send_invoice', days_until_due: 10 }, act: wait('10d') },
  'due date passes, then period end': {
    given: { collection_method: 'send_invoice', days_until_due: 10 },
    first: almostEnd,
    act: overTheEnd,
  },
  ...Object.fromEntries(
    ['keep_as_draft', 'mark_uncollectible', 'void'].map((behavior): [string, Trigger] => [
      `period end, ${behavior}`,
      {
        given: { ...fails, final_action: 'leave_past_due' },
        first: inTurn(pause(behavior), almostEnd),
        act: overTheEnd,
      },
    ]),
  ),
  'trial end, without a card': { given: { default_payment_method: undefined }, act: wait('14d') },
  'trial end, pause': {
    given: {
      default_payment_method: undefined,
      trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
    },
    act: wait('14d'),
  },
  'trial end, cancel': {
    given: {
      default_payment_method: undefined,
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    },
    act: wait('14d'),
  },
  'trial end now': { act: update({ trial_end: 'now' }) },
  'trial end now, cancel_at_period_end': { first: cancelAtPeriodEnd, act: update({ trial_end: 'now' }) },
  'cancel_at passes': { given: fails, first: cancelInAnHour, act: wait('1h') },
  cancel_at_period_end: {
    given: { ...fails, final_action: 'leave_past_due' },
    first: inTurn(cancelAtPeriodEnd, almostEnd),
    act: overTheEnd,
  },
  'DELETE {true}': { act: remove({ cancel_at_period_end: true }) },
  'DELETE {false}': { act: remove({ cancel_at_period_end: false }) },
  DELETE: { act: remove() },
  'resume, about to be canceled': { first: cancelAtPeriodEnd, act: resume },
  'resume, collection paused': { first: pause('void'), act: resume },
  'resume, both': { first: inTurn(cancelAtPeriodEnd, pause('void')), act: resume },
  'resume, paid': {
    first: (story) => update({ default_payment_method: story.method.id })(story),
    act: resume,
  },
  'resume, fails': {
    given: fails,
    first: (story) => update({ default_payment_method: story.method.id })(story),
    act: resume,
  },
  'resume, without a card': { act: resume },
}
// An unpaid subscription had that update before.
const KEEPS_FINAL_ACTION = new Set(['unpaid'])

const ROWS = table(
  ['from', 'trigger', 'next', 'events'],
  `
  incomplete  retry succeeds                        active              invoice.paid PI+ Δ
  incomplete  pay succeeds                          active              invoice.paid PI+ Δ
  incomplete  confirm succeeds                      active              invoice.paid PI+ Δ
  incomplete  retry fails                           incomplete          invoice.payment_failed PI-
  incomplete  last retry fails                      incomplete_expired  invoice.payment_failed PI- invoice.voided Δ
  incomplete  period end while incomplete           incomplete_expired  invoice.payment_failed PI- invoice.voided Δ
  incomplete  pay fails                             incomplete          invoice.payment_failed PI-
  incomplete  confirm fails                         incomplete          invoice.payment_failed PI-
  incomplete  void                                  incomplete_expired  invoice.voided Δ
  incomplete  mark_uncollectible                    incomplete_expired  invoice.marked_uncollectible Δ
  incomplete  DELETE                                canceled            invoice.voided subscription.deleted
  incomplete  DELETE {false}                        canceled            invoice.voided subscription.deleted
  trialing    period end, paid                      active              I3 PI+ Δ
  trialing    period end, fails                     past_due            I3f PI- Δ
  trialing    trial end, without a card             past_due            I3f PI0 Δ
  trialing    trial end, pause                      paused              Δ
  trialing    trial end, cancel                     canceled            subscription.deleted
  trialing    period end, sent                      active              invoice.created invoice.finalized Δ
  trialing    trial end now                         active              I3 PI+ Δ
  trialing    trial end now, cancel_at_period_end   canceled            subscription.deleted
  trialing    cancel_at passes                      canceled            subscription.deleted
  trialing    cancel_at_period_end                  canceled            subscription.deleted
  trialing    DELETE {true}                         trialing            Δ
  trialing    DELETE                                canceled            subscription.deleted
  trialing    resume, about to be canceled          trialing            Δ subscription.resumed
  trialing    resume, collection paused             trialing            Δ subscription.resumed
  active      period end, paid                      active              I3 PI+ Δ
  active      period end, fails                     past_due            I3f PI- Δ
  active      due date passes                       past_due            Δ
  active      period end, sent                      active              invoice.created invoice.finalized Δ
  active      due date passes, then period end      past_due            invoice.created invoice.finalized Δ
  active      period end, keep_as_draft             active              invoice.created Δ
  active      period end, mark_uncollectible        active              invoice.created invoice.finalized invoice.marked_uncollectible Δ
  active      period end, void                      active              invoice.created invoice.finalized invoice.voided Δ
  active      cancel_at passes                      canceled            subscription.deleted
  active      cancel_at_period_end                  canceled            subscription.deleted
  active      DELETE {true}                         active              Δ
  active      DELETE                                canceled            subscription.deleted
  active      DELETE {false}                        canceled            subscription.deleted
  active      resume, about to be canceled          active              Δ subscription.resumed
  active      resume, collection paused             active              Δ subscription.resumed
  active      resume, both                          active              Δ subscription.resumed
  past_due    retry succeeds                        active              invoice.paid PI+ Δ
  past_due    pay succeeds                          active              invoice.paid PI+ Δ
  past_due    confirm succeeds                      active              invoice.paid PI+ Δ
  past_due    void                                  active              invoice.voided Δ
  past_due    mark_uncollectible                    active              invoice.marked_uncollectible Δ
  past_due    retry fails                           past_due            invoice.payment_failed PI-
  past_due    pay fails                             past_due            invoice.payment_failed PI-
  past_due    confirm fails                         past_due            invoice.payment_failed PI-
  past_due    last retry fails                      canceled            invoice.payment_failed PI- subscription.deleted
  past_due    last retry fails, mark_unpaid         unpaid              invoice.payment_failed PI- Δ
  past_due    last retry fails, leave_past_due      past_due            invoice.payment_failed PI-
  past_due    period end, fails                     past_due            I3f PI- Δ
  past_due    period end, keep_as_draft             past_due            invoice.created Δ
  past_due    period end, mark_uncollectible        past_due            invoice.created invoice.finalized invoice.marked_uncollectible Δ
  past_due    period end, void                      past_due            invoice.created invoice.finalized invoice.voided Δ
  past_due    cancel_at passes                      canceled            subscription.deleted
  past_due    cancel_at_period_end                  canceled            subscription.deleted
  past_due    DELETE {true}                         past_due            Δ
  past_due    DELETE                                canceled            subscription.deleted
  past_due    resume, about to be canceled          past_due            Δ subscription.resumed
  past_due    resume, collection paused             past_due            Δ subscription.resumed
  unpaid      period end, paid                      unpaid              invoice.created Δ
  unpaid      pay succeeds                          active              invoice.paid PI+ Δ
  unpaid      confirm succeeds                      active              invoice.paid PI+ Δ
  unpaid      pay fails                             unpaid              invoice.payment_failed PI-
  unpaid      void                                  active              invoice.voided Δ
  unpaid      mark_uncollectible                    active              invoice.marked_uncollectible Δ
  unpaid      cancel_at passes                      canceled            subscription.deleted
  unpaid      cancel_at_period_end                  canceled            subscription.deleted
  unpaid      DELETE {true}                         unpaid              Δ
  unpaid      DELETE                                canceled            subscription.deleted
  unpaid      resume, about to be canceled          unpaid              Δ subscription.resumed
  unpaid      resume, collection paused             unpaid              Δ subscription.resumed
  paused      resume, paid                          active              I3 PI+ Δ subscription.resumed
  paused      resume, fails                         paused              I3f PI- invoice.voided
  paused      resume, without a card                paused              I3f PI0 invoice.voided
  paused      DELETE                                canceled            subscription.deleted
  `,
)

describe('a subscription', () => {
  test.each(ROWS)('that is $from: $trigger → $next', async ({ from, trigger, next, events }) => {
    const { given = {}, first, act } = TRIGGERS[trigger] ?? { act: () => Promise.reject(new Error(trigger)) }
    const { final_action, ...others } = given
    const story = await begin(from, KEEPS_FINAL_ACTION.has(from) ? others : given)
    await first?.(story)
    expect(await emitted(story.twin, () => act(story))).toBe(inFull(events))
    const { status } = await story.twin.get(pathOf(story))
    expect(status).toBe(next)
  })

  test.each(['retry succeeds, another open', 'pay succeeds, another open'])(
    'that is past_due: %s → past_due',
    async (name) => {
      const { given, first, act } = TRIGGERS[name] as Trigger
      const story = await begin('active', given)
      await first?.(story)
      expect((await story.twin.get(pathOf(story))).status).toBe('past_due')
      expect(await emitted(story.twin, () => act(story))).toBe(inFull('invoice.paid PI+'))
      expect((await story.twin.get(pathOf(story))).status).toBe('past_due')
    },
  )

  test('that is past_due without a latest invoice: pay succeeds, another open → past_due, and shows it', async () => {
    const given = { ...WEEKLY, final_action: 'leave_past_due', outcomes: Array(6).fill(DECLINED) }
    const story = await begin('trialing', given)
    await wait('21d')(story)
    expect(await story.twin.get(pathOf(story))).toMatchObject({ status: 'past_due', latest_invoice: null })
    const { id } = await newestOf(story.twin, story.subscription)
    expect(await emitted(story.twin, onInvoice('pay').bind(null, story))).toBe(inFull('invoice.paid PI+ Δ'))
    expect(await story.twin.get(pathOf(story))).toMatchObject({ status: 'past_due', latest_invoice: id })
  })

  test('that is past_due: period end, paid → past_due', async () => {
    const outcomes = ['succeed', ...Array(5).fill(DECLINED)]
    const story = await begin('active', { ...WEEKLY, final_action: 'leave_past_due', outcomes })
    // The last retry comes in the second of the renewal, and before it.
    await wait('2w')(story)
    expect((await story.twin.get(pathOf(story))).status).toBe('past_due')
    await almostEnd(story)
    expect(await emitted(story.twin, () => overTheEnd(story))).toBe(inFull('I3 PI+ Δ'))
    expect((await story.twin.get(pathOf(story))).status).toBe('past_due')
  })
})

describe('a new subscription', () => {
  const cases = table(
    ['when', 'next', 'events'],
    `
    paid                                active      subscription.created I3 PI+
    for nothing                         active      subscription.created I3
    declined                            incomplete  subscription.created I3f PI-
    declined with default_incomplete    incomplete  subscription.created I3f PI-
    declined with allow_incomplete      incomplete  subscription.created I3f PI-
    declined with error_if_incomplete   none        –
    with a trial                        trialing    subscription.created
    sent                                active      subscription.created invoice.created invoice.finalized
    sent with a trial                   trialing    subscription.created
    `,
  )
  const GIVEN: Readonly<Record<string, Body>> = {
    paid: {},
    'for nothing': { price: { unit_amount: 0 }, card: 'pm_card_chargeDeclined' },
    declined: { card: 'pm_card_chargeDeclined' },
    'with a trial': { trial_period_days: 3 },
    sent: { collection_method: 'send_invoice' },
    'sent with a trial': { collection_method: 'send_invoice', trial_period_days: 3 },
  }
  test.each(cases)('$when → $next', async ({ when, next, events }) => {
    const [, payment_behavior] = when.split(' with ')
    const isBehavior = payment_behavior?.endsWith('incomplete')
    const given = isBehavior ? { ...GIVEN.declined, payment_behavior } : GIVEN[when]
    const { twin, params } = await beforeCreation(given)
    const doing = await emitted(twin, async () => {
      const { status, body } = await twin.request('POST', '/v1/subscriptions', params)
      expect(status).toBe(next === 'none' ? 402 : 201)
      expect(body.status).toBe(next === 'none' ? undefined : next)
    })
    expect(doing).toBe(inFull(events))
  })
})
