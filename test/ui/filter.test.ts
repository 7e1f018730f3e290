import { describe, expect, test } from 'vitest'
import { append, EMPTY_LOG, entryOf } from '../../src/ui/entry-log.ts'
import { filtered } from '../../src/ui/filter.ts'
import { sampleDelivery, sampleEvent, sampleRequest } from './samples.ts'

const invoice = {
  object: 'invoice',
  id: 'in_AB12',
  customer: 'cus_Zoe',
  total: 2000,
  currency: 'usd',
  number: 'ADA-0002',
}
const ENTRIES = append(EMPTY_LOG, [
  sampleEvent(1, { type: 'customer.created', name: 'Zoë [x]' }),
  sampleEvent(2, {
    ...invoice,
    type: 'invoice.paid',
    lines: { object: 'list', data: [{ price: 'price_9' }] },
  }),
  sampleEvent(3, {
    ...invoice,
    type: 'invoice.payment_failed',
    attempt_count: 2,
    next_payment_attempt: null,
  }),
  'the sandbox was reset or restored',
]).entries

describe('a filter matches', () => {
  test.each([
    ['nothing typed', '', [1, 2, 3]],
    ['blanks', '  ', [1, 2, 3]],
    ['a part of a type', 'paid', [2]],
    ['a glob of the type', 'invoice.*', [2, 3]],
    ['a glob with its star in front', '*.created', [1]],
    ['a glob that is not whole', 'voice.*', []],
    ['the whole glob only', '*.pay', []],
    ['stars within', 'in*pay*ed', [3]],
    ['an event’s id', 'evt_2', [2]],
    ['an object’s id, whatever its case', 'IN_ab12', [2, 3]],
    ['a glob of ids', 'evt_*', [1, 2, 3]],
    ['what the line shows', 'attempt 2 of', [3]],
    ['a glob of what the line shows', 'attempt*of 5', [3]],
    ['the customer that it belongs to', 'cus_zoe', [2, 3]],
    ['what lies deep in the object', 'price_9', [2]],
    ['signs that mean something to regular expressions', '[x]', [1]],
    ['letters of any language', 'ZOË', [1]],
    ['no kind of an object', 'list', []],
    ['what nothing has', 'zebra', []],
  ])('%s: %j', (_what, filter, numbers) => {
    expect(filtered(ENTRIES, filter).map(({ n }) => n)).toEqual([...numbers, 4])
  })
})

describe("a customer's name or email address", () => {
  const of = (n: number, object: Record<string, unknown>) => entryOf(n, sampleEvent(n, object))
  const entries = [
    of(1, { id: 'cus_1', name: 'Ada Lovelace', email: 'ada@example.com' }),
    of(2, {
      type: 'subscription.created',
      object: 'subscription',
      id: 'sub_1',
      customer: 'cus_1',
      email: '',
    }),
    of(3, { type: 'invoice.paid', object: 'invoice', id: 'in_1', customer: 'cus_1', email: '' }),
    of(4, {
      type: 'payment_intent.succeeded',
      object: 'payment_intent',
      id: 'pi_1',
      customer: 'cus_1',
      email: '',
    }),
    of(5, { type: 'charge.succeeded', object: 'charge', id: 'ch_1', customer: 'cus_1', email: '' }),
    of(6, { type: 'refund.created', object: 'refund', id: 're_1', charge: 'ch_1', email: '' }),
    of(7, { type: 'invoice.paid', object: 'invoice', id: 'in_2', customer: 'cus_2', email: '' }),
    of(8, { type: 'price.created', object: 'price', id: 'price_1', email: '' }),
  ]
  const customers = new Map([
    ['cus_1', { name: 'Ada Lovelace', email: 'ada@example.com' }],
    ['cus_2', { name: null, email: 'ben@example.com' }],
  ])

  test.each([
    ['ada@example.com', [1, 2, 3, 4, 5, 6]],
    ['LOVELACE', [1, 2, 3, 4, 5, 6]],
    ['ada*com', [1, 2, 3, 4, 5, 6]],
    ['ben@', [7]],
  ])('%j finds all events of the customer', (filter, numbers) => {
    expect(filtered(entries, filter, { customers, among: entries }).map(({ n }) => n)).toEqual(numbers)
  })
})

describe('a filter of the other views', () => {
  const { entries } = append(EMPTY_LOG, [
    sampleDelivery(1),
    sampleDelivery(2, { event_type: 'customer.created', status: 'pending', attempts: [] }),
    sampleRequest(3, { status: 400, code: 'parameter_missing', path: '/v1/prices' }),
    sampleRequest(4, { ignored_params: ['colour'] }),
  ])

  test.each([
    ['invoice.*', [1]],
    ['not sent yet', [2]],
    ['127.0.0.1:3000', [1, 2]],
    ['post /v1/prices', [3]],
    ['400', [3]],
    ['parameter_missing', [3]],
    ['ignored colour', [4]],
    ['req_*', [3, 4]],
  ])('%j', (filter, numbers) => {
    expect(filtered(entries, filter).map(({ n }) => n)).toEqual(numbers)
  })
})
