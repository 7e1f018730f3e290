import { expect } from 'vitest'
import { asOperator, contents, eventsOf, expectRefusal, type Refusal, typesOf } from '../http/support.ts'
import { type Body, clientOf, makeCustomer, type Twin, type TwinResponse } from '../twin.ts'

/** The first instant of these tests, 31 January 2026 at 10 o'clock, and the end of a first month. */
export const NOW = 1769853600
export const PERIOD_END = 1772272800
export const DAY = 86_400

/** Reads all objects of a merchant. */
export const everything = async (twin: Twin): Promise<Body> => ({
  ...(await contents(twin)),
  refunds: (await twin.get('/v1/refunds?limit=100')).data,
  invoiceitems: (await twin.get('/v1/invoiceitems?limit=100')).data,
})

/** Runs something that must write nothing. */
export async function writesNothing<T>(twin: Twin, act: () => Promise<T>): Promise<T> {
  const before = await everything(twin)
  const result = await act()
  expect(await everything(twin)).toEqual(before)
  return result
}

type Request = readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>]

/** Checks that a request is refused with this error, and writes nothing. */
export async function refuses(twin: Twin, request: Request, refusal: Refusal): Promise<TwinResponse> {
  const response = await writesNothing(twin, () => twin.request(...request))
  expectRefusal(response, refusal)
  return response
}

/** The types of the events of a step, in order, on one line. */
export const emitted = async (twin: Twin, step: () => Promise<unknown>): Promise<string> =>
  typesOf(await eventsOf(twin, step)).join(' ')

/** The symbols of the status tables. */
export const SHORT = {
  I3: 'invoice.created invoice.finalized invoice.paid',
  I3f: 'invoice.created invoice.finalized invoice.payment_failed',
  'PI+': 'payment_intent.succeeded charge.succeeded',
  'PI-': 'payment_intent.payment_failed charge.failed',
  // Where there was no usable payment method there is no charge.
  PI0: 'payment_intent.payment_failed',
  Δ: 'subscription.updated',
} as const

/** Expands `I3 PI+ Δ`. */
export const inFull = (events: string): string =>
  events
    .split(' ')
    .map((word) => (word in SHORT ? SHORT[word as keyof typeof SHORT] : word))
    .join(' ')
    .replace(/^–$/, '')

/** The body of a declined payment, except its message. */
export function expectDecline(
  response: TwinResponse,
  {
    code = 'card_declined',
    decline_code = null as string | null,
    charge = expect.any(String),
    payment_intent = expect.any(Object),
  }: Body = {},
): void {
  expect(response.status).toBe(402)
  const { error, ...beside } = response.body
  const { message, doc_url, ...rest } = error
  expect(rest).toEqual({ type: 'payment_error', code, decline_code, param: null, charge, payment_intent })
  expect(message).toMatch(/\S/)
  expect(['undefined', 'string']).toContain(typeof doc_url)
  expect(beside).toEqual({ livemode: false })
}

export const unexpectedState: Refusal = { code: 'payment_intent_unexpected_state', param: null }
export const notInitialized: Refusal = {
  type: 'payment_error',
  code: 'payment_not_initialized',
  param: 'payment_method',
}
export const amountInvalid: Refusal = { code: 'amount_invalid', param: 'amount' }
export const amountTooLarge: Refusal = { code: 'amount_too_large', param: 'amount' }
export const unsupported: Refusal = {
  status: 422,
  code: 'unsupported_psp_capability',
  param: 'default_payment_method',
}

/** Creates an intent of 20.00 USD, or with other parameters. */
export const makeIntent = (twin: Twin, params: Body = {}): Promise<Body> =>
  twin.post('/v1/payment_intents', { amount: 2000, currency: 'usd', ...params })

/** A charge of 20.00 USD that succeeded, with its intent. */
export async function makeCharge(
  twin: Twin,
  { card = 'pm_card_visa', ...params }: Body = {},
): Promise<{ intent: Body; charge: Body }> {
  const intent = await makeIntent(twin, { payment_method: card, confirm: true, ...params })
  return { intent, charge: await twin.get(`/v1/charges/${intent.latest_charge}`) }
}

/** A client with a publishable key. */
export async function browserOf(twin: Twin): Promise<Twin> {
  const merchant = twin.sandbox.merchant.settings.id
  const { body } = await asOperator(twin)('POST', 'keys', { publishable: true, merchant })
  return clientOf(twin.sandbox, body.secret)
}

/** A customer with a card as default, and a manual draft of one line of 20.00 USD. */
export async function makeDraft(
  twin: Twin,
  { card = 'pm_card_visa', ...params }: Body = {},
): Promise<{ customer: Body; draft: Body }> {
  const { customer, method } = await makeCustomer(twin, { card })
  await twin.post(`/v1/customers/${customer.id}`, { invoice_settings: { default_payment_method: method.id } })
  await twin.post('/v1/invoiceitems', { customer: customer.id, amount: 2000, currency: 'usd' })
  return { customer, draft: await twin.post('/v1/invoices', { customer: customer.id, ...params }) }
}

/** The newest invoice of a subscription. */
export const newestOf = async (twin: Twin, { id }: Body): Promise<Body> =>
  (await twin.get(`/v1/invoices?limit=1&subscription=${id}`)).data[0]
