import type { Registered } from '../route.ts'
import type { Examples } from './examples.ts'
import { lettingIn } from './oauth-story.ts'
import { tellOfOperator } from './operator-story.ts'
import { type Answered, Recorder, type Specimen } from './recorder.ts'
import { tellOfState } from './state-story.ts'

/** Opens a new specimen. */
export type OpenSpecimen = (options: { strictParams: boolean }) => Promise<Specimen>

/**
 * Plays a story on a sandbox in which every route answers once and every error happens, for the examples of the description.
 * The sandbox is always the same, and so are they.
 */
export async function tellStory(routes: readonly Registered[], open: OpenSpecimen): Promise<Examples> {
  const specimen = await open({ strictParams: false })
  const strict = await open({ strictParams: true })
  try {
    const told = new Recorder(specimen, routes)
    const { monthly, setup } = await catalogue(told)
    const ada = await customers(told)
    const pix = await paymentMethods(told, ada)
    await paymentIntents(told, ada, pix)
    await subscriptions(told, ada, monthly)
    await invoices(told, ada, setup)
    await failures(told, monthly)
    await time(told)
    await lettingIn(told)
    await webhooks(told)
    await tellOfOperator(told)
    await refusals(told)
    await tellOfState(told)
    const pedant = new Recorder(strict, routes)
    await pedant.refused('get', '/v1/customers?zebra=1')
    const { successes, errors, streams } = told.examples()
    return { successes, errors: new Map([...errors, ...pedant.examples().errors]), streams }
  } finally {
    await specimen.close()
    await strict.close()
  }
}

async function catalogue(told: Recorder): Promise<{ monthly: Answered; setup: Answered }> {
  const product = await told.post('/v1/products', { name: 'Pro', description: 'Everything, and support' })
  await told.post(`/v1/products/${product.id}`, { metadata: { tier: 'gold' } })
  await told.get(`/v1/products/${product.id}`)
  await told.get('/v1/products?limit=1')
  const monthly = await told.post('/v1/prices', {
    unit_amount: 2000,
    currency: 'usd',
    product: product.id,
    recurring: { interval: 'month' },
  })
  const setup = await told.post('/v1/prices', { unit_amount: 500, currency: 'usd', nickname: 'Setup' })
  await told.post(`/v1/prices/${monthly.id}`, { lookup_key: 'pro_monthly' })
  await told.get(`/v1/prices/${monthly.id}`)
  await told.get('/v1/prices?limit=1')
  return { monthly, setup }
}

async function customers(told: Recorder): Promise<Answered> {
  const ada = await told.post('/v1/customers', { email: 'ada@example.com', name: 'Ada Lovelace' })
  await told.post(`/v1/customers/${ada.id}`, { metadata: { plan: 'pro' } })
  await told.get(`/v1/customers/${ada.id}`)
  await told.get('/v1/customers?limit=1')
  const gone = await told.post('/v1/customers', {})
  await told.delete(`/v1/customers/${gone.id}`)
  return ada
}

/** Ada has a card, and a push method. */
async function paymentMethods(told: Recorder, ada: Answered): Promise<Answered> {
  const card = await told.post('/v1/payment_methods', {
    type: 'card',
    card: { number: '5555555555554444', exp_month: 12, exp_year: 2030 },
  })
  await told.post('/v1/payment_methods/pm_card_visa/attach', { customer: ada.id })
  await told.post(`/v1/payment_methods/${card.id}/attach`, { customer: ada.id })
  await told.get(`/v1/payment_methods/${card.id}`)
  await told.get('/v1/payment_methods?limit=1')
  await told.get(`/v1/customers/${ada.id}/payment_methods?limit=1`)
  await told.post(`/v1/test_helpers/payment_methods/${card.id}/outcomes`, {
    outcomes: ['succeed', 'decline:insufficient_funds'],
  })
  await told.post(`/v1/payment_methods/${card.id}/detach`)
  return told.post('/v1/payment_methods/pm_pix/attach', { customer: ada.id })
}

async function paymentIntents(told: Recorder, ada: Answered, pix: Answered): Promise<void> {
  const intent = await told.post('/v1/payment_intents', { amount: 1999, currency: 'usd', customer: ada.id })
  await told.refused('post', `/v1/payment_intents/${intent.id}/confirm`)
  await told.post(`/v1/payment_intents/${intent.id}`, { description: 'Order 1815' })
  await told.get(`/v1/payment_intents/${intent.id}`)
  const paid = await told.post(`/v1/payment_intents/${intent.id}/confirm`, { payment_method: 'pm_card_visa' })
  await told.get('/v1/payment_intents?limit=1')
  await told.refused('post', `/v1/payment_intents/${intent.id}/confirm`)
  await told.get(`/v1/charges/${paid.latest_charge}`)
  const refund = await told.post('/v1/refunds', {
    charge: paid.latest_charge,
    amount: 999,
    reason: 'requested_by_customer',
  })
  await told.get(`/v1/refunds/${refund.id}`)
  await told.get('/v1/refunds?limit=1')
  await told.get('/v1/charges?limit=1')
  await told.refused('post', '/v1/refunds', { body: { charge: paid.latest_charge, amount: 5000 } })

  const pushed = await told.post('/v1/payment_intents', {
    amount: 500,
    currency: 'brl',
    customer: ada.id,
    payment_method: pix.id,
    confirm: true,
  })
  await told.post(`/v1/test_helpers/payment_intents/${pushed.id}/settle`, { outcome: 'succeed' })
  const dropped = await told.post('/v1/payment_intents', { amount: 700, currency: 'usd' })
  await told.post(`/v1/payment_intents/${dropped.id}/cancel`, { cancellation_reason: 'abandoned' })
}

async function subscriptions(told: Recorder, ada: Answered, monthly: Answered): Promise<void> {
  const subscription = await told.post('/v1/subscriptions', {
    customer: ada.id,
    currency: 'usd',
    default_payment_method: 'pm_card_visa',
    items: [{ price: monthly.id, quantity: 2 }],
  })
  const path = `/v1/subscriptions/${subscription.id}`
  await told.get(path)
  await told.get('/v1/subscriptions?limit=1')
  await told.get(`${path}/items`)
  await told.post(path, { items: [{ id: subscription.items.data[0].id, quantity: 3 }] })
  await told.post('/v1/invoices/create_preview', { subscription: subscription.id })
  await told.get(`/v1/invoices/${subscription.latest_invoice}`)
  await told.get(`/v1/invoices/${subscription.latest_invoice}/lines`)
  await told.delete(path, { cancel_at_period_end: true })
  await told.post(`${path}/resume`)
}

async function invoices(told: Recorder, ada: Answered, setup: Answered): Promise<void> {
  const bill = async () => {
    await told.post('/v1/invoiceitems', { customer: ada.id, price: setup.id, quantity: 2 })
    return told.post('/v1/invoices', { customer: ada.id })
  }
  const first = await bill()
  await told.post(`/v1/invoices/${first.id}/finalize`)
  await told.post(`/v1/invoices/${first.id}/pay`, { payment_method: 'pm_card_visa' })
  await told.get('/v1/invoices?limit=1')
  await told.refused('post', `/v1/invoices/${first.id}/void`)
  const second = await bill()
  await told.post(`/v1/invoices/${second.id}/finalize`)
  await told.post(`/v1/invoices/${second.id}/mark_uncollectible`)
  await told.post(`/v1/invoices/${second.id}/void`)
  const third = await bill()
  await told.delete(`/v1/invoices/${third.id}`)

  const item = await told.post('/v1/invoiceitems', { customer: ada.id, amount: 300, currency: 'usd' })
  await told.get(`/v1/invoiceitems/${item.id}`)
  await told.get('/v1/invoiceitems?limit=1')
  await told.delete(`/v1/invoiceitems/${item.id}`)

  const { id: invoice } = await told.post('/v1/invoices', { customer: ada.id, currency: 'usd' })
  const { id } = await told.post('/v1/invoiceitems', {
    customer: ada.id,
    invoice,
    amount: 300,
    currency: 'usd',
    description: 'Training',
  })
  await told.post(`/v1/invoiceitems/${id}`, { amount: 350 })
}

/** Every way in which a payment fails. */
async function failures(told: Recorder, monthly: Answered): Promise<void> {
  const cards = [
    'pm_card_chargeDeclinedInsufficientFunds',
    'pm_card_chargeDeclinedExpiredCard',
    'pm_card_chargeDeclinedIncorrectCvc',
    'pm_card_chargeDeclinedProcessingError',
  ]
  for (const payment_method of cards) {
    const body = { amount: 2000, currency: 'usd', payment_method, confirm: true }
    await told.refused('post', '/v1/payment_intents', { body })
  }
  const poor = await told.post('/v1/customers', { name: 'Charles Babbage' })
  await told.post('/v1/invoiceitems', { customer: poor.id, amount: 1200, currency: 'usd' })
  const invoice = await told.post('/v1/invoices', { customer: poor.id })
  await told.post(`/v1/invoices/${invoice.id}/finalize`)
  await told.refused('post', `/v1/invoices/${invoice.id}/pay`)
  await told.refused('post', `/v1/invoices/${invoice.id}/pay`, { body: { payment_method: 'pm_pix' } })
  await told.refused('post', '/v1/subscriptions', {
    body: {
      customer: poor.id,
      currency: 'usd',
      default_payment_method: 'pm_pix',
      items: [{ price: monthly.id }],
    },
  })
}

async function time(told: Recorder): Promise<void> {
  await told.get('/v1/test_helpers/clock')
  await told.get('/v1/test_helpers/upcoming?limit=1')
  await told.post('/v1/test_helpers/clock/advance', { by: '1mo' })
  await told.post('/v1/test_helpers/clock/cancel')
  await told.post('/v1/test_helpers/clock/unfreeze')
  await told.post('/v1/test_helpers/clock/freeze')
  await testClocks(told)
  const { data } = await told.get('/v1/events?limit=2&type=invoice.*')
  await told.get(`/v1/events/${data[0].id}`)
  await told.stream(`/v1/events?starting_after=${data[1].id}`)
  await told.stream(`/_paytwin/events?starting_after=${data[1].id}`)
}

async function testClocks(told: Recorder): Promise<void> {
  const path = '/v1/test_helpers/test_clocks'
  const clock = await told.post(path, { frozen_time: 1_830_297_600, name: 'Leap day' })
  await told.post('/v1/customers', { test_clock: clock.id })
  await told.get(path)
  await told.get(`${path}/${clock.id}`)
  await told.post(`${path}/${clock.id}/advance`, { by: '1d' })
  await told.post(`${path}/${clock.id}/cancel`)
  await told.delete(`${path}/${clock.id}`)
}

async function webhooks(told: Recorder): Promise<void> {
  const path = '/v1/webhook_endpoints'
  const url = 'http://localhost:3000/webhooks'
  const endpoint = await told.post(path, { url, enabled_events: ['invoice.*', 'customer.created'] })
  await told.get(`${path}?limit=1`)
  await told.get(`${path}/${endpoint.id}`)
  await told.post(`${path}/${endpoint.id}`, { description: 'The shop' })
  await told.post('/v1/customers', { name: 'Grace Hopper' })
  const [event] = (await told.get('/v1/events?limit=1')).data
  await told.post(`/v1/events/${event.id}/resend`, { webhook_endpoint: endpoint.id })
  await told.get(`${path}/${endpoint.id}/deliveries?limit=1`)
  await told.delete(`${path}/${endpoint.id}`)
  const own = await told.post('/_paytwin/webhooks', { url, description: 'The shop' })
  await told.get('/_paytwin/webhooks?limit=1')
  await told.post('/v1/customers', { name: 'Alan Turing' })
  const [newest] = (await told.get('/_paytwin/events?limit=1')).data
  await told.post(`/_paytwin/events/${newest.id}/resend`)
  await told.get(`/_paytwin/webhooks/${own.id}/deliveries?limit=1`)
  await told.post('/_paytwin/webhooks/retry', { all: true })
  await told.delete(`/_paytwin/webhooks/${own.id}`)
}

async function refusals(told: Recorder): Promise<void> {
  await told.refused('get', '/v1/customers/cus_unknown')
  await told.refused('get', '/v1/customers?limit=0')
  await told.refused('post', '/v1/payment_intents', { body: { currency: 'usd' } })
  await told.refused('post', '/v1/payment_intents', { body: { amount: -1, currency: 'usd' } })
  await told.refused('get', '/v1/customers', {
    headers: { Authorization: 'Bearer sk_test_unknown' },
    name: 'invalid_key',
  })
  await told.refused('get', '/_paytwin/keys', {
    headers: { Authorization: 'Bearer unknown' },
    name: 'invalid_admin_token',
  })
  const headers = { 'Idempotency-Key': 'order-1815' }
  await told.post('/v1/customers', {}, headers)
  await told.refused('post', '/v1/customers', { body: { name: 'Ada' }, headers })
  for (const [kind, name] of [
    ['rate_limit', undefined],
    ['internal_error', undefined],
    ['key_resolution_unavailable', 'keys_unavailable'],
  ] as const) {
    await told.post('/_paytwin/faults', { kind, count: 1 })
    await told.refused('get', '/v1/customers', name === undefined ? {} : { name })
  }
}
