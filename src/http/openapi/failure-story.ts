import type { Recorder, ResponseBody } from './recorder.ts'

/** Records every kind of payment failure. */
export async function failures(recorder: Recorder, monthly: ResponseBody): Promise<void> {
  const cards = [
    'pm_card_chargeDeclinedInsufficientFunds',
    'pm_card_chargeDeclinedExpiredCard',
    'pm_card_chargeDeclinedIncorrectCvc',
    'pm_card_chargeDeclinedProcessingError',
  ]
  for (const payment_method of cards) {
    const body = { amount: 2000, currency: 'usd', payment_method, confirm: true }
    await recorder.refused('post', '/v1/payment_intents', { body })
  }
  const charles = await recorder.post('/v1/customers', { name: 'Charles Babbage' })
  await recorder.post('/v1/invoiceitems', { customer: charles.id, amount: 1200, currency: 'usd' })
  const invoice = await recorder.post('/v1/invoices', { customer: charles.id })
  await recorder.post(`/v1/invoices/${invoice.id}/finalize`)
  await recorder.refused('post', `/v1/invoices/${invoice.id}/pay`)
  await recorder.refused('post', `/v1/invoices/${invoice.id}/pay`, { body: { payment_method: 'pm_pix' } })
  await recorder.refused('post', '/v1/subscriptions', {
    body: {
      customer: charles.id,
      currency: 'usd',
      default_payment_method: 'pm_pix',
      items: [{ price: monthly.id }],
    },
  })
}
