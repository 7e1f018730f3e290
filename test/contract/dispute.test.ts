import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  asOperator,
  badState,
  eventsOf,
  idsOf,
  invalid,
  missing,
  type Refusal,
  typesOf,
  unknown,
} from '../http/support.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { DAY, NOW, refuses } from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

/** A disputed charge of 20.00 USD. */
async function disputedCharge(): Promise<Body> {
  const { latest_charge } = await twin.post('/v1/payment_intents', {
    amount: 2000,
    currency: 'usd',
    payment_method: 'pm_card_createDispute',
    confirm: true,
  })
  return twin.get(`/v1/charges/${latest_charge}`)
}

const paths = {
  submit: { evidence: { product_description: 'A book' } },
  win: { evidence: { uncategorized_text: 'winning_evidence' } },
  lose: { evidence: { uncategorized_text: 'losing_evidence' } },
}

test.each<[from: string, steps: readonly (keyof typeof paths)[], submit: string, close: string]>([
  ['needs_response', [], 'under_review', 'lost'],
  ['under_review', ['submit'], 'under_review', 'lost'],
  ['won', ['win'], 'refused', 'refused'],
  ['lost', ['lose'], 'refused', 'refused'],
])('from %s', async (from, steps, submit, close) => {
  for (const [suffix, body, to] of [
    ['', paths.submit, submit],
    ['/close', undefined, close],
  ] as const) {
    const path = `/v1/disputes/${(await disputedCharge()).dispute}`
    for (const step of steps) await twin.post(path, paths[step])
    expect(await twin.get(path)).toMatchObject({ status: from })
    if (to === 'refused') await refuses(twin, ['POST', `${path}${suffix}`, body], badState())
    else expect(await twin.post(`${path}${suffix}`, body)).toMatchObject({ status: to })
  }
})

test.each<[title: string, body: Body, refusal: Refusal]>([
  ['without evidence', { submit: true }, missing('evidence')],
  ['empty evidence', { evidence: {} }, missing('evidence')],
  ['text that is none', { evidence: { customer_name: 7 } }, invalid('evidence[customer_name]')],
  ['a file', { evidence: { receipt: 'file_1' } }, { code: 'parameter_unknown', param: 'evidence[receipt]' }],
])('evidence is refused: %s', async (_, body, refusal) => {
  const { dispute } = await disputedCharge()
  await refuses(twin, ['POST', `/v1/disputes/${dispute}`, body], refusal)
})

test('an unknown dispute is missing', async () => {
  await refuses(twin, ['GET', '/v1/disputes/du_unknown'], unknown())
  await refuses(twin, ['POST', '/v1/disputes/du_unknown/close'], unknown())
})

test('metadata is updated without submitting, and nothing is emitted when nothing changes', async () => {
  const { dispute } = await disputedCharge()
  const events = await eventsOf(twin, async () => {
    await twin.post(`/v1/disputes/${dispute}`, { metadata: { a: 'b' } })
    await twin.post(`/v1/disputes/${dispute}`, { metadata: { a: 'b' } })
  })
  expect(typesOf(events)).toEqual(['charge.dispute.updated'])
  expect(await twin.get(`/v1/disputes/${dispute}`)).toMatchObject({
    status: 'needs_response',
    metadata: { a: 'b' },
  })
})

test('an empty text removes evidence', async () => {
  const path = `/v1/disputes/${(await disputedCharge()).dispute}`
  await twin.post(path, { evidence: { customer_name: 'Ada', service_date: 'May' }, submit: false })
  const { evidence } = await twin.post(path, { evidence: { customer_name: '' }, submit: false })
  expect(evidence).toMatchObject({ customer_name: null, service_date: 'May' })
})

test('disputes are listed by charge and by payment intent, and their charge expands', async () => {
  const { id, dispute, payment_intent } = await disputedCharge()
  for (const filter of [`charge=${id}`, `payment_intent=${payment_intent}`]) {
    expect(idsOf((await twin.get(`/v1/disputes?${filter}`)).data)).toEqual([dispute])
  }
  const shown = await twin.get(`/v1/disputes/${dispute}?expand[]=charge`)
  expect(shown.charge).toMatchObject({ id, disputed: true })
})

test('the due date is a job of the clock, and appears in the timeline of the customer', async () => {
  const { id } = await twin.post('/v1/customers', {})
  await twin.post('/v1/payment_intents', {
    amount: 2000,
    currency: 'usd',
    customer: id,
    payment_method: 'pm_card_createDispute',
    confirm: true,
  })
  const jobs = (await twin.get('/v1/test_helpers/upcoming?limit=100')).data
  expect(jobs.at(-1)).toMatchObject({ kind: 'dispute_due', due: NOW + 7 * DAY, invoice: null })
  const { body } = await asOperator(twin)('GET', `customers/${id}`)
  expect(body.timeline.upcoming.data).toMatchObject([{ kind: 'dispute_due', amount: 2000 }])
  const types = typesOf(body.timeline.happened.data)
  expect(types).toContain('charge.dispute.created')
})
