import { describe, expect, test } from 'vitest'
import { typesOf } from '../http/support.ts'
import type { Body, Twin } from '../twin.ts'
import { at, bytesOf, historyOf, listAll, openTwin, PACES, subscribe } from './story.ts'

const DAY = 86_400
const START = at('2026-01-31T10:00:00Z')

const newest = async (twin: Twin, path: string): Promise<Body> => (await listAll(twin, path)).at(-1) ?? {}
const disputesOf = (twin: Twin) => listAll(twin, '/v1/disputes')

/** A subscription whose first charge of 20.00 USD is disputed. */
const disputed = (twin: Twin) => subscribe(twin, { card: 'pm_card_createDispute' })

test('a charge is disputed at once, and its funds are withdrawn; the subscription stays active', async () => {
  const twin = await openTwin()
  const { subscription } = await disputed(twin)
  expect(subscription).toMatchObject({ status: 'active' })
  const events = await twin.events()
  const charged = typesOf(events).indexOf('charge.succeeded')
  expect(typesOf(events).slice(charged)).toEqual([
    'charge.succeeded',
    'charge.dispute.created',
    'charge.dispute.funds_withdrawn',
  ])
  expect(events[charged]?.data.object).toMatchObject({ disputed: false, dispute: null })
  const [dispute] = await disputesOf(twin)
  const charge = await newest(twin, '/v1/charges')
  expect(dispute).toMatchObject({
    status: 'needs_response',
    amount: 2000,
    currency: 'usd',
    charge: charge.id,
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    is_charge_refundable: false,
    evidence_details: { due_by: START + 7 * DAY, has_evidence: false, submission_count: 0 },
  })
  expect(charge).toMatchObject({ disputed: true, dispute: dispute?.id, amount_refunded: 0 })
  expect(await newest(twin, '/v1/invoices')).toMatchObject({ status: 'paid', amount_paid: 2000 })
})

describe.each(Object.entries(PACES))('in %s:', (_, pace) => {
  test('unanswered, the 20.00 are lost after 7 days; the renewal is disputed too', async () => {
    const twin = await openTwin()
    await disputed(twin)
    await pace(twin, START + 7 * DAY - 1)
    expect(await disputesOf(twin)).toMatchObject([{ status: 'needs_response' }])
    await pace(twin, START + 7 * DAY)
    expect(await disputesOf(twin)).toMatchObject([{ status: 'lost', is_charge_refundable: false }])
    const last = (await twin.events()).at(-1)
    expect(last).toMatchObject({ type: 'charge.dispute.closed', created: START + 7 * DAY })
    await pace(twin, at('2026-03-01T00:00:00Z'))
    expect(await disputesOf(twin)).toMatchObject([{ status: 'lost' }, { status: 'needs_response' }])
  })
})

test('disputes give the same history in one jump and in steps', async () => {
  const histories = []
  for (const pace of Object.values(PACES)) {
    const twin = await openTwin()
    await disputed(twin)
    await pace(twin, at('2026-03-20T00:00:00Z'))
    const disputes = (await disputesOf(twin)).map((dispute) => JSON.stringify(dispute))
    histories.push([...bytesOf(await historyOf(twin)), ...disputes])
  }
  expect(histories[1]).toEqual(histories[0])
  expect(histories[2]).toEqual(histories[0])
})

test('won, the funds are reinstated, and the 20.00 can be refunded', async () => {
  const twin = await openTwin()
  await disputed(twin)
  const [dispute] = await disputesOf(twin)
  const before = (await twin.events()).length
  const won = await twin.post(`/v1/disputes/${dispute?.id}`, {
    evidence: { uncategorized_text: 'winning_evidence', customer_name: 'Ada' },
  })
  const events = (await twin.events()).slice(before)
  expect(events.map(({ type, data }) => `${type} ${data.object.status}`)).toEqual([
    'charge.dispute.updated under_review',
    'charge.dispute.closed won',
    'charge.dispute.funds_reinstated won',
  ])
  expect(won).toMatchObject({
    status: 'won',
    is_charge_refundable: true,
    evidence: { customer_name: 'Ada', shipping_date: null },
    evidence_details: { has_evidence: true, submission_count: 1 },
  })
  await twin.advance({ by: '8d' })
  expect(await disputesOf(twin)).toMatchObject([{ status: 'won' }])
  expect(await twin.post('/v1/refunds', { charge: won.charge })).toMatchObject({ amount: 2000 })
})

test('lost by its evidence, the charge cannot be refunded, also not by a credit note', async () => {
  const twin = await openTwin()
  await disputed(twin)
  const [dispute] = await disputesOf(twin)
  const { charge } = await twin.post(`/v1/disputes/${dispute?.id}`, {
    evidence: { uncategorized_text: 'losing_evidence' },
  })
  expect(typesOf(await twin.events()).slice(-2)).toEqual(['charge.dispute.updated', 'charge.dispute.closed'])
  const refund = await twin.request('POST', '/v1/refunds', { charge })
  expect(refund).toMatchObject({ status: 400, body: { error: { code: 'charge_disputed' } } })
  const { id } = await newest(twin, '/v1/invoices')
  const credit = { invoice: id, amount: 500 }
  const refused = await twin.request('POST', '/v1/credit_notes', { ...credit, refund_amount: 500 })
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'charge_disputed' } } })
  expect(await twin.post('/v1/credit_notes', { ...credit, credit_amount: 500 })).toMatchObject({
    amount: 500,
  })
})

test('other evidence stays under review beyond the due date, until more evidence decides', async () => {
  const twin = await openTwin()
  await disputed(twin)
  const [{ id } = { id: '' }] = await disputesOf(twin)
  await twin.post(`/v1/disputes/${id}`, { evidence: { product_description: 'A book' }, submit: false })
  expect(await twin.get(`/v1/disputes/${id}`)).toMatchObject({
    status: 'needs_response',
    evidence_details: { has_evidence: true, submission_count: 0 },
  })
  await twin.post(`/v1/disputes/${id}`, { submit: true })
  await twin.advance({ by: '10d' })
  expect(await twin.get(`/v1/disputes/${id}`)).toMatchObject({ status: 'under_review' })
  const evidence = { uncategorized_text: 'winning_evidence' }
  expect(await twin.post(`/v1/disputes/${id}`, { evidence })).toMatchObject({
    status: 'won',
    evidence: { product_description: 'A book' },
    evidence_details: { submission_count: 2 },
  })
})

test('evidence that is not submitted does not save it', async () => {
  const twin = await openTwin()
  await disputed(twin)
  const [dispute] = await disputesOf(twin)
  const body = { evidence: { uncategorized_text: 'winning_evidence' }, submit: false }
  await twin.post(`/v1/disputes/${dispute?.id}`, body)
  await twin.advance({ by: '8d' })
  expect(await disputesOf(twin)).toMatchObject([{ status: 'lost' }])
})

test('it goes on after its customer was deleted', async () => {
  const twin = await openTwin()
  const { customer } = await disputed(twin)
  await twin.delete(`/v1/customers/${customer.id}`)
  await twin.advance({ by: '8d' })
  expect(await disputesOf(twin)).toMatchObject([{ status: 'lost' }])
})

test('on a test clock it is due by that clock', async () => {
  const twin = await openTwin()
  const clock = await twin.post('/v1/test_helpers/test_clocks', { frozen_time: START + DAY })
  const { id: customer } = await twin.post('/v1/customers', { test_clock: clock.id })
  await twin.post('/v1/payment_intents', {
    amount: 700,
    currency: 'usd',
    customer,
    payment_method: 'pm_card_createDisputeProductNotReceived',
    confirm: true,
  })
  const dispute = { reason: 'product_not_received', amount: 700, test_clock: clock.id }
  expect(await disputesOf(twin)).toMatchObject([
    { ...dispute, created: START + DAY, evidence_details: { due_by: START + 8 * DAY } },
  ])
  await twin.advance({ by: '30d' })
  expect(await disputesOf(twin)).toMatchObject([{ status: 'needs_response' }])
  await twin.post(`/v1/test_helpers/test_clocks/${clock.id}/advance`, { by: '7d' })
  expect(await disputesOf(twin)).toMatchObject([{ status: 'lost' }])
  await twin.delete(`/v1/test_helpers/test_clocks/${clock.id}`)
})
