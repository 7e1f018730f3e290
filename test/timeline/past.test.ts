import { expect, test } from 'vitest'
import type { TimelineEntryShape } from '../../src/http/schemas/timeline.ts'
import { pastMoments } from '../../src/timeline/past.ts'

const ATTACHED: TimelineEntryShape = {
  id: 'evt_1',
  object: 'timeline_entry',
  created: 60,
  type: 'payment_method.attached',
  resource: 'payment_method',
  resource_id: 'pm_1',
  customer: 'cus_1',
  subscription: null,
  invoice: null,
  label: 'visa 4242',
  status: null,
  previous_status: null,
  amount: null,
  currency: null,
  applied_balance: null,
  credited: null,
  reason: null,
  attempt: null,
  finalizes_at: null,
  request: null,
}

test.each(['transfer', 'toString'])('a kind that only a newer daemon knows (%s) has no note', (kind) => {
  const newer = { ...ATTACHED, id: 'evt_2', resource: kind as 'charge', resource_id: 'new_1' }
  const moments = pastMoments([ATTACHED, newer], {
    name: String,
    ofInvoice: false,
    maxAttempts: 4,
  })
  expect(moments.map(({ at, notes }) => ({ at, notes: notes.length }))).toEqual([{ at: 60, notes: 1 }])
})
