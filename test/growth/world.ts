import type { Invoice } from '../../src/core/invoice.ts'
import { appOfId } from '../../src/engine/access/oauth-app.ts'
import { makeAuthorization } from '../../src/engine/access/oauth-authorization.ts'
import { digest } from '../../src/engine/machine/digest.ts'
import type { UnitOfWork } from '../../src/engine/machine/unit.ts'
import { createCreditNote } from '../../src/engine/resources/credit-note.ts'
import { createCustomer, updateCustomer } from '../../src/engine/resources/customer.ts'
import { createInvoice, deleteInvoice } from '../../src/engine/resources/invoice.ts'
import { createInvoiceItem } from '../../src/engine/resources/invoice-item.ts'
import { createPaymentIntent } from '../../src/engine/resources/payment-intent.ts'
import { attachPaymentMethod, createPaymentMethod } from '../../src/engine/resources/payment-method.ts'
import { createPrice, createProduct } from '../../src/engine/resources/price.ts'
import { createPromotionCode } from '../../src/engine/resources/promotion-code.ts'
import { createRefund } from '../../src/engine/resources/refund.ts'
import { createSubscription } from '../../src/engine/resources/subscription.ts'
import { createSchedule } from '../../src/engine/resources/subscription-schedule.ts'
import { updateSubscription } from '../../src/engine/resources/subscription-update.ts'
import { createTestClock } from '../../src/engine/resources/test-clock.ts'
import { contentOf } from '../../src/http/request-content.ts'
import type { ObjectTable } from '../../src/store/objects.ts'
import { letIn, makeApp, REDIRECT_URI } from '../http/oauth/support.ts'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../twin.ts'

/** A sandbox with a history: a large number of objects of every kind that can grow, mostly of one customer. */
export type World = {
  readonly twin: Twin
  readonly count: number
  readonly customer: string
  /** A customer with one ended subscription, which was paid each day. */
  readonly formerCustomer: string
  readonly formerSubscription: string
  readonly card: string
  readonly decliningCard: string
  /** A card with a script of the maximum length. */
  readonly scriptedCard: string
  /** A card whose charges are disputed. */
  readonly disputedCard: string
  /** A customer with many unpaid invoices and failed charges, and no others. */
  readonly unpaidCustomer: string
  /** A customer with one draft, and with many deleted ones that are newer. */
  readonly tidyCustomer: string
  /** A promotion code for the first payment of a customer. */
  readonly firstTimeCode: string
  /** A coupon with many inactive promotion codes, which was redeemed many times. */
  readonly coupon: string
  /** The customer for whom it was redeemed. */
  readonly discountedCustomer: string
  readonly dailyPrice: string
  readonly product: string
  /** A subscription whose plan changed many times in its period: half of the changes were invoiced at once. */
  readonly changedSubscription: Body
  readonly charge: string
  readonly endpoint: string
  readonly app: Body
  /** The app's newest refresh token. */
  refreshToken: string
  /** Open invoices, which the caller takes one by one. */
  readonly openInvoices: string[]
  /** Sends a request that must succeed. The response is not parsed, because that takes longer than most steps. */
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Body>
}

const EMAIL = 'ada@example.com'
export const NOW = 1_769_853_600
/** The maximum length of a script. */
const MOST_OUTCOMES = 1_000

export async function makeWorld(count: number): Promise<World> {
  const twin = await startTwin({ send: async () => ({ status: 200, body: '' }) })
  const request = requestOf(twin)
  const { customer, method } = await makeCustomer(twin)
  const declining = await twin.post('/v1/payment_methods/pm_card_chargeDeclined/attach', {
    customer: customer.id,
  })
  const scripted = await twin.post('/v1/payment_methods', {
    type: 'card',
    card: { number: '4242424242424242' },
  })
  await twin.post(`/v1/test_helpers/payment_methods/${scripted.id}/outcomes`, {
    outcomes: Array(Math.min(count, MOST_OUTCOMES)).fill('succeed'),
  })
  const price = await makePrice(twin, { recurring: { interval: 'day' } })
  await leavePastDue(twin, request)
  const former = await makeCustomer(twin)
  const formerSubscription = await twin.post('/v1/subscriptions', {
    customer: former.customer.id,
    currency: 'usd',
    default_payment_method: former.method.id,
    items: [{ price: price.id }],
  })
  await addOpenInvoices(twin, customer.id, price.id, count)
  await twin.delete(`/v1/subscriptions/${formerSubscription.id}`)
  const { data } = await twin.get(`/v1/invoices?customer=${customer.id}&status=open&limit=100`)
  const endpoint = await twin.post('/v1/webhook_endpoints', {
    url: 'http://localhost:1/',
    enabled_events: ['customer.created'],
  })
  const disputed = await twin.post('/v1/payment_methods/pm_card_createDispute/attach', {
    customer: customer.id,
  })
  const coupon = await twin.post('/v1/coupons', { percent_off: 10, duration: 'forever' })
  const discounted = await twin.post('/v1/customers', { name: 'Discounted' })
  const firstTime = await twin.post('/v1/promotion_codes', {
    coupon: (await twin.post('/v1/coupons', { percent_off: 10, duration: 'once' })).id,
    restrictions: { first_time_transaction: true },
  })
  const unpaid = await twin.post('/v1/customers', { name: 'Unpaid' })
  const tidy = await twin.post('/v1/customers', { name: 'Tidy' })
  await twin.post('/v1/invoices', { customer: tidy.id, currency: 'usd' })
  const product = await twin.post('/v1/products', { name: 'Product' })
  const charge = await makeCharge(twin, customer.id, method.id)
  const app = await makeApp(twin)
  const changedSubscription = await twin.post('/v1/subscriptions', {
    customer: customer.id,
    currency: 'usd',
    default_payment_method: method.id,
    items: [{ price: (await makePrice(twin)).id }],
  })
  const world: World = {
    twin,
    count,
    customer: customer.id,
    formerCustomer: former.customer.id,
    formerSubscription: formerSubscription.id,
    card: method.id,
    decliningCard: declining.id,
    scriptedCard: scripted.id,
    disputedCard: disputed.id,
    unpaidCustomer: unpaid.id,
    tidyCustomer: tidy.id,
    firstTimeCode: firstTime.id,
    coupon: coupon.id,
    discountedCustomer: discounted.id,
    dailyPrice: price.id,
    product: product.id,
    changedSubscription,
    charge,
    endpoint: endpoint.id,
    app,
    refreshToken: (await letIn(twin, app)).refresh_token,
    openInvoices: data.map(({ id }: Body) => id),
    request,
  }
  await addObjects(world)
  await addWhatHasNoHistory(world)
  await untilDelivered(twin)
  await subscribeDaily(world)
  return world
}

const requestOf =
  (twin: Twin): World['request'] =>
  async (method, path, body, headers = {}) => {
    const isOperators = path.startsWith('/_paytwin')
    const response = await twin.sandbox.app.request(path, {
      method,
      headers: {
        Host: 'localhost',
        Authorization: `Bearer ${isOperators ? twin.sandbox.adminToken : twin.secretKey}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (response.status >= 300)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Body
  }

const leavePastDue = ({ sandbox }: Twin, request: World['request']): Promise<Body> =>
  request('POST', `/_paytwin/merchants/${sandbox.merchant.settings.id}`, {
    dunning_final_action: 'leave_past_due',
  })

/** Creates a daily subscription with sent invoices that are never paid. */
async function addOpenInvoices(twin: Twin, customer: string, price: string, count: number): Promise<void> {
  const { id } = await twin.post('/v1/subscriptions', {
    customer,
    currency: 'usd',
    collection_method: 'send_invoice',
    days_until_due: 1,
    items: [{ price }],
  })
  await twin.advance({ by: `${count}d` })
  await twin.delete(`/v1/subscriptions/${id}`)
}

/** Creates two subscriptions that continue: one with sent invoices, one whose payments fail except for the first. */
async function subscribeDaily({ twin, customer, dailyPrice }: World): Promise<void> {
  const { id } = await twin.post('/v1/payment_methods/pm_card_visa/attach', { customer })
  const then = 'decline:insufficient_funds'
  await twin.post(`/v1/test_helpers/payment_methods/${id}/outcomes`, { outcomes: ['succeed'], then })
  const params = { customer, currency: 'usd', items: [{ price: dailyPrice }] }
  await twin.post('/v1/subscriptions', { ...params, default_payment_method: id })
  await twin.post('/v1/subscriptions', {
    ...params,
    collection_method: 'send_invoice',
    days_until_due: 1,
  })
  // From then on every day has the same number of retries.
  await twin.advance({ by: '10d' })
}

async function makeCharge(twin: Twin, customer: string, payment_method: string): Promise<string> {
  const params = { amount: 1_000_000, currency: 'usd', customer, payment_method, confirm: true }
  return (await twin.post('/v1/payment_intents', params)).latest_charge
}

/** Creates the objects with a history, in one command. */
function addObjects(world: World): Promise<void> {
  const { engine, merchant } = world.twin.sandbox
  return engine.command(merchant, null, (unit) => {
    const open = openInvoicesOf(unit.store.objects, unit.owner, world.customer)
    for (let n = 0; n < world.count; n += 1) addObjectsOnce(unit, world, open[n]?.id ?? '')
    for (let n = 0; n < world.count / 4; n += 1) changePlanOnce(unit, world.changedSubscription, n)
  })
}

/** Far enough ahead that no schedule starts. */
const YEARS_AHEAD = 20 * 365 * 86_400

function addObjectsOnce(
  unit: UnitOfWork,
  {
    customer,
    unpaidCustomer,
    tidyCustomer,
    discountedCustomer,
    card,
    disputedCard,
    coupon,
    product,
    charge,
    dailyPrice,
  }: World,
  openInvoice: string,
): void {
  createCustomer(unit, { email: EMAIL })
  createProduct(unit, { name: 'Another' })
  createPrice(unit, { product, unit_amount: 100, currency: 'usd' })
  const { id } = createPaymentMethod(unit, { type: 'card', card: { number: '4242424242424242' } })
  attachPaymentMethod(unit, id, customer)
  createInvoiceItem(unit, { customer, amount: 100, currency: 'usd', quantity: 1 })
  createInvoice(unit, { customer, collection_method: 'charge_automatically' })
  createTestClock(unit, { frozen_time: NOW })
  createRefund(unit, { charge, amount: 1 })
  createSubscription(unit, {
    customer,
    currency: 'usd',
    items: [{ price: dailyPrice, quantity: 1 }],
    default_payment_method: card,
    payment_behavior: 'default_incomplete',
    collection_method: 'charge_automatically',
    missing_payment_method: 'create_invoice',
    trial_period_days: 700,
  })
  createCreditNote(unit, { invoice: openInvoice, amount: 1 })
  createPaymentIntent(unit, {
    ...{ amount: 100, currency: 'usd', customer, payment_method: disputedCard, confirm: true },
  })
  createPaymentIntent(unit, {
    ...{ amount: 100, currency: 'usd', customer: unpaidCustomer, confirm: true },
    payment_method: 'pm_card_chargeDeclined',
  })
  createInvoice(unit, {
    ...{ customer: unpaidCustomer, currency: 'usd', collection_method: 'charge_automatically' },
  })
  deleteInvoice(
    unit,
    createInvoice(unit, {
      ...{ customer: tidyCustomer, currency: 'usd', collection_method: 'charge_automatically' },
    }).id,
  )
  createPromotionCode(unit, { coupon, active: false })
  updateCustomer(unit, discountedCustomer, { coupon })
  createSchedule(unit, {
    customer,
    start_date: unit.now + YEARS_AHEAD,
    phases: [{ items: [{ price: dailyPrice }] }],
  })
}

function changePlanOnce(unit: UnitOfWork, { id, items }: Body, n: number): void {
  updateSubscription(unit, id, {
    items: [{ id: items.data[0].id, quantity: 2 + (n % 2) }],
    proration_behavior: n % 4 < 2 ? 'always_invoice' : 'create_prorations',
  })
}

/** Creates keys, authorizations, tokens of one authorization, idempotency records and logged requests. */
async function addWhatHasNoHistory({ twin, app, refreshToken, count }: World): Promise<void> {
  const { engine, keys, merchant, requests } = twin.sandbox
  const oauthApp = appOfId(engine, app.client_id)
  if (!oauthApp) throw new Error('the app is there')
  const asked = {
    app: oauthApp,
    redirect_uri: REDIRECT_URI,
    scope: 'read_write',
    state: null,
    code_challenge: null,
  } as const
  await engine.operatorCommand(() => {
    const token = engine.store.oauth.token(digest(refreshToken))
    if (!token) throw new Error('the refresh token is there')
    for (let n = 0; n < count; n += 1) {
      keys.make({ merchant: merchant.settings.ordinal, type: 'secret', name: null })
      makeAuthorization(engine, asked, { merchant: merchant.settings, seal: null })
      engine.store.oauth.addToken({ ...token, hash: digest(`token ${n}`), status: 'rotated' })
      engine.store.idempotency.put(storedResponse(merchant.settings.id, n))
    }
  })
  keys.reload()
  for (let n = 0; n < count; n += 1) requests.add(requestNumber(n), contentOf(EXCHANGED))
}

const secondsNow = () => Math.floor(Date.now() / 1_000)

const storedResponse = (scope: string, n: number) => ({
  scope,
  key: `key-${n}`,
  fingerprint: '',
  status: 200,
  api_version: '',
  body: '{}',
  created: secondsNow(),
})

const EXCHANGED = { body: undefined, idempotencyKey: undefined, text: '{}', isSecret: false }

const requestNumber = (n: number) => ({
  id: `req_${n}`,
  time: 0,
  method: 'GET',
  path: '/v1/customers',
  status: 200,
  duration_ms: 1,
  key: null,
  merchant: null,
  replayed: false,
  code: null,
  ignored: [],
})

async function untilDelivered({ sandbox }: Twin): Promise<void> {
  const { deliveries } = sandbox.engine.store
  while (deliveries.endpointsWithReady().length > 0) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Lists the open invoices of a customer, oldest first. */
export const openInvoicesOf = (objects: ObjectTable, merchant: number, customer: string): Invoice[] =>
  objects.list(
    'invoice',
    merchant,
    [
      { field: 'customer', is: customer },
      { field: 'deleted', is: 0 },
      { field: 'status', is: 'open' },
    ],
    { before: 0, limit: Number.MAX_SAFE_INTEGER },
  )
