import { beforeEach, expect, test } from 'vitest'
import { MAX_LINE_DISCOUNTS } from '../../src/core/invoice.ts'
import { END } from '../scenarios/plan-story.ts'
import { at, openTwin, subscribe } from '../scenarios/story.ts'
import type { Body, Twin } from '../twin.ts'
import { expectRefusal, invalid } from './support.ts'

const EACH = 20
const FIT = MAX_LINE_DISCOUNTS / EACH
const DISCOUNTS = Array.from({ length: EACH }, (_, n) => ({ coupon: `C${n}` }))
let twin: Twin
let customer: string
let subscription: string
beforeEach(async () => {
  twin = await openTwin({ now: '2026-04-01T00:00:00Z' })
  const made = await subscribe(twin)
  customer = made.customer.id
  subscription = made.subscription.id
  for (const { coupon: id } of DISCOUNTS)
    await twin.post('/v1/coupons', { id, percent_off: 1, duration: 'forever' })
})

const item = (params: Body = {}) => ({ customer, amount: 1000, currency: 'usd', ...params })
async function addItems(count: number, params: Body): Promise<Body[]> {
  const made: Body[] = []
  for (let n = 0; n < count; n += 1) made.push(await twin.post('/v1/invoiceitems', item(params)))
  return made
}
const linesOf = ({ lines }: Body): number => lines.data.length

async function refused(params: Body, param: string, to = '/v1/invoiceitems'): Promise<string> {
  const before = await twin.events()
  const response = await twin.request('POST', to, params)
  expectRefusal(response, invalid(param))
  expect(await twin.events()).toHaveLength(before.length)
  return response.body.error.message
}

test('a manual invoice takes pending items up to the limit of discounts, and its draft takes no more', async () => {
  await addItems(FIT + 1, { discounts: DISCOUNTS })
  const first = await twin.post('/v1/invoices', { customer })
  expect(linesOf(first)).toBe(FIT)
  const discounts = [{ coupon: 'C0' }]
  expect(await refused(item({ invoice: first.id, discounts }), 'invoice')).toBe(
    `The invoice '${first.id}' would have more than 500 discounts of lines, which is the maximum`,
  )
  const plain = await twin.post('/v1/invoiceitems', item({ invoice: first.id }))
  await refused({ discounts }, 'discounts', `/v1/invoiceitems/${plain.id}`)
  const [line] = first.lines.data
  await twin.post(`/v1/invoiceitems/${line.invoice_item}`, { discounts: DISCOUNTS.slice(1) })
  await twin.post(`/v1/invoiceitems/${plain.id}`, { discounts })
  expect(linesOf(await twin.post('/v1/invoices', { customer }))).toBe(1)
})

test('a renewal takes waiting items up to the limit of discounts, and the next one the others', async () => {
  await addItems(FIT + 1, { subscription, discounts: DISCOUNTS })
  await twin.advance({ to: at(END) })
  const [renewal] = (await twin.get('/v1/invoices?limit=1')).data
  expect(linesOf(renewal)).toBe(FIT + 1)
  await twin.delete(`/v1/subscriptions/${subscription}?invoice_now=true`)
  const [last] = (await twin.get('/v1/invoices?limit=1')).data
  expect(linesOf(last)).toBe(1)
})

test('the last invoice of a subscription takes items up to the limit of discounts, and a manual one the others', async () => {
  await addItems(FIT + 1, { subscription, discounts: DISCOUNTS })
  await twin.delete(`/v1/subscriptions/${subscription}?invoice_now=true`)
  const [last] = (await twin.get('/v1/invoices?limit=1')).data
  expect(linesOf(last)).toBe(FIT)
  expect(linesOf(await twin.post('/v1/invoices', { customer }))).toBe(1)
})

test('deleting the customer releases all waiting items', async () => {
  const items = await addItems(FIT + 1, { subscription, discounts: DISCOUNTS })
  await twin.delete(`/v1/customers/${customer}`)
  const { engine, merchant } = twin.sandbox
  const waiting = [{ field: 'billed_with', is: subscription }]
  const { objects } = engine.store
  expect(objects.ids('invoice_item', merchant.settings.ordinal, waiting, { limit: items.length })).toEqual([])
})
