import { describe, expect, test } from 'vitest'
import type { EndingAccount } from '../../src/core/billing/account.ts'
import { cancel, expire } from '../../src/core/billing/cancel.ts'
import { endPause, endTrial, renew } from '../../src/core/billing/renew.ts'
import { passDueDate, retry } from '../../src/core/billing/retry.ts'
import { start } from '../../src/core/billing/start.ts'
import { Change } from '../../src/core/change.ts'
import type { FinalAction } from '../../src/core/dunning.ts'
import type { Invoice } from '../../src/core/invoice.ts'
import type { PaymentMethod } from '../../src/core/payment-method.ts'
import type { PauseCollection, Subscription } from '../../src/core/subscription.ts'
import type { SubscriptionStatus } from '../../src/core/subscription-status.ts'
import { table } from '../table.ts'
import {
  aCard,
  aCustomer,
  anAccount,
  anOpenInvoice,
  aPix,
  aPrice,
  aSubscription,
  DAY,
  type GivenAccount,
  NOW,
  pricesOf,
} from './objects.ts'

/** Returns the last state of an invoice in the steps of a change, or its plan. */
const lastOf = ({ steps }: Change, { id }: Invoice) => steps.findLast(({ after }) => after.id === id)?.after

/** The events that the symbols in the tables below stand for, as in the contract. */
const SHORT: Readonly<Record<string, string>> = {
  'invoice.created invoice.finalized invoice.paid': 'I3',
  'invoice.created invoice.finalized invoice.payment_failed': 'I3f',
  'payment_intent.succeeded charge.succeeded': 'PI+',
  'payment_intent.payment_failed charge.failed': 'PI−',
  'subscription.updated': 'Δ',
}

function eventsOf(change: Change): string {
  const events = change.steps.flatMap(({ event }) => event ?? []).join(' ')
  return Object.entries(SHORT).reduce((text, [long, short]) => text.replaceAll(long, short), events) || '-'
}

const PAYING: Readonly<Record<string, PaymentMethod | null>> = {
  good: aCard(),
  declining: aCard({ test_card: 'pm_card_chargeDeclined' }),
  pix: aPix(),
  none: null,
}

const inStatus = (status: string, given: Partial<Subscription> = {}) =>
  aSubscription({
    status: status as SubscriptionStatus,
    latest_invoice: 'in_0',
    newest_invoice: 'in_0',
    ...given,
  })

/** The result of a rule: the subscription's status, and the events. */
function outcomeOf(
  subscription: Subscription,
  given: GivenAccount,
  rule: (change: Change, account: EndingAccount) => void,
): { status: string; events: string; after: Subscription } {
  const change = new Change()
  rule(change, anAccount(given))
  const after = change.latest('subscription', subscription)
  return { status: after.status, events: eventsOf(change), after }
}

describe('a creation', () => {
  test.each(
    table(
      ['begins', 'card', 'price', 'status', 'events'],
      `
      now    good       2000  active      subscription.created I3 PI+
      now    declining  2000  incomplete  subscription.created I3f PI−
      now    declining  0     active      subscription.created I3
      trial  none       2000  trialing    subscription.created
      sent   none       2000  active      subscription.created invoice.created invoice.finalized
      `,
    ),
  )('$begins with a $card card at $price is $status: $events', ({ begins, card, price, status, events }) => {
    const subscription = aSubscription({
      status: begins === 'trial' ? 'trialing' : 'active',
      ...(begins === 'sent' && { collection_method: 'send_invoice', days_until_due: 30 }),
    })
    const prices = pricesOf(aPrice({ unit_amount: Number(price) }))
    const outcome = outcomeOf(
      subscription,
      { paymentMethod: PAYING[card] ?? null, prices },
      (change, account) => start(change, account, subscription),
    )
    expect(outcome).toMatchObject({ status, events })
  })
})

describe('a period end', () => {
  const nextPeriod = { current_period_start: NOW + 28 * DAY, current_period_end: NOW + 59 * DAY }

  test.each(
    table(
      ['from', 'card', 'pause', 'next', 'events'],
      `
      active    good       -                   active    I3 PI+ Δ
      active    declining  -                   past_due  I3f PI− Δ
      active    none       -                   past_due  I3f payment_intent.payment_failed Δ
      active    pix        -                   past_due  I3f payment_intent.payment_failed Δ
      past_due  good       -                   past_due  I3 PI+ Δ
      past_due  declining  -                   past_due  I3f PI− Δ
      unpaid    good       -                   unpaid    invoice.created Δ
      active    good       keep_as_draft       active    invoice.created Δ
      active    good       mark_uncollectible  active    invoice.created invoice.finalized invoice.marked_uncollectible Δ
      active    good       void                active    invoice.created invoice.finalized invoice.voided Δ
      past_due  good       void                past_due  invoice.created invoice.finalized invoice.voided Δ
      `,
    ),
  )('$from with a $card card, pausing $pause: $next, $events', ({ from, card, pause, next, events }) => {
    const behavior = pause as PauseCollection['behavior']
    const pause_collection = pause === '-' ? null : { behavior, resumes_at: null }
    const subscription = inStatus(from, { pause_collection })
    const given = { now: NOW + 28 * DAY, paymentMethod: PAYING[card] ?? null }
    const outcome = outcomeOf(subscription, given, (change, account) => renew(change, account, subscription))
    expect(outcome).toMatchObject({ status: next, events, after: nextPeriod })
  })

  test.each(['active', 'past_due'])('of a sent subscription leaves it %s', (status) => {
    const subscription = inStatus(status, { collection_method: 'send_invoice', days_until_due: 30 })
    const outcome = outcomeOf(subscription, { paymentMethod: null }, (change, account) =>
      renew(change, account, subscription),
    )
    expect(outcome).toMatchObject({
      status,
      events: 'invoice.created invoice.finalized Δ',
      after: nextPeriod,
    })
  })

  test('the end of a pause emits an update', () => {
    const subscription = inStatus('active', { pause_collection: { behavior: 'void', resumes_at: NOW } })
    const outcome = outcomeOf(subscription, {}, (change) => endPause(change, subscription))
    expect(outcome).toMatchObject({ status: 'active', events: 'Δ', after: { pause_collection: null } })
  })
})

describe('a trial end', () => {
  test.each(
    table(
      ['collection', 'card', 'missing', 'next', 'events'],
      `
      charge_automatically  good       create_invoice  active    I3 PI+ Δ
      charge_automatically  good       cancel          active    I3 PI+ Δ
      charge_automatically  declining  pause           past_due  I3f PI− Δ
      charge_automatically  none       create_invoice  past_due  I3f payment_intent.payment_failed Δ
      charge_automatically  none       pause           paused    Δ
      charge_automatically  none       cancel          canceled  subscription.deleted
      send_invoice          none       create_invoice  active    invoice.created invoice.finalized Δ
      send_invoice          none       cancel          active    invoice.created invoice.finalized Δ
      `,
    ),
  )(
    '$collection with a $card card and $missing: $next, $events',
    ({ collection, card, missing, next, events }) => {
      const subscription = aSubscription({
        status: 'trialing',
        collection_method: collection as 'send_invoice',
        missing_payment_method: missing as 'pause',
        trial_end: NOW + 14 * DAY,
        billing_cycle_anchor: NOW + 14 * DAY,
        current_period_end: NOW + 14 * DAY,
      })
      const given = { now: NOW + 14 * DAY, paymentMethod: PAYING[card] ?? null }
      const outcome = outcomeOf(subscription, given, (change, account) =>
        endTrial(change, account, subscription),
      )
      expect(outcome).toMatchObject({ status: next, events })
    },
  )
})

describe('a retry', () => {
  test.each(
    table(
      ['from', 'card', 'attempts', 'others', 'final', 'next', 'events'],
      `
      incomplete  good       1  0  cancel          active              invoice.paid PI+ Δ
      incomplete  declining  1  0  cancel          incomplete          invoice.payment_failed PI−
      incomplete  declining  4  0  mark_unpaid     incomplete_expired  invoice.payment_failed PI− invoice.voided Δ
      past_due    good       1  0  cancel          active              invoice.paid PI+ Δ
      past_due    good       4  0  cancel          active              invoice.paid PI+ Δ
      past_due    good       1  1  cancel          past_due            invoice.paid PI+
      past_due    declining  3  0  cancel          past_due            invoice.payment_failed PI−
      past_due    declining  4  0  cancel          canceled            invoice.payment_failed PI− subscription.deleted
      past_due    declining  4  0  mark_unpaid     unpaid              invoice.payment_failed PI− Δ
      past_due    declining  4  0  leave_past_due  past_due            invoice.payment_failed PI−
      past_due    none       4  0  cancel          canceled            invoice.payment_failed payment_intent.payment_failed subscription.deleted
      `,
    ),
  )(
    '$from, $card card after $attempts attempts, $others other open invoices, $final: $next, $events',
    ({ from, card, attempts, others, final, next, events }) => {
      const subscription = inStatus(from)
      const invoice = anOpenInvoice({ attempt_count: Number(attempts), next_payment_attempt: NOW + DAY })
      const other = anOpenInvoice({ id: 'in_2', payment_intent: 'pi_in_2' })
      const given = {
        paymentMethod: PAYING[card] ?? null,
        final_action: final as FinalAction,
        openInvoices: others === '1' ? [invoice, other] : [invoice],
      }
      const outcome = outcomeOf(subscription, given, (change, account) =>
        retry(change, account, invoice, subscription),
      )
      expect(outcome).toMatchObject({ status: next, events })
    },
  )

  test.each(['cancel', 'mark_unpaid'] as const)(
    'whose failure ends in %s drops the retries of the others',
    (final_action) => {
      const subscription = inStatus('past_due')
      const invoice = anOpenInvoice({ attempt_count: 4, next_payment_attempt: NOW })
      const other = anOpenInvoice({ id: 'in_2', payment_intent: 'pi_in_2', next_payment_attempt: NOW + DAY })
      const account = anAccount({ paymentMethod: null, final_action, openInvoices: [invoice, other] })
      const change = new Change()
      retry(change, account, invoice, subscription)
      expect(lastOf(change, other)).toMatchObject({ status: 'open', next_payment_attempt: null })
    },
  )
})

describe('a cancellation', () => {
  test.each(
    table(
      ['from', 'events', 'invoice'],
      `
      active      subscription.deleted                 open
      past_due    subscription.deleted                 open
      trialing    subscription.deleted                 open
      unpaid      subscription.deleted                 open
      paused      subscription.deleted                 open
      incomplete  invoice.voided subscription.deleted  void
      `,
    ),
  )('of a subscription that is $from: $events, and its invoice is $invoice', ({ from, events, invoice }) => {
    const subscription = inStatus(from)
    const open = anOpenInvoice({ next_payment_attempt: NOW + DAY })
    const change = new Change()
    cancel(change, anAccount({ openInvoices: [open] }), subscription, 'cancellation_requested')
    expect(eventsOf(change)).toBe(events)
    expect(lastOf(change, open)).toMatchObject({ status: invoice, next_payment_attempt: null })
    expect(change.latest('subscription', subscription)).toMatchObject({ status: 'canceled', ended_at: NOW })
  })

  test.each(['canceled', 'incomplete_expired'])('of a subscription that is %s is refused', (status) => {
    const subscription = inStatus(status)
    expect(() => cancel(new Change(), anAccount(), subscription, 'cancellation_requested')).toThrow(
      expect.objectContaining({ code: 'invalid_state_transition', param: 'status' }),
    )
  })

  test('keeps the time of its request', () => {
    const subscription = inStatus('active', { canceled_at: NOW - DAY })
    const outcome = outcomeOf(subscription, {}, (change, account) =>
      cancel(change, account, subscription, 'cancellation_requested'),
    )
    expect(outcome.after).toMatchObject({ canceled_at: NOW - DAY, ended_at: NOW })
  })
})

describe('a customer after a retry', () => {
  test.each(
    table(
      ['outstanding', 'card', 'delinquent'],
      `
      1  good       false
      1  declining  true
      2  good       true
      2  declining  true
      `,
    ),
  )('with $outstanding outstanding invoices and a $card card: $delinquent', (row) => {
    const invoice = anOpenInvoice({ attempt_count: 1, next_payment_attempt: NOW })
    const count = Number(row.outstanding)
    const account = anAccount({
      customer: aCustomer({ delinquent: true }),
      paymentMethod: PAYING[row.card] ?? null,
      openInvoices: [invoice],
      outstanding: { customer: count, subscription: count },
    })
    const change = new Change()
    retry(change, account, invoice, inStatus('past_due'))
    expect(change.latest('customer', account.customer).delinquent).toBe(row.delinquent === 'true')
    expect(change.pending('subscription', 'sub_1')?.status ?? 'past_due').toBe(
      row.delinquent === 'true' ? 'past_due' : 'active',
    )
  })
})

test('an incomplete subscription that expires voids its invoice first', () => {
  const subscription = inStatus('incomplete')
  const outcome = outcomeOf(subscription, { openInvoices: [anOpenInvoice()] }, (change, account) =>
    expire(change, account, subscription),
  )
  expect(outcome).toMatchObject({ status: 'incomplete_expired', events: 'invoice.voided Δ' })
})

test.each(
  table(
    ['from', 'next', 'events'],
    `
    active    past_due  Δ
    past_due  past_due  -
    canceled  canceled  -
    `,
  ),
)('a due date that passes unpaid changes a subscription from $from to $next', ({ from, next, events }) => {
  const subscription = inStatus(from)
  const invoice = anOpenInvoice({ collection_method: 'send_invoice', due_date: NOW })
  const outcome = outcomeOf(subscription, { openInvoices: [invoice] }, (change, account) =>
    passDueDate(change, account, invoice, subscription),
  )
  expect(outcome).toMatchObject({ status: next, events })
})
