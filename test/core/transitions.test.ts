import { expect, test } from 'vitest'
import { paymentIntentUnexpectedState } from '../../src/core/errors.ts'
import { allows, cannotBe, move, type Transitions } from '../../src/core/transitions.ts'

const DOOR: Transitions<'open' | 'shut' | 'locked', 'close' | 'lock_up'> = {
  open: { close: 'shut' },
  shut: { lock_up: 'locked' },
  locked: {},
}

test('a status moves along its table', () => {
  expect(move(DOOR, 'open', 'close')).toBe('shut')
  expect(allows(DOOR, 'open', 'close')).toBe(true)
})

test('an event that the table does not list is refused with the status', () => {
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

test('a caller may supply the error', () => {
  const refuse = () => paymentIntentUnexpectedState('No way')
  expect(() => move(DOOR, 'locked', 'close', refuse)).toThrow(
    expect.objectContaining({ code: 'payment_intent_unexpected_state', param: null }),
  )
})

test('cannotBe names the object, its status and the action', () => {
  expect(cannotBe('An invoice', { status: 'draft' }, 'marked uncollectible')).toMatchObject({
    status: 400,
    code: 'invalid_state_transition',
    param: 'status',
    message: 'An invoice whose status is draft cannot be marked uncollectible',
  })
})
