import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { subscribe } from '../scenarios/story.ts'
import { type Body, makeCustomer, startTwin, type Twin } from '../twin.ts'
import { why } from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

/** A payment of 12.00 USD, with or without a card. */
const pay = (given: Body = {}) =>
  twin.post('/v1/payment_intents', { amount: 1200, currency: 'usd', ...given })
const confirm = (id: string, card = 'pm_card_visa') =>
  twin.request('POST', `/v1/payment_intents/${id}/confirm`, { payment_method: card })
const lines = ({ id }: Body) => why(twin, id)

describe('a payment intent', () => {
  test('without a payment method', async () => {
    expect(await lines(await pay())).toMatchInlineSnapshot(`
      "The status of the payment intent has been requires_confirmation since 2026-01-31T10:00:00Z: no request has confirmed it, and it has no payment method. [payments.md#confirming]
      Nothing further happens by itself: only a request changes it. [payments.md#payment-intent-status]"
    `)
  })
  test('with a payment method', async () => {
    expect(await lines(await pay({ payment_method: 'pm_card_visa' }))).toMatchInlineSnapshot(`
      "The status of the payment intent has been requires_confirmation since 2026-01-31T10:00:00Z: it has a payment method, and no request has confirmed it. [payments.md#confirming]
      Nothing further happens by itself: only a request changes it. [payments.md#payment-intent-status]"
    `)
  })
  test('that succeeded', async () => {
    const intent = await pay()
    await confirm(intent.id)
    expect(await lines(intent)).toMatchInlineSnapshot(`
      "The status of the payment intent has been succeeded since 2026-01-31T10:00:00Z: a charge of 12.00 USD succeeded. [payments.md#charges]
      Nothing further happens by itself: only a request changes it. [payments.md#payment-intent-status]"
    `)
  })
  test('that was refunded', async () => {
    const intent = await pay()
    await confirm(intent.id, 'pm_card_refundFail')
    await twin.post('/v1/refunds', { payment_intent: intent.id, amount: 300 })
    expect(await lines(intent)).toMatchInlineSnapshot(`
      "The status of the payment intent has been succeeded since 2026-01-31T10:00:00Z: a charge of 12.00 USD succeeded. [payments.md#charges]
      Of its charge, 3.00 USD of 12.00 USD was refunded. [payments.md#refunds]
      At 2026-01-31T10:01:00Z, a pending refund fails. [payments.md#failing-refunds]"
    `)
  })
  test('that was declined', async () => {
    const intent = await pay()
    await confirm(intent.id, 'pm_card_chargeDeclinedLostCard')
    expect(await lines(intent)).toMatchInlineSnapshot(`
      "The status of the payment intent has been requires_payment_method since 2026-01-31T10:00:00Z: its latest attempt failed (lost_card), so it needs another payment method. [errors.md#declines]
      Nothing further happens by itself: only a request changes it. [payments.md#payment-intent-status]"
    `)
  })
  test('that waits for an authentication', async () => {
    const intent = await pay()
    await confirm(intent.id, 'pm_card_authenticationRequired')
    expect(await lines(intent)).toMatchInlineSnapshot(`
      "The status of the payment intent has been requires_action since 2026-01-31T10:00:00Z: the customer has to authenticate the payment. [payments.md#authentication]
      Nothing further happens by itself: only a request changes it. [payments.md#payment-intent-status]"
    `)
  })
  test('that a request canceled', async () => {
    const intent = await pay()
    await twin.post(`/v1/payment_intents/${intent.id}/cancel`, { cancellation_reason: 'duplicate' })
    expect(await lines(intent)).toMatchInlineSnapshot(`
      "The status of the payment intent has been canceled since 2026-01-31T10:00:00Z: a request canceled it (duplicate). [payments.md#canceling-an-intent]
      Nothing further happens: this status is final. [payments.md#payment-intent-status]"
    `)
    const other = await pay()
    await twin.post(`/v1/payment_intents/${other.id}/cancel`)
    expect(await lines(other)).toMatchInlineSnapshot(`
      "The status of the payment intent has been canceled since 2026-01-31T10:00:00Z: a request canceled it. [payments.md#canceling-an-intent]
      Nothing further happens: this status is final. [payments.md#payment-intent-status]"
    `)
  })
  test('that waits for money by boleto', async () => {
    const { customer } = await makeCustomer(twin)
    const method = await twin.post('/v1/payment_methods', {
      type: 'boleto',
      billing_details: { name: 'Ada', email: 'a@b.example' },
      boleto: { tax_id: '00000000000' },
    })
    const intent = await pay({ currency: 'brl', customer: customer.id, payment_method_types: ['boleto'] })
    await confirm(intent.id, method.id)
    expect(await lines(intent)).toMatchInlineSnapshot(`
      "The status of the payment intent has been requires_action since 2026-01-31T10:00:00Z: the customer has to send the money by boleto. [payments.md#push-methods]
      Nothing further happens by itself: only a request changes it. [payments.md#payment-intent-status]"
    `)
  })
  test('of an invoice that is retried', async () => {
    const { subscription } = await subscribe(twin, { outcomes: ['decline:insufficient_funds'] })
    const [invoice] = (await twin.get(`/v1/invoices?subscription=${subscription.id}`)).data
    expect(await why(twin, invoice.payment_intent)).toMatchInlineSnapshot(`
      "The status of the payment intent has been requires_payment_method since 2026-01-31T10:00:00Z: its latest attempt failed (insufficient_funds), so it needs another payment method. [errors.md#declines]
      It pays invoice 6RNK6Y7A-0001, which is open. [payments.md#intents-of-invoices]
      At 2026-02-01T10:00:00Z, invoice #0001 (20.00 USD) is charged again (attempt 2 of 5). Failed payments are retried 1, 3, 5 and 7 days after the first attempt; if all fail, the last attempt is at 2026-02-07T10:00:00Z and then the subscription expires and the invoice is voided. [invoices.md#retry-schedule]
      At 2026-02-28T10:00:00Z, the subscription expires unless its first invoice is paid: it becomes incomplete_expired and the invoice is voided. [subscriptions.md#incomplete-subscriptions]"
    `)
    await twin.post(`/v1/invoices/${invoice.id}/void`)
    expect(await why(twin, invoice.payment_intent)).toMatchInlineSnapshot(`
      "The status of the payment intent has been canceled since 2026-01-31T10:00:00Z: its invoice was voided, credited in full, or paid out of band. [payments.md#intents-of-invoices]
      It pays invoice 6RNK6Y7A-0001, which is void. [payments.md#intents-of-invoices]
      Nothing further happens: this status is final. [payments.md#payment-intent-status]"
    `)
  })
})

describe('a dispute', () => {
  const dispute = async () => {
    const intent = await pay()
    await confirm(intent.id, 'pm_card_createDispute')
    return { intent, dispute: (await twin.get('/v1/disputes?limit=1')).data[0] }
  }
  test('that waits for evidence', async () => {
    const { dispute: made, intent } = await dispute()
    expect(await lines(made)).toMatchInlineSnapshot(`
      "The status of the dispute has been needs_response since 2026-01-31T10:00:00Z: no evidence has been submitted yet, and it is due by 2026-02-07T10:00:00Z. [disputes.md#due-date]
      The customer disputed a charge of 12.00 USD as fraudulent at 2026-01-31T10:00:00Z. [disputes.md#disputed-cards]
      At 2026-02-07T10:00:00Z, the dispute is lost unless evidence is submitted. [disputes.md#due-date]"
    `)
    expect(await lines(intent)).toMatchInlineSnapshot(`
      "The status of the payment intent has been succeeded since 2026-01-31T10:00:00Z: a charge of 12.00 USD succeeded. [payments.md#charges]
      Its charge is disputed; the dispute is needs_response. [disputes.md#status]
      At 2026-02-07T10:00:00Z, the dispute is lost unless evidence is submitted. [disputes.md#due-date]"
    `)
  })
  test('that evidence ended or did not end', async () => {
    const submitted = async (uncategorized_text: string) => {
      const { dispute: made } = await dispute()
      await twin.post(`/v1/disputes/${made.id}`, { evidence: { uncategorized_text } })
      return (await lines(made)).split('\n')[0]
    }
    expect(await submitted('winning_evidence')).toMatchInlineSnapshot(
      `"The status of the dispute has been won since 2026-01-31T10:00:00Z: the evidence was winning_evidence, and the funds were reinstated. [disputes.md#evidence]"`,
    )
    expect(await submitted('losing_evidence')).toMatchInlineSnapshot(
      `"The status of the dispute has been lost since 2026-01-31T10:00:00Z: the evidence was losing_evidence. [disputes.md#evidence]"`,
    )
    expect(await submitted('See the attached letter')).toMatchInlineSnapshot(
      `"The status of the dispute has been under_review since 2026-01-31T10:00:00Z: evidence was submitted on which the bank does not decide; only winning_evidence or losing_evidence ends it. [disputes.md#evidence]"`,
    )
  })
  test('that a request closed', async () => {
    const { dispute: made } = await dispute()
    await twin.post(`/v1/disputes/${made.id}/close`)
    expect(await lines(made)).toMatchInlineSnapshot(`
      "The status of the dispute has been lost since 2026-01-31T10:00:00Z: a request closed it. [disputes.md#status]
      The customer disputed a charge of 12.00 USD as fraudulent at 2026-01-31T10:00:00Z. [disputes.md#disputed-cards]
      Nothing further happens: this status is final. [disputes.md#status]"
    `)
  })
  test('without evidence when it was due', async () => {
    const { dispute: made } = await dispute()
    await twin.advance({ by: '8d' })
    expect(await lines(made)).toMatchInlineSnapshot(`
      "The status of the dispute has been lost since 2026-02-07T10:00:00Z: no evidence was submitted by 2026-02-07T10:00:00Z, when it was due. [disputes.md#due-date]
      The customer disputed a charge of 12.00 USD as fraudulent at 2026-01-31T10:00:00Z. [disputes.md#disputed-cards]
      Nothing further happens: this status is final. [disputes.md#status]"
    `)
  })
})
