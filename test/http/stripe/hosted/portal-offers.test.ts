import { afterEach, expect, test, vi } from 'vitest'
import { Statement } from '../../../../src/store/statements.ts'
import { pagesOf } from '../../visitor.ts'
import { errorOf, stripeOfFile } from '../sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk
const pages = pagesOf((url, init) => sdk.twin.sandbox.app.request(url, init), { follows: true })
afterEach(() => {
  vi.restoreAllMocks()
})

const MONTHLY = { currency: 'usd', unit_amount: 1000, recurring: { interval: 'month' } } as const
const PRICES = 30

/** Creates a product with prices. The metadata names the kind, so that what is read of it can be counted. */
async function makeProduct() {
  const { id: product } = await stripe.products.create({ name: 'Pro', metadata: { of: 'a product' } })
  const prices: string[] = []
  while (prices.length < PRICES)
    prices.push((await stripe.prices.create({ ...MONTHLY, product, metadata: { of: 'a price' } })).id)
  return { product, prices }
}

async function subscribed(price: string) {
  const { id: customer } = await stripe.customers.create({
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  })
  const { id, items } = await stripe.subscriptions.create({ customer, items: [{ price }] })
  return { customer, subscription: id, item: items.data[0]?.id ?? '' }
}

const configure = (products: { product: string; prices: string[] }[]) =>
  stripe.billingPortal.configurations.create({
    features: { subscription_update: { enabled: true, default_allowed_updates: ['price'], products } },
  })

/** Counts the prices and products that the store reads with their metadata during some work, none of which is in memory before. */
async function wholeRead<T>(work: () => Promise<T>) {
  sdk.twin.sandbox.engine.store.objects.forget()
  const spies = [vi.spyOn(Statement.prototype, 'get'), vi.spyOn(Statement.prototype, 'all')]
  const result = await work()
  const rows = spies.flatMap(({ mock }) => mock.results.flatMap(({ value }) => JSON.stringify(value) ?? ''))
  vi.restoreAllMocks()
  const count = (kind: string) => rows.reduce((sum, row) => sum + row.split(`"of":"${kind}"`).length - 1, 0)
  return { result, prices: count('a price'), products: count('a product') }
}

test('the many prices of a configuration are read whole neither to check nor to show them', async () => {
  const listed = await makeProduct()
  const [current = '', ...others] = listed.prices
  const wanted = others.at(-1) ?? ''
  const { customer, subscription, item } = await subscribed(current)
  const made = await wholeRead(() => configure([listed]))
  expect(made).toMatchObject({ prices: 0, products: 1 })
  const configuration = made.result.id
  const { url } = await stripe.billingPortal.sessions.create({ customer, configuration })
  const path = `${url}/subscriptions/${subscription}`

  const shown = await wholeRead(() => pages.open(`${path}/update`))
  for (const price of listed.prices) expect(shown.result.html).toContain(`value="${price}"`)
  expect(shown.result.html.split('Pro, $10.00 per month')).toHaveLength(PRICES + 1)
  expect(shown).toMatchObject({ prices: 1, products: 0 })

  const preview = await wholeRead(() => pages.open(`${path}/confirm?price=${wanted}`))
  expect(preview.result.html).toContain(`name="price" value="${wanted}"`)
  expect(preview.prices).toBe(2)

  const flow = await wholeRead(() =>
    stripe.billingPortal.sessions.create({
      ...{ customer, configuration },
      flow_data: {
        type: 'subscription_update_confirm',
        subscription_update_confirm: { subscription, items: [{ id: item, price: wanted }] },
      },
    }),
  )
  expect(flow).toMatchObject({ prices: 2, products: 0 })
})

test('a configuration names the first price that it cannot offer, and why', async () => {
  const { product, prices } = await makeProduct()
  const foreign = (await stripe.prices.create({ ...MONTHLY, product_data: { name: 'Other' } })).id
  const once = (await stripe.prices.create({ currency: 'usd', unit_amount: 100, product })).id
  const refusals: [price: string, message: string][] = [
    [foreign, `The price '${foreign}' does not belong to the product '${product}'`],
    [once, `The price '${once}' is not recurring`],
    ['price_unknown', "No such price: 'price_unknown'"],
  ]
  for (const [price, message] of refusals)
    expect(
      await errorOf(configure([{ product, prices: [...prices.slice(0, 2), price, foreign] }])),
    ).toMatchObject({ message, param: 'features[subscription_update][products][0][prices][2]' })
})

test('without products, the page shows the newest hundred prices and accepts every offered one', async () => {
  const { customer, subscription } = await subscribed(
    (await stripe.prices.create({ ...MONTHLY, product_data: { name: 'Basic' } })).id,
  )
  const old = (await stripe.prices.create({ ...MONTHLY, product_data: { name: 'Old' } })).id
  const other = (await stripe.prices.create({ ...MONTHLY, currency: 'eur', product_data: { name: 'Other' } }))
    .id
  const { product } = await makeProduct()
  for (let n = PRICES; n < 100; n += 1) await stripe.prices.create({ ...MONTHLY, product })
  const { url } = await stripe.billingPortal.sessions.create({ customer })
  const path = `${url}/subscriptions/${subscription}`
  const shown = await wholeRead(() => pages.open(`${path}/update`))
  expect(shown.result.html.split('type="radio"')).toHaveLength(102)
  expect(shown.result.html).not.toContain(old)
  expect(shown).toMatchObject({ prices: 0, products: 0 })
  expect((await pages.open(`${path}/confirm?price=${old}`)).html).toContain(`name="price" value="${old}"`)
  expect((await pages.open(`${path}/confirm?price=${other}`)).html).toContain('is not among those')
})
