import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { onTestClock, setFinalAction, subscribe } from '../scenarios/story.ts'
import { type Body, makePrice, startTwin, type Twin } from '../twin.ts'
import { why } from './support.ts'

let shared: Twin
beforeAll(async () => {
  shared = await startTwin()
})
afterAll(() => shared.close())

const DECLINED = 'decline:insufficient_funds'
const TRIAL = { trial_period_days: 14 }

/** Begins a subscription of 31 January at 10:00 on a test clock of its own, and explains one of its invoices later. */
async function story(given: Body = {}) {
  const twin = await onTestClock(shared)
  const { subscription, method, customer } = await subscribe(twin, given)
  const { id } = subscription
  const path = `/v1/subscriptions/${id}`
  const latest = async (): Promise<string> =>
    (await twin.get(`/v1/invoices?customer=${customer.id}&limit=1`)).data[0].id
  return {
    ...{ twin, id, path, method, customer, latest },
    advance: (by: string) => twin.advance({ by }),
    /** Requests a change of the newest invoice: pay, void and so on. */
    act: async (verb: string, params: Body = {}) =>
      twin.post(`/v1/invoices/${await latest()}/${verb}`, params),
    why: async (query?: string) => why(twin, await latest(), query),
  }
}

/** A subscription with an invoice that a request made for one item of 12.00 USD. */
async function withManualInvoice(given: Body = {}, params: Body = {}) {
  const told = await story(given)
  const { customer, method } = told
  await told.twin.post('/v1/invoiceitems', { customer: customer.id, currency: 'usd', amount: 1200 })
  await told.twin.post('/v1/invoices', {
    customer: customer.id,
    default_payment_method: method.id,
    ...params,
  })
  return told
}

describe('a paid invoice', () => {
  test('with the first attempt', async () => {
    const told = await story()
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been paid since 2026-01-31T10:00:00Z: it was paid with attempt 1 of 5. [invoices.md#attempts]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('with a retry', async () => {
    const told = await story({ outcomes: ['succeed', DECLINED, 'succeed'] })
    await told.advance('30d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been paid since 2026-03-01T10:00:00Z: it was paid with attempt 2 of 5. [invoices.md#attempts]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('by a request', async () => {
    const told = await story({ outcomes: ['succeed', DECLINED, 'succeed'] })
    await told.advance('28d')
    await told.act('pay')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been paid since 2026-02-28T10:00:00Z: it was paid by a request. [invoices.md#paying-by-hand]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('with nothing due', async () => {
    const told = await story({ price: { unit_amount: 0 } })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been paid since 2026-01-31T10:00:00Z: its total is zero, so nothing was due. [invoices.md#finalizing]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('by a credit in the balance', async () => {
    const told = await story()
    const path = `/v1/customers/${told.customer.id}/balance_transactions`
    await told.twin.post(path, { amount: -2500, currency: 'usd' })
    await told.advance('28d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been paid since 2026-02-28T10:00:00Z: a credit in the customer's balance covered its total. [proration.md#balance]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Of its total of 20.00 USD, a credit in the customer's balance paid 20.00 USD; the amount due was 0.00 USD. [proration.md#balance]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('partly by a credit in the balance', async () => {
    const told = await story()
    const path = `/v1/customers/${told.customer.id}/balance_transactions`
    await told.twin.post(path, { amount: -500, currency: 'usd' })
    await told.advance('28d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been paid since 2026-02-28T10:00:00Z: it was paid with attempt 1 of 5. [invoices.md#attempts]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Of its total of 20.00 USD, a credit in the customer's balance paid 5.00 USD; the amount due was 15.00 USD. [proration.md#balance]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('with an owed balance', async () => {
    const told = await story()
    const path = `/v1/customers/${told.customer.id}/balance_transactions`
    await told.twin.post(path, { amount: 500, currency: 'usd' })
    await told.advance('28d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been paid since 2026-02-28T10:00:00Z: it was paid with attempt 1 of 5. [invoices.md#attempts]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      The customer's balance of 5.00 USD was owed, so 5.00 USD was added to its total of 20.00 USD. [proration.md#balance]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('with a negative total', async () => {
    const told = await story({ price: { unit_amount: 5000 } })
    const { id: basic } = await makePrice(told.twin, { unit_amount: 1000 })
    const [item] = (await told.twin.get(told.path)).items.data
    await told.advance('1d')
    await told.twin.post(told.path, {
      items: [{ id: item.id, price: basic }],
      proration_behavior: 'always_invoice',
    })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been paid since 2026-02-01T10:00:00Z: its total is negative, so nothing was due. [invoices.md#finalizing]
      It bills a change or the end of its subscription. [proration.md#changing-a-plan]
      Its total is negative, so 38.57 USD became a credit in the customer's balance. [proration.md#balance]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('with a credit note afterwards', async () => {
    const told = await story()
    await told.twin.post('/v1/credit_notes', {
      invoice: await told.latest(),
      amount: 500,
      refund_amount: 500,
    })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been paid since 2026-01-31T10:00:00Z: it was paid with attempt 1 of 5. [invoices.md#attempts]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      Credit notes gave 5.00 USD back after it was paid. [credit-notes.md#paid-invoices]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('by credit notes in full', async () => {
    const told = await story({ collection_method: 'send_invoice', days_until_due: 10 })
    await told.twin.post('/v1/credit_notes', { invoice: await told.latest(), amount: 2000 })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been paid since 2026-01-31T10:00:00Z: credit notes of 20.00 USD reduced its amount due to zero. [credit-notes.md#open-invoices]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      Credit notes took 20.00 USD off its amount due. [credit-notes.md#open-invoices]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
})

describe('an open invoice', () => {
  test('that is retried', async () => {
    const told = await story({ outcomes: ['succeed'], afterwards: DECLINED })
    await told.advance('30d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been open since 2026-02-28T10:00:00Z: attempt 2 of 5 failed (insufficient_funds). [invoices.md#retry-schedule]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      At 2026-03-03T10:00:00Z, it is charged again (attempt 3 of 5). Failed payments are retried 1, 3, 5 and 7 days after the first attempt; if all fail, the last attempt is at 2026-03-07T10:00:00Z and then the subscription is canceled, which is the merchant's final action. [invoices.md#retry-schedule]"
    `)
    await told.act('pay').catch(() => undefined)
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been open since 2026-02-28T10:00:00Z: a payment by request failed (insufficient_funds). [invoices.md#retry-schedule]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      At 2026-03-03T10:00:00Z, it is charged again (attempt 3 of 5). Failed payments are retried 1, 3, 5 and 7 days after the first attempt; if all fail, the last attempt is at 2026-03-07T10:00:00Z and then the subscription is canceled, which is the merchant's final action. [invoices.md#retry-schedule]"
    `)
  })
  test('whose subscription is canceled before its next attempt', async () => {
    const told = await story({ outcomes: ['succeed'], afterwards: DECLINED })
    await told.advance('28d')
    await told.twin.post(told.path, { cancel_at: 1772294400 })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been open since 2026-02-28T10:00:00Z: attempt 1 of 5 failed (insufficient_funds). [invoices.md#retry-schedule]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Its next attempt is planned for 2026-03-01T10:00:00Z, but its subscription is canceled at 2026-02-28T16:00:00Z, which drops it. [subscriptions.md#canceling]"
    `)
  })
  test('of a canceled subscription', async () => {
    const told = await story({ outcomes: ['succeed'], afterwards: DECLINED })
    await told.advance('28d')
    await told.twin.delete(told.path)
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been open since 2026-02-28T10:00:00Z: attempt 1 of 5 failed (insufficient_funds), and its subscription is canceled, so there are no further retries. [invoices.md#retry-schedule]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('that was sent', async () => {
    const told = await story({ collection_method: 'send_invoice', days_until_due: 10 })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been open since 2026-01-31T10:00:00Z: it was sent to the customer and is not paid yet. [invoices.md#due-dates]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      At 2026-02-10T10:00:00Z, it is due; if it is not paid by then, the subscription becomes past_due. [invoices.md#due-dates]"
    `)
    await told.advance('11d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been open since 2026-01-31T10:00:00Z: it was sent to the customer, and its due date passed at 2026-02-10T10:00:00Z without a payment. [invoices.md#due-dates]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('that a request finalized', async () => {
    const told = await withManualInvoice()
    await told.act('finalize')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been open since 2026-01-31T10:00:00Z: it was finalized without an attempt to charge it. [invoices.md#finalizing]
      It was created by a request. [invoices.md#manual-invoices]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('that waits for an authentication', async () => {
    const told = await story({ card: 'pm_card_authenticationRequired' })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been open since 2026-01-31T10:00:00Z: attempt 1 of 5 failed (authentication_required). [invoices.md#retry-schedule]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      At 2026-02-01T10:00:00Z, it is charged again (attempt 2 of 5). Failed payments are retried 1, 3, 5 and 7 days after the first attempt; if all fail, the last attempt is at 2026-02-07T10:00:00Z and then the subscription expires and the invoice is voided. [invoices.md#retry-schedule]
      At 2026-02-28T10:00:00Z, the subscription expires unless its first invoice is paid: it becomes incomplete_expired and the invoice is voided. [subscriptions.md#incomplete-subscriptions]"
    `)
  })
  test('with a credit note', async () => {
    const told = await story({ collection_method: 'send_invoice', days_until_due: 10 })
    await told.twin.post('/v1/credit_notes', { invoice: await told.latest(), amount: 500 })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been open since 2026-01-31T10:00:00Z: it was sent to the customer and is not paid yet. [invoices.md#due-dates]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      Credit notes took 5.00 USD off its amount due. [credit-notes.md#open-invoices]
      At 2026-02-10T10:00:00Z, it is due; if it is not paid by then, the subscription becomes past_due. [invoices.md#due-dates]"
    `)
  })
})

describe('a draft', () => {
  test('by a request', async () => {
    const told = await withManualInvoice()
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been a draft since 2026-01-31T10:00:00Z: no request has finalized it, and it is not finalized by itself. [invoices.md#manual-invoices]
      It was created by a request. [invoices.md#manual-invoices]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('whose collection was paused', async () => {
    const told = await story()
    await told.twin.post(told.path, { pause_collection: { behavior: 'keep_as_draft' } })
    await told.advance('28d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been a draft since 2026-02-28T10:00:00Z: collection was paused with keep_as_draft when it was made. [subscriptions.md#pausing-collection]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
})

test('a draft of an unpaid subscription', async () => {
  const told = await story({ outcomes: ['succeed'], afterwards: DECLINED })
  await setFinalAction(shared, 'mark_unpaid')
  onTestFinished(() => setFinalAction(shared, 'cancel'))
  await told.advance('60d')
  expect(await told.why()).toMatchInlineSnapshot(`
    "The invoice has been a draft since 2026-03-31T10:00:00Z: its subscription was unpaid when it was made, and the drafts of such a subscription are not collected. [subscriptions.md#dunning]
    It bills the period from 2026-03-31T10:00:00Z to 2026-04-30T10:00:00Z of its subscription. [subscriptions.md#renewal]
    Nothing further happens by itself: only a request changes it. [invoices.md#status]"
  `)
})

describe('a void invoice', () => {
  test('by a request', async () => {
    const told = await story({ outcomes: ['succeed'], afterwards: DECLINED })
    await told.advance('28d')
    await told.act('void')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been void since 2026-02-28T10:00:00Z: a request voided it. [invoices.md#status]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Nothing further happens: this status is final. [invoices.md#status]"
    `)
  })
  test('whose collection was paused', async () => {
    const told = await story()
    await told.twin.post(told.path, { pause_collection: { behavior: 'void' } })
    await told.advance('28d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been void since 2026-02-28T10:00:00Z: collection was paused with void when it was made. [subscriptions.md#pausing-collection]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Nothing further happens: this status is final. [invoices.md#status]"
    `)
  })
  test('of a subscription that expired', async () => {
    const told = await story({ card: 'pm_card_chargeCustomerFail' })
    await told.advance('8d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been void since 2026-02-07T10:00:00Z: its subscription expired without a first payment. [subscriptions.md#incomplete-subscriptions]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      Nothing further happens: this status is final. [invoices.md#status]"
    `)
  })
  test('of a subscription that was canceled before its first payment', async () => {
    const told = await story({ outcomes: [DECLINED] })
    await told.twin.delete(told.path)
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been void since 2026-01-31T10:00:00Z: its subscription was canceled before its first payment. [subscriptions.md#canceling]
      It is the first invoice of its subscription and bills the period from 2026-01-31T10:00:00Z to 2026-02-28T10:00:00Z. [subscriptions.md#creating]
      Nothing further happens: this status is final. [invoices.md#status]"
    `)
  })
  test('of a pending update that was not paid in time', async () => {
    const told = await story({ outcomes: ['succeed', DECLINED] })
    const { id: pro } = await makePrice(told.twin, { unit_amount: 5000 })
    const [item] = (await told.twin.get(told.path)).items.data
    await told.advance('10d')
    const params = {
      items: [{ id: item.id, price: pro }],
      payment_behavior: 'pending_if_incomplete',
      proration_behavior: 'always_invoice',
    }
    await told.twin.post(told.path, params)
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been open since 2026-02-10T10:00:00Z: attempt 1 of 5 failed (insufficient_funds), and the invoice of a pending update is not retried. [invoices.md#retry-schedule]
      It bills a change or the end of its subscription. [proration.md#changing-a-plan]
      At 2026-02-11T09:00:00Z, the pending update is dropped and its invoice voided, unless that invoice is paid. [proration.md#pending-updates]"
    `)
    await told.advance('1d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been void since 2026-02-11T09:00:00Z: the pending update that it bills was not paid in time. [proration.md#pending-updates]
      It bills a change or the end of its subscription. [proration.md#changing-a-plan]
      Nothing further happens: this status is final. [invoices.md#status]"
    `)
  })
  test('of a pending update, by a request', async () => {
    const told = await story({ outcomes: ['succeed', DECLINED] })
    const { id: pro } = await makePrice(told.twin, { unit_amount: 5000 })
    const [item] = (await told.twin.get(told.path)).items.data
    await told.advance('10d')
    const params = {
      items: [{ id: item.id, price: pro }],
      payment_behavior: 'pending_if_incomplete',
      proration_behavior: 'always_invoice',
    }
    await told.twin.post(told.path, params)
    await told.advance('1h')
    await told.act('void')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been void since 2026-02-10T11:00:00Z: a request voided it, or dropped the pending update that it bills. [proration.md#pending-updates]
      It bills a change or the end of its subscription. [proration.md#changing-a-plan]
      Nothing further happens: this status is final. [invoices.md#status]"
    `)
  })
  test('of a failed resumption', async () => {
    const told = await story({
      ...TRIAL,
      trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
    })
    await told.twin.post(`/v1/payment_methods/${told.method.id}/detach`)
    await told.advance('20d')
    await told.twin.post(told.path, { default_payment_method: 'pm_card_chargeCustomerFail' })
    await told.twin.post(`${told.path}/resume`).catch(() => undefined)
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been void since 2026-02-20T10:00:00Z: its payment failed when a request resumed the subscription, which therefore stayed paused. [subscriptions.md#resuming]
      It bills the period from 2026-02-20T10:00:00Z to 2026-03-20T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Nothing further happens: this status is final. [invoices.md#status]"
    `)
  })
})

describe('an uncollectible invoice', () => {
  test('by a request', async () => {
    const told = await story({ outcomes: ['succeed'], afterwards: DECLINED })
    await told.advance('28d')
    await told.act('mark_uncollectible')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been uncollectible since 2026-02-28T10:00:00Z: a request marked it uncollectible. [invoices.md#status]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
  test('whose collection was paused', async () => {
    const told = await story()
    await told.twin.post(told.path, { pause_collection: { behavior: 'mark_uncollectible' } })
    await told.advance('28d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The invoice has been uncollectible since 2026-02-28T10:00:00Z: collection was paused with mark_uncollectible when it was made. [subscriptions.md#pausing-collection]
      It bills the period from 2026-02-28T10:00:00Z to 2026-03-31T10:00:00Z of its subscription. [subscriptions.md#renewal]
      Nothing further happens by itself: only a request changes it. [invoices.md#status]"
    `)
  })
})
