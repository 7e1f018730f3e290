import type Stripe from 'stripe'
import { beforeAll, describe, expect, test } from 'vitest'
import { asOperator } from '../support.ts'
import { errorOf, idOf, startStripe, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk
let product: string
let monthly: string
let yearly: string
beforeAll(async () => {
  product = (await stripe.products.create({ name: 'Pro' })).id
  monthly = await priced('month', 1000)
  yearly = await priced('year', 10_000)
})

async function priced(interval: 'month' | 'year', unit_amount: number): Promise<string> {
  return (await stripe.prices.create({ product, currency: 'usd', unit_amount, recurring: { interval } })).id
}

/** Creates a customer with a subscription. */
async function subscribed(): Promise<{ customer: string; subscription: string; item: string }> {
  const { id: customer } = await stripe.customers.create({
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  })
  const made = await stripe.subscriptions.create({ customer, items: [{ price: monthly }] })
  return { customer, subscription: made.id, item: made.items.data[0]?.id ?? '' }
}

/** The features that the starter of a SaaS asks for. */
const features = (): Stripe.BillingPortal.ConfigurationCreateParams.Features => ({
  customer_update: { enabled: true, allowed_updates: ['email', 'tax_id'] },
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true },
  subscription_cancel: {
    enabled: true,
    mode: 'at_period_end',
    cancellation_reason: { enabled: true, options: ['too_expensive', 'other'] },
  },
  subscription_update: {
    enabled: true,
    default_allowed_updates: ['price', 'quantity', 'promotion_code'],
    proration_behavior: 'create_prorations',
    products: [{ product, prices: [monthly, yearly] }],
  },
})

const configure = (params: Partial<Stripe.BillingPortal.ConfigurationCreateParams> = {}) =>
  stripe.billingPortal.configurations.create({ features: features(), ...params })

describe('a configuration', () => {
  test('has the features that are given, and Stripe’s defaults for all others', async () => {
    const made = await configure({
      business_profile: { headline: 'Acme', privacy_policy_url: 'https://acme.example/privacy' },
      default_return_url: 'https://acme.example/account',
      metadata: { plan: 'pro' },
    })
    expect(made.id).toMatch(/^bpc_/)
    expect(made).toMatchObject({
      object: 'billing_portal.configuration',
      active: true,
      is_default: false,
      business_profile: {
        headline: 'Acme',
        privacy_policy_url: 'https://acme.example/privacy',
        terms_of_service_url: null,
      },
      default_return_url: 'https://acme.example/account',
      login_page: { enabled: false, url: null },
      metadata: { plan: 'pro' },
      features: {
        customer_update: { enabled: true, allowed_updates: ['email', 'tax_id'] },
        subscription_cancel: { enabled: true, mode: 'at_period_end', proration_behavior: 'none' },
        subscription_pause: { enabled: false },
        subscription_update: {
          billing_cycle_anchor: null,
          trial_update_behavior: 'end_trial',
          schedule_at_period_end: { conditions: [] },
          products: [
            {
              product,
              prices: [monthly, yearly],
              adjustable_quantity: { enabled: true, minimum: 1, maximum: null },
            },
          ],
        },
      },
    })
    expect(await stripe.billingPortal.configurations.retrieve(made.id)).toEqual(made)
    const bare = await stripe.billingPortal.configurations.create({
      features: { invoice_history: { enabled: true } },
    })
    expect(bare.features).toMatchObject({
      customer_update: { enabled: false, allowed_updates: [] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: false },
      subscription_cancel: { enabled: false },
      subscription_update: { enabled: false, products: [] },
    })
  })

  test('is updated in parts, and deactivated', async () => {
    const { id } = await configure()
    const updated = await stripe.billingPortal.configurations.update(id, {
      features: { subscription_cancel: { mode: 'immediately', proration_behavior: 'always_invoice' } },
      business_profile: { headline: 'New' },
      active: false,
    })
    expect(updated).toMatchObject({
      active: false,
      business_profile: { headline: 'New' },
      features: {
        subscription_cancel: {
          enabled: true,
          mode: 'immediately',
          proration_behavior: 'always_invoice',
          cancellation_reason: { enabled: true, options: ['too_expensive', 'other'] },
        },
        subscription_update: { enabled: true },
      },
    })
    expect((await stripe.events.list({ limit: 2 })).data.map(({ type }) => type)).toEqual([
      'billing_portal.configuration.updated',
      'billing_portal.configuration.created',
    ])
    const inactive = await stripe.billingPortal.configurations.list({ active: false })
    expect(inactive.data.map((each) => each.id)).toEqual([id])
    const expanded = await stripe.billingPortal.configurations.list({
      limit: 1,
      expand: ['data.features.subscription_update.products'],
    })
    expect(expanded.data[0]?.features.subscription_update.products).toHaveLength(1)
    const { id: customer } = await stripe.customers.create()
    const error = await errorOf(stripe.billingPortal.sessions.create({ customer, configuration: id }))
    expect(error).toMatchObject({ statusCode: 400, param: 'configuration' })
  })

  test.each<[string, () => unknown, string]>([
    ['no features', () => ({}), 'features'],
    [
      'an update of plans without products',
      () => ({
        features: { subscription_update: { enabled: true, default_allowed_updates: ['price'] } },
      }),
      'features[subscription_update][products]',
    ],
    [
      'an update of plans that allows nothing',
      () => ({
        features: {
          subscription_update: { enabled: true, products: [{ product, prices: [monthly] }] },
        },
      }),
      'features[subscription_update][default_allowed_updates]',
    ],
    [
      'a price of another product',
      () => ({
        features: {
          subscription_update: {
            enabled: true,
            default_allowed_updates: ['price'],
            products: [{ product, prices: ['price_unknown'] }],
          },
        },
      }),
      'features[subscription_update][products][0][prices][0]',
    ],
    [
      'an unknown reason',
      () => ({
        features: {
          subscription_cancel: {
            enabled: true,
            cancellation_reason: { enabled: true, options: ['boredom'] },
          },
        },
      }),
      'features[subscription_cancel][cancellation_reason][options][0]',
    ],
    [
      'a pause, which paytwin does not know',
      () => ({ features: { subscription_pause: { enabled: true } } }),
      'features[subscription_pause][enabled]',
    ],
    [
      'a login page, which paytwin does not know',
      () => ({ features: features(), login_page: { enabled: true } }),
      'login_page[enabled]',
    ],
    [
      'an address that is no web page',
      () => ({ features: features(), business_profile: { privacy_policy_url: 'javascript:alert(1)' } }),
      'business_profile[privacy_policy_url]',
    ],
  ])('is refused with %s', async (_what, params, param) => {
    const error = await errorOf(stripe.billingPortal.configurations.create(params() as never))
    expect(error).toMatchObject({ statusCode: 400, param })
  })
})

describe('a session', () => {
  test('has an address that cannot be guessed, and emits its event', async () => {
    const { customer } = await subscribed()
    const { id: configuration } = await configure({ default_return_url: 'https://acme.example/account' })
    const made = await stripe.billingPortal.sessions.create({
      customer,
      configuration,
      locale: 'de',
      expand: ['configuration'],
    })
    expect(made).toMatchObject({
      object: 'billing_portal.session',
      customer,
      configuration: { id: configuration },
      return_url: 'https://acme.example/account',
      locale: 'de',
      flow: null,
      on_behalf_of: null,
    })
    const [, id, key = ''] =
      /^http:\/\/[^/]+\/p\/session\/mer_\w+\/(bps_\w+)_secret_([A-Za-z0-9]+)$/.exec(made.url) ?? []
    expect(id).toBe(made.id)
    // log2(62 ** 22) > 128
    expect(key.length).toBeGreaterThanOrEqual(22)
    const [event] = (await stripe.events.list({ type: 'billing_portal.session.created', limit: 1 })).data
    expect(event?.data.object).toMatchObject({ id: made.id, url: made.url, configuration })
  })

  test('has the default configuration if it names none, which is made once and offers everything', async () => {
    const other = await startStripe()
    const { id: customer } = await other.stripe.customers.create()
    expect((await other.stripe.billingPortal.configurations.list()).data).toEqual([])
    const first = await other.stripe.billingPortal.sessions.create({ customer })
    const second = await other.stripe.billingPortal.sessions.create({ customer })
    expect(second.configuration).toBe(first.configuration)
    expect(second.url).not.toBe(first.url)
    const { data } = await other.stripe.billingPortal.configurations.list({ is_default: true })
    expect(data).toMatchObject([
      {
        id: idOf(first.configuration),
        is_default: true,
        features: {
          invoice_history: { enabled: true },
          payment_method_update: { enabled: true },
          subscription_cancel: { enabled: true, mode: 'at_period_end' },
          subscription_update: { enabled: true, products: null },
        },
      },
    ])
    const deactivation = other.stripe.billingPortal.configurations.update(idOf(first.configuration), {
      active: false,
    })
    expect(await errorOf(deactivation)).toMatchObject({ statusCode: 400, param: 'active' })
    await other.close()
  })

  test('is for one step with flow_data', async () => {
    const { customer, subscription, item } = await subscribed()
    const { id: configuration } = await configure()
    const flowOf = async (flow_data: Stripe.BillingPortal.SessionCreateParams.FlowData) =>
      (await stripe.billingPortal.sessions.create({ customer, configuration, flow_data })).flow
    expect(
      await flowOf({
        type: 'subscription_cancel',
        subscription_cancel: { subscription },
        after_completion: {
          type: 'redirect',
          redirect: { return_url: 'https://acme.example/canceled' },
        },
      }),
    ).toEqual({
      after_completion: {
        hosted_confirmation: null,
        redirect: { return_url: 'https://acme.example/canceled' },
        type: 'redirect',
      },
      customer_update: null,
      subscription_cancel: { retention: null, subscription },
      subscription_pause: null,
      subscription_update: null,
      subscription_update_confirm: null,
      type: 'subscription_cancel',
    })
    expect(await flowOf({ type: 'payment_method_update' })).toMatchObject({
      type: 'payment_method_update',
      after_completion: { type: 'portal_homepage' },
    })
    expect(
      await flowOf({ type: 'subscription_update', subscription_update: { subscription } }),
    ).toMatchObject({ subscription_update: { subscription } })
    expect(
      await flowOf({
        type: 'subscription_update_confirm',
        subscription_update_confirm: { subscription, items: [{ id: item, price: yearly, quantity: 2 }] },
        after_completion: {
          type: 'hosted_confirmation',
          hosted_confirmation: { custom_message: 'Thank you' },
        },
      }),
    ).toMatchObject({
      after_completion: { hosted_confirmation: { custom_message: 'Thank you' } },
      subscription_update_confirm: {
        subscription,
        discounts: null,
        items: [{ id: item, price: yearly, quantity: 2 }],
      },
    })
  })

  test('is refused for a step that the configuration or the subscription does not allow', async () => {
    const { customer, subscription, item } = await subscribed()
    const other = await subscribed()
    const { id: all } = await configure()
    const { id: none } = await configure({ features: { invoice_history: { enabled: true } } })
    const refused = async (flow_data: unknown, configuration = all) => {
      const params = { customer, configuration, flow_data } as never
      const { statusCode, param, message } = await errorOf(stripe.billingPortal.sessions.create(params))
      return { statusCode, param, message }
    }
    const canceling = (id: string) => ({
      type: 'subscription_cancel',
      subscription_cancel: { subscription: id },
    })
    expect(await refused(canceling(subscription), none)).toMatchObject({
      statusCode: 400,
      param: 'flow_data[type]',
      message: expect.stringContaining('is disabled'),
    })
    expect(await refused({ type: 'payment_method_update' }, none)).toMatchObject({
      message: expect.stringContaining('is disabled'),
    })
    expect(await refused(canceling(other.subscription))).toMatchObject({
      statusCode: 400,
      param: 'flow_data[subscription_cancel][subscription]',
    })
    expect(await refused({ type: 'subscription_cancel' })).toMatchObject({
      param: 'flow_data[subscription_cancel][subscription]',
    })
    const foreign = await stripe.prices.create({
      currency: 'usd',
      unit_amount: 5,
      recurring: { interval: 'month' },
      product_data: { name: 'Other' },
    })
    expect(
      await refused({
        type: 'subscription_update_confirm',
        subscription_update_confirm: { subscription, items: [{ id: item, price: foreign.id }] },
      }),
    ).toMatchObject({ param: 'flow_data[subscription_update_confirm][items][0][price]' })
    expect(
      await refused({
        type: 'payment_method_update',
        after_completion: { type: 'redirect', redirect: { return_url: 'javascript:alert(1)' } },
      }),
    ).toMatchObject({ param: 'flow_data[after_completion][redirect][return_url]' })
    expect(await refused({ type: 'subscription_pause' })).toMatchObject({ param: 'flow_data[type]' })
    await stripe.subscriptions.update(subscription, { cancel_at_period_end: true })
    // @better-auth/stripe looks for these words.
    expect((await refused(canceling(subscription))).message).toContain('already set to be cancel')
  })

  test.each([
    ['an unknown customer', { customer: 'cus_unknown' }, 'customer'],
    ['an unknown configuration', { configuration: 'bpc_unknown' }, 'configuration'],
    ['a return_url that is no web page', { return_url: 'javascript:alert(1)' }, 'return_url'],
    ['an account, which paytwin does not know', { on_behalf_of: 'acct_1' }, 'on_behalf_of'],
  ])('is refused with %s', async (_what, params, param) => {
    const { id: customer } = await stripe.customers.create()
    const error = await errorOf(stripe.billingPortal.sessions.create({ customer, ...params }))
    expect(error).toMatchObject({ statusCode: 400, param })
  })

  test('keeps its address out of the request log and of stored responses', async () => {
    const { id: customer } = await stripe.customers.create()
    const key = 'portal-1'
    const { url } = await stripe.billingPortal.sessions.create({ customer }, { idempotencyKey: key })
    const again = await stripe.billingPortal.sessions.create({ customer }, { idempotencyKey: key })
    expect(again.url).toBe(url)
    const { body } = await asOperator(sdk.twin)('GET', 'requests')
    expect(JSON.stringify(body)).not.toContain(url.split('/').at(-1))
    for (const [form, isShown] of [
      ['own', false],
      ['merchant', true],
    ] as const) {
      const { body: events } = await asOperator(sdk.twin)('GET', `events?limit=5&form=${form}`)
      expect(JSON.stringify(events).includes(url)).toBe(isShown)
    }
  })
})
