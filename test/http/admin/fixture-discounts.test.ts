import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Body, startTwin, type Twin } from '../../twin.ts'
import { asOperator } from '../support.ts'

const PRICE = {
  ref: 'pro',
  product: 'pro',
  unit_amount: 2000,
  currency: 'usd',
  recurring: { interval: 'month' },
}
const CARD = { ref: 'card', customer: 'ada', test_id: 'pm_card_visa' }
const SUBSCRIPTION = { customer: 'ada', currency: 'usd', default_payment_method: 'card' }
const SHOP = {
  products: [{ ref: 'pro', name: 'Pro' }],
  prices: [PRICE],
  coupons: [
    { ref: 'half', id: 'HALF', percent_off: 50, duration: 'forever', applies_to: { products: ['pro'] } },
    { ref: 'off', amount_off: 100, currency: 'usd', duration: 'forever' },
  ],
  promotion_codes: [{ ref: 'spring', coupon: 'off', code: 'SPRING', customer: 'ada' }],
  customers: [
    { ref: 'ada', name: 'Ada', promotion_code: 'spring' },
    { ref: 'bob', name: 'Bob', coupon: 'half' },
  ],
  payment_methods: [CARD],
  subscriptions: [
    {
      ...SUBSCRIPTION,
      ref: 'own',
      discounts: [{ coupon: 'HALF' }, { promotion_code: 'spring' }],
      items: [{ price: 'pro' }],
    },
    { ...SUBSCRIPTION, ref: 'item', items: [{ price: 'pro', discounts: [{ coupon: 'off' }] }] },
    { ...SUBSCRIPTION, ref: 'inherited', items: [{ price: 'pro' }] },
  ],
  subscription_schedules: [
    {
      customer: 'ada',
      default_settings: { default_payment_method: 'card' },
      phases: [
        {
          items: [{ price: 'pro', discounts: [{ coupon: 'half' }] }],
          discounts: [{ promotion_code: 'spring' }],
        },
      ],
    },
  ],
}

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

const post = (content: unknown) =>
  asOperator(twin)('POST', 'fixtures', { files: [{ name: 'shop.json', content }] })

describe('coupons and promotion codes of fixtures', () => {
  test('are redeemed by customers, subscriptions, items and phases', async () => {
    const { status, body } = await post(SHOP)
    expect([status, body.error]).toEqual([200, undefined])
    expect(body.counts).toMatchObject({ coupon: 2, promotion_code: 1, customer: 2 })
    const idOf = (ref: string): string => body.made.find((made: Body) => made.ref === ref).id
    expect(idOf('half')).toBe('HALF')
    const totals = new Map<string, number>(
      (await twin.get('/v1/invoices')).data.map(({ subscription, total }: Body) => [subscription, total]),
    )
    // 20.00 − 50 % − 1.00, 20.00 − 1.00 of the item, 20.00 − 1.00 of the customer, 20.00 − 50 % of the item of the phase
    expect(['own', 'item', 'inherited'].map((ref) => totals.get(idOf(ref)))).toEqual([900, 1900, 1900])
    expect([...totals.values()].toSorted()).toEqual([1000, 1900, 1900, 900])
    const customers = await Promise.all(
      ['ada', 'bob'].map((ref) => twin.get(`/v1/customers/${idOf(ref)}?expand[]=discount`)),
    )
    expect(customers.map(({ discount }) => discount.coupon.id)).toEqual([idOf('off'), 'HALF'])
    const { applies_to, times_redeemed } = await twin.get('/v1/coupons/HALF')
    expect([applies_to.products, times_redeemed]).toEqual([[body.made[0].id], 3])
  })

  test.each<[string, string, Body]>([
    [
      'subscriptions[0].discounts[0].promotion_code',
      'an unknown promotion code',
      {
        subscriptions: [
          { ...SUBSCRIPTION, items: [{ price: 'pro' }], discounts: [{ promotion_code: 'sprung' }] },
        ],
      },
    ],
    ['coupons[0].percent_off', 'a coupon that takes off nothing', { coupons: [{ duration: 'once' }] }],
    ['customers[0].coupon', 'an unknown coupon', { customers: [{ ref: 'ada', coupon: 'NONE' }] }],
    [
      'subscription_schedules[0].phases[0].zebra',
      'an unknown name in a phase',
      { subscription_schedules: [{ customer: 'ada', phases: [{ items: [{ price: 'pro' }], zebra: 1 }] }] },
    ],
    [
      'subscriptions[0].discounts[0].zebra',
      'an unknown name in a discount',
      {
        subscriptions: [
          { ...SUBSCRIPTION, items: [{ price: 'pro' }], discounts: [{ coupon: 'half', zebra: 1 }] },
        ],
      },
    ],
  ])('are refused at %s for %s', async (param, _, content) => {
    const before = (await twin.get('/v1/customers')).data.length
    const { status, body } = await post({
      ...{ products: SHOP.products, prices: [PRICE], payment_methods: [CARD] },
      ...{ customers: [{ ref: 'ada' }], ...content },
    })
    expect(`${status} ${body.error?.param}`).toMatch(
      new RegExp(`^40[04] ${param.replaceAll(/[[\]]/g, '\\$&')}$`),
    )
    expect((await twin.get('/v1/customers')).data).toHaveLength(before)
  })
})
