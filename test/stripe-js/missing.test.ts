import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

// The types of browsers are not those of the tests, so the module is not imported with its types.
const { stripeOf } = await import(join(import.meta.dirname, '../../src/stripe-js/stripe.ts'))
const stripe = stripeOf('pk_test_123')

describe('a missing part of paytwin/stripe-js', () => {
  test.each([
    ['createConfirmationToken', 'confirmPayment or confirmSetup'],
    ['initCheckout', "a Checkout session with ui_mode 'hosted_page'"],
    ['initEmbeddedCheckout', "a Checkout session with ui_mode 'hosted_page'"],
    ['createToken', 'createPaymentMethod'],
  ])('%s is refused with what to use', (name, use) => {
    expect(() => stripe[name]()).toThrow(`paytwin/stripe-js does not have ${name} yet. Use ${use}`)
  })

  test.each([
    ['address', 'Use fields of your own, and pass the address as confirmParams.payment_method_data'],
    ['iban', 'Elements have cards only'],
    ['unknown', 'It has: payment, card, cardNumber'],
  ])('the element %s is refused, and the error names the alternative', (type, use) => {
    expect(() => stripe.elements().create(type)).toThrow(`paytwin/stripe-js has no element '${type}'.`)
    expect(() => stripe.elements().create(type)).toThrow(use)
  })
})
