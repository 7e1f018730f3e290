import { expect, onTestFinished, test } from 'vitest'
import { asOperator } from '../../support.ts'
import { pagesOf, submissionOf } from '../../visitor.ts'
import { startStripe } from '../sdk.ts'

test('a form that waits while a snapshot is restored is served in the restored state', async () => {
  const sdk = await startStripe()
  onTestFinished(() => sdk.close())
  const { stripe, twin } = sdk
  const reported: unknown[] = []
  twin.sandbox.engine.listen({ failed: (error) => reported.push(error) })
  const operate = asOperator(twin)
  const { id: price } = await stripe.prices.create({
    currency: 'usd',
    unit_amount: 100,
    recurring: { interval: 'day' },
    product_data: { name: 'Daily' },
  })
  const { id: customer } = await stripe.customers.create({
    invoice_settings: { default_payment_method: 'pm_card_visa' },
    payment_method: 'pm_card_visa',
  })
  await stripe.subscriptions.create({ customer, items: [{ price }] })
  const { url } = await stripe.billingPortal.sessions.create({
    customer,
    return_url: 'https://shop.example/',
  })
  await operate('POST', 'snapshots', { name: 'before' })
  const pages = pagesOf((path, init) => twin.sandbox.app.request(path, init), { follows: true })
  const form = submissionOf(await pages.open(`${url}/details`), 'Save', { name: 'Late' })

  await operate('POST', 'clock/advance', { by: '1y', async: true })
  const restored = operate('POST', 'snapshots/before/restore')
  const [page] = await Promise.all([pages.send(form), restored])
  expect(page.status).toBe(200)
  expect((await restored).status).toBe(200)
  expect((await stripe.customers.retrieve(customer)) as object).toMatchObject({ name: 'Late' })
  expect(reported).toEqual([])
})
