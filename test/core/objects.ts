import type { EndingAccount } from '../../src/core/billing/account.ts'
import type { Customer } from '../../src/core/customer.ts'
import { draftInvoice, finalized, type Invoice, isOutstanding } from '../../src/core/invoice.ts'
import { applyBalance } from '../../src/core/invoice-balance.ts'
import { NO_NOTICES } from '../../src/core/notices.ts'
import { newPaymentIntent, type PaymentIntent } from '../../src/core/payment-intent.ts'
import { cardDetails, type PaymentMethod } from '../../src/core/payment-method.ts'
import type { Price } from '../../src/core/price.ts'
import { RULES } from '../../src/core/rules.ts'
import { newSubscription, type Prices, type Subscription } from '../../src/core/subscription.ts'

/** 31 January 2026, 10 o'clock. */
export const NOW = 1_769_853_600
export const DAY = 86_400

export const aPrice = (given: Partial<Price> = {}): Price => ({
  id: 'price_1',
  created: NOW,
  product: null,
  nickname: null,
  unit_amount: 2000,
  unit_amount_decimal: null,
  tiers_mode: null,
  tiers: null,
  transform_quantity: null,
  currency: 'usd',
  recurring: { interval: 'month', interval_count: 1 },
  active: true,
  lookup_key: null,
  metadata: {},
  ...given,
})

export const pricesOf = (...prices: Price[]): Prices => new Map(prices.map((price) => [price.id, price]))

export const aCustomer = (given: Partial<Customer> = {}): Customer => ({
  id: 'cus_1',
  created: NOW,
  email: null,
  name: 'Ada',
  description: null,
  metadata: {},
  default_payment_method: null,
  invoice_prefix: 'ABCDEFGH',
  next_invoice_number: 1,
  delinquent: false,
  balances: {},
  discount: null,
  test_clock: null,
  deleted: false,
  contact: null,
  ...given,
})

export const aCard = (given: Partial<PaymentMethod> = {}): PaymentMethod => ({
  id: 'pm_1',
  created: NOW,
  type: 'card',
  customer: 'cus_1',
  card: cardDetails('pm_card_visa', 'fingerprint'),
  metadata: {},
  test_card: 'pm_card_visa',
  script: null,
  is_set_up: false,
  billing_details: null,
  ...given,
})

export const aPix = (): PaymentMethod => aCard({ type: 'pix', card: null, test_card: null })

/** A subscription that began now, in the given state. */
export const aSubscription = (given: Partial<Subscription> = {}): Subscription => ({
  ...newSubscription(
    {
      id: 'sub_1',
      created: NOW,
      customer: 'cus_1',
      currency: 'usd',
      collection_method: 'charge_automatically',
      days_until_due: null,
      default_payment_method: 'pm_1',
      description: null,
      items: [{ id: 'si_1', created: NOW, price: 'price_1', quantity: 1, metadata: {} }],
      trial_end: null,
      missing_payment_method: 'create_invoice',
      metadata: {},
      test_clock: null,
    },
    pricesOf(aPrice()),
  ),
  ...given,
})

export const aDraft = (given: Partial<Invoice> = {}): Invoice => ({
  ...draftInvoice({
    id: 'in_1',
    created: NOW,
    customer: 'cus_1',
    subscription: 'sub_1',
    currency: 'usd',
    collection_method: 'charge_automatically',
    billing_reason: 'subscription_create',
    lines: [
      {
        id: 'il_1',
        amount: 2000,
        unit_amount: 2000,
        quantity: 1,
        price: 'price_1',
        subscription_item: 'si_1',
      },
    ],
    period_start: NOW,
    period_end: NOW + 28 * DAY,
    test_clock: null,
  }),
  ...given,
})

export const anOpenInvoice = (given: Partial<Invoice> = {}): Invoice => ({
  ...finalized(aDraft(), {
    now: NOW,
    number: 'ABCDEFGH-0001',
    payment_intent: 'pi_in_1',
    due_date: null,
    applied: applyBalance(2000, 0),
  }),
  ...given,
})

export const anIntent = (given: Partial<PaymentIntent> = {}): PaymentIntent =>
  newPaymentIntent({
    id: 'pi_in_1',
    created: NOW,
    amount: 2000,
    currency: 'usd',
    customer: 'cus_1',
    ...given,
  })

/** The state of an account: given fields, or the open invoices of the customer's only subscription. */
export type GivenAccount = Partial<EndingAccount> & { readonly openInvoices?: readonly Invoice[] }

/** Builds an account for billing decisions; each open invoice has an intent. Ids are numbered by prefix from 1. */
export function anAccount({ openInvoices = [], ...given }: GivenAccount = {}): EndingAccount {
  const counts = new Map<string, number>()
  const newId = (prefix: string) => {
    counts.set(prefix, (counts.get(prefix) ?? 0) + 1)
    return `${prefix}_new_${counts.get(prefix)}`
  }
  const outstanding = openInvoices.filter(isOutstanding).length
  return {
    now: NOW,
    newId,
    retries: [1, 3, 5, 7],
    final_action: 'cancel',
    notices: NO_NOTICES,
    rules: RULES.paytwin,
    customer: aCustomer(),
    paymentMethod: aCard(),
    fault: null,
    prices: pricesOf(aPrice()),
    usage: () => 0n,
    discounts: new Map(),
    pendingItems: [],
    pendingUpdate: null,
    outstanding: { customer: outstanding, subscription: outstanding },
    unpaidInvoices: () => openInvoices,
    invoicePlans: () => openInvoices,
    schedule: null,
    intents: new Map(
      openInvoices.map((invoice) => [
        invoice.id,
        anIntent({ id: invoice.payment_intent ?? `pi_${invoice.id}`, invoice: invoice.id }),
      ]),
    ),
    ...given,
  }
}
