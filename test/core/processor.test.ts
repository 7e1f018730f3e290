import { expect, test } from 'vitest'
import { scriptedOutcome } from '../../src/core/processor.ts'
import { table } from '../table.ts'

test('succeed approves', () => {
  expect(scriptedOutcome('succeed')).toEqual({ approved: true })
})

test.each(
  table(
    ['entry', 'code', 'decline_code'],
    `
    decline:card_declined            card_declined     generic_decline
    decline:expired_card             expired_card      -
    decline:incorrect_cvc            incorrect_cvc     -
    decline:processing_error         processing_error  -
    decline:insufficient_funds       card_declined     insufficient_funds
    decline:lost_card                card_declined     lost_card
    decline:stolen_card              card_declined     stolen_card
    decline:generic_decline          card_declined     generic_decline
    decline:authentication_required  card_declined     authentication_required
    decline:do_not_honor             card_declined     do_not_honor
    decline:x                        card_declined     x
    `,
  ),
)('$entry declines with $code and $decline_code', ({ entry, code, decline_code }) => {
  expect(scriptedOutcome(entry)).toMatchObject({
    approved: false,
    code,
    decline_code: decline_code === '-' ? null : decline_code,
    message: expect.stringMatching(/^(Your|An) .+\.$/),
  })
})

test.each(
  [
    ['', 'Succeed', 'succeeded', ' succeed', 'fail', 'decline', 'decline:', 'decline: lost_card'],
    ['decline:Lost_Card', 'decline:lost-card', 'decline:51', 'Decline:lost_card', 'decline:lost_card\n'],
    [`decline:${'x'.repeat(51)}`],
  ].flat(),
)('%j is not an outcome', (entry) => {
  expect(scriptedOutcome(entry)).toBeUndefined()
})

test('a decline code may have fifty characters', () => {
  const code = 'x'.repeat(50)
  expect(scriptedOutcome(`decline:${code}`)).toMatchObject({ code: 'card_declined', decline_code: code })
})
