import type Stripe from 'stripe'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { UnitOfWork } from '../../../src/engine/machine/unit.ts'
import { pagesOf } from '../visitor.ts'
import { stripeOfFile } from './sdk.ts'

const JAN_31 = 1_769_853_600
const FEB_28 = 1_772_272_800
const HOUR = 3_600
const DAY = 24 * HOUR

const sdk = stripeOfFile()
const { stripe } = sdk
const pages = pagesOf((url, init) => sdk.twin.sandbox.app.request(url, init))
let large: string
let small: string
beforeAll(async () => {
  const priced = async (name: string, unit_amount: number) => {
    const recurring = { interval: 'month' } as const
    const given = { currency: 'usd', unit_amount, recurring, product_data: { name } }
    return (await stripe.prices.create(given)).id
  }
  large = await priced('Large', 5000)
  small = await priced('Small', 300)
})

async function subscribe() {
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: JAN_31 })
  const { id: customer } = await stripe.customers.create({
    test_clock: clock,
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  })
  const { id: subscription } = await stripe.subscriptions.create({ customer, items: [{ price: large }] })
  return { clock, customer, subscription }
}

type Made = Awaited<ReturnType<typeof subscribe>>

const amountsOf = ({ total, starting_balance, amount_due }: Stripe.Invoice) => ({
  total,
  starting_balance,
  amount_due,
})

async function newest(subscription: string): Promise<Stripe.Invoice> {
  const [invoice] = (await stripe.invoices.list({ subscription, limit: 1 })).data
  if (!invoice) throw new Error('The subscription has no invoice')
  return invoice
}

async function announced({ customer }: Made): Promise<Stripe.Invoice | undefined> {
  const all = await stripe.events.list({ type: 'invoice.upcoming' }).autoPagingToArray({ limit: 100 })
  return all.map(({ data }) => data.object as Stripe.Invoice).find((each) => each.customer === customer)
}

async function portalOf({ customer }: Made): Promise<string> {
  const { url } = await stripe.billingPortal.sessions.create({ customer })
  return (await pages.open(url)).text
}

/** The next invoice is a draft at first. Its finalization applies the balance. */
describe('the next invoice has the balance of the customer applied', () => {
  test.each([
    ['a credit', -1500, 3500, '$35.00'],
    ['a credit that covers it', -7000, 0, '$0.00'],
    ['a debt', 2500, 7500, '$75.00'],
  ])('%s: in previews, the portal and invoice.upcoming', async (_what, balance, amount_due, text) => {
    const made = await subscribe()
    const { clock, customer, subscription } = made
    await stripe.customers.update(customer, { balance })
    const expected = { total: 5000, starting_balance: balance, amount_due }
    expect(amountsOf(await stripe.invoices.createPreview({ subscription }))).toEqual(expected)
    const path = `/v1/invoices/upcoming?subscription=${subscription}`
    const older = await sdk.twin.request('GET', path, undefined, { 'Stripe-Version': '2024-06-20' })
    expect(older.body).toMatchObject(expected)
    expect(await portalOf(made)).toContain(`Next invoice: ${text} on February 28, 2026`)
    await sdk.advance(clock, FEB_28 - 7 * DAY)
    expect(await announced(made)).toMatchObject(expected)
    await sdk.advance(clock, FEB_28)
    expect(amountsOf(await newest(subscription))).toEqual({
      ...expected,
      ...{ starting_balance: 0, amount_due: 5000 },
    })
    await sdk.advance(clock, FEB_28 + HOUR)
    expect(await newest(subscription)).toMatchObject({ ...expected, status: 'paid' })
  })

  test.each([
    ['a credit', -1500, 3500],
    ['a debt', 2500, 7500],
    ['a credit that is larger', -7000, 0],
  ])('%s that the draft of the hour before will use is not applied twice', async (_what, balance, used) => {
    const made = await subscribe()
    const { clock, customer, subscription } = made
    await stripe.customers.update(customer, { balance })
    await sdk.advance(clock, FEB_28 + 60)
    const left = balance + 5000 - used
    const expected = { total: 5000, starting_balance: left, amount_due: 5000 + left }
    expect(amountsOf(await stripe.invoices.createPreview({ subscription }))).toEqual(expected)
    await sdk.advance(clock, FEB_28 + HOUR)
    expect(await newest(subscription)).toMatchObject({ starting_balance: balance, amount_due: used })
    await sdk.advance(clock, FEB_28 + 32 * DAY)
    expect(amountsOf(await newest(subscription))).toEqual(expected)
  })

  describe('in the hour of a draft', () => {
    /** Changes a subscription with a debt of 25.00 in the hour of its draft. */
    async function inDraftHour(change: (made: Made) => Promise<unknown>) {
      const made = await subscribe()
      await stripe.customers.update(made.customer, { balance: 2500 })
      await sdk.advance(made.clock, FEB_28 + 60)
      await change(made)
      return made
    }

    const itemOf = async ({ subscription }: Made) =>
      (await stripe.subscriptions.retrieve(subscription)).items.data[0]?.id ?? ''

    test.each<[what: string, change: (made: Made) => Promise<unknown>, Partial<Stripe.Invoice>]>([
      [
        'after the credit of a change',
        async (made) =>
          stripe.subscriptions.update(made.subscription, {
            items: [{ id: await itemOf(made), price: small }],
            proration_behavior: 'always_invoice',
          }),
        { total: 300, starting_balance: 0, amount_due: 300 },
      ],
      [
        'for the final invoice of a planned cancellation',
        async ({ customer, subscription }) => {
          await stripe.subscriptions.update(subscription, { cancel_at_period_end: true })
          await stripe.invoiceItems.create({ customer, subscription, amount: 700, currency: 'usd' })
        },
        { total: 700, starting_balance: 0, amount_due: 700 },
      ],
      [
        'for an invoice that will be voided',
        ({ subscription }) =>
          stripe.subscriptions.update(subscription, { pause_collection: { behavior: 'void' } }),
        { total: 5000, starting_balance: 0, amount_due: 5000 },
      ],
    ])('the draft uses it first: %s', async (_what, change, expected) => {
      const { clock, subscription } = await inDraftHour(change)
      const preview = () => stripe.invoices.createPreview({ subscription })
      expect(amountsOf(await preview())).toEqual(expected)
      await sdk.advance(clock, FEB_28 + HOUR)
      expect(amountsOf(await preview())).toEqual(expected)
      await sdk.advance(clock, FEB_28 + 31 * DAY + HOUR)
      expect(amountsOf(await newest(subscription))).toEqual(expected)
    })

    test('the draft uses it first, also for usage that was reported late', async () => {
      const meter = await stripe.billing.meters.create({
        display_name: 'Calls',
        event_name: 'calls',
        default_aggregation: { formula: 'sum' },
      })
      const { id: metered } = await stripe.prices.create({
        currency: 'usd',
        unit_amount: 7,
        recurring: { interval: 'month', usage_type: 'metered', meter: meter.id },
        product_data: { name: 'Calls' },
      })
      const { clock, customer, subscription } = await subscribe()
      await stripe.subscriptions.update(subscription, { items: [{ price: metered }] })
      await stripe.customers.update(customer, { balance: -7000 })
      await sdk.advance(clock, FEB_28 + 600)
      await stripe.billing.meterEvents.create({
        event_name: 'calls',
        payload: { stripe_customer_id: customer, value: '200' },
        timestamp: FEB_28 - 100,
      })
      const expected = { total: 5000, starting_balance: -600, amount_due: 4400 }
      expect(amountsOf(await stripe.invoices.createPreview({ subscription }))).toEqual(expected)
      await sdk.advance(clock, FEB_28 + HOUR)
      expect(await newest(subscription)).toMatchObject({ total: 6400, ending_balance: -600 })
      expect(amountsOf(await stripe.invoices.createPreview({ subscription }))).toEqual(expected)
    })

    test('at most ten drafts are finalized for a preview', async () => {
      const { clock, subscription } = await inDraftHour(({ subscription }) =>
        stripe.subscriptions.update(subscription, { pause_collection: { behavior: 'keep_as_draft' } }),
      )
      await sdk.advance(clock, FEB_28 + 400 * DAY)
      const drafts = await stripe.invoices.list({ subscription, status: 'draft', limit: 100 })
      expect(drafts.data.length).toBeGreaterThan(10)
      for (const { id } of drafts.data) await stripe.invoices.update(String(id), { auto_advance: true })
      const rehearse = vi.spyOn(UnitOfWork.prototype, 'rehearse')
      onTestFinished(() => rehearse.mockRestore())
      await stripe.invoices.createPreview({ subscription })
      // The renewal, and the drafts before it.
      expect(rehearse).toHaveBeenCalledTimes(11)
    })
  })

  test('with what the previewed change leaves in the balance', async () => {
    const made = await subscribe()
    const { product } = await stripe.prices.retrieve(small)
    const configuration = await stripe.billingPortal.configurations.create({
      features: {
        subscription_update: {
          enabled: true,
          default_allowed_updates: ['price'],
          proration_behavior: 'always_invoice',
          products: [{ product: String(product), prices: [small] }],
        },
      },
    })
    const session = await stripe.billingPortal.sessions.create({
      customer: made.customer,
      configuration: configuration.id,
    })
    const confirm = `${session.url}/subscriptions/${made.subscription}/confirm?price=${small}`
    const page = await pages.open(confirm)
    // 50.00 are credited, and 3.00 billed.
    expect(page.text).toMatch(/Credit balance \$47\.00 .*Due now \$0\.00 .*Next invoice on .* \$0\.00/)
    await pages.press(page, 'Confirm')
    await sdk.advance(made.clock, FEB_28 + HOUR)
    expect(amountsOf(await newest(made.subscription))).toEqual({
      ...{ total: 300, starting_balance: -4700, amount_due: 0 },
    })
  })

  test('with what a pending update returns to the balance before', async () => {
    const { clock, customer, subscription } = await subscribe()
    await stripe.customers.update(customer, { balance: -100 })
    const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer })
    await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card.id } })
    const { items } = await stripe.subscriptions.retrieve(subscription)
    await stripe.subscriptions.update(subscription, {
      items: [{ id: items.data[0]?.id ?? '', price: large, quantity: 2 }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'pending_if_incomplete',
    })
    expect((await stripe.customers.retrieve(customer)) as Stripe.Customer).toMatchObject({ balance: 0 })
    const expected = { total: 5000, starting_balance: -100, amount_due: 4900 }
    expect(amountsOf(await stripe.invoices.createPreview({ subscription }))).toEqual(expected)
    await sdk.advance(clock, FEB_28 + HOUR)
    expect(amountsOf(await newest(subscription))).toEqual(expected)
  })
})

test('a new period is prorated by default, as the change itself', async () => {
  const { clock, subscription } = await subscribe()
  await sdk.advance(clock, JAN_31 + 10 * DAY)
  const change = { billing_cycle_anchor: 'now' }
  const shown = await sdk.twin.post('/v1/invoices/create_preview', {
    subscription,
    subscription_details: change,
  })
  const path = `/v1/invoices/upcoming?subscription=${subscription}&subscription_billing_cycle_anchor=now`
  const older = await sdk.twin.request('GET', path, undefined, { 'Stripe-Version': '2024-06-20' })
  await sdk.twin.post(`/v1/subscriptions/${subscription}`, change)
  const { total } = await newest(subscription)
  expect(total).toBeLessThan(5000)
  expect([shown.total, older.body.total]).toEqual([total, total])
})
