import { expect, test } from 'vitest'
import * as errors from '../../src/core/errors.ts'
import { table } from '../table.ts'

const MADE: Readonly<Record<string, errors.ApiError>> = {
  resource_missing: errors.resourceMissing('customer', 'cus_1'),
  parameter_missing: errors.parameterMissing('currency'),
  parameter_invalid: errors.parameterInvalid('currency', 'No currency'),
  amount_invalid: errors.amountInvalid(),
  amount_too_large: errors.amountTooLarge('Too much'),
  payment_intent_unexpected_state: errors.paymentIntentUnexpectedState('No'),
  invalid_state_transition: errors.invalidStateTransition('No'),
  payment_not_initialized: errors.paymentNotInitialized('No'),
  unsupported_psp_capability: errors.unsupportedPspCapability('pix'),
  internal_error: errors.internalError(),
  card_declined: errors.paymentFailed('card_declined', 'No', {}),
}

test.each(
  table(
    ['code', 'type', 'status', 'param'],
    `
    resource_missing                 invalid_request_error  404  id
    parameter_missing                invalid_request_error  400  currency
    parameter_invalid                invalid_request_error  400  currency
    amount_invalid                   invalid_request_error  400  amount
    amount_too_large                 invalid_request_error  400  amount
    payment_intent_unexpected_state  invalid_request_error  400  -
    invalid_state_transition         invalid_request_error  400  status
    payment_not_initialized          payment_error          400  payment_method
    unsupported_psp_capability       invalid_request_error  422  default_payment_method
    internal_error                   api_error              500  -
    card_declined                    payment_error          402  -
    `,
  ),
)('$code is a $type with status $status and param $param', ({ code, type, status, param }) => {
  expect(MADE[code]).toMatchObject({
    code,
    type,
    status: Number(status),
    param: param === '-' ? null : param,
  })
})

test('an invalid key reveals only that it is invalid', () => {
  expect(errors.invalidApiKey()).toMatchObject({
    status: 401,
    type: 'authentication_error',
    code: null,
    message: 'Invalid API Key provided',
  })
})

test('a failed assertion is not an ApiError', () => {
  expect(() => errors.assert(false, 'it holds')).toThrow(new Error('Assertion failed: it holds'))
  expect(() => errors.assert(true, 'it holds')).not.toThrow()
})
