import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Body, makeCustomer, makePrice, startTwin, type Twin } from '../../twin.ts'
import { anotherMerchant, asOperator, expectRefusal, idsOf, invalid, missing, unknown } from '../support.ts'

let twin: Twin
let ada: Body
let invoice: Body
const search = (query: string) => asOperator(twin)('GET', `search?${query}`)
const found = async (query: string) => idsOf((await search(query)).body.data)

beforeAll(async () => {
  twin = await startTwin()
  const price = await makePrice(twin)
  const subscribe = async (name: string, email?: string) => {
    const { customer, method } = await makeCustomer(twin, { outcomes: ['succeed', 'decline:expired_card'] })
    await twin.post(`/v1/customers/${customer.id}`, { name, ...(email && { email }) })
    const params = { customer: customer.id, currency: 'usd', items: [{ price: price.id }] }
    await twin.post('/v1/subscriptions', { ...params, default_payment_method: method.id })
    return customer
  }
  ada = await subscribe('Ada Lovelace', 'ada@example.com')
  // More customers than are looked up one by one.
  for (let index = 0; index < 201; index += 1) await twin.post('/v1/customers', { name: `Many ${index}` })
  await subscribe('Many Others')
  await twin.advance({ to: '2026-02-28T10:00:00Z' })
  invoice = (await twin.get(`/v1/invoices?customer=${ada.id}`)).data[0]
})
afterAll(() => twin.close())

test.each([
  ['the first name', 'ada'],
  ['the words in another order', 'LOVE%20ada'],
  ['a part of the email address', '@example'],
])('a customer and its objects are found by %s', async (_, query) => {
  expect(await found(`kind=customer&query=${query}`)).toEqual([ada.id])
  expect(await found(`kind=subscription&query=${query}`)).toEqual([invoice.subscription])
  expect(await found(`kind=invoice&status=open&query=${query}`)).toEqual([invoice.id])
  expect(await found(`kind=payment_intent&query=${query}`)).toContain(invoice.payment_intent)
})

test('objects of many customers are found too, in pages', async () => {
  const all = (await twin.get('/v1/subscriptions?status=all')).data as Body[]
  const { body } = await search('kind=subscription&query=many')
  expect(body.data).toMatchObject([{ id: all[0]?.id, customer: { name: 'Many Others' } }])
  const first = (await search('kind=customer&query=many&limit=2')).body
  expect([first.data.map(({ name }: Body) => name), first.has_more]).toEqual([
    ['Many Others', 'Many 200'],
    true,
  ])
  const next = await search(`kind=customer&query=many&limit=1&starting_after=${first.data[1].id}`)
  expect(next.body.data).toMatchObject([{ name: 'Many 199' }])
  const back = await search(`kind=customer&query=many&limit=9&ending_before=${first.data[1].id}`)
  expect(idsOf(back.body.data)).toEqual([first.data[0].id])
})

test('an id finds the object or its related objects, and a text that looks like an id is searched as a text', async () => {
  const { subscription, payment_intent: payment, id } = invoice
  expect(await found(`kind=invoice&query=${id}&status=paid`)).toEqual([id])
  expect(await found(`kind=customer&query=${id}`)).toEqual([ada.id])
  expect(await found(`kind=subscription&query=${id}`)).toEqual([subscription])
  expect(await found(`kind=payment_intent&query=${id}`)).toEqual([payment])
  expect(await found(`kind=invoice&query=${payment}`)).toEqual([id])
  expect(await found(`kind=invoice&query=${subscription}`)).toContain(id)
  expect(await found(`kind=subscription&query=${ada.id}`)).toEqual([subscription])
  const { id: odd } = await twin.post('/v1/customers', { name: 'in_stock' })
  expect(await found('kind=customer&query=in_stock')).toEqual([odd])
})

test('the number of an invoice finds it', async () => {
  expect(await found(`kind=invoice&query=${invoice.number.toLowerCase()}`)).toEqual([invoice.id])
  expect(await found('kind=invoice&query=NONE-0001')).toEqual([])
})

test('deleted customers and those of other merchants are not found', async () => {
  const { id } = await twin.post('/v1/customers', { name: 'Leaver' })
  await twin.delete(`/v1/customers/${id}`)
  for (const query of ['Leaver', id]) expect(await found(`kind=customer&query=${query}`)).toEqual([])
  const { merchant } = await anotherMerchant(twin)
  expect(await found(`kind=customer&query=ada&merchant=${merchant.id}`)).toEqual([])
  expectRefusal(await search('kind=customer&query=ada'), missing('merchant'))
})

test.each([
  ['kind=price&query=a', invalid('kind')],
  ['kind=customer&query=%20', invalid('query')],
  [`kind=customer&query=${'x'.repeat(201)}`, invalid('query')],
  ['kind=invoice&query=ada&status=active', invalid('status')],
  ['kind=customer&query=ada&status=open', invalid('status')],
  ['kind=customer&query=ada&starting_after=cus_none', unknown('starting_after')],
])('%s is refused', async (query, refusal) => {
  const merchant = twin.sandbox.merchant.settings.id
  expectRefusal(await search(`${query}&merchant=${merchant}`), refusal)
})
