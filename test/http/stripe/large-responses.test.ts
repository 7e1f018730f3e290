import { expect, test } from 'vitest'
import { boundedText } from '../../../src/http/bounded-text.ts'
import { errorOf, stripeOfFile } from './sdk.ts'

const { stripe } = stripeOfFile()

test('a response of more than 32 MiB is refused, and shorter ones are not', async () => {
  const prices: string[] = []
  while (prices.length < 20)
    prices.push(
      (
        await stripe.prices.create({
          product_data: { name: 'Pro' },
          currency: 'usd',
          unit_amount: 2000,
          recurring: { interval: 'month' },
        })
      ).id,
    )
  const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`key${n}`, 'x'.repeat(480)]))
  const { id: customer } = await stripe.customers.create({ payment_method: 'pm_card_visa' })
  const [card] = (await stripe.customers.listPaymentMethods(customer)).data
  const items = prices.map((price) => ({ price, metadata }))
  for (let made = 0; made < 20; made += 1)
    await stripe.subscriptions.create({ customer, items, default_payment_method: card?.id ?? '' })
  const list = (limit: number) =>
    stripe.subscriptions.list({ limit, expand: ['data.customer.subscriptions'] })
  expect((await list(5)).data).toHaveLength(5)
  expect(await errorOf(list(100))).toMatchObject({
    statusCode: 400,
    param: 'expand',
    message: expect.stringMatching(/^expand adds more than 32 MiB to the response\. Expand fewer paths/),
  })
})

test('a text that V8 cannot make is refused too', () => {
  expect(() => boundedText(() => 'x'.repeat(2 ** 30), 'limit')).toThrow('Request a shorter list')
  const other = new RangeError('another one')
  expect(() =>
    boundedText(() => {
      throw other
    }, 'limit'),
  ).toThrow(other)
})
