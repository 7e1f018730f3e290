import { describe, expect, test } from 'vitest'
import { badState, eventsOf, typesOf } from '../http/support.ts'
import { openTwin, subscribe } from '../scenarios/story.ts'
import type { Body, Twin } from '../twin.ts'
import {
  DAY,
  emitted,
  expectDecline,
  inFull,
  makeDraft,
  NOW,
  newestOf,
  notInitialized,
  PERIOD_END,
  refuses,
  unexpectedState,
} from './support.ts'

const pathOf = (invoice: Body, action = '') => `/v1/payment_intents/${invoice.payment_intent}${action}`
const statusOf = async (twin: Twin, { id }: Body) => (await twin.get(`/v1/subscriptions/${id}`)).status

/** A subscription whose payment failed, in each way, and the open invoice. */
async function failed(status: string): Promise<{ twin: Twin; subscription: Body; invoice: Body }> {
  const twin = await openTwin()
  const outcomes = status === 'incomplete' ? ['decline:lost_card'] : ['succeed', 'decline:lost_card']
  const { subscription } = await subscribe(twin, { outcomes, afterwards: 'decline:lost_card' })
  if (status !== 'incomplete') await twin.advance({ to: PERIOD_END })
  expect(await statusOf(twin, subscription)).toBe(status)
  return { twin, subscription, invoice: await newestOf(twin, subscription) }
}

describe.each(['incomplete', 'past_due'])(
  'the intent of an invoice of a subscription that is %s',
  (status) => {
    test('pays the invoice when it is confirmed, and recovers the subscription', async () => {
      const { twin, subscription, invoice } = await failed(status)
      const events = await eventsOf(twin, async () => {
        const { body } = await twin.request('POST', pathOf(invoice, '/confirm'), {
          payment_method: 'pm_card_visa',
        })
        expect(body).toMatchObject({ id: invoice.payment_intent, status: 'succeeded', invoice: invoice.id })
      })
      expect(typesOf(events).join(' ')).toBe(inFull('payment_method.attached invoice.paid PI+ Δ'))
      expect(await twin.get(`/v1/invoices/${invoice.id}`)).toMatchObject({
        status: 'paid',
        amount_paid: 2000,
        attempt_count: invoice.attempt_count,
        next_payment_attempt: null,
      })
      expect(await twin.get(`/v1/subscriptions/${subscription.id}`)).toMatchObject({
        status: 'active',
        latest_invoice: invoice.id,
        default_payment_method: subscription.default_payment_method,
      })
      const { data } = await twin.get('/v1/test_helpers/upcoming')
      expect(data.map(({ kind }: Body) => kind)).toEqual(['renewal'])
    })

    test('that is declined counts as a failed payment by hand', async () => {
      const { twin, subscription, invoice } = await failed(status)
      const { default_payment_method: payment_method } = subscription
      const events = await emitted(twin, async () => {
        const response = await twin.request('POST', pathOf(invoice, '/confirm'), { payment_method })
        const after = await twin.get(pathOf(invoice))
        expectDecline(response, {
          decline_code: 'lost_card',
          charge: after.latest_charge,
          payment_intent: after,
        })
        expect(await twin.get(`/v1/invoices/${invoice.id}`)).toEqual({
          ...invoice,
          charge: after.latest_charge,
        })
      })
      expect(events).toBe(inFull('invoice.payment_failed PI-'))
      expect(await statusOf(twin, subscription)).toBe(status)
    })

    test('has lost its payment method, so that confirming needs one', async () => {
      const { twin, invoice } = await failed(status)
      await refuses(twin, ['POST', pathOf(invoice, '/confirm')], notInitialized)
    })

    test('is not canceled by itself', async () => {
      const { twin, invoice } = await failed(status)
      await refuses(twin, ['POST', pathOf(invoice, '/cancel')], unexpectedState)
    })

    test('is canceled without an event when the invoice is voided', async () => {
      const { twin, invoice } = await failed(status)
      const events = await emitted(twin, () => twin.post(`/v1/invoices/${invoice.id}/void`))
      expect(events).toBe(inFull('invoice.voided Δ'))
      expect(await twin.get(pathOf(invoice))).toMatchObject({
        status: 'canceled',
        canceled_at: expect.any(Number),
      })
      await refuses(
        twin,
        ['POST', pathOf(invoice, '/confirm'), { payment_method: 'pm_card_visa' }],
        unexpectedState,
      )
      await refuses(twin, ['POST', pathOf(invoice), { payment_method: 'pm_card_visa' }], badState(null))
    })
  },
)

describe('an authentication in the middle of dunning', () => {
  const begin = async (outcomes: string[], afterwards = 'decline:lost_card') => {
    const twin = await openTwin()
    const { subscription } = await subscribe(twin, { outcomes, afterwards })
    await twin.advance({ to: PERIOD_END })
    const invoice = await newestOf(twin, subscription)
    const events = await emitted(twin, async () => {
      const body = { payment_method: 'pm_card_authenticationRequired' }
      expect(await twin.post(pathOf(invoice, '/confirm'), body)).toMatchObject({ status: 'requires_action' })
    })
    expect(events).toBe('payment_method.attached payment_intent.requires_action')
    expect(await statusOf(twin, subscription)).toBe('past_due')
    expect(await twin.get(`/v1/invoices/${invoice.id}`)).toEqual(invoice)
    const settle = (outcome: string) =>
      twin.post(`/v1/test_helpers/payment_intents/${invoice.payment_intent}/settle`, { outcome })
    return { twin, subscription, invoice, settle }
  }

  test('that succeeds pays the invoice and recovers the subscription', async () => {
    const { twin, subscription, settle, invoice } = await begin(['succeed'])
    expect(await emitted(twin, () => settle('succeed'))).toBe(inFull('invoice.paid PI+ Δ'))
    expect(await statusOf(twin, subscription)).toBe('active')
    expect(await twin.get(`/v1/invoices/${invoice.id}`)).toMatchObject({ status: 'paid', attempt_count: 1 })
    expect(await emitted(twin, () => twin.advance({ by: '7d' }))).toBe('')
  })

  test('that fails counts as a failed payment by hand, and does not change the schedule', async () => {
    const { twin, subscription, settle, invoice } = await begin(['succeed'])
    expect(await emitted(twin, () => settle('fail'))).toBe(inFull('invoice.payment_failed PI-'))
    expect(await statusOf(twin, subscription)).toBe('past_due')
    expect(await twin.get(`/v1/invoices/${invoice.id}`)).toMatchObject({
      attempt_count: 1,
      next_payment_attempt: PERIOD_END + DAY,
    })
  })

  test.each([
    ['succeeds', 'succeed', 'invoice.paid PI+ Δ', 'succeeded', 'active'],
    ['fails', 'decline:lost_card', 'invoice.payment_failed PI-', 'requires_payment_method', 'past_due'],
  ])('is overridden by a scheduled retry that %s', async (_, outcome, events, intentStatus, status) => {
    const { twin, subscription, invoice } = await begin(['succeed', 'decline:lost_card', outcome])
    expect(await emitted(twin, () => twin.advance({ by: '1d' }))).toBe(inFull(events))
    expect(await twin.get(pathOf(invoice))).toMatchObject({ status: intentStatus })
    expect(await statusOf(twin, subscription)).toBe(status)
    const path = `/v1/test_helpers/payment_intents/${invoice.payment_intent}/settle`
    await refuses(twin, ['POST', path, { outcome: 'succeed' }], unexpectedState)
  })

  test('is canceled when the invoice is voided in the meantime', async () => {
    const { twin, invoice } = await begin(['succeed'])
    await twin.post(`/v1/invoices/${invoice.id}/void`)
    const path = `/v1/test_helpers/payment_intents/${invoice.payment_intent}/settle`
    await refuses(twin, ['POST', path, { outcome: 'succeed' }], unexpectedState)
  })
})

test('a push payment pays an invoice that was sent', async () => {
  const twin = await openTwin()
  const { subscription } = await subscribe(twin, { collection_method: 'send_invoice' })
  const invoice = await newestOf(twin, subscription)
  const waiting = await twin.post(pathOf(invoice, '/confirm'), { payment_method: 'pm_pix' })
  expect(waiting).toMatchObject({ status: 'requires_action', payment_method_types: ['pix'] })
  const settling = () =>
    twin.post(`/v1/test_helpers/payment_intents/${invoice.payment_intent}/settle`, { outcome: 'succeed' })
  expect(await emitted(twin, settling)).toBe(inFull('invoice.paid PI+ Δ'))
  expect(await twin.get(`/v1/invoices/${invoice.id}`)).toMatchObject({ status: 'paid' })
})

test('the intent of a manual invoice pays it, also after it was marked uncollectible', async () => {
  const twin = await openTwin()
  const { draft } = await makeDraft(twin)
  const open = await twin.post(`/v1/invoices/${draft.id}/finalize`)
  await twin.post(`/v1/invoices/${draft.id}/mark_uncollectible`)
  const paying = () => twin.post(pathOf(open, '/confirm'), { payment_method: 'pm_card_visa' })
  expect(await emitted(twin, paying)).toBe(inFull('payment_method.attached invoice.paid PI+'))
  expect(await twin.get(`/v1/invoices/${draft.id}`)).toMatchObject({
    status: 'paid',
    status_transitions: { paid_at: NOW, marked_uncollectible_at: NOW },
  })
})
