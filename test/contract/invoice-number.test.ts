import { describe, expect, test } from 'vitest'
import { formatInstant } from '../../src/core/calendar.ts'
import { badState, missing, type Refusal, unknown } from '../http/support.ts'
import { listAll, openTwin, subscribe } from '../scenarios/story.ts'
import { type Body, makePrice, type Twin } from '../twin.ts'
import { begin } from './subscription-story.ts'
import { DAY, makeDraft, newestOf, PERIOD_END, refuses, writesNothing } from './support.ts'

/** The running numbers of a customer's finalized invoices, oldest first. */
const numbersOf = async (twin: Twin, customer: string): Promise<number[]> => {
  const { invoice_prefix } = await twin.get(`/v1/customers/${customer}`)
  const numbered = (await listAll(twin, `/v1/invoices?customer=${customer}`)).filter(
    ({ number }) => number !== null,
  )
  for (const { number } of numbered) expect(number).toMatch(new RegExp(`^${invoice_prefix}-\\d{4}$`))
  return numbered.map(({ number }) => Number(number.slice(9))).sort((left, right) => left - right)
}

test('numbers have no gap across manual invoices, renewals, deleted drafts and refused subscriptions', async () => {
  const twin = await openTwin()
  const { customer, subscription } = await subscribe(twin)
  const { id: price } = await makePrice(twin)
  const draft = (amount = 5) =>
    twin
      .post('/v1/invoiceitems', { customer: customer.id, amount, currency: 'usd' })
      .then(() => twin.post('/v1/invoices', { customer: customer.id }))
  const act = async (action: string, { id }: Body) => twin.post(`/v1/invoices/${id}/${action}`)
  const refusedSubscription = () =>
    twin.request('POST', '/v1/subscriptions', {
      customer: customer.id,
      currency: 'usd',
      default_payment_method: 'pm_card_chargeDeclined',
      payment_behavior: 'error_if_incomplete',
      items: [{ price }],
    })

  expect((await refusedSubscription()).status).toBe(402)
  const deleted = await draft()
  await act('finalize', await twin.post('/v1/invoices', { customer: customer.id, currency: 'usd' }))
  await twin.delete(`/v1/invoices/${deleted.id}`)
  const voided = await act('finalize', await draft())
  await act('void', voided)
  await twin.request('POST', `/v1/invoices/${voided.id}/pay`)
  expect((await refusedSubscription()).status).toBe(402)
  await twin.post('/v1/invoices/create_preview', { subscription: subscription.id })
  await twin.request('POST', `/v1/invoices/${(await draft()).id}/pay`, {
    payment_method: 'pm_card_chargeDeclined',
  })
  await act('mark_uncollectible', await act('finalize', await draft()))
  await twin.post(`/v1/subscriptions/${subscription.id}`, { pause_collection: { behavior: 'void' } })
  await twin.advance({ to: PERIOD_END })
  const waiting = [await draft(1), await draft(2), await draft(3)]
  await Promise.all(waiting.map((one) => act('finalize', one)))
  const numbers = await numbersOf(twin, customer.id)
  expect(numbers).toEqual(Array.from({ length: 9 }, (_, index) => index + 1))
})

test('each customer has its own numbers', async () => {
  const twin = await openTwin()
  for (const { customer } of [await subscribe(twin), await subscribe(twin)]) {
    expect(await numbersOf(twin, customer.id)).toEqual([1])
  }
})

describe('a preview', () => {
  test('shows the invoice that the renewal then creates', async () => {
    const { twin, subscription } = await begin('active')
    const [item] = subscription.items.data
    await twin.post(`/v1/subscriptions/${subscription.id}`, { items: [{ id: item.id, quantity: 3 }] })
    const response = await twin.request('POST', '/v1/invoices/create_preview', {
      subscription: subscription.id,
    })
    expect(response.status).toBe(200)
    const preview = response.body
    expect(preview).toMatchObject({
      id: null,
      object: 'invoice',
      status: 'draft',
      number: null,
      total: 6000,
      billing_reason: 'subscription_cycle',
      subscription: subscription.id,
      period_start: PERIOD_END,
    })
    await twin.advance({ to: PERIOD_END })
    const { period_start, period_end, total, lines } = await newestOf(twin, subscription)
    expect(preview).toMatchObject({ period_start, period_end, total })
    const essence = ({ amount, quantity, price, subscription_item }: Body) => [
      amount,
      quantity,
      price,
      subscription_item,
    ]
    expect(preview.lines.data.map(essence)).toEqual(lines.data.map(essence))
  })

  test('writes nothing and uses no ids', async () => {
    const [plain, previewed] = [await begin('active'), await begin('active')]
    const { twin, subscription } = previewed
    await writesNothing(twin, async () => {
      for (let count = 0; count < 5; count += 1) {
        await twin.post('/v1/invoices/create_preview', { subscription: subscription.id })
      }
    })
    for (const story of [plain, previewed]) await story.twin.advance({ to: PERIOD_END })
    expect(await newestOf(twin, subscription)).toEqual(await newestOf(plain.twin, plain.subscription))
  })

  test('of a trial begins with its end', async () => {
    const { twin, subscription } = await begin('trialing')
    const preview = await twin.post('/v1/invoices/create_preview', { subscription: subscription.id })
    expect(preview).toMatchObject({ period_start: subscription.trial_end, total: 2000 })
  })

  test.each([
    ['canceled', ''],
    ['paused', '; resume it'],
    ['incomplete', ' until its first one is paid'],
    ['incomplete_expired', ''],
  ])('of a subscription that is %s is refused%s', async (status, remedy) => {
    const { twin, subscription } = await begin(status)
    const response = await refuses(
      twin,
      ['POST', '/v1/invoices/create_preview', { subscription: subscription.id }],
      badState(),
    )
    const message = `A subscription whose status is ${status} creates no further invoice${remedy}`
    expect(response.body.error.message).toBe(message)
  })

  test.each<[Body, Refusal]>([
    [{}, missing('subscription')],
    [{ subscription: 'sub_unknown' }, unknown('subscription')],
  ])('of %j is refused', async (body, refusal) => {
    await refuses(await openTwin(), ['POST', '/v1/invoices/create_preview', body], refusal)
  })

  test.each([
    ['at the end of its period', { cancel_at_period_end: true }, 'resume it'],
    ['at the instant of its period’s end', { cancel_at: PERIOD_END }, 'clear its cancel_at'],
    ['before its period ends', { cancel_at: PERIOD_END - DAY }, 'clear its cancel_at'],
    [
      'before its period ends, and then too',
      { cancel_at: PERIOD_END - DAY, cancel_at_period_end: true },
      'resume it and clear its cancel_at',
    ],
  ])('of a subscription that is canceled %s is refused, with how to keep it', async (_, ending, remedy) => {
    const { twin, subscription } = await begin('active')
    const { cancel_at } = await twin.post(`/v1/subscriptions/${subscription.id}`, ending)
    const response = await refuses(
      twin,
      ['POST', '/v1/invoices/create_preview', { subscription: subscription.id }],
      badState(),
    )
    const message = `The subscription is canceled at ${formatInstant(cancel_at)} and creates no further invoice; to keep it, ${remedy}`
    expect(response.body.error.message).toBe(message)
  })
})

test('an invoice of a subscription is never deleted', async () => {
  const { twin, subscription } = await begin('unpaid')
  await twin.advance({ by: '1mo' })
  const draft = await newestOf(twin, subscription)
  expect(draft.status).toBe('draft')
  await refuses(twin, ['DELETE', `/v1/invoices/${draft.id}`], badState())
})

test('finalizing twice at the same time gives one number', async () => {
  const twin = await openTwin()
  const { customer, draft } = await makeDraft(twin)
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => twin.request('POST', `/v1/invoices/${draft.id}/finalize`)),
  )
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await numbersOf(twin, customer.id)).toEqual([1])
})
