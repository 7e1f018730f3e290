import { expect, test } from 'vitest'
import { change, SUCCESS, submit } from './checkout.ts'
import { idOf, stripeOfFile } from './sdk.ts'

/** The card of a customer whose payments fail. */
const DECLINED = 'pm_card_chargeCustomerFail'

const sdk = stripeOfFile()
const { stripe } = sdk

const priceOf = async (name: string, given: { unit_amount: number; recurring?: { interval: 'month' } }) => {
  const { id: product } = await stripe.products.create({ name })
  const { id: price } = await stripe.prices.create({ product, currency: 'usd', ...given })
  return { product, price }
}

/** Makes a plan, a setup fee with a coupon for its product only, and a customer with a card. */
async function shop(payment_method = 'pm_card_visa') {
  const plan = await priceOf('Plan', { unit_amount: 2000, recurring: { interval: 'month' } })
  const fee = await priceOf('Setup', { unit_amount: 1000 })
  const { id: coupon } = await stripe.coupons.create({
    amount_off: 300,
    currency: 'usd',
    duration: 'forever',
    applies_to: { products: [fee.product] },
  })
  const { id: customer } = await stripe.customers.create({
    payment_method,
    invoice_settings: { default_payment_method: payment_method },
  })
  return { plan: plan.price, fee: fee.price, coupon, customer }
}

/** Lists what the newest invoice of a subscription takes off its lines, which are a fee and others. */
async function takenOff(subscription: string) {
  const [invoice] = (await stripe.invoices.list({ subscription, limit: 1 })).data
  return {
    total: invoice?.total,
    lines: invoice?.lines.data.map((line) => [
      line.amount,
      (line.discount_amounts ?? []).map(({ amount }) => amount),
    ]),
  }
}

/** The first invoice of a plan and a fee that is reduced. */
const REDUCED_FEE = {
  total: 2700,
  lines: [
    [1000, [300]],
    [2000, []],
  ],
}

test('a coupon for a product reduces its one-time price on the first invoice of a subscription', async () => {
  const { plan, fee, coupon, customer } = await shop()
  const { id } = await stripe.subscriptions.create({
    customer,
    items: [{ price: plan }],
    add_invoice_items: [{ price: fee }],
    discounts: [{ coupon }],
  })
  expect(await takenOff(id)).toEqual(REDUCED_FEE)
})

const HOW = ['as its discount', 'as the promotion code of the customer'] as const

test.each(HOW)(
  'in Checkout, a coupon for a product, %s, reduces its one-time price, and the total agrees',
  async (how) => {
    const { plan, fee, coupon, customer } = await shop()
    const isCode = how === HOW[1]
    const { id } = await stripe.checkout.sessions.create({
      ...SUCCESS,
      mode: 'subscription',
      customer,
      line_items: [
        { price: plan, quantity: 1 },
        { price: fee, quantity: 1 },
      ],
      ...(isCode ? { allow_promotion_codes: true } : { discounts: [{ coupon }] }),
    })
    if (isCode) {
      const { code } = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } })
      await change(sdk, id, { promotion_code: code })
    }
    const shown = { amount_subtotal: 3000, amount_total: 2700, total_details: { amount_discount: 300 } }
    expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject(shown)
    await submit(sdk, id)
    const completed = await stripe.checkout.sessions.retrieve(id)
    expect(completed).toMatchObject({ status: 'complete', ...shown })
    expect(await takenOff(idOf(completed.subscription))).toEqual(REDUCED_FEE)
  },
)

test('a coupon for a product reduces an item that waits again after a discarded update', async () => {
  const { plan, fee, coupon, customer } = await shop()
  const { id, items } = await stripe.subscriptions.create({
    customer,
    items: [{ price: plan }],
    discounts: [{ coupon }],
  })
  await stripe.invoiceItems.create({ customer, subscription: id, pricing: { price: fee } })
  const { id: declined } = await stripe.paymentMethods.attach(DECLINED, { customer })
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: declined } })
  const { pending_update } = await stripe.subscriptions.update(id, {
    items: items.data.map((item) => ({ id: item.id, quantity: 2 })),
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
  })
  expect(pending_update).not.toBeNull()
  await stripe.subscriptions.cancel(id, { invoice_now: true })
  expect(await takenOff(id)).toEqual({ total: 700, lines: [[1000, [300]]] })
})
