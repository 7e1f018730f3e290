import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proofOf } from '../http/oauth/support.ts'
import { isLong } from '../long.ts'
import { makeWorld, NOW, openInvoicesOf, type World } from './world.ts'

/** The number of objects of each kind in the two compared histories. */
const SMALL = isLong ? 1_000 : 200
const TIMES = 16

/**
 * The maximum ratio of a step's processor time to that of the same step after a history of a sixteenth of the length. The
 * ratio of a step whose time grows with the history is far higher; that of an index lookup is little more than 1.
 */
const MOST_TIMES = 2.5

/** The number of measurements of each step. The minimum counts, because other processes use the machine too. */
const ROUNDS = isLong ? 30 : 10

let small: World
let large: World

beforeAll(async () => {
  small = await makeWorld(SMALL)
  large = await makeWorld(SMALL * TIMES)
}, 600_000)
afterAll(async () => {
  await small?.twin.close()
  await large?.twin.close()
})

type Step = (world: World, round: number) => Promise<unknown>

/** Measures the ratio of a step's time in the large world to that in the small world: the minimum of each, measured in turns. */
async function growthOf(step: Step): Promise<number> {
  const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  for (let round = 0; round < ROUNDS; round += 1) {
    least.small = Math.min(least.small, await processorTime(() => step(small, round)))
    least.large = Math.min(least.large, await processorTime(() => step(large, round)))
  }
  return least.large / least.small
}

async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

const get =
  (path: string | ((world: World) => string)): Step =>
  (world) =>
    world.request('GET', typeof path === 'string' ? path : path(world))

const post =
  (
    path: string | ((world: World) => string),
    body: object | ((world: World, round: number) => object) = {},
  ): Step =>
  (world, round) =>
    world.request(
      'POST',
      typeof path === 'string' ? path : path(world),
      typeof body === 'function' ? body(world, round) : body,
    )

const STEPS: Readonly<Record<string, Step>> = {
  'showing a customer with many open invoices': get(({ customer }) => `/v1/customers/${customer}`),
  'listing some of the many open invoices of a customer': get(
    ({ customer }) => `/v1/invoices?customer=${customer}&status=open&limit=10`,
  ),
  'paying one of many open invoices': (world) =>
    world.request('POST', `/v1/invoices/${world.openInvoices.pop()}/pay`, { payment_method: world.card }),
  'voiding one of many open invoices': (world) =>
    world.request('POST', `/v1/invoices/${world.openInvoices.pop()}/void`, {}),
  'a day of subscriptions whose customer has many open invoices': post('/v1/test_helpers/clock/advance', {
    by: '1d',
  }),
  'starting and canceling a subscription of a customer with many open invoices': (world) =>
    startAndCancel(world, world.card),
  'starting and canceling a subscription that is never paid': (world) =>
    startAndCancel(world, world.decliningCard),
  'making another customer': post('/v1/customers', { email: 'new@example.com' }),
  'listing the newest of many customers with one email address': get(
    '/v1/customers?email=ada@example.com&limit=1',
  ),
  'listing the only invoice of a customer with many deleted drafts': get(
    ({ tidyCustomer }) => `/v1/invoices?customer=${tidyCustomer}&limit=1`,
  ),
  'listing the newest of many events': get('/v1/events?limit=1'),
  'listing events of a type that never occurred': get('/v1/events?type=payment_method.detached&limit=1'),
  'listing the newest of many prices of a product': get(
    ({ product }) => `/v1/prices?product=${product}&limit=1`,
  ),
  'listing the newest of many payment methods of a customer': get(
    ({ customer }) => `/v1/payment_methods?customer=${customer}&limit=1`,
  ),
  'attaching another payment method': post('/v1/payment_methods/pm_card_visa/attach', ({ customer }) => ({
    customer,
  })),
  'invoicing another invoice item': async ({ request, customer }) => {
    await request('POST', '/v1/invoiceitems', { customer, amount: 100, currency: 'usd' })
    await request('POST', '/v1/invoices', { customer })
  },
  'refunding another part of a charge': post('/v1/refunds', ({ charge }) => ({ charge, amount: 1 })),
  'listing the newest of many refunds of a charge': get(
    ({ charge }) => `/v1/refunds?charge=${charge}&limit=1`,
  ),
  'listing the newest of many subscriptions of a customer': get(
    ({ customer }) => `/v1/subscriptions?customer=${customer}&limit=1`,
  ),
  'listing the newest of many subscriptions to a price': get(
    ({ dailyPrice }) => `/v1/subscriptions?price=${dailyPrice}&limit=1`,
  ),
  'listing the next of many jobs': get('/v1/test_helpers/upcoming?limit=1'),
  'making another test clock': post('/v1/test_helpers/test_clocks', { frozen_time: NOW }),
  'listing the newest of many test clocks': get('/v1/test_helpers/test_clocks?limit=1'),
  'listing the newest of many deliveries to an endpoint': get(
    ({ endpoint }) => `/v1/webhook_endpoints/${endpoint}/deliveries?limit=1`,
  ),
  'keeping another idempotency record': ({ request }, round) =>
    request('POST', '/v1/products', { name: 'New' }, { 'Idempotency-Key': `new-${round}` }),
  'charging a card with many scripted outcomes': post('/v1/payment_intents', ({ scriptedCard }) => ({
    amount: 100,
    currency: 'usd',
    payment_method: scriptedCard,
    confirm: true,
  })),
  'scheduling another subscription of a customer with many schedules': async ({ request, ...world }) => {
    const { id } = await request('POST', '/v1/subscription_schedules', {
      customer: world.customer,
      phases: [{ items: [{ price: world.dailyPrice }] }],
      default_settings: { default_payment_method: world.card },
    })
    await request('POST', `/v1/subscription_schedules/${id}/cancel`)
  },
  'listing the newest of many schedules of a customer': get(
    ({ customer }) => `/v1/subscription_schedules?customer=${customer}&limit=1`,
  ),
  'crediting an invoice of a customer with many credit notes': post(
    '/v1/credit_notes',
    ({ openInvoices }) => ({
      ...{ invoice: openInvoices[0], amount: 1 },
    }),
  ),
  'listing the newest of many credit notes of a customer': get(
    ({ customer }) => `/v1/credit_notes?customer=${customer}&limit=1`,
  ),
  'charging a card that is disputed again': post('/v1/payment_intents', ({ customer, disputedCard }) => ({
    ...{ amount: 100, currency: 'usd', customer, payment_method: disputedCard, confirm: true },
  })),
  'listing the newest of many disputes': get('/v1/disputes?limit=1'),
  'making another promotion code of a coupon': post('/v1/promotion_codes', ({ coupon }) => ({ coupon })),
  'changing a plan that changed many times in the period': async (world, round) => {
    const { id, items } = world.changedSubscription
    for (const [more, proration_behavior] of (['always_invoice', 'create_prorations'] as const).entries()) {
      const item = { id: items.data[0].id, quantity: 4 + 2 * (round % 2) + more }
      await world.request('POST', `/v1/subscriptions/${id}`, { items: [item], proration_behavior })
    }
  },
  'redeeming a code for the first payment of a customer with many unpaid invoices and failed charges': post(
    ({ unpaidCustomer }) => `/v1/customers/${unpaidCustomer}`,
    ({ firstTimeCode }) => ({ promotion_code: firstTimeCode }),
  ),
  'sending the failed ones of many deliveries again': post(
    ({ endpoint }) => `/_paytwin/webhooks/${endpoint}/resend`,
  ),
  'redeeming a coupon that has many promotion codes': post(
    ({ discountedCustomer }) => `/v1/customers/${discountedCustomer}`,
    ({ coupon }) => ({ coupon }),
  ),
  'listing the newest of many promotion codes of a coupon': get(
    ({ coupon }) => `/v1/promotion_codes?coupon=${coupon}&limit=1`,
  ),
  'refreshing a token that was refreshed many times': async (world) => {
    const form = { grant_type: 'refresh_token', refresh_token: world.refreshToken }
    const { refresh_token } = await world.request('POST', '/v1/oauth/token', form, proofOf(world.app))
    world.refreshToken = refresh_token
  },
  'issuing another key': post('/_paytwin/keys'),
  'revoking a key': async ({ request }) => {
    const { id } = await request('POST', '/_paytwin/keys')
    await request('POST', `/_paytwin/keys/${id}/revoke`)
  },
  'listing the newest of many keys': get('/_paytwin/keys?limit=1'),
  'listing the newest of many keys of a merchant': get(
    ({ twin }) => `/_paytwin/keys?limit=1&merchant=${twin.sandbox.merchant.settings.id}`,
  ),
  'asking for another authorization': post('/v1/oauth/authorizations', ({ app }) => ({
    client_id: app.client_id,
    redirect_uri: app.redirect_uris[0],
  })),
  'listing the newest of many authorizations': get('/_paytwin/authorizations?limit=1'),
  'showing the newest change of an invoice of a customer with a long timeline': get(
    ({ openInvoices }) => `/_paytwin/invoices/${openInvoices[0]}?limit=1`,
  ),
  'listing the newest of many requests': get('/_paytwin/requests?limit=1'),
}

/**
 * The maximum ratio for timelines. A timeline reads the newest change of each object from the object's row, which is little
 * work for each. The ratio with any other work for each object is far higher.
 */
const MOST_TIMES_OF_TIMELINE = 12
const TIMELINES: Readonly<Record<string, Step>> = {
  'a customer': get(({ formerCustomer }) => `/_paytwin/customers/${formerCustomer}?limit=1`),
  'a subscription': get(({ formerSubscription }) => `/_paytwin/subscriptions/${formerSubscription}?limit=1`),
}
/** At an early time, only the rows of objects that were created later are read, and not their changes. */
const EARLY = get(({ formerCustomer }) => `/_paytwin/customers/${formerCustomer}?limit=1&at=${NOW}`)
const MOST_TIMES_OF_EARLY = 4.5

async function startAndCancel(world: World, default_payment_method: string): Promise<void> {
  const { id } = await world.request('POST', '/v1/subscriptions', {
    customer: world.customer,
    currency: 'usd',
    default_payment_method,
    items: [{ price: world.dailyPrice }],
  })
  await world.request('DELETE', `/v1/subscriptions/${id}`)
}

describe('the processor time of the newest change of a long timeline grows little', () => {
  test.each(Object.entries(TIMELINES))('of %s', async (name, step) => {
    const growth = await growthOf(step)
    if (isLong) console.log(`${growth.toFixed(2)} times: the timeline of ${name}`)
    expect(growth).toBeLessThan(MOST_TIMES_OF_TIMELINE)
  })

  test('as of an early time', async () => {
    expect(await growthOf(EARLY)).toBeLessThan(MOST_TIMES_OF_EARLY)
  })
})

describe('the processor time of a step does not grow with the history', () => {
  test.each(Object.entries(STEPS))('%s', async (name, step) => {
    let growth = await growthOf(step)
    // A busy processor can slow down all rounds in one of the worlds.
    for (let again = 0; again < 2 && growth >= MOST_TIMES; again += 1)
      growth = Math.min(growth, await growthOf(step))
    if (isLong) console.log(`${growth.toFixed(2)} times: ${name}`)
    expect(growth).toBeLessThan(MOST_TIMES)
  })

  test('is noticed where it does', async () => {
    const growth = await growthOf(async ({ twin, customer }) =>
      openInvoicesOf(twin.sandbox.engine.store.objects, twin.sandbox.merchant.settings.ordinal, customer),
    )
    expect(growth).toBeGreaterThan(MOST_TIMES)
  })
})
