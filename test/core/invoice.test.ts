import { describe, expect, test } from 'vitest'
import { daysToPay } from '../../src/core/collection-method.ts'
import {
  attemptFailed,
  finalized,
  isOutstanding,
  markedUncollectible,
  nextNumber,
  paid,
  voided,
} from '../../src/core/invoice.ts'
import { applyBalance } from '../../src/core/invoice-balance.ts'
import { withoutRetries } from '../../src/core/invoice-plan.ts'
import { INVOICE_TRANSITIONS, type InvoiceEvent, type InvoiceStatus } from '../../src/core/invoice-status.ts'
import { allows, move } from '../../src/core/transitions.ts'
import { matrix, table } from '../table.ts'
import { aCustomer, aDraft, anOpenInvoice, DAY, NOW } from './objects.ts'

const STATUSES = matrix(`
  from           finalize  pay   void  mark_uncollectible
  draft          open      -     -     -
  open           -         paid  void  uncollectible
  uncollectible  -         paid  void  -
  paid           -         -     -     -
  void           -         -     -     -
`)

const refused = expect.objectContaining({ status: 400, code: 'invalid_state_transition', param: 'status' })

describe('statuses', () => {
  test.each(STATUSES.filter(({ to }) => to !== '-'))(
    '$event leads from $from to $to',
    ({ from, event, to }) => {
      expect(move(INVOICE_TRANSITIONS, from as InvoiceStatus, event as InvoiceEvent)).toBe(to)
    },
  )

  test.each(STATUSES.filter(({ to }) => to === '-'))('$event is refused in $from', ({ from, event }) => {
    expect(allows(INVOICE_TRANSITIONS, from as InvoiceStatus, event as InvoiceEvent)).toBe(false)
    expect(() => move(INVOICE_TRANSITIONS, from as InvoiceStatus, event as InvoiceEvent)).toThrow(refused)
  })

  test('the table has no other statuses', () => {
    expect(new Set(STATUSES.map(({ from }) => from))).toEqual(new Set(Object.keys(INVOICE_TRANSITIONS)))
  })
})

test.each([
  [1, 'ABCDEFGH-0001'],
  [42, 'ABCDEFGH-0042'],
  [9999, 'ABCDEFGH-9999'],
  [10_000, 'ABCDEFGH-10000'],
])('invoice %i of a customer has the number %s', (next_invoice_number, number) => {
  expect(nextNumber(aCustomer({ next_invoice_number }))).toBe(number)
})

test('the total of a draft is the sum of its lines, and it has no number', () => {
  expect(aDraft()).toMatchObject({
    status: 'draft',
    total: 2000,
    number: null,
    payment_intent: null,
    attempt_count: 0,
    attempted: false,
    next_payment_attempt: null,
  })
})

test('finalizing sets the number, the intent and the time', () => {
  const applied = applyBalance(2000, 0)
  const given = { now: NOW + 5, number: 'ABCDEFGH-0007', payment_intent: 'pi_1', due_date: null, applied }
  expect(finalized(aDraft(), given)).toMatchObject({
    status: 'open',
    number: 'ABCDEFGH-0007',
    payment_intent: 'pi_1',
    finalized_at: NOW + 5,
  })
  expect(() => finalized(anOpenInvoice(), given)).toThrow(refused)
})

describe('a failed attempt', () => {
  test.each(
    table(
      ['before', 'day', 'after', 'next_day'],
      `
      0  0  1  1
      1  1  2  3
      2  3  3  5
      3  5  4  7
      4  7  5  -
      `,
    ),
  )(
    'on day $day makes attempt_count $after of $before, and the next is on day $next_day',
    ({ before, day, after, next_day }) => {
      const invoice = anOpenInvoice({ attempt_count: Number(before), finalized_at: NOW })
      const now = NOW + Number(day) * DAY
      expect(attemptFailed(invoice, { charge: 'ch_1', now, scheduled: true })).toMatchObject({
        status: 'open',
        attempt_count: Number(after),
        attempted: true,
        next_payment_attempt: next_day === '-' ? null : NOW + Number(next_day) * DAY,
        charge: 'ch_1',
      })
    },
  )

  test('by hand changes neither the count nor the schedule', () => {
    const invoice = anOpenInvoice({ attempt_count: 2, next_payment_attempt: NOW + 3 * DAY })
    expect(attemptFailed(invoice, { charge: 'ch_2', now: NOW, scheduled: false })).toMatchObject({
      status: 'open',
      attempt_count: 2,
      next_payment_attempt: NOW + 3 * DAY,
      charge: 'ch_2',
    })
  })

  test('without a charge keeps the charge of the previous attempt', () => {
    const invoice = anOpenInvoice({ charge: 'ch_1' })
    expect(attemptFailed(invoice, { charge: null, now: NOW, scheduled: true }).charge).toBe('ch_1')
  })
})

describe('a payment', () => {
  const dunned = anOpenInvoice({ attempt_count: 2, next_payment_attempt: NOW + 3 * DAY })

  test('on the schedule counts, and ends the schedule', () => {
    expect(paid(dunned, { now: NOW + DAY, charge: 'ch_1', scheduled: true })).toMatchObject({
      status: 'paid',
      amount_paid: 2000,
      attempt_count: 3,
      next_payment_attempt: null,
      charge: 'ch_1',
      paid_at: NOW + DAY,
    })
  })

  test('by hand ends the schedule and does not count', () => {
    expect(paid(dunned, { now: NOW, charge: 'ch_1', scheduled: false })).toMatchObject({
      attempt_count: 2,
      next_payment_attempt: null,
    })
  })

  test('is accepted for an uncollectible invoice, but not for a void or paid one', () => {
    const given = { now: NOW, charge: 'ch_1', scheduled: false }
    expect(paid(markedUncollectible(dunned, NOW), given).status).toBe('paid')
    for (const invoice of [aDraft(), voided(dunned, NOW), paid(dunned, given)]) {
      expect(() => paid(invoice, given)).toThrow(refused)
    }
  })
})

test('voiding and marking uncollectible end the schedule and record the time', () => {
  const dunned = anOpenInvoice({ next_payment_attempt: NOW + DAY })
  const done = { next_payment_attempt: null }
  expect(voided(dunned, NOW + 1)).toMatchObject({ status: 'void', voided_at: NOW + 1, ...done })
  expect(markedUncollectible(dunned, NOW + 1)).toMatchObject({
    status: 'uncollectible',
    marked_uncollectible_at: NOW + 1,
    ...done,
  })
  expect(withoutRetries(dunned)).toEqual({ ...dunned, ...done })
})

test.each(
  table(
    ['status', 'collection', 'overdue', 'outstanding'],
    `
    draft          charge_automatically  no   no
    open           charge_automatically  no   yes
    paid           charge_automatically  no   no
    void           charge_automatically  no   no
    uncollectible  charge_automatically  no   no
    open           send_invoice          no   no
    open           send_invoice          yes  yes
    paid           send_invoice          yes  no
    `,
  ),
)(
  '$status, $collection, overdue $overdue: outstanding $outstanding',
  ({ status, collection, overdue, outstanding }) => {
    const invoice = anOpenInvoice({
      status: status as InvoiceStatus,
      collection_method: collection as 'send_invoice',
      overdue: overdue === 'yes',
    })
    expect(isOutstanding(invoice)).toBe(outstanding === 'yes')
  },
)

test.each([
  ['a sent invoice is due after the days asked for', 'send_invoice', 7, 7],
  ['a sent invoice may be due at once', 'send_invoice', 0, 0],
  ['a sent invoice is due after 30 days unless asked otherwise', 'send_invoice', undefined, 30],
  ['a sent invoice of a subscription that says nothing is due after 30 days', 'send_invoice', null, 30],
  ['an invoice that is charged automatically has no due date', 'charge_automatically', 7, null],
] as const)('%s', (_, collection_method, asked, days) => {
  expect(daysToPay(collection_method, asked)).toBe(days)
})
