import { expect, test } from 'vitest'
import { matchEventTypes } from '../../src/core/event.ts'
import { EVENT_TYPES } from '../../src/core/kinds.ts'
import { leastProcessorTime } from '../processor-time.ts'
import { table } from '../table.ts'

test.each(
  table(
    ['pattern', 'matches'],
    `
    invoice.paid            invoice.paid
    subscription.*          subscription.created subscription.updated subscription.deleted subscription.resumed subscription.pending_update_applied subscription.pending_update_expired subscription.trial_will_end
    *.payment_failed        invoice.payment_failed payment_intent.payment_failed
    invoice.*ed_failed      -
    *.f*                    invoice.finalized charge.failed refund.failed charge.dispute.funds_withdrawn charge.dispute.funds_reinstated
    charge.*                charge.succeeded charge.failed charge.refunded charge.dispute.created charge.dispute.funds_withdrawn charge.dispute.updated charge.dispute.closed charge.dispute.funds_reinstated
    product.**              product.created product.updated
    invoice                 -
    nvoice.paid             -
    invoice.pai             -
    invoice_paid            -
    invoice.pai?            -
    invoice.(paid|voided)   -
    Invoice.paid            -
    payment_method.[a-z]*   -
    ^invoice.paid$          -
    `,
  ),
)('$pattern matches $matches', ({ pattern, matches }) => {
  expect(matchEventTypes(pattern)).toEqual(matches === '-' ? [] : matches.split(' '))
})

test('a star matches every type', () => {
  expect(matchEventTypes('*')).toEqual(EVENT_TYPES)
})

test('an empty pattern matches none', () => {
  expect(matchEventTypes('')).toEqual([])
})

test('a long run of stars is matched as fast as one', { timeout: 1_000 }, () => {
  expect(matchEventTypes(`${'*'.repeat(10)}x`)).toEqual([])
})

test('matching a very long stored pattern takes one pass over it', async () => {
  const stars = '*'.repeat(1_000_000)
  const taken = await leastProcessorTime(() => {
    expect(matchEventTypes(stars)).toEqual(EVENT_TYPES)
    expect(matchEventTypes(`invoice.${stars}paid`)).toEqual(['invoice.paid'])
    for (const piece of ['a', '*a', 'ab*'])
      expect(matchEventTypes(piece.repeat(1_000_000 / piece.length))).toEqual([])
  })
  expect(taken).toBeLessThan(500)
})

test('stars may match nothing between all characters of a type', () => {
  for (const type of EVENT_TYPES) expect(matchEventTypes(`*${[...type].join('*')}*`)).toContain(type)
})

test('the eight types of the contract exist', () => {
  for (const kind of ['created', 'updated', 'deleted', 'resumed']) {
    expect(EVENT_TYPES).toContain(`subscription.${kind}`)
  }
  for (const kind of ['created', 'finalized', 'paid', 'payment_failed']) {
    expect(EVENT_TYPES).toContain(`invoice.${kind}`)
  }
})
