import { expect, test } from 'vitest'
import { paymentIntentUnexpectedState } from '../../src/core/errors.ts'
import { allows, move, type Transitions } from '../../src/core/transitions.ts'

const DOOR: Transitions<'open' | 'shut' | 'locked', 'close' | 'lock_up'> = {
  open: { close: 'shut' },
  shut: { lock_up: 'locked' },
  locked: {},
}

test('a status moves as its table says', () => {
  expect(move(DOOR, 'open', 'close')).toBe('shut')
  expect(allows(DOOR, 'open', 'close')).toBe(true)
})

test('what the table does not list is refused, naming the status', () => {
  expect(allows(DOOR, 'open', 'lock_up')).toBe(false)
  expect(() => move(DOOR, 'open', 'lock_up')).toThrow(
    expect.objectContaining({
      status: 400,
      code: 'invalid_state_transition',
      param: 'status',
      message: 'Cannot lock up while the status is open',
    }),
  )
})

test('a caller may refuse with an error of its own', () => {
  const refuse = () => paymentIntentUnexpectedState('No way')
  expect(() => move(DOOR, 'locked', 'close', refuse)).toThrow(
    expect.objectContaining({ code: 'payment_intent_unexpected_state', param: null }),
  )
})
