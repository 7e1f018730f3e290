import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { asOperator } from '../support.ts'
import { errorOf, idOf, startStripe, stripeOfFile } from './sdk.ts'

const NOW = 1_769_853_600

const sdk = stripeOfFile()
const { stripe } = sdk

const pay = async (payment_method: string, amount = 1000) => {
  const params = { amount, currency: 'usd', payment_method, confirm: true }
  return idOf((await stripe.paymentIntents.create(params)).latest_charge)
}
/** Returns the movements of a charge, a refund or a dispute, newest first. */
const movementsOf = async (source: string) => (await stripe.balanceTransactions.list({ source })).data

describe('the balance transactions of the account', () => {
  test('are one for a charge, with a fee of 2.9 % and 30', async () => {
    // 2.9 % of 10.49 are 0.30421, rounded 0.30, and with 0.30 they are 0.60.
    const id = await pay('pm_card_visa', 1049)
    const charge = await stripe.charges.retrieve(id, { expand: ['balance_transaction.source'] })
    const transaction = charge.balance_transaction as Stripe.BalanceTransaction
    expect(transaction).toMatchObject({
      type: 'charge',
      amount: 1049,
      fee: 60,
      net: 989,
      fee_details: [{ amount: 60, type: 'stripe_fee' }],
      status: 'available',
      available_on: NOW,
      source: { id },
    })
    expect(await stripe.balanceTransactions.retrieve(transaction.id)).toEqual({ ...transaction, source: id })
    expect(await movementsOf(id)).toEqual([{ ...transaction, source: id }])
  })

  test('are none for a declined charge', async () => {
    const declined = await errorOf(pay('pm_card_chargeDeclined'))
    const charge = await stripe.charges.retrieve(declined.payment_intent?.latest_charge as string)
    expect(charge.balance_transaction).toBe(null)
    expect(await movementsOf(charge.id)).toEqual([])
    const id = `txn_c${charge.id.slice('ch_'.length)}`
    expect(await errorOf(stripe.balanceTransactions.retrieve(id))).toMatchObject({
      statusCode: 404,
      message: `No such balance_transaction: '${id}'`,
    })
  })

  test('take a refund back, and return one that fails', async () => {
    const refund = await stripe.refunds.create({
      charge: await pay('pm_card_visa'),
      amount: 400,
      expand: ['balance_transaction'],
    })
    expect(refund.balance_transaction).toMatchObject({ type: 'refund', amount: -400, fee: 0, net: -400 })
    const failing = await stripe.refunds.create({ charge: await pay('pm_card_refundFail') })
    await asOperator(sdk.twin)('POST', 'clock/advance', { by: '60s' })
    const failed = await stripe.refunds.retrieve(failing.id, { expand: ['failure_balance_transaction'] })
    expect(failed.failure_balance_transaction).toMatchObject({ amount: 1000, created: NOW + 60 })
    expect(
      (await movementsOf(failing.id)).map(({ type, amount, created }) => [type, amount, created]),
    ).toEqual([
      ['refund_failure', 1000, NOW + 60],
      ['refund', -1000, NOW],
    ])
  })

  test('take a disputed amount and a fee of 15.00, and return both if the dispute is won', async () => {
    const [dispute] = (await stripe.disputes.list({ charge: await pay('pm_card_createDispute') })).data
    const id = dispute?.id ?? ''
    expect(dispute?.balance_transactions).toEqual(await movementsOf(id))
    await stripe.disputes.update(id, { evidence: { uncategorized_text: 'winning_evidence' } })
    expect(
      (await movementsOf(id)).map(({ reporting_category, amount, fee, net }) => [
        reporting_category,
        amount,
        fee,
        net,
      ]),
    ).toEqual([
      ['dispute_reversal', 1000, -1500, 2500],
      ['dispute', -1000, 1500, -2500],
    ])
  })

  test('are listed newest first, page by page, by type and time', async () => {
    const charge = await pay('pm_card_visa')
    const refund = await stripe.refunds.create({ charge })
    const { data } = await stripe.balanceTransactions.list({ limit: 2, expand: ['data.source'] })
    expect(data.map(({ source }) => idOf(source))).toEqual([refund.id, charge])
    const all = await stripe.balanceTransactions.list().autoPagingToArray({ limit: 100 })
    const paged = await stripe.balanceTransactions.list({ limit: 1 }).autoPagingToArray({ limit: 100 })
    expect(paged).toEqual(all)
    const [, second, third] = all
    const back = await stripe.balanceTransactions.list({ limit: 1, ending_before: third?.id ?? '' })
    expect(back.data).toEqual([second])
    const refunds = await stripe.balanceTransactions.list({ type: 'refund' })
    expect(refunds.data).toEqual(all.filter(({ type }) => type === 'refund'))
    const early = await stripe.balanceTransactions.list({ created: { lte: NOW } })
    expect(early.data).toEqual(all.filter(({ created }) => created <= NOW))
    for (const created of [NOW - 1, { gte: NOW, lt: NOW }])
      expect((await stripe.balanceTransactions.list({ source: charge, created })).data).toEqual([])
    const within = await stripe.balanceTransactions.list({ source: charge, created: { gte: NOW } })
    expect(within.data).toEqual([second])
    const wrong = await errorOf(stripe.balanceTransactions.list({ starting_after: 'txn_none' }))
    expect(wrong).toMatchObject({ statusCode: 400, param: 'starting_after' })
    expect(await errorOf(stripe.balanceTransactions.list({ source: 'ch_none' }))).toMatchObject({
      statusCode: 400,
      param: 'source',
    })
  })
})

test('the balance of the account is the sum of its balance transactions in each currency', async () => {
  const other = await startStripe()
  try {
    const { balance, balanceTransactions, disputes, paymentIntents, refunds } = other.stripe
    expect((await balance.retrieve()).available).toMatchObject([{ amount: 0, currency: 'usd' }])
    for (const payment_method of ['pm_card_visa', 'pm_card_visa', 'pm_card_createDispute'])
      await paymentIntents.create({ amount: 1049, currency: 'usd', payment_method, confirm: true })
    for (const dispute of (await disputes.list()).data) await disputes.close(dispute.id)
    const params = { amount: 700, currency: 'eur', payment_method: 'pm_card_refundFail', confirm: true }
    await refunds.create({ payment_intent: (await paymentIntents.create(params)).id, amount: 300 })
    await errorOf(paymentIntents.create({ ...params, payment_method: 'pm_card_chargeDeclined' }))
    await other.advanceMain({ to: NOW + 10 * 86_400 })
    const sums: Record<string, number> = {}
    for await (const { currency, net } of balanceTransactions.list())
      sums[currency] = (sums[currency] ?? 0) + net
    expect(Object.keys(sums).toSorted()).toEqual(['eur', 'usd'])
    const { available, pending } = await balance.retrieve()
    expect(available.map(({ currency, amount }) => [currency, amount])).toEqual([
      ['eur', sums.eur],
      ['usd', sums.usd],
    ])
    expect(pending).toMatchObject([{ amount: 0 }, { amount: 0 }])
  } finally {
    await other.close()
  }
})

test('the balance adds up any number of payments, at most 1,000 in a step', async () => {
  const other = await startStripe()
  try {
    const { engine, merchant } = other.twin.sandbox
    const pay = (amount: number) =>
      other.twin.post('/v1/payment_intents', {
        amount,
        currency: 'usd',
        payment_method: 'pm_card_visa',
        confirm: true,
        return_url: 'https://example.com',
      })
    const amounts = Array.from({ length: 2_001 }, (_, n) => 1_000 + n)
    await Promise.all(amounts.map(pay))
    const steps = [...engine.store.objects.countAmounts('charge', merchant.settings.ordinal)]
    expect(steps.map((counts) => counts.reduce((sum, { count }) => sum + count, 0))).toEqual([
      1_000, 1_000, 1,
    ])
    const net = amounts.reduce((sum, amount) => sum + amount - Math.round((amount * 29) / 1_000) - 30, 0)
    expect((await other.stripe.balance.retrieve()).available).toMatchObject([{ amount: net }])
  } finally {
    await other.close()
  }
})
