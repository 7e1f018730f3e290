import Stripe from 'stripe'
import type { SandboxOptions } from '../../src/daemon/sandbox.ts'
import { asOperator } from '../http/support.ts'
import type { Body } from '../twin.ts'
import { type Loopback, startLoopback } from './loopback.ts'

/** Creates the stripe SDK for a twin, with only the options host, port and protocol. */
export type Sdk = Loopback & {
  readonly stripe: Stripe
  /** Creates the SDK with another key. */
  withKey(key: string): Stripe
  /** Creates a further key of the merchant through the admin API. */
  issueKey(params?: Body): Promise<{ id: string; secret: string }>
  /** Advances the clock over the SDK's connection. */
  advance(by: string): Promise<void>
  /** Injects a fault for the next request. */
  failOnce(kind: string): Promise<void>
}

export async function startSdk(options: Partial<SandboxOptions> & { now?: string } = {}): Promise<Sdk> {
  const loopback = await startLoopback(options)
  const { port, twin } = loopback
  const withKey = (key: string) =>
    new Stripe(key, { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0, telemetry: false })
  const stripe = withKey(twin.secretKey)
  const advance = async (by: string): Promise<void> => {
    await stripe.rawRequest('POST', '/v1/test_helpers/clock/advance', { by })
  }
  const issueKey: Sdk['issueKey'] = async (params = {}) => {
    const merchant = twin.sandbox.merchant.settings.id
    const { body } = await asOperator(twin)('POST', 'keys', { merchant, ...params })
    return { id: body.id, secret: body.secret }
  }
  const failOnce = async (kind: string): Promise<void> => {
    await asOperator(twin)('POST', 'faults', { kind, count: 1 })
  }
  return { ...loopback, stripe, withKey, issueKey, advance, failOnce }
}

/** Returns the error of a call; a success fails the test. */
export async function errorOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof Stripe.errors.StripeError) return error
  throw new Error(`expected an error of the SDK, not ${error}`)
}

/** Creates a customer with a card. `outcomes` are those of its next charges, `afterwards` that of all later ones. */
export async function makeCustomer(
  { stripe }: Sdk,
  {
    card = 'pm_card_visa',
    outcomes,
    afterwards: then = 'succeed',
  }: { card?: string; outcomes?: string[]; afterwards?: string } = {},
): Promise<{ customer: Stripe.Customer; method: Stripe.PaymentMethod }> {
  const customer = await stripe.customers.create({ name: 'Ada' })
  const method = await stripe.paymentMethods.attach(card, { customer: customer.id })
  if (outcomes) {
    const path = `/v1/test_helpers/payment_methods/${method.id}/outcomes`
    await stripe.rawRequest('POST', path, { outcomes, then })
  }
  return { customer, method }
}

/** Creates a monthly price of 20.00 USD. */
export const makePrice = ({ stripe }: Sdk, params: Partial<Stripe.PriceCreateParams> = {}) =>
  stripe.prices.create({ unit_amount: 2000, currency: 'usd', recurring: { interval: 'month' }, ...params })

/** Creates a subscription of a new customer to a monthly price. */
export async function subscribe(
  sdk: Sdk,
  { card, outcomes, afterwards, ...params }: Parameters<typeof makeCustomer>[1] & Body = {},
): Promise<Stripe.Subscription> {
  const [price, { customer, method }] = await Promise.all([
    makePrice(sdk),
    makeCustomer(sdk, {
      ...(card && { card }),
      ...(outcomes && { outcomes }),
      ...(afterwards && { afterwards }),
    }),
  ])
  return sdk.stripe.subscriptions.create({
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: price.id }],
    ...params,
  })
}

/** Returns the id in a field that the SDK types as an id or an object. */
export const idOf = (field: string | { id: string } | null | undefined): string =>
  typeof field === 'string' ? field : (field?.id ?? '')
