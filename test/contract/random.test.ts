import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeApp } from '../http/oauth/support.ts'
import { listAll } from '../scenarios/story.ts'
import { table } from '../table.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'

/** Every route of /v1 that writes, and what it may be given; `@x` is the id of an existing or unknown x. */
const ROUTES = table(
  ['method', 'path', 'params'],
  `
  POST    /v1/customers                                    name email description metadata invoice_settings test_clock coupon
  POST    /v1/customers/@customer                          name metadata invoice_settings coupon promotion_code
  DELETE  /v1/customers/@customer                          -
  DELETE  /v1/customers/@customer/discount                 -
  POST    /v1/coupons                                      id name percent_off amount_off currency duration duration_in_months max_redemptions redeem_by metadata
  POST    /v1/coupons/@coupon                              name metadata
  DELETE  /v1/coupons/@coupon                              -
  POST    /v1/promotion_codes                              coupon code active customer expires_at max_redemptions restrictions
  POST    /v1/promotion_codes/@promotion_code              active metadata
  POST    /v1/customers/@customer/balance_transactions     amount currency description metadata
  POST    /v1/customers/@customer/balance_transactions/@customer_balance_transaction  description metadata
  POST    /v1/products                                     name active metadata
  POST    /v1/products/@product                            name active metadata
  POST    /v1/prices                                       unit_amount currency recurring product active
  POST    /v1/prices/@price                                active nickname metadata
  POST    /v1/billing/meters                               display_name event_name default_aggregation
  POST    /v1/billing/meters/@meter                        display_name
  POST    /v1/billing/meters/@meter/deactivate             -
  POST    /v1/billing/meters/@meter/reactivate             -
  POST    /v1/billing/meter_events                         event_name payload timestamp
  POST    /v1/billing/meter_event_adjustments              event_name type cancel
  POST    /v1/payment_methods                              type card metadata
  POST    /v1/payment_methods/@payment_method/attach       customer
  POST    /v1/payment_methods/@payment_method/detach       -
  POST    /v1/test_helpers/payment_methods/@payment_method/outcomes  outcomes then
  POST    /v1/subscriptions                                customer currency items default_payment_method payment_behavior collection_method days_until_due trial_period_days trial_end trial_settings metadata discounts
  POST    /v1/subscriptions/@subscription                  default_payment_method cancel_at_period_end cancel_at collection_method days_until_due items trial_end pause_collection metadata description proration_behavior proration_date billing_cycle_anchor discounts
  POST    /v1/subscriptions/@subscription/resume           -
  DELETE  /v1/subscriptions/@subscription/discount         -
  DELETE  /v1/subscriptions/@subscription                  cancel_at_period_end prorate invoice_now
  POST    /v1/invoices                                     customer currency collection_method days_until_due metadata discounts
  POST    /v1/invoices/create_preview                      subscription
  POST    /v1/invoices/@invoice/pay                        payment_method
  POST    /v1/invoices/@invoice/finalize                   -
  POST    /v1/invoices/@invoice/void                       -
  POST    /v1/invoices/@invoice/mark_uncollectible         -
  DELETE  /v1/invoices/@invoice                            -
  POST    /v1/invoiceitems                                 customer invoice subscription amount currency price quantity description discounts discountable
  POST    /v1/invoiceitems/@invoiceitem                    amount quantity description metadata
  DELETE  /v1/invoiceitems/@invoiceitem                    -
  POST    /v1/payment_intents                              amount currency customer payment_method confirm description metadata
  POST    /v1/payment_intents/@payment_intent              amount currency customer payment_method description status
  POST    /v1/payment_intents/@payment_intent/confirm      payment_method
  POST    /v1/payment_intents/@payment_intent/cancel       cancellation_reason
  POST    /v1/test_helpers/payment_intents/@payment_intent/settle  outcome
  POST    /v1/refunds                                      charge payment_intent amount reason
  POST    /v1/credit_notes                                 invoice amount reason memo refund refund_amount credit_amount out_of_band_amount metadata
  POST    /v1/credit_notes/@credit_note                    memo metadata
  POST    /v1/credit_notes/@credit_note/void               -
  POST    /v1/disputes/@dispute                            evidence submit metadata
  POST    /v1/disputes/@dispute/close                      -
  POST    /v1/subscription_schedules                       customer start_date phases from_subscription end_behavior default_settings metadata
  POST    /v1/subscription_schedules/@subscription_schedule          phases end_behavior proration_behavior metadata
  POST    /v1/subscription_schedules/@subscription_schedule/release  preserve_cancel_date
  POST    /v1/subscription_schedules/@subscription_schedule/cancel   invoice_now prorate
  POST    /v1/oauth/authorizations                         client_id redirect_uri scope state code_challenge code_challenge_method
  POST    /v1/oauth/authorizations/@authorization/approve  -
  POST    /v1/oauth/authorizations/@authorization/deny     -
  POST    /v1/oauth/token                                  grant_type code redirect_uri code_verifier refresh_token scope
  POST    /v1/oauth/revoke                                 token
  POST    /v1/oauth/authorize/decision                     nonce decision merchant
  POST    /v1/test_helpers/clock/advance                   by to stop_on
  POST    /v1/test_helpers/clock/cancel                    -
  POST    /v1/test_helpers/clock/freeze                    -
  POST    /v1/test_helpers/clock/unfreeze                  -
  POST    /v1/webhook_endpoints                            url enabled_events description metadata
  POST    /v1/webhook_endpoints/@webhook_endpoint          url enabled_events description disabled
  DELETE  /v1/webhook_endpoints/@webhook_endpoint          -
  POST    /v1/events/@event/resend                         webhook_endpoint
  POST    /v1/test_helpers/test_clocks                     frozen_time name
  POST    /v1/test_helpers/test_clocks/@test_clock/advance      frozen_time by to stop_on
  POST    /v1/test_helpers/test_clocks/@test_clock/cancel       -
  DELETE  /v1/test_helpers/test_clocks/@test_clock              -
  `,
)

const CARDS = [
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_chargeDeclined',
  'pm_card_authenticationRequired',
  'pm_card_refundFail',
  'pm_card_createDispute',
  'pm_pix',
]
const OUTCOMES = ['succeed', 'decline:lost_card', 'decline:expired_card']
const ODD: readonly unknown[] = [
  null,
  '',
  [],
  {},
  -1,
  0,
  1.5,
  1e300,
  true,
  'x',
  '\0',
  'constructor',
  [null],
  { a: { b: 1 } },
]

/** Chooses one of some values. */
type Choose = <T>(values: readonly T[]) => T
/** The id of an object of a kind that was made before. */
type Known = (kind: string) => string

/** What a parameter may be; mostly something that makes sense. */
const VALUES: Readonly<Record<string, (choose: Choose, known: Known) => unknown>> = {
  active: (choose) => choose([true, true, false]),
  amount: (choose) => choose([1, 500, 2000, 99_999_999]),
  amount_off: (choose) => choose([1, 333, 5000]),
  by: (choose) => choose(['1d', '3d', '7d', '1mo', '60s']),
  cancel: () => ({ identifier: 'mtrevt_unknown' }),
  cancel_at: (choose) => choose([1769900000, 1771000000, 1785000000, null]),
  cancel_at_period_end: (choose) => choose([true, false]),
  cancellation_reason: (choose) => choose(['duplicate', 'abandoned']),
  card: (choose) => ({ number: choose(['4242424242424242', '4000000000000341']) }),
  charge: (_, known) => known('charge'),
  client_id: (_, known) => known('app'),
  collection_method: (choose) => choose(['charge_automatically', 'charge_automatically', 'send_invoice']),
  confirm: (choose) => choose([true, false]),
  credit_amount: (choose) => choose([500, 2000]),
  coupon: (_, known) => known('coupon'),
  currency: (choose) => choose([...Array(9).fill('usd'), 'eur']),
  customer: (_, known) => known('customer'),
  days_until_due: (choose) => choose([0, 3, 30]),
  default_aggregation: (choose) => ({ formula: choose(['sum', 'count', 'last']) }),
  default_payment_method: (choose, known) => choose([...CARDS, ...CARDS, known('payment_method')]),
  disabled: (choose) => choose([true, false, false]),
  discountable: (choose) => choose([true, false]),
  discounts: (choose, known) =>
    choose<unknown>([
      '',
      [{ coupon: known('coupon') }],
      [{ coupon: known('coupon') }, { promotion_code: known('promotion_code') }],
      [{ discount: known('discount') }],
    ]),
  duration: (choose) => choose(['once', 'repeating', 'forever']),
  duration_in_months: (choose) => choose([1, 2]),
  enabled_events: (choose) => choose([['*'], ['invoice.*'], ['customer.created', 'charge.*'], ['zebra']]),
  event_name: (choose) => choose(['calls', 'bytes']),
  end_behavior: (choose) => choose(['release', 'cancel']),
  evidence: (choose) => ({ uncategorized_text: choose(['winning_evidence', 'losing_evidence', 'a letter']) }),
  from_subscription: (_, known) => known('subscription'),
  frozen_time: (choose) => choose([1764000000, 1769853600, 1772272800, 1785000000]),
  invoice_now: (choose) => choose([true, false]),
  invoice: (_, known) => known('invoice'),
  invoice_settings: (choose, known) => ({
    default_payment_method: choose([...CARDS, known('payment_method')]),
  }),
  items: (choose, known) => [
    { price: known('price'), quantity: choose([0, 1, 1, 2, 2, 3, 100_000]) },
    ...choose<Body[]>([
      [],
      [],
      [{ price: known('price') }],
      [{ id: known('subscription_item'), deleted: true }],
    ]),
  ],
  metadata: (choose) => choose([{ a: '1' }, { a: '' }, { b: 2 }]),
  max_redemptions: (choose) => choose([1, 3, 100]),
  outcome: (choose) => choose(['succeed', 'fail']),
  outcomes: (choose) => [choose(OUTCOMES), choose(OUTCOMES), choose(OUTCOMES)],
  pause_collection: (choose) =>
    choose([null, ...['keep_as_draft', 'mark_uncollectible', 'void'].map((behavior) => ({ behavior }))]),
  payload: (choose, known) => ({ stripe_customer_id: known('customer'), value: choose(['1', '0.5', '-2']) }),
  payment_behavior: (choose) => choose(['default_incomplete', 'allow_incomplete', 'error_if_incomplete']),
  payment_intent: (_, known) => known('payment_intent'),
  payment_method: (choose, known) => choose([...CARDS, known('payment_method'), known('payment_method')]),
  phases: (choose, known) => [
    {
      ...{ items: [{ price: known('price') }], iterations: choose([1, 1, 2]) },
      ...choose<Body>([{}, {}, { discounts: '' }, { discounts: [{ coupon: known('coupon') }] }]),
    },
    ...choose<Body[]>([
      [],
      [{ items: [{ price: known('price'), quantity: choose([1, 2]) }], trial: choose([true, false]) }],
    ]),
  ],
  preserve_cancel_date: (choose) => choose([true, false]),
  percent_off: (choose) => choose([10, 33.33, 100]),
  price: (_, known) => known('price'),
  prorate: (choose) => choose([true, false]),
  product: (_, known) => known('product'),
  promotion_code: (_, known) => known('promotion_code'),
  quantity: (choose) => choose([0, 1, 3]),
  redeem_by: (choose) => choose([1770000000, 1775000000]),
  redirect_uri: (choose) => choose(['https://app.example/callback', 'https://evil.example/']),
  reason: (choose) => choose(['duplicate', 'fraudulent']),
  recurring: (choose, known) => ({
    interval: choose(['week', 'month', 'month', 'year']),
    ...choose<Body>([{}, {}, {}, { usage_type: 'metered', meter: known('meter') }]),
  }),
  refund: (_, known) => known('refund'),
  refund_amount: (choose) => choose([500, 2000]),
  scope: (choose) => choose(['read_only', 'read_write', 'admin']),
  start_date: (choose) => choose(['now', 1772272800]),
  status: (choose) => choose(['canceled', 'requires_confirmation']),
  stop_on: (choose) => [choose(['invoice.paid', 'invoice.*', 'subscription.deleted'])],
  submit: (choose) => choose([true, false]),
  subscription: (_, known) => known('subscription'),
  test_clock: (_, known) => known('test_clock'),
  // biome-ignore lint/suspicious/noThenProperty: the contract's name
  then: (choose) => choose(OUTCOMES),
  timestamp: (choose) => choose([1769853600, 1772272800]),
  to: (choose) => choose([1772272800, 1774951200]),
  trial_end: (choose) => choose<unknown>(['now', 1770000000, 1775000000]),
  trial_period_days: (choose) => choose([1, 14]),
  trial_settings: (choose) => ({
    end_behavior: { missing_payment_method: choose(['create_invoice', 'pause', 'cancel']) },
  }),
  type: (choose) => choose(['card', 'card', 'pix', 'boleto', 'cancel']),
  url: (choose) =>
    choose(['http://localhost:3000/webhooks', 'https://example.com/', 'ftp://x', 'http://169.254.169.254/']),
  webhook_endpoint: (_, known) => known('webhook_endpoint'),
  unit_amount: (choose) => choose([0, 1, 2000, 99_999_999]),
}

const NEEDED = new Set(
  'amount by card charge client_id currency customer default_aggregation default_payment_method display_name enabled_events event_name items frozen_time outcome outcomes payload recurring redirect_uri type unit_amount url'.split(
    ' ',
  ),
)
/** What contradicts others, or forbids what follows. */
const SELDOM = new Set(
  'cancel_at test_clock days_until_due to trial_end trial_period_days trial_settings'.split(' '),
)

/** The weights of routes. Routes that create objects are more frequent than routes that end them. */
const OFTEN = /subscriptions$|@subscription$|advance|pay$|refunds|payment_intents$|confirm|settle|outcomes/
const DECK = ROUTES.flatMap((route) => {
  const isOften = route.method === 'POST' && OFTEN.test(route.path)
  return Array<typeof route>(isOften ? 6 : /customers.@customer$/.test(route.path) ? 1 : 2).fill(route)
})

/** One request: which route, and the numbers by which its parameters are chosen. */
const aRequest = fc.noBias(
  fc.record({
    route: fc.nat({ max: DECK.length - 1 }),
    choices: fc.array(fc.nat({ max: 99_999 }), { minLength: 60, maxLength: 60 }),
  }),
)

/** Ids by the kind of what they name, as in responses. */
class Pool {
  readonly #ids = new Map<string, string[]>()

  note(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    const { object, id } = value as Body
    if (typeof object === 'string' && typeof id === 'string') {
      const kind = object.replace('billing.', '')
      const ids = this.#ids.get(kind) ?? []
      if (!ids.includes(id)) this.#ids.set(kind, [...ids, id])
    }
    for (const child of Object.values(value)) this.note(child)
  }

  known(kind: string, choice: number): string {
    const ids = this.#ids.get(kind) ?? []
    // Sometimes an unknown id, or one of another kind.
    if (choice % 29 === 0 || ids.length === 0)
      return choice % 2 ? `${kind}_unknown` : (this.#ids.get('customer')?.[0] ?? 'x')
    return ids[choice % ids.length] ?? ''
  }
}

async function send(
  twin: Twin,
  pool: Pool,
  { route, choices }: { route: number; choices: readonly number[] },
): Promise<void> {
  let place = 0
  const next = () => {
    place += 1
    return choices[place % choices.length] ?? 0
  }
  const choose: Choose = (values) => values[next() % values.length] as (typeof values)[number]
  const known: Known = (kind) => pool.known(kind, next())
  const { method, path, params } = DECK[route] as (typeof DECK)[number]
  const body: Body = {}
  for (const name of params === '-' ? [] : params.split(' ')) {
    const luck = next() % 100
    if (luck < (NEEDED.has(name) ? 4 : SELDOM.has(name) ? 90 : 60)) continue
    body[name] = luck > 97 ? choose(ODD) : (VALUES[name]?.(choose, known) ?? `some ${name}`)
  }
  const target = path.replaceAll(/@(\w+)/g, (_, kind) => encodeURIComponent(known(kind)))
  const response = await twin.request(method, target, body)
  expect(response.status, `${method} ${target} ${JSON.stringify(body)}`).toBeLessThan(500)
  expect(response.body.livemode).toBe(false)
  if (response.status >= 400)
    expect(response.body.error).toMatchObject({ type: expect.any(String), code: expect.any(String) })
  pool.note(response.body.error ?? response.body)
}

/** Checks the invariants that hold after any requests. */
async function checkBooks(twin: Twin): Promise<void> {
  const [charges, refunds, invoices] = await Promise.all(
    ['/v1/charges', '/v1/refunds', '/v1/invoices'].map((path) => listAll(twin, path)),
  )
  const given = (charge: Body) =>
    (refunds ?? [])
      .filter((refund) => refund.charge === charge.id && refund.status !== 'failed')
      .reduce((sum, { amount }) => sum + amount, 0)
  for (const charge of charges ?? []) {
    expect(charge.amount_refunded).toBe(given(charge))
    expect(charge.amount_refunded).toBeLessThanOrEqual(charge.amount)
  }
  const numbered = (invoices ?? []).filter(({ number }) => number !== null)
  for (const whose of new Set(numbered.map(({ customer }) => customer))) {
    const sequence = numbered
      .filter(({ customer }) => customer === whose)
      .map(({ number }) => Number(number.split('-')[1]))
      .sort((left, right) => left - right)
    expect(sequence).toEqual(sequence.map((_, index) => index + 1))
  }
  for (const { id, status, amount_due, amount_paid, charge } of invoices ?? []) {
    const paying = (charges ?? []).filter((one) => one.invoice === id && one.status === 'succeeded')
    expect(paying).toHaveLength(status === 'paid' && amount_due > 0 ? 1 : 0)
    expect(amount_paid).toBe(status === 'paid' ? amount_due : 0)
    if (paying.length > 0) expect(charge).toBe(paying[0]?.id)
  }
}

/** Creates the first objects, so that most references are valid. */
async function furnish(twin: Twin, pool: Pool): Promise<void> {
  for (const card of ['pm_card_visa', 'pm_card_chargeDeclined']) {
    const customer = await twin.post('/v1/customers', { name: card })
    pool.note(customer)
    pool.note(await twin.post(`/v1/payment_methods/${card}/attach`, { customer: customer.id }))
  }
  for (const amount of [2000, 300]) {
    const recurring = { interval: 'month' }
    pool.note(await twin.post('/v1/prices', { unit_amount: amount, currency: 'usd', recurring }))
  }
  pool.note(await makeApp(twin))
  pool.note(await twin.post('/v1/test_helpers/test_clocks', { frozen_time: 1772272800 }))
}

test('random requests never cause a 500, and the books balance', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aRequest, { minLength: 10, maxLength: 60, size: 'max' }), async (requests) => {
      const failures: unknown[] = []
      const twin = await startTwin({
        reportError: (error) => failures.push(error),
        send: async () => ({ status: 200, body: '' }),
      })
      try {
        const pool = new Pool()
        await furnish(twin, pool)
        for (const request of requests) {
          await send(twin, pool, request)
          // What time and others did is to be chosen too.
          for (const path of ['/v1/invoices', '/v1/charges']) pool.note(await twin.get(`${path}?limit=5`))
        }
        await checkBooks(twin)
        await twin.advance({ by: '2mo' })
        await checkBooks(twin)
        expect(failures).toEqual([])
      } finally {
        await twin.close()
      }
    }),
    { numRuns: 60, interruptAfterTimeLimit: 90_000 },
  )
})

test('every route that writes is among those asked', async () => {
  const twin = await startTwin()
  const served = twin.sandbox.app.routes
    .filter(({ method, path }) => (method === 'POST' || method === 'DELETE') && path.startsWith('/v1/'))
    .map(({ method, path }) => `${method} ${path}`)
  const asked = ROUTES.map(
    ({ method, path }) => `${method} ${path.replace(/@\w+/, ':id').replace(/@\w+/, ':transaction')}`,
  )
  expect([...new Set(served)].sort()).toEqual([...asked].sort())
  await twin.close()
})
