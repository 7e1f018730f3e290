import type { Registered } from '../route.ts'
import { creditNotes, disputes } from './credit-story.ts'
import { recordDiscounts } from './discount-story.ts'
import type { Examples } from './examples.ts'
import { failures } from './failure-story.ts'
import { recordOAuth } from './oauth-story.ts'
import { recordOperator } from './operator-story.ts'
import { type ExampleSandbox, Recorder, type ResponseBody } from './recorder.ts'
import { recordState } from './state-story.ts'
import { recordSchedules, recordSubscriptions } from './subscription-story.ts'
import { recordUsage } from './usage-story.ts'
import { recordWebhooks } from './webhook-story.ts'

/** Opens a new example sandbox. */
export type OpenExampleSandbox = (options: { strictParams: boolean }) => Promise<ExampleSandbox>

/**
 * Records an example of every route and every error in a deterministic sandbox.
 */
export async function recordExamples(
  routes: readonly Registered[],
  open: OpenExampleSandbox,
): Promise<Examples> {
  const exampleSandbox = await open({ strictParams: false })
  const strict = await open({ strictParams: true })
  try {
    const recorder = new Recorder(exampleSandbox, routes)
    const { monthly, setup } = await catalogue(recorder)
    const ada = await customers(recorder)
    const pix = await paymentMethods(recorder, ada)
    await paymentIntents(recorder, ada, pix)
    await recordSubscriptions(recorder, ada, monthly)
    await recordSchedules(recorder, ada, monthly)
    await recordUsage(recorder, ada)
    await invoices(recorder, ada, setup)
    await disputes(recorder)
    await recordDiscounts(recorder, monthly)
    await failures(recorder, monthly)
    await time(recorder)
    await recordOAuth(recorder)
    await recordWebhooks(recorder)
    await recordOperator(recorder)
    await refusals(recorder)
    await recordState(recorder)
    const strictRecorder = new Recorder(strict, routes)
    await strictRecorder.refused('get', '/v1/customers?zebra=1')
    const { successes, errors, streams } = recorder.examples()
    return { successes, errors: new Map([...errors, ...strictRecorder.examples().errors]), streams }
  } finally {
    await exampleSandbox.close()
    await strict.close()
  }
}

async function catalogue(recorder: Recorder): Promise<{ monthly: ResponseBody; setup: ResponseBody }> {
  const product = await recorder.post('/v1/products', {
    name: 'Pro',
    description: 'Everything, and support',
    default_price_data: { unit_amount: 4900, currency: 'usd', recurring: { interval: 'month' } },
  })
  await recorder.post(`/v1/products/${product.id}`, { metadata: { tier: 'gold' } })
  await recorder.get(`/v1/products/${product.id}`)
  await recorder.get('/v1/products?limit=1')
  const monthly = await recorder.post('/v1/prices', {
    unit_amount: 2000,
    currency: 'usd',
    product: product.id,
    recurring: { interval: 'month' },
  })
  const setup = await recorder.post('/v1/prices', { unit_amount: 500, currency: 'usd', nickname: 'Setup' })
  await recorder.post(`/v1/prices/${monthly.id}`, { lookup_key: 'pro_monthly' })
  await recorder.get(`/v1/prices/${monthly.id}`)
  await recorder.get('/v1/prices?limit=1')
  return { monthly, setup }
}

async function customers(recorder: Recorder): Promise<ResponseBody> {
  const ada = await recorder.post('/v1/customers', { email: 'ada@example.com', name: 'Ada Lovelace' })
  await recorder.post(`/v1/customers/${ada.id}`, { metadata: { plan: 'pro' } })
  await recorder.get(`/v1/customers/${ada.id}`)
  await recorder.get('/v1/customers?limit=1')
  const deleted = await recorder.post('/v1/customers', {})
  const balance = `/v1/customers/${deleted.id}/balance_transactions`
  const credit = await recorder.post(balance, {
    amount: -500,
    currency: 'usd',
    description: 'A late delivery',
  })
  await recorder.get(`${balance}/${credit.id}`)
  await recorder.get(`${balance}?limit=1`)
  await recorder.post(`${balance}/${credit.id}`, { metadata: { order: '1815' } })
  await recorder.delete(`/v1/customers/${deleted.id}`)
  return ada
}

/** Records payment methods. Gives the customer Ada a card and a push method. */
async function paymentMethods(recorder: Recorder, ada: ResponseBody): Promise<ResponseBody> {
  const card = await recorder.post('/v1/payment_methods', {
    type: 'card',
    card: { number: '5555555555554444', exp_month: 12, exp_year: 2030 },
  })
  await recorder.post('/v1/payment_methods/pm_card_visa/attach', { customer: ada.id })
  await recorder.post(`/v1/payment_methods/${card.id}/attach`, { customer: ada.id })
  await recorder.get(`/v1/payment_methods/${card.id}`)
  await recorder.get('/v1/payment_methods?limit=1')
  await recorder.get(`/v1/customers/${ada.id}/payment_methods?limit=1`)
  await recorder.post(`/v1/test_helpers/payment_methods/${card.id}/outcomes`, {
    outcomes: ['succeed', 'decline:insufficient_funds'],
  })
  await recorder.post(`/v1/payment_methods/${card.id}/detach`)
  return recorder.post('/v1/payment_methods/pm_pix/attach', { customer: ada.id })
}

async function paymentIntents(recorder: Recorder, ada: ResponseBody, pix: ResponseBody): Promise<void> {
  const intent = await recorder.post('/v1/payment_intents', {
    amount: 1999,
    currency: 'usd',
    customer: ada.id,
  })
  await recorder.refused('post', `/v1/payment_intents/${intent.id}/confirm`)
  await recorder.post(`/v1/payment_intents/${intent.id}`, { description: 'Order 1815' })
  await recorder.get(`/v1/payment_intents/${intent.id}`)
  const paid = await recorder.post(`/v1/payment_intents/${intent.id}/confirm`, {
    payment_method: 'pm_card_visa',
  })
  await recorder.get('/v1/payment_intents?limit=1')
  await recorder.refused('post', `/v1/payment_intents/${intent.id}/confirm`)
  await recorder.get(`/v1/charges/${paid.latest_charge}`)
  const refund = await recorder.post('/v1/refunds', {
    charge: paid.latest_charge,
    amount: 999,
    reason: 'requested_by_customer',
  })
  await recorder.get(`/v1/refunds/${refund.id}`)
  await recorder.get('/v1/refunds?limit=1')
  await recorder.get('/v1/charges?limit=1')
  await recorder.refused('post', '/v1/refunds', { body: { charge: paid.latest_charge, amount: 5000 } })

  const pushed = await recorder.post('/v1/payment_intents', {
    amount: 500,
    currency: 'brl',
    customer: ada.id,
    payment_method: pix.id,
    confirm: true,
  })
  await recorder.post(`/v1/test_helpers/payment_intents/${pushed.id}/settle`, { outcome: 'succeed' })
  const dropped = await recorder.post('/v1/payment_intents', { amount: 700, currency: 'usd' })
  await recorder.post(`/v1/payment_intents/${dropped.id}/cancel`, { cancellation_reason: 'abandoned' })
}

async function invoices(recorder: Recorder, ada: ResponseBody, setup: ResponseBody): Promise<void> {
  const bill = async () => {
    await recorder.post('/v1/invoiceitems', { customer: ada.id, price: setup.id, quantity: 2 })
    return recorder.post('/v1/invoices', { customer: ada.id })
  }
  const first = await bill()
  await recorder.post(`/v1/invoices/${first.id}/finalize`)
  await recorder.post(`/v1/invoices/${first.id}/pay`, { payment_method: 'pm_card_visa' })
  await recorder.get('/v1/invoices?limit=1')
  await recorder.refused('post', `/v1/invoices/${first.id}/void`)
  await creditNotes(recorder, first)
  const second = await bill()
  await recorder.post(`/v1/invoices/${second.id}/finalize`)
  await recorder.post(`/v1/invoices/${second.id}/mark_uncollectible`)
  await recorder.post(`/v1/invoices/${second.id}/void`)
  const third = await bill()
  await recorder.delete(`/v1/invoices/${third.id}`)

  const item = await recorder.post('/v1/invoiceitems', { customer: ada.id, amount: 300, currency: 'usd' })
  await recorder.get(`/v1/invoiceitems/${item.id}`)
  await recorder.get('/v1/invoiceitems?limit=1')
  await recorder.delete(`/v1/invoiceitems/${item.id}`)

  const { id: invoice } = await recorder.post('/v1/invoices', { customer: ada.id, currency: 'usd' })
  const { id } = await recorder.post('/v1/invoiceitems', {
    customer: ada.id,
    invoice,
    amount: 300,
    currency: 'usd',
    description: 'Training',
  })
  await recorder.post(`/v1/invoiceitems/${id}`, { amount: 350 })
}

async function time(recorder: Recorder): Promise<void> {
  await recorder.get('/v1/test_helpers/clock')
  await recorder.get('/v1/test_helpers/upcoming?limit=1')
  await recorder.post('/v1/test_helpers/clock/advance', { by: '1mo' })
  await recorder.post('/v1/test_helpers/clock/cancel')
  await recorder.post('/v1/test_helpers/clock/unfreeze')
  await recorder.post('/v1/test_helpers/clock/freeze')
  await testClocks(recorder)
  const { data } = await recorder.get('/v1/events?limit=2&type=invoice.*')
  await recorder.get(`/v1/events/${data[0].id}`)
  await recorder.stream(`/v1/events?starting_after=${data[1].id}`)
  await recorder.stream(`/_paytwin/events?starting_after=${data[1].id}`)
}

async function testClocks(recorder: Recorder): Promise<void> {
  const path = '/v1/test_helpers/test_clocks'
  const clock = await recorder.post(path, { frozen_time: 1_830_297_600, name: 'Leap day' })
  await recorder.post('/v1/customers', { test_clock: clock.id })
  await recorder.get(path)
  await recorder.get(`${path}/${clock.id}`)
  await recorder.post(`${path}/${clock.id}/advance`, { by: '1d' })
  await recorder.post(`${path}/${clock.id}/cancel`)
  await recorder.delete(`${path}/${clock.id}`)
}

async function refusals(recorder: Recorder): Promise<void> {
  await recorder.refused('get', '/v1/customers/cus_unknown')
  await recorder.refused('get', '/v1/customers?limit=0')
  await recorder.refused('post', '/v1/payment_intents', { body: { currency: 'usd' } })
  await recorder.refused('post', '/v1/payment_intents', { body: { amount: -1, currency: 'usd' } })
  await recorder.refused('get', '/v1/customers', {
    headers: { Authorization: 'Bearer sk_test_unknown' },
    name: 'invalid_key',
  })
  await recorder.refused('get', '/_paytwin/keys', {
    headers: { Authorization: 'Bearer unknown' },
    name: 'invalid_admin_token',
  })
  const headers = { 'Idempotency-Key': 'order-1815' }
  await recorder.post('/v1/customers', {}, headers)
  await recorder.refused('post', '/v1/customers', { body: { name: 'Ada' }, headers })
  for (const [kind, name] of [
    ['rate_limit', undefined],
    ['internal_error', undefined],
    ['key_resolution_unavailable', 'keys_unavailable'],
  ] as const) {
    await recorder.post('/_paytwin/faults', { kind, count: 1 })
    await recorder.refused('get', '/v1/customers', name === undefined ? {} : { name })
  }
}
