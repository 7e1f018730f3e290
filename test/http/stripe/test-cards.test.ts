import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { errorOf, stripeOfFile } from './sdk.ts'

const { stripe } = stripeOfFile()

describe('a test card', () => {
  test.each([
    ['tok_visa', { brand: 'visa', last4: '4242', country: 'US', funding: 'credit' }],
    ['tok_visa_debit', { brand: 'visa', last4: '5556', funding: 'debit' }],
    ['tok_amex', { brand: 'amex', last4: '0005' }],
    ['tok_de', { brand: 'visa', last4: '0016', country: 'DE' }],
    ['tok_jcb', { brand: 'jcb', last4: '0505', country: 'JP' }],
    ['pm_card_mastercard_prepaid', { brand: 'mastercard', last4: '5100', funding: 'prepaid' }],
  ])('%s is that of Stripe, also when a customer is created with it', async (payment_method, card) => {
    const { id } = await stripe.customers.create({ payment_method })
    const { data } = await stripe.customers.listPaymentMethods(id)
    expect(data).toHaveLength(1)
    expect(data[0]?.card).toMatchObject(card)
    const { latest_charge } = await stripe.paymentIntents.create({
      amount: 100,
      currency: 'usd',
      customer: id,
      payment_method: data[0]?.id ?? '',
      confirm: true,
      expand: ['latest_charge'],
    })
    expect((latest_charge as Stripe.Charge).payment_method_details?.card).toMatchObject(card)
  })

  test.each([
    ['pm_card_visa_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_visa_chargeDeclinedVelocityLimitExceeded', 'card_declined', 'card_velocity_exceeded'],
    ['tok_chargeDeclinedExpiredCard', 'expired_card', ''],
    ['tok_visa_chargeDeclinedLostCard', 'card_declined', 'lost_card'],
  ])(
    '%s is refused when a customer is created with it, and nothing is written',
    async (payment_method, code, decline_code) => {
      const before = (await stripe.customers.list({ limit: 100 })).data.length
      const error = await errorOf(stripe.customers.create({ payment_method }))
      expect(error).toMatchObject({ type: 'StripeCardError', statusCode: 402, code })
      expect(error.decline_code).toBe(decline_code)
      expect((await stripe.customers.list({ limit: 100 })).data).toHaveLength(before)
    },
  )

  test('4000000000000341 is attached, and declined when it is charged', async () => {
    const { id: customer } = await stripe.customers.create({ payment_method: 'tok_chargeCustomerFail' })
    const [method] = (await stripe.customers.listPaymentMethods(customer)).data
    const charged = {
      amount: 100,
      currency: 'usd',
      customer,
      payment_method: method?.id ?? '',
      confirm: true,
    }
    expect(await errorOf(stripe.paymentIntents.create(charged))).toMatchObject({ code: 'card_declined' })
  })

  test.each([
    ['4111111111111111', 'card[number]'],
    ['5105105105105101', 'card[number]'],
  ])('is not the number %s, which is refused and not shown', async (number, param) => {
    const error = await errorOf(stripe.paymentMethods.create({ type: 'card', card: { number } as never }))
    expect(error).toMatchObject({ statusCode: 400, param })
    expect(JSON.stringify(error)).not.toContain(number)
  })

  test('is not an unknown token', async () => {
    const error = await errorOf(
      stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_unknown' } }),
    )
    expect(error).toMatchObject({ statusCode: 400, param: 'card[token]' })
  })
})
