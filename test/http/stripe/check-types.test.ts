import { beforeAll, describe, expect, test } from 'vitest'
import { typeErrorsIn } from './check-types.ts'
import { startStripe } from './sdk.ts'

describe('the check of responses against the types of the SDK', () => {
  let price: object
  let subscription: { items: { data: [object] } }
  beforeAll(async () => {
    const { stripe, twin, close } = await startStripe()
    const { id: product } = await stripe.products.create({ name: 'Pro' })
    const recurring = { interval: 'month' } as const
    const { id } = await stripe.prices.create({ product, currency: 'usd', unit_amount: 2000, recurring })
    const customer = await stripe.customers.create()
    const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
    const created = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: id }],
      default_payment_method: card.id,
    })
    price = await twin.get(`/v1/prices/${id}`)
    subscription = (await twin.get(`/v1/subscriptions/${created.id}`)) as typeof subscription
    await close()
  })

  test('accepts responses as they are', () => {
    expect(typeErrorsIn(price)).toEqual([])
    expect(typeErrorsIn(subscription)).toEqual([])
  })

  test.each([
    ['a field of another type', { unit_amount: '2000' }, /^\.unit_amount is "2000"$/],
    ['a value that is not allowed', { billing_scheme: 7 }, /^\.billing_scheme is 7$/],
    ['an unknown field', { merchant_id: 'mer_1' }, /^\.merchant_id is not declared$/],
    ['a missing field', { active: undefined }, /^\.active is missing$/],
    ['a value in place of an object', { recurring: 'monthly' }, /^\.recurring is "monthly"$/],
  ])('reports %s', (_what, change, error) => {
    expect(typeErrorsIn(JSON.parse(JSON.stringify({ ...price, ...change })))).toEqual([
      expect.stringMatching(error),
    ])
  })

  test('reports errors within lists, events and unknown objects', () => {
    const [item] = subscription.items.data
    const wrong = { ...subscription.items, data: [{ ...item, quantity: '1' }] }
    expect(typeErrorsIn({ ...subscription, items: wrong })).toEqual([
      expect.stringContaining('.items.data[0].quantity'),
    ])
    expect(typeErrorsIn({ object: 'event', data: { object: { ...price, more: 1 } } })).toEqual([
      '.data.object.more is not declared',
    ])
    expect(typeErrorsIn({ object: 'nothing' })).toEqual([' has the unknown object nothing'])
  })
})
