import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { phase } from '../scenarios/schedule-story.ts'
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

/** Begins a subscription of 31 January at 10:00 on a test clock of its own, and explains it later. */
async function story(given: Body = {}) {
  const twin = await onTestClock(shared)
  const { subscription, method, customer } = await subscribe(twin, given)
  const { id } = subscription
  const path = `/v1/subscriptions/${id}`
  const advance = (by: string) => twin.advance({ by })
  const latest = async (): Promise<string> =>
    (await twin.get(`/v1/invoices?subscription=${id}&limit=1`)).data[0].id
  return { twin, id, path, method, customer, advance, latest, why: (query?: string) => why(twin, id, query) }
}

describe('an active subscription', () => {
  test('whose first payment succeeded', async () => {
    const told = await story()
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been active since 2026-01-31T10:00:00Z: its first invoice #0001 (20.00 USD) was paid with attempt 1 of 5. [subscriptions.md#creating]
      At 2026-02-28T10:00:00Z, the subscription renews and a period until 2026-03-31T10:00:00Z begins. Its invoice of 20.00 USD is charged automatically to visa …4242. [subscriptions.md#renewal]"
    `)
  })

  test('whose first payment succeeded with a retry', async () => {
    const told = await story({ outcomes: [DECLINED, DECLINED, 'succeed'] })
    await told.advance('4d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been active since 2026-02-03T10:00:00Z: invoice #0001 (20.00 USD) was paid with attempt 3 of 5. [subscriptions.md#dunning]
      At 2026-02-28T10:00:00Z, the subscription renews and a period until 2026-03-31T10:00:00Z begins. Its invoice of 20.00 USD is charged automatically to visa …4242. [subscriptions.md#renewal]"
    `)
  })

  test('with free prices', async () => {
    const told = await story({ price: { unit_amount: 0 } })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been active since 2026-01-31T10:00:00Z: its first invoice #0001 (0.00 USD) was paid without a payment, because nothing was due. [subscriptions.md#creating]
      At 2026-02-28T10:00:00Z, the subscription renews and a period until 2026-03-31T10:00:00Z begins. Its invoice of 0.00 USD is charged automatically to visa …4242. [subscriptions.md#renewal]"
    `)
  })

  test('whose invoices are sent', async () => {
    const told = await story({ collection_method: 'send_invoice', days_until_due: 10 })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been active since 2026-01-31T10:00:00Z: its invoices are sent, so it is active before they are paid. [subscriptions.md#sent-invoices]
      Its latest_invoice is null, because none of its invoices was paid yet. [subscriptions.md#latest-invoice]
      Invoice #0001 (20.00 USD) is open: it was sent to the customer and is not paid yet. [invoices.md#due-dates]
      At 2026-02-10T10:00:00Z, invoice #0001 (20.00 USD) is due; if it is not paid by then, the subscription becomes past_due. [invoices.md#due-dates]
      At 2026-02-28T10:00:00Z, the subscription renews and a period until 2026-03-31T10:00:00Z begins. Its invoice of 20.00 USD is sent to the customer. [subscriptions.md#renewal]"
    `)
  })

  test('with very many open invoices and jobs', async () => {
    const daily = { price: { recurring: { interval: 'day' } } }
    const told = await story({ ...daily, collection_method: 'send_invoice', days_until_due: 365 })
    await told.advance('30d')
    const lines = (await told.why()).split('\n')
    expect(lines.filter((line) => line.startsWith('Invoice #'))).toHaveLength(10)
    expect(lines.filter((line) => line.startsWith('At 20'))).toHaveLength(20)
    expect(lines.find((line) => line.includes('older'))).toBe(
      'Besides, 21 older invoices are open, the oldest since 2026-01-31T10:00:00Z. [invoices.md#outstanding-invoices]',
    )
    expect(lines.at(-1)).toBe(
      'Then 12 further jobs are queued, the last for 2027-03-02T10:00:00Z. [clocks.md#jobs]',
    )
  })

  test('after its trial', async () => {
    const told = await story(TRIAL)
    await told.advance('14d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been active since 2026-02-14T10:00:00Z: its trial ended and invoice #0001 (20.00 USD) was paid with attempt 1 of 5. [subscriptions.md#trials]
      At 2026-03-14T10:00:00Z, the subscription renews and a period until 2026-04-14T10:00:00Z begins. Its invoice of 20.00 USD is charged automatically to visa …4242. [subscriptions.md#renewal]"
    `)
  })

  test('after a trial that ended while collection was paused', async () => {
    const told = await story({ ...TRIAL })
    await told.twin.post(told.path, { pause_collection: { behavior: 'keep_as_draft' } })
    await told.advance('14d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been active since 2026-02-14T10:00:00Z: its trial ended while collection was paused, so its invoice was held back. [subscriptions.md#pausing-collection]
      Collection is paused until a request resumes it: the invoices of new periods stay drafts. [subscriptions.md#pausing-collection]
      At 2026-03-14T10:00:00Z, the subscription renews and a period until 2026-04-14T10:00:00Z begins. Its invoice of 20.00 USD stays a draft, because collection is paused. [subscriptions.md#pausing-collection]"
    `)
  })

  test('again after a retry', async () => {
    const told = await story({ outcomes: ['succeed', DECLINED, 'succeed'] })
    await told.advance('30d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been active since 2026-03-01T10:00:00Z: invoice #0002 (20.00 USD) was paid with attempt 2 of 5, so no invoice is outstanding any more. [subscriptions.md#dunning]
      At 2026-03-31T10:00:00Z, the subscription renews and a period until 2026-04-30T10:00:00Z begins. Its invoice of 20.00 USD is charged automatically to visa …4242. [subscriptions.md#renewal]"
    `)
  })

  test.each([
    ['void', 'was voided'],
    ['mark_uncollectible', 'was marked uncollectible'],
    ['pay', 'was paid by a request'],
  ])('again after %s', async (verb, expected) => {
    const told = await story({ outcomes: ['succeed', DECLINED, 'succeed'] })
    await told.advance('28d')
    await told.twin.post(`/v1/invoices/${await told.latest()}/${verb}`)
    const sentences = await told.why()
    expect(sentences).toContain(`${expected}, so no invoice is outstanding any more.`)
    expect(sentences).toContain('The subscription has been active since 2026-02-28T10:00:00Z: invoice ')
  })

  test('that a request resumed', async () => {
    const told = await story({
      ...TRIAL,
      trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
    })
    await told.twin.post(`/v1/payment_methods/${told.method.id}/detach`)
    await told.advance('20d')
    await told.twin.post(told.path, { default_payment_method: 'pm_card_visa' })
    await told.twin.post(`${told.path}/resume`)
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been active since 2026-02-20T10:00:00Z: a request resumed it, and a new period began whose invoice #0001 (20.00 USD) was paid with attempt 1 of 5. [subscriptions.md#resuming]
      At 2026-03-20T10:00:00Z, the subscription renews and a period until 2026-04-20T10:00:00Z begins. Its invoice of 20.00 USD is charged automatically to visa …4242. [subscriptions.md#renewal]"
    `)
  })

  test('that waits for a cancellation at the end of the period', async () => {
    const told = await story()
    await told.advance('1d')
    await told.twin.delete(told.path, { cancel_at_period_end: true })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been active since 2026-01-31T10:00:00Z: its first invoice #0001 (20.00 USD) was paid with attempt 1 of 5. [subscriptions.md#creating]
      A cancellation is planned for 2026-02-28T10:00:00Z: a request at 2026-02-01T10:00:00Z set it to cancel at the end of the current period. [subscriptions.md#canceling]
      At 2026-02-28T10:00:00Z, the subscription is canceled as planned. [subscriptions.md#canceling]"
    `)
  })

  test('that waits for a cancellation at an instant', async () => {
    const told = await story()
    await told.twin.post(told.path, { cancel_at: 1_775_000_000 })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been active since 2026-01-31T10:00:00Z: its first invoice #0001 (20.00 USD) was paid with attempt 1 of 5. [subscriptions.md#creating]
      A cancellation is planned for 2026-03-31T23:33:20Z: a request at 2026-01-31T10:00:00Z set it to cancel at that instant. [subscriptions.md#canceling]
      At 2026-02-28T10:00:00Z, the subscription renews and a period until 2026-03-31T10:00:00Z begins. Its invoice of 20.00 USD is charged automatically to visa …4242. [subscriptions.md#renewal]
      At 2026-03-31T23:33:20Z, the subscription is canceled as planned. [subscriptions.md#canceling]"
    `)
  })

  test.each([
    ['keep_as_draft', 'the invoices of new periods stay drafts', 'stays a draft'],
    [
      'mark_uncollectible',
      'the invoices of new periods are marked uncollectible at once',
      'is marked uncollectible',
    ],
    ['void', 'the invoices of new periods are voided at once', 'is voided'],
  ])('with collection paused by %s', async (behavior, details, renewal) => {
    const told = await story()
    await told.twin.post(told.path, { pause_collection: { behavior, resumes_at: 1_775_000_000 } })
    const sentences = await told.why()
    expect(sentences).toContain(`Collection is paused until 2026-03-31T23:33:20Z: ${details}.`)
    expect(sentences).toContain(`Its invoice of 20.00 USD ${renewal}, because collection is paused.`)
    expect(sentences).toContain('At 2026-03-31T23:33:20Z, the pause of collection ends.')
  })

  test('with an update that waits for its payment', async () => {
    const told = await story({ outcomes: ['succeed', DECLINED] })
    const { id: pro } = await makePrice(told.twin, { unit_amount: 5000 })
    const [item] = (await told.twin.get(told.path)).items.data
    await told.advance('10d')
    await told.twin.post(told.path, {
      items: [{ id: item.id, price: pro }],
      payment_behavior: 'pending_if_incomplete',
      proration_behavior: 'always_invoice',
    })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been active since 2026-01-31T10:00:00Z: its first invoice #0001 (20.00 USD) was paid with attempt 1 of 5. [subscriptions.md#creating]
      An update waits for the payment of its invoice until 2026-02-11T09:00:00Z; the items stay as they were until then. [proration.md#pending-updates]
      Invoice #0002 (19.28 USD) is open: attempt 1 of 5 failed (insufficient_funds), and the invoice of a pending update is not retried. [invoices.md#retry-schedule]
      At 2026-02-11T09:00:00Z, the pending update is dropped and its invoice voided, unless that invoice is paid. [proration.md#pending-updates]
      At 2026-02-28T10:00:00Z, the subscription renews and a period until 2026-03-31T10:00:00Z begins. Its invoice of 20.00 USD is charged automatically to visa …4242. [subscriptions.md#renewal]"
    `)
  })

  test('with a credit in the customer’s balance that pays part of the next invoice', async () => {
    const told = await story()
    const path = `/v1/customers/${told.customer.id}/balance_transactions`
    await told.twin.post(path, { amount: -500, currency: 'usd' })
    expect(await told.why()).toContain(
      "Its invoice of 20.00 USD is charged automatically to visa …4242. The customer's credit of 5.00 USD reduces the amount due to 15.00 USD.",
    )
    await told.twin.post(path, { amount: 700, currency: 'usd' })
    expect(await told.why()).toContain("The customer's balance of 2.00 USD is added, so 22.00 USD is due.")
  })

  test('that a schedule manages', async () => {
    const told = await story()
    const { id: pro } = await makePrice(told.twin, { unit_amount: 5000 })
    const schedule = await told.twin.post('/v1/subscription_schedules', { from_subscription: told.id })
    const [first] = schedule.phases
    const [item] = first.items
    await told.twin.post(`/v1/subscription_schedules/${schedule.id}`, {
      end_behavior: 'cancel',
      phases: [
        {
          items: [{ price: item.price, quantity: 1 }],
          start_date: first.start_date,
          end_date: first.end_date,
        },
        phase(pro, { iterations: 1 }),
      ],
    })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been active since 2026-01-31T10:00:00Z: its first invoice #0001 (20.00 USD) was paid with attempt 1 of 5. [subscriptions.md#creating]
      A cancellation is planned for 2026-03-31T10:00:00Z: its schedule ends then. [subscriptions.md#canceling]
      A schedule manages it, and is in phase 1 of 2. [schedules.md#managed-subscriptions]
      At 2026-02-28T10:00:00Z, phase 2 of the schedule begins: 50.00 USD for one period. [schedules.md#entering-a-phase]
      At 2026-02-28T10:00:00Z, the subscription renews and a period until 2026-03-31T10:00:00Z begins. Its invoice of 50.00 USD is charged automatically to visa …4242. [subscriptions.md#renewal]
      At 2026-03-24T10:00:00Z, subscription_schedule.expiring announces the end of the schedule. [schedules.md#when-a-schedule-ends]
      At 2026-03-31T10:00:00Z, the subscription is canceled as planned. [subscriptions.md#canceling]"
    `)
    expect(await why(told.twin, schedule.id)).toMatchInlineSnapshot(`
      "The status of the schedule has been active since 2026-01-31T10:00:00Z: it is in phase 1 of 2. [schedules.md#phases]
      Its last phase ends at 2026-03-31T10:00:00Z; its end_behavior is cancel. [schedules.md#when-a-schedule-ends]
      At 2026-02-28T10:00:00Z, phase 2 of the schedule begins: 50.00 USD for one period. [schedules.md#entering-a-phase]
      At 2026-03-24T10:00:00Z, subscription_schedule.expiring announces the end of the schedule. [schedules.md#when-a-schedule-ends]
      At 2026-03-31T10:00:00Z, the subscription is canceled as planned. [subscriptions.md#canceling]"
    `)
  })

  test('with a discount that ends by the calendar', async () => {
    const told = await story()
    await shared.post('/v1/coupons', {
      id: 'HALF',
      percent_off: 50,
      duration: 'repeating',
      duration_in_months: 2,
    })
    await told.twin.post(told.path, { discounts: [{ coupon: 'HALF' }] })
    expect(await told.why()).toContain('At 2026-03-31T10:00:00Z, a discount ends.')
  })
})

describe('a subscription in its trial', () => {
  test('that will be charged', async () => {
    const told = await story(TRIAL)
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been trialing since 2026-01-31T10:00:00Z: it has a trial that ends at 2026-02-14T10:00:00Z. [subscriptions.md#trials]
      At 2026-02-14T10:00:00Z, the trial ends and a period until 2026-03-14T10:00:00Z begins. Its invoice of 20.00 USD is charged automatically to visa …4242. [subscriptions.md#trials]"
    `)
  })

  test.each([
    ['pause', 'paused'],
    ['cancel', 'canceled'],
  ])('that will %s without a payment method', async (missing_payment_method, status) => {
    const told = await story({ ...TRIAL, trial_settings: { end_behavior: { missing_payment_method } } })
    await told.twin.post(`/v1/payment_methods/${told.method.id}/detach`)
    expect(await told.why()).toContain(
      `At 2026-02-14T10:00:00Z, the trial ends; without a payment method the subscription is ${status}, as trial_settings says.`,
    )
    await told.advance('14d')
    expect(await told.why()).toContain(
      `The subscription has been ${status} since 2026-02-14T10:00:00Z: its trial ended without a payment method`,
    )
  })

  test('that will fail to be charged without a payment method', async () => {
    const told = await story(TRIAL)
    await told.twin.post(`/v1/payment_methods/${told.method.id}/detach`)
    expect(await told.why()).toContain('which fails as long as there is no payment method')
    await told.advance('14d')
    expect(await told.why()).toContain('failed (payment_method_missing)')
  })
})

describe('a subscription with a failed payment', () => {
  test('is incomplete after its first payment', async () => {
    const told = await story({ outcomes: [DECLINED] })
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been incomplete since 2026-01-31T10:00:00Z: attempt 1 of 5 to pay invoice #0001 (20.00 USD) failed (insufficient_funds). [subscriptions.md#dunning]
      Its latest_invoice is null, because none of its invoices was paid yet. [subscriptions.md#latest-invoice]
      Invoice #0001 (20.00 USD) is open: attempt 1 of 5 failed (insufficient_funds). [invoices.md#retry-schedule]
      At 2026-02-01T10:00:00Z, invoice #0001 (20.00 USD) is charged again (attempt 2 of 5). Failed payments are retried 1, 3, 5 and 7 days after the first attempt; if all fail, the last attempt is at 2026-02-07T10:00:00Z and then the subscription expires and the invoice is voided. [invoices.md#retry-schedule]
      At 2026-02-28T10:00:00Z, the subscription expires unless its first invoice is paid: it becomes incomplete_expired and the invoice is voided. [subscriptions.md#incomplete-subscriptions]"
    `)
  })

  test('expires after the last retry', async () => {
    const told = await story({ card: 'pm_card_chargeCustomerFail' })
    await told.advance('8d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been incomplete_expired since 2026-02-07T10:00:00Z: attempt 5 of 5 to pay its first invoice #0001 (20.00 USD) failed (generic_decline), and no retry was left. [subscriptions.md#incomplete-subscriptions]
      Its latest_invoice is null, because none of its invoices was paid yet. [subscriptions.md#latest-invoice]
      Nothing further happens: this status is final. [subscriptions.md#status]"
    `)
  })

  test('expires at the end of a short period', async () => {
    const price = { recurring: { interval: 'day' } }
    const told = await story({ card: 'pm_card_chargeCustomerFail', price })
    await told.advance('2d')
    expect(await told.why()).toContain('its first invoice was not paid before its first period ended')
  })

  test.each([
    ['void', 'a request voided its first invoice before it was paid'],
    ['mark_uncollectible', 'uncollectible before it was paid'],
  ])('expires when its invoice is closed by %s', async (verb, expected) => {
    const told = await story({ outcomes: [DECLINED] })
    await told.twin.post(`/v1/invoices/${await told.latest()}/${verb}`)
    expect(await told.why()).toContain(expected)
  })

  test('is past_due after a renewal, with the attempts to come', async () => {
    const told = await story({ outcomes: ['succeed'], afterwards: DECLINED })
    await told.advance('30d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been past_due since 2026-02-28T10:00:00Z: attempt 1 of 5 to pay invoice #0002 (20.00 USD) failed (insufficient_funds). [subscriptions.md#dunning]
      Invoice #0002 (20.00 USD) is open: attempt 2 of 5 failed (insufficient_funds). [invoices.md#retry-schedule]
      At 2026-03-03T10:00:00Z, invoice #0002 (20.00 USD) is charged again (attempt 3 of 5). Failed payments are retried 1, 3, 5 and 7 days after the first attempt; if all fail, the last attempt is at 2026-03-07T10:00:00Z and then the subscription is canceled, which is the merchant's final action. [invoices.md#retry-schedule]
      At 2026-03-31T10:00:00Z, the subscription renews and a period until 2026-04-30T10:00:00Z begins. Its invoice of 20.00 USD is charged automatically to visa …4242. [subscriptions.md#renewal]"
    `)
    expect(await told.why('?at=2026-02-28T09:59:59Z')).toContain('has been active since 2026-01-31T10:00:00Z')
  })

  test('is past_due after a trial', async () => {
    const told = await story({ ...TRIAL, outcomes: [DECLINED] })
    await told.advance('14d')
    expect(await told.why()).toContain(
      'since 2026-02-14T10:00:00Z: its trial ended and attempt 1 of 5 to pay invoice ',
    )
  })

  test.each([
    ['cancel', 'canceled since 2026-03-07T10:00:00Z: attempt 5 of 5 to pay invoice ', 'was cancel.'],
    [
      'mark_unpaid',
      'unpaid since 2026-03-07T10:00:00Z: attempt 5 of 5 to pay invoice ',
      'because the subscription is unpaid.',
    ],
    [
      'leave_past_due',
      'past_due since 2026-02-28T10:00:00Z: attempt 1 of 5 to pay invoice ',
      'left the subscription past_due.',
    ],
  ])('after the final action %s', async (action, status, further) => {
    const told = await story({ outcomes: ['succeed'], afterwards: DECLINED })
    await setFinalAction(shared, action)
    onTestFinished(() => setFinalAction(shared, 'cancel'))
    await told.advance('30d')
    expect(await told.why()).toMatch(
      /if all fail, the last attempt is at 2026-03-07T10:00:00Z and then the subscription .*final action\./,
    )
    await told.advance('10d')
    const sentences = await told.why()
    expect(sentences).toContain(`The subscription has been ${status}`)
    expect(sentences).toContain(further)
  })

  test('is past_due when a due date passes', async () => {
    const told = await story({ collection_method: 'send_invoice', days_until_due: 10 })
    await told.advance('12d')
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been past_due since 2026-02-10T10:00:00Z: the due date of invoice #0001 (20.00 USD) passed without a payment. [subscriptions.md#sent-invoices]
      Its latest_invoice is null, because none of its invoices was paid yet. [subscriptions.md#latest-invoice]
      Invoice #0001 (20.00 USD) is open: it was sent to the customer, and its due date passed at 2026-02-10T10:00:00Z without a payment. [invoices.md#due-dates]
      At 2026-02-28T10:00:00Z, the subscription renews and a period until 2026-03-31T10:00:00Z begins. Its invoice of 20.00 USD is sent to the customer. [subscriptions.md#renewal]"
    `)
  })
})

describe('a canceled subscription', () => {
  test('by a request', async () => {
    const told = await story()
    await told.twin.delete(told.path)
    expect(await told.why()).toMatchInlineSnapshot(`
      "The subscription has been canceled since 2026-01-31T10:00:00Z: a request canceled it immediately. [subscriptions.md#canceling]
      Nothing further happens: this status is final. [subscriptions.md#status]"
    `)
  })

  test('with its customer', async () => {
    const told = await story()
    await told.twin.delete(`/v1/customers/${told.customer.id}`)
    expect(await told.why()).toContain('a request canceled it or deleted its customer')
  })

  test('at the end of its period', async () => {
    const told = await story()
    await told.twin.delete(told.path, { cancel_at_period_end: true })
    await told.advance('30d')
    expect(await told.why()).toContain(
      'since 2026-02-28T10:00:00Z: a request at 2026-01-31T10:00:00Z had set it to cancel at the end of its period.',
    )
  })

  test('at a planned instant', async () => {
    const told = await story()
    await told.twin.post(told.path, { cancel_at: 1_771_000_000 })
    await told.advance('30d')
    expect(await told.why()).toContain('had set it to cancel at 2026-02-13T16:26:40Z')
  })
})

test('a long history says that it was not read as a whole', async () => {
  const told = await story({ price: { recurring: { interval: 'day' } } })
  await told.advance('300d')
  expect(await told.why()).toMatch(/is active; what led to that is older than its newest \d+ events/)
})
