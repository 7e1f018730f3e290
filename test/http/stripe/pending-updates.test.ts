import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import type { Body } from '../../twin.ts'
import { customerOnClock, errorOf, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk

const JAN_31 = 1_769_853_600
const DAY = 86_400

/** Creates a subscription with a card for its changes, and a change of its price that waits for the payment. */
async function waiting(token: string, params: Body = {}) {
  const { clock, customer } = await customerOnClock(stripe, JAN_31)
  const { id: product } = await stripe.products.create({ name: 'Pro' })
  const priceOf = async (unit_amount: number) =>
    (await stripe.prices.create({ product, currency: 'usd', unit_amount, recurring: { interval: 'month' } }))
      .id
  const { id, items } = await stripe.subscriptions.create({
    customer,
    items: [{ price: await priceOf(2000) }],
  })
  const item = items.data[0]?.id ?? ''
  const card = await stripe.paymentMethods.attach(token, { customer })
  await stripe.subscriptions.update(id, { default_payment_method: card.id })
  await sdk.advance(clock, JAN_31 + DAY)
  const { latest_invoice, pending_update } = await stripe.subscriptions.update(id, {
    items: [{ id: item, price: await priceOf(5000) }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
    ...params,
  })
  expect(pending_update).not.toBeNull()
  return { id, clock, customer, item, invoice: latest_invoice as string }
}

describe('a pending update whose invoice is marked uncollectible', () => {
  test('cannot be paid by the authentication that it waited for', async () => {
    const { id, invoice } = await waiting('pm_card_authenticationRequired')
    const [intent] = (await stripe.paymentIntents.list({ limit: 1 })).data
    expect(intent?.status).toBe('requires_action')
    expect((await stripe.invoices.markUncollectible(invoice)).status).toBe('void')
    const settled = stripe.rawRequest('POST', `/v1/test_helpers/payment_intents/${intent?.id}/settle`, {
      outcome: 'succeed',
    })
    expect(await errorOf(settled)).toMatchObject({ statusCode: 400 })
    expect((await stripe.paymentIntents.retrieve(intent?.id ?? '')).status).toBe('canceled')
    expect((await stripe.subscriptions.retrieve(id)).pending_update).toBeNull()
  })
})

type Waiting = Awaited<ReturnType<typeof waiting>>

describe('a pending update that is dropped', () => {
  /** Lists the events of a customer and its invoice while a step runs, oldest first. */
  const eventsOf = async ({ customer, invoice }: Waiting, step: () => Promise<unknown>) => {
    const [last] = (await stripe.events.list({ limit: 1 })).data
    await step()
    const { data } = await stripe.events.list({ ending_before: last?.id ?? '', limit: 100 })
    return data.toReversed().filter(({ data: { object } }) => {
      const { id, customer: owner, object: kind } = object as Body
      return kind === 'invoice'
        ? id === invoice
        : id === customer || (owner === customer && kind === 'subscription')
    })
  }
  const changed = ({ type, data: { previous_attributes } }: Stripe.Event) =>
    type.endsWith('.updated') ? `${type} ${Object.keys(previous_attributes ?? {})}` : type

  test.each<[string, (given: Waiting) => Promise<unknown>, string[]]>([
    [
      'because it expires',
      ({ clock }) => sdk.advance(clock, JAN_31 + 2 * DAY),
      [
        'invoice.voided',
        'customer.subscription.updated pending_update',
        'customer.subscription.pending_update_expired',
        'customer.updated delinquent',
      ],
    ],
    [
      'with its invoice, which is voided',
      ({ invoice }) => stripe.invoices.voidInvoice(invoice),
      ['invoice.voided', 'customer.subscription.updated pending_update', 'customer.updated delinquent'],
    ],
    [
      'with its invoice, which is marked uncollectible',
      ({ invoice }) => stripe.invoices.markUncollectible(invoice),
      [
        'invoice.marked_uncollectible',
        'invoice.voided',
        'customer.subscription.updated pending_update',
        'customer.updated delinquent',
      ],
    ],
    [
      'by another update',
      ({ id, item }) =>
        stripe.subscriptions.update(id, { items: [{ id: item, quantity: 2 }], proration_behavior: 'none' }),
      [
        'invoice.voided',
        'customer.subscription.updated pending_update',
        'customer.updated delinquent',
        'customer.subscription.updated items',
      ],
    ],
    [
      'by a cancellation',
      ({ id }) => stripe.subscriptions.cancel(id),
      ['invoice.voided', 'customer.subscription.deleted', 'customer.updated delinquent'],
    ],
  ])(
    '%s, is reported with the events of its changes, and then that the customer owes nothing',
    async (_, drop, expected) => {
      const given = await waiting('pm_card_chargeCustomerFail', { billing_cycle_anchor: 'now' })
      expect((await eventsOf(given, () => drop(given))).map(changed)).toEqual(expected)
    },
  )
})
