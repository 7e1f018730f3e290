import { describe, expect, test } from 'vitest'
import { REFUND_STATUSES, REFUND_TRANSITIONS, type RefundStatus } from '../../src/core/refund.ts'
import { allows, move } from '../../src/core/transitions.ts'
import { matrix } from '../table.ts'

const STATUSES = matrix(`
  status     fail
  pending    failed
  succeeded  -
  failed     -
`)

describe('statuses', () => {
  test.each(STATUSES)('$event in $from: $to', ({ from, to }) => {
    const status = from as RefundStatus
    expect(allows(REFUND_TRANSITIONS, status, 'fail')).toBe(to !== '-')
    if (to === '-') expect(() => move(REFUND_TRANSITIONS, status, 'fail')).toThrow()
    else expect(move(REFUND_TRANSITIONS, status, 'fail')).toBe(to)
  })

  test('there are no others', () => {
    expect(STATUSES.map(({ from }) => from)).toEqual([...REFUND_STATUSES])
    expect(Object.keys(REFUND_TRANSITIONS).toSorted()).toEqual([...REFUND_STATUSES].toSorted())
  })
})
