import { describe, expect, test } from 'vitest'
import type { Entry } from '../../src/ui/event-log.ts'
import { filtered } from '../../src/ui/filter.ts'
import { sampleEvent } from './samples.ts'

const invoice = {
  object: 'invoice',
  id: 'in_AB12',
  customer: 'cus_Zoe',
  total: 2000,
  currency: 'usd',
  number: 'ADA-0002',
}
const ENTRIES: readonly Entry[] = [
  { n: 1, event: sampleEvent(1, { type: 'customer.created', name: 'Zoë [x]' }) },
  {
    n: 2,
    event: sampleEvent(2, {
      ...invoice,
      type: 'invoice.paid',
      lines: { object: 'list', data: [{ price: 'price_9' }] },
    }),
  },
  {
    n: 3,
    event: sampleEvent(3, {
      ...invoice,
      type: 'invoice.payment_failed',
      attempt_count: 2,
      next_payment_attempt: null,
    }),
  },
  { n: 4, note: 'the sandbox was reset or restored' },
]

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
    ['whom it belongs to', 'cus_zoe', [2, 3]],
    ['what lies deep in the object', 'price_9', [2]],
    ['signs that mean something to regular expressions', '[x]', [1]],
    ['letters of any language', 'ZOË', [1]],
    ['no kind of an object', 'list', []],
    ['what nothing has', 'zebra', []],
  ])('%s: %j', (_what, filter, numbers) => {
    expect(filtered(ENTRIES, filter).map(({ n }) => n)).toEqual([...numbers, 4])
  })
})
