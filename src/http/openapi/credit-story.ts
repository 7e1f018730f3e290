import type { ResponseBody as Answered, Recorder } from './recorder.ts'

/** Records credit notes of a paid invoice, and of an open one. */
export async function creditNotes(recorder: Recorder, paid: Answered): Promise<void> {
  const credit = { invoice: paid.id, amount: 400, refund_amount: 300, credit_amount: 100 }
  const preview = `invoice=${paid.id}&amount=400&refund_amount=300&credit_amount=100`
  await recorder.get(`/v1/credit_notes/preview?${preview}`)
  const reasons = { reason: 'order_change', memo: 'A late delivery' }
  const note = await recorder.post('/v1/credit_notes', { ...credit, ...reasons })
  await recorder.get(`/v1/credit_notes/${note.id}`)
  await recorder.get(`/v1/credit_notes/${note.id}/lines`)
  await recorder.get('/v1/credit_notes?limit=1')
  await recorder.post(`/v1/credit_notes/${note.id}`, { metadata: { order: '1815' } })
  await recorder.refused('post', '/v1/credit_notes', { body: { ...credit, amount: 5000 } })

  await recorder.post('/v1/invoiceitems', { customer: paid.customer, amount: 700, currency: 'usd' })
  const { id } = await recorder.post('/v1/invoices', { customer: paid.customer })
  const open = await recorder.post(`/v1/invoices/${id}/finalize`)
  const [line] = open.lines.data
  const lines = [{ type: 'invoice_line_item', invoice_line_item: line.id, amount: 200 }]
  const taken = await recorder.post('/v1/credit_notes', { invoice: id, lines })
  await recorder.post(`/v1/credit_notes/${taken.id}/void`)
  await recorder.post(`/v1/invoices/${id}/void`)
}

/** Records disputes: one that is won, and one whose charge cannot be refunded and that is accepted. */
export async function disputes(recorder: Recorder): Promise<void> {
  const dispute = async () => {
    const paid = await recorder.post('/v1/payment_intents', {
      amount: 1500,
      currency: 'usd',
      payment_method: 'pm_card_createDispute',
      confirm: true,
    })
    return (await recorder.get(`/v1/charges/${paid.latest_charge}`)) as Answered
  }
  const { dispute: won } = await dispute()
  await recorder.get(`/v1/disputes/${won}`)
  await recorder.get('/v1/disputes?limit=1')
  await recorder.post(`/v1/disputes/${won}`, { evidence: { uncategorized_text: 'winning_evidence' } })
  const lost = await dispute()
  await recorder.refused('post', '/v1/refunds', { body: { charge: lost.id } })
  await recorder.post(`/v1/disputes/${lost.dispute}/close`)
}
