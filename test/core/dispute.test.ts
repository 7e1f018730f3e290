import { expect, test } from 'vitest'
import {
  DISPUTE_TRANSITIONS,
  type DisputeEvent,
  type DisputeStatus,
  isRefundable,
} from '../../src/core/dispute.ts'
import { table } from '../table.ts'

test.each(
  table(
    ['from', 'submit', 'win', 'lose', 'refundable'],
    `
    needs_response  under_review  -    lost  no
    under_review    under_review  won  lost  no
    won             -             -    -     yes
    lost            -             -    -     no
    `,
  ),
)('a dispute that is $from', ({ from, refundable, ...events }) => {
  const status = from as DisputeStatus
  for (const [event, to] of Object.entries(events))
    expect(DISPUTE_TRANSITIONS[status][event as DisputeEvent] ?? '-').toBe(to)
  expect(isRefundable({ status })).toBe(refundable === 'yes')
})
