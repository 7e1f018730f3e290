import { describe, expect, test } from 'vitest'
import {
  badState,
  eventsOf,
  idsOf,
  invalid,
  missing,
  type Refusal,
  rows,
  typesOf,
  unknown,
} from '../http/support.ts'
import { openTwin } from '../scenarios/story.ts'
import { table } from '../table.ts'
import { type Body, makeCustomer, type Twin } from '../twin.ts'
import { amountTooLarge, DAY, emitted, expectDecline, inFull, makeDraft, NOW, refuses } from './support.ts'

const addItem = (twin: Twin, params: Body) => twin.post('/v1/invoiceitems', { currency: 'usd', ...params })

/** The ids of the items that an invoice bills, in the order of its lines. */
async function billedItems(twin: Twin, { id }: Body, after = ''): Promise<string[]> {
  const { data, has_more } = await twin.get(`/v1/invoices/${id}/lines?limit=100${after}`)
  const items = data.map((line: Body) => line.invoice_item)
  if (!has_more) return items
  return [...items, ...(await billedItems(twin, { id }, `&starting_after=${data.at(-1).id}`))]
}

describe('a manual invoice', () => {
  test('is a draft of all pending items', async () => {
    const twin = await openTwin()
    const { customer } = await makeCustomer(twin)
    const first = await addItem(twin, { customer: customer.id, amount: 100, description: 'Setup' })
    const second = await addItem(twin, { customer: customer.id, amount: 25, quantity: 2 })
    const other = await twin.post('/v1/invoiceitems', { customer: customer.id, amount: 9, currency: 'eur' })
    const events = await eventsOf(twin, async () => {
      const params = { customer: customer.id, description: 'May', metadata: { a: 'b' } }
      const { status, body } = await twin.request('POST', '/v1/invoices', params)
      expect(status).toBe(201)
      expect(body).toMatchObject({
        ...params,
        status: 'draft',
        number: null,
        billing_reason: 'manual',
        subscription: null,
        collection_method: 'charge_automatically',
        currency: 'usd',
        total: 150,
        amount_due: 150,
        amount_paid: 0,
        payment_intent: null,
        attempted: false,
        next_payment_attempt: null,
        period_start: NOW,
        period_end: NOW,
        status_transitions: {
          finalized_at: null,
          paid_at: null,
          voided_at: null,
          marked_uncollectible_at: null,
        },
      })
      expect(body.lines.data).toMatchObject([
        { invoice_item: first.id, amount: 100, description: 'Setup' },
        { invoice_item: second.id, amount: 50, unit_amount: 25, quantity: 2 },
      ])
      expect(await twin.get(`/v1/invoiceitems/${first.id}`)).toEqual({ ...first, invoice: body.id })
      expect(idsOf((await twin.get(`/v1/invoiceitems?invoice=${body.id}`)).data)).toEqual([
        second.id,
        first.id,
      ])
    })
    expect(typesOf(events)).toEqual(['invoice.created'])
    expect(await twin.get(`/v1/invoiceitems/${other.id}`)).toEqual(other)
    const euros = await twin.post('/v1/invoices', { customer: customer.id, currency: 'EUR' })
    expect(euros).toMatchObject({ currency: 'eur', total: 9 })
  })

  test('bills at most 250 pending items, oldest first; the rest stays pending', async () => {
    const twin = await openTwin()
    const { customer } = await makeCustomer(twin)
    const euro = await addItem(twin, { customer: customer.id, amount: 9, currency: 'eur' })
    const items: Body[] = []
    for (let count = 0; count < 252; count += 1)
      items.push(await addItem(twin, { customer: customer.id, amount: count + 1 }))
    const first = await twin.post('/v1/invoices', { customer: customer.id, currency: 'usd' })
    expect(first.total).toBe((250 * 251) / 2)
    expect(await billedItems(twin, first)).toEqual(idsOf(items.slice(0, 250)))
    const full = { customer: customer.id, invoice: first.id, amount: 1, currency: 'usd' }
    await refuses(twin, ['POST', '/v1/invoiceitems', full], invalid('invoice'))
    const pending = await twin.get(`/v1/invoiceitems?customer=${customer.id}&pending=true`)
    expect(idsOf(pending.data)).toEqual([items[251]?.id, items[250]?.id, euro.id])
    const second = await twin.post('/v1/invoices', { customer: customer.id, currency: 'usd' })
    expect(await billedItems(twin, second)).toEqual(idsOf(items.slice(250)))
    const third = await twin.post('/v1/invoices', { customer: customer.id })
    expect(await billedItems(twin, third)).toEqual([euro.id])
  })

  test('is neither charged nor retried automatically', async () => {
    const twin = await openTwin()
    const { draft } = await makeDraft(twin)
    expect(await emitted(twin, () => twin.advance({ by: '1mo' }))).toBe('')
    await twin.post(`/v1/invoices/${draft.id}/finalize`)
    expect(await emitted(twin, () => twin.advance({ by: '1mo' }))).toBe('')
    expect((await twin.get('/v1/test_helpers/upcoming')).data).toEqual([])
  })

  test('that is sent is due days_until_due days after it is finalized', async () => {
    const twin = await openTwin()
    const { customer, draft } = await makeDraft(twin, {
      collection_method: 'send_invoice',
      days_until_due: 10,
    })
    expect(draft).toMatchObject({ collection_method: 'send_invoice', due_date: null })
    await twin.advance({ by: '1d' })
    expect(await twin.post(`/v1/invoices/${draft.id}/finalize`)).toMatchObject({
      status: 'open',
      due_date: NOW + 11 * DAY,
    })
    await twin.advance({ by: '10d' })
    expect((await twin.get(`/v1/customers/${customer.id}`)).delinquent).toBe(true)
    await twin.post(`/v1/invoices/${draft.id}/pay`)
    expect((await twin.get(`/v1/customers/${customer.id}`)).delinquent).toBe(false)
  })

  test('that is sent has its due date also after a failed payment of the draft', async () => {
    const twin = await openTwin()
    const sent = { collection_method: 'send_invoice', days_until_due: 10, card: 'pm_card_chargeDeclined' }
    const { draft } = await makeDraft(twin, sent)
    expect((await twin.request('POST', `/v1/invoices/${draft.id}/pay`)).status).toBe(402)
    expect(await twin.get(`/v1/invoices/${draft.id}`)).toMatchObject({
      status: 'open',
      due_date: NOW + 10 * DAY,
    })
  })

  test('needs a currency without pending items, and has a zero total', async () => {
    const twin = await openTwin()
    const { customer } = await makeCustomer(twin)
    await refuses(twin, ['POST', '/v1/invoices', { customer: customer.id }], missing('currency'))
    const draft = await twin.post('/v1/invoices', { customer: customer.id, currency: 'usd' })
    const events = await eventsOf(twin, () => twin.post(`/v1/invoices/${draft.id}/finalize`))
    expect(events.map(({ type, data }) => [type, data.object.status])).toEqual([
      ['invoice.finalized', 'open'],
      ['invoice.paid', 'paid'],
    ])
  })

  test('is refused when it cannot be', async () => {
    const twin = await openTwin()
    const { customer } = await makeCustomer(twin)
    await addItem(twin, { customer: customer.id, amount: 60_000_000 })
    for (const [[body, refusal]] of rows<[Body, Refusal]>(
      [{ customer: undefined }, missing('customer')],
      [{ customer: 'cus_unknown' }, unknown('customer')],
      [{ currency: 'xxx' }, invalid('currency')],
      [{ collection_method: 'by_pigeon' }, invalid('collection_method')],
      [{ collection_method: 'send_invoice', days_until_due: -1 }, invalid('days_until_due')],
      [{ metadata: 'x' }, invalid('metadata')],
    )) {
      await refuses(twin, ['POST', '/v1/invoices', { customer: customer.id, ...body }], refusal)
    }
    await addItem(twin, { customer: customer.id, amount: 60_000_000 })
    await refuses(twin, ['POST', '/v1/invoices', { customer: customer.id }], amountTooLarge)
  })
})

describe('a draft that is deleted', () => {
  test('is deleted, its items are pending again, and no number is used', async () => {
    const twin = await openTwin()
    const { customer, draft } = await makeDraft(twin)
    const events = await emitted(twin, async () => {
      const stub = { id: draft.id, object: 'invoice', deleted: true, livemode: false }
      expect(await twin.delete(`/v1/invoices/${draft.id}`)).toEqual(stub)
    })
    expect(events).toBe('invoice.deleted')
    await refuses(twin, ['GET', `/v1/invoices/${draft.id}`], unknown())
    await refuses(twin, ['GET', `/v1/invoices/${draft.id}/lines`], unknown())
    await refuses(twin, ['POST', `/v1/invoices/${draft.id}/pay`], unknown())
    expect((await twin.get('/v1/invoices')).data).toEqual([])
    const again = await twin.post('/v1/invoices', { customer: customer.id })
    expect(again.total).toBe(2000)
    expect((await twin.post(`/v1/invoices/${again.id}/finalize`)).number).toMatch(/-0001$/)
  })
})

const MOVES = table(
  ['from', 'action', 'next', 'events'],
  `
  draft          finalize            open           invoice.finalized
  draft          pay                 paid           invoice.finalized invoice.paid PI+
  draft          delete              gone           invoice.deleted
  draft          void                -              –
  draft          mark_uncollectible  -              –
  open           finalize            -              –
  open           pay                 paid           invoice.paid PI+
  open           pay in vain         open           invoice.payment_failed PI-
  open           void                void           invoice.voided
  open           mark_uncollectible  uncollectible  invoice.marked_uncollectible
  open           delete              -              –
  uncollectible  pay                 paid           invoice.paid PI+
  uncollectible  pay in vain         uncollectible  invoice.payment_failed PI-
  uncollectible  void                void           invoice.voided
  uncollectible  mark_uncollectible  -              –
  uncollectible  finalize            -              –
  uncollectible  delete              -              –
  paid           pay                 -              –
  paid           void                -              –
  paid           mark_uncollectible  -              –
  paid           finalize            -              –
  paid           delete              -              –
  void           pay                 -              –
  void           void                -              –
  void           mark_uncollectible  -              –
  void           finalize            -              –
  void           delete              -              –
  `,
)

describe('an invoice', () => {
  const LEADING: Readonly<Record<string, readonly string[]>> = {
    draft: [],
    open: ['finalize'],
    uncollectible: ['finalize', 'mark_uncollectible'],
    paid: ['finalize', 'pay'],
    void: ['finalize', 'void'],
  }
  test.each(MOVES)('that is $from: $action → $next', async ({ from, action, next, events }) => {
    const twin = await openTwin()
    const { draft } = await makeDraft(
      twin,
      action === 'pay in vain' ? { card: 'pm_card_chargeDeclined' } : {},
    )
    const path = `/v1/invoices/${draft.id}`
    for (const step of LEADING[from] ?? []) await twin.post(`${path}/${step}`)
    const [method, target] =
      action === 'delete'
        ? (['DELETE', path] as const)
        : (['POST', `${path}/${action.split(' ')[0]}`] as const)
    if (next === '-') {
      await refuses(twin, [method, target], badState())
      return
    }
    const doing = await emitted(twin, async () => {
      const response = await twin.request(method, target)
      if (action === 'pay in vain') expectDecline(response, { decline_code: 'generic_decline' })
      else expect(response.status).toBe(200)
    })
    expect(doing).toBe(inFull(events))
    const after = await twin.request('GET', path)
    expect(after.body.status ?? 'gone').toBe(next)
  })

  test('is paid with the payment method that the request names', async () => {
    const twin = await openTwin()
    const { draft } = await makeDraft(twin, { card: 'pm_card_chargeDeclined' })
    const body = { payment_method: 'pm_card_visa' }
    expect(await twin.post(`/v1/invoices/${draft.id}/pay`, body)).toMatchObject({
      status: 'paid',
      amount_remaining: 0,
    })
  })
})

describe('the lines of an invoice', () => {
  test('come in pages, in their order', async () => {
    const twin = await openTwin()
    const { customer } = await makeCustomer(twin)
    for (let amount = 1; amount <= 12; amount += 1) await addItem(twin, { customer: customer.id, amount })
    const { id, lines } = await twin.post('/v1/invoices', { customer: customer.id })
    const path = `/v1/invoices/${id}/lines`
    const amounts = async (query = '') => {
      const page = await twin.get(`${path}?${query}`)
      expect(page).toMatchObject({ object: 'list', url: path, livemode: false })
      return [page.data.map(({ amount }: Body) => amount), page.has_more]
    }
    const idAt = (place: number) => lines.data[place].id
    expect(await amounts()).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], true])
    expect(await amounts(`starting_after=${idAt(9)}`)).toEqual([[11, 12], false])
    expect(await amounts(`ending_before=${idAt(5)}&limit=2`)).toEqual([[4, 5], true])
    expect(await amounts('limit=100')).toEqual([lines.data.map(({ amount }: Body) => amount), false])
    await refuses(twin, ['GET', `${path}?starting_after=il_unknown`], unknown('starting_after'))
    await refuses(twin, ['GET', `${path}?limit=0`], invalid('limit'))
    await refuses(
      twin,
      ['GET', `${path}?starting_after=${idAt(0)}&ending_before=${idAt(1)}`],
      invalid('ending_before'),
    )
    await refuses(twin, ['GET', '/v1/invoices/in_unknown/lines'], unknown())
  })
})
