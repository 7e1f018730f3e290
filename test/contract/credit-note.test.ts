import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCreditNote } from '../../src/engine/resources/credit-note.ts'
import {
  anotherMerchant,
  badState,
  eventsOf,
  idsOf,
  invalid,
  missing,
  postForm,
  type Refusal,
  typesOf,
  unknown,
} from '../http/support.ts'
import { type Body, clientOf, makeCustomer, startTwin, type Twin } from '../twin.ts'
import { amountInvalid, amountTooLarge, NOW, refuses } from './support.ts'

let twin: Twin
beforeAll(async () => {
  twin = await startTwin()
})
afterAll(() => twin.close())

/** An open invoice with a line of 3 × 5.00 USD and one of 5.00 USD. */
async function openInvoice(): Promise<Body> {
  const { customer } = await makeCustomer(twin)
  for (const quantity of [3, 1]) {
    await twin.post('/v1/invoiceitems', { customer: customer.id, amount: 500, quantity, currency: 'usd' })
  }
  const { id } = await twin.post('/v1/invoices', { customer: customer.id })
  return twin.post(`/v1/invoices/${id}/finalize`)
}

const paidInvoice = async (): Promise<Body> =>
  twin.post(`/v1/invoices/${(await openInvoice()).id}/pay`, { payment_method: 'pm_card_visa' })

const part = (line: Body, more: Body) => ({
  type: 'invoice_line_item',
  invoice_line_item: line.id,
  ...more,
})

describe('a credit note', () => {
  test('is shown completely', async () => {
    const invoice = await openInvoice()
    const response = await twin.request('POST', '/v1/credit_notes', {
      invoice: invoice.id,
      lines: [
        part(invoice.lines.data[0], { quantity: 2 }),
        { type: 'custom_line_item', description: 'Goodwill', unit_amount: 25, quantity: 2 },
      ],
      reason: 'order_change',
      memo: 'Sorry',
      metadata: { a: 'b' },
    })
    expect(response).toMatchObject({ status: 201 })
    expect(response.body).toEqual({
      id: expect.stringMatching(/^cn_[A-Za-z0-9]{14,}$/),
      object: 'credit_note',
      created: NOW,
      livemode: false,
      merchant_id: twin.sandbox.merchant.settings.id,
      status: 'issued',
      number: `${invoice.number}-CN-01`,
      type: 'pre_payment',
      customer: invoice.customer,
      invoice: invoice.id,
      currency: 'usd',
      amount: 1050,
      subtotal: 1050,
      total: 1050,
      pre_payment_amount: 1050,
      post_payment_amount: 0,
      out_of_band_amount: null,
      refund: null,
      customer_balance_transaction: null,
      lines: {
        object: 'list',
        url: `/v1/credit_notes/${response.body.id}/lines`,
        has_more: false,
        livemode: false,
        data: [
          {
            id: expect.stringMatching(/^cnli_/),
            object: 'credit_note_line_item',
            livemode: false,
            type: 'invoice_line_item',
            amount: 1000,
            description: null,
            invoice_line_item: invoice.lines.data[0].id,
            quantity: 2,
            unit_amount: 500,
          },
          {
            id: expect.stringMatching(/^cnli_/),
            object: 'credit_note_line_item',
            livemode: false,
            type: 'custom_line_item',
            amount: 50,
            description: 'Goodwill',
            invoice_line_item: null,
            quantity: 2,
            unit_amount: 25,
          },
        ],
      },
      reason: 'order_change',
      memo: 'Sorry',
      metadata: { a: 'b' },
      voided_at: null,
      test_clock: null,
    })
    expect(await twin.get(`/v1/credit_notes/${response.body.id}`)).toEqual(response.body)
    expect(await twin.get(`/v1/credit_notes/${response.body.id}/lines`)).toEqual(response.body.lines)
  })

  test('takes the parameters of a form', async () => {
    const invoice = await openInvoice()
    const lines = { 0: part(invoice.lines.data[1], { amount: '100' }) }
    const response = await postForm(twin, '/v1/credit_notes', { invoice: invoice.id, lines })
    expect(response).toMatchObject({ status: 201, body: { amount: 100 } })
  })

  test('is updated and listed', async () => {
    const invoice = await paidInvoice()
    const body = { invoice: invoice.id, amount: 100, credit_amount: 100 }
    const first = await twin.post('/v1/credit_notes', body)
    const second = await twin.post('/v1/credit_notes', body)
    const events = await eventsOf(twin, async () => {
      await twin.post(`/v1/credit_notes/${first.id}`, { memo: 'Late', metadata: { a: 'b' } })
      await twin.post(`/v1/credit_notes/${first.id}`, { memo: 'Late' })
    })
    expect(typesOf(events)).toEqual(['credit_note.updated'])
    for (const filter of [`invoice=${invoice.id}`, `customer=${invoice.customer}`]) {
      const { data } = await twin.get(`/v1/credit_notes?${filter}`)
      expect(idsOf(data)).toEqual([second.id, first.id])
    }
    expect((await twin.get('/v1/credit_notes?limit=1')).data).toHaveLength(1)
    const { secretKey } = await anotherMerchant(twin)
    const other = clientOf(twin.sandbox, secretKey)
    expect((await other.get('/v1/credit_notes')).data).toEqual([])
    expect(await other.request('GET', `/v1/credit_notes/${first.id}`)).toMatchObject({ status: 404 })
  })

  test('is previewed as it is issued, and nothing is written', async () => {
    const invoice = await paidInvoice()
    const params = { invoice: invoice.id, amount: '300', refund_amount: '200', credit_amount: '100' }
    const query = new URLSearchParams(params)
    const events = await eventsOf(twin, async () => {
      const preview = await twin.get(`/v1/credit_notes/preview?${query}`)
      expect(preview).toMatchObject({
        id: null,
        amount: 300,
        refund: null,
        number: `${invoice.number}-CN-01`,
      })
    })
    expect(events).toEqual([])
    expect(await twin.get(`/v1/invoices/${invoice.id}`)).toEqual(invoice)
    const line = `lines[0][type]=custom_line_item&lines[0][description]=A&lines[0][unit_amount]=5&lines[0][quantity]=2`
    const ofLines = `invoice=${invoice.id}&${line}&out_of_band_amount=10`
    expect(await twin.get(`/v1/credit_notes/preview?${ofLines}`)).toMatchObject({ amount: 10 })
    expect((await twin.get(`/v1/credit_notes?invoice=${invoice.id}`)).data).toEqual([])
  })
})

type Case = [title: string, params: Body, refusal: Refusal]

test.each<Case>([
  ['neither amount nor lines', {}, missing('amount')],
  ['a rest without a way to give it back', { amount: 100 }, missing('refund_amount')],
  ['parts of another sum', { amount: 100, credit_amount: 60, refund_amount: 50 }, invalid('refund_amount')],
  ['an amount of 0', { amount: 0 }, amountInvalid],
  ['more than the invoice', { amount: 2001, credit_amount: 2001 }, amountTooLarge],
  ['an unknown refund', { amount: 100, refund: 're_unknown' }, unknown('refund')],
  ['no lines', { lines: [] }, invalid('lines')],
  [
    'parameters that are not supported',
    { amount: 100, credit_amount: 100, effective_at: 1 },
    {
      code: 'parameter_unknown',
      param: 'effective_at',
    },
  ],
])('%s is refused for a paid invoice', async (_, params, refusal) => {
  const { id } = await paidInvoice()
  await refuses(twin, ['POST', '/v1/credit_notes', { invoice: id, ...params }], refusal)
})

test.each<[title: string, line: Body, refusal: Refusal]>([
  ['more units than it has', { quantity: 4 }, invalid('lines[0][quantity]')],
  ['more than its amount', { amount: 1501 }, invalid('lines[0][amount]')],
  ['amount and quantity', { amount: 1, quantity: 1 }, invalid('lines[0][quantity]')],
  ['neither', {}, missing('lines[0][amount]')],
  ['a parameter of the other type', { amount: 1, description: 'A' }, invalid('lines[0][description]')],
  ['another line', { amount: 1, invoice_line_item: 'il_1' }, invalid('lines[0][invoice_line_item]')],
  [
    'a custom line without a price',
    { type: 'custom_line_item', description: 'A', invoice_line_item: undefined },
    missing('lines[0][unit_amount]'),
  ],
])('a line is refused: %s', async (_, line, refusal) => {
  const invoice = await openInvoice()
  const lines = [part(invoice.lines.data[0], line)]
  await refuses(twin, ['POST', '/v1/credit_notes', { invoice: invoice.id, lines }], refusal)
})

test('an amount beside lines must be their sum', async () => {
  const invoice = await openInvoice()
  const lines = [part(invoice.lines.data[0], { amount: 200 })]
  const body = { invoice: invoice.id, lines, amount: 201 }
  await refuses(twin, ['POST', '/v1/credit_notes', body], invalid('amount'))
})

test('a line is not credited beyond its amount by several credit notes', async () => {
  const invoice = await openInvoice()
  const lines = [part(invoice.lines.data[0], { amount: 1000 })]
  await twin.post('/v1/credit_notes', { invoice: invoice.id, lines })
  await refuses(
    twin,
    ['POST', '/v1/credit_notes', { invoice: invoice.id, lines }],
    invalid('lines[0][amount]'),
  )
})

test('drafts, void and uncollectible invoices are refused', async () => {
  const { customer } = await makeCustomer(twin)
  const draft = await twin.post('/v1/invoices', { customer: customer.id, currency: 'usd' })
  const voided = await twin.post(`/v1/invoices/${(await openInvoice()).id}/void`)
  const lost = await twin.post(`/v1/invoices/${(await openInvoice()).id}/mark_uncollectible`)
  for (const { id } of [draft, voided, lost]) {
    await refuses(twin, ['POST', '/v1/credit_notes', { invoice: id, amount: 1 }], invalid('invoice'))
  }
})

test('a refund is linked once, and only to the invoice of its charge', async () => {
  const invoice = await paidInvoice()
  const other = await paidInvoice()
  const refund = await twin.post('/v1/refunds', { charge: invoice.charge, amount: 100 })
  const body = { amount: 100, refund: refund.id }
  await refuses(twin, ['POST', '/v1/credit_notes', { invoice: other.id, ...body }], invalid('refund'))
  await twin.post('/v1/credit_notes', { invoice: invoice.id, ...body })
  await refuses(twin, ['POST', '/v1/credit_notes', { invoice: invoice.id, ...body }], invalid('refund'))
})

test('a credit note of a paid invoice cannot be voided, nor one twice', async () => {
  const paid = await paidInvoice()
  const given = await twin.post('/v1/credit_notes', { invoice: paid.id, amount: 100, credit_amount: 100 })
  await refuses(twin, ['POST', `/v1/credit_notes/${given.id}/void`], badState())
  const open = await openInvoice()
  const taken = await twin.post('/v1/credit_notes', { invoice: open.id, amount: 100 })
  await twin.post(`/v1/credit_notes/${taken.id}/void`)
  await refuses(twin, ['POST', `/v1/credit_notes/${taken.id}/void`], badState())
})

test('the balance of a deleted customer is not credited, but its charge is refunded', async () => {
  const invoice = await paidInvoice()
  await twin.delete(`/v1/customers/${invoice.customer}`)
  const body = { invoice: invoice.id, amount: 100 }
  const credit = { ...body, credit_amount: 100 }
  await refuses(twin, ['POST', '/v1/credit_notes', credit], invalid('credit_amount'))
  expect(await twin.post('/v1/credit_notes', { ...body, refund_amount: 100 })).toMatchObject({ amount: 100 })
})

test('the next credit note of an invoice counts void ones in its number', async () => {
  const { id, number } = await openInvoice()
  const first = await twin.post('/v1/credit_notes', { invoice: id, amount: 100 })
  await twin.post(`/v1/credit_notes/${first.id}/void`)
  const second = await twin.post('/v1/credit_notes', { invoice: id, amount: 2000 })
  expect(second.number).toBe(`${number}-CN-02`)
})

test('an invoice has at most 500 credit notes', async () => {
  const invoice = await openInvoice()
  const { engine, merchant } = twin.sandbox
  await engine.command(merchant, null, (unit) => {
    for (let count = 0; count < 500; count += 1) createCreditNote(unit, { invoice: invoice.id, amount: 1 })
  })
  const { status, body } = await twin.request('POST', '/v1/credit_notes', { invoice: invoice.id, amount: 1 })
  expect([status, body.error.code, body.error.param]).toEqual([400, 'parameter_invalid', 'invoice'])
  expect(body.error.message).toContain('An invoice can have at most 500 credit notes')
  const { pre_payment_credit_notes_amount } = await twin.get(`/v1/invoices/${invoice.id}`)
  expect(pre_payment_credit_notes_amount).toBe(500)
})
