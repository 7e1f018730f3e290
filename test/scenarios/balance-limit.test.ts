import { expect, test } from 'vitest'
import { openTwin, subscribe } from './story.ts'

const MAX = 99_999_999

test('a balance that an invoice moved beyond the largest amount can be adjusted towards zero only', async () => {
  const twin = await openTwin()
  const { customer, subscription } = await subscribe(twin, { price: { unit_amount: MAX } })
  const path = `/v1/customers/${customer.id}/balance_transactions`
  const adjust = (amount: number) => twin.request('POST', path, { amount, currency: 'usd' })
  const refusal = { status: 400, body: { error: { code: 'amount_too_large' } } }
  expect((await adjust(-MAX)).body.ending_balance).toBe(-MAX)
  expect(await adjust(-1)).toMatchObject(refusal)
  await twin.delete(`/v1/subscriptions/${subscription.id}`, { prorate: true, invoice_now: true })
  expect(await adjust(-1)).toMatchObject(refusal)
  expect((await adjust(5000)).body.ending_balance).toBe(-2 * MAX + 5000)
  expect((await twin.get(`/v1/customers/${customer.id}`)).balance).toBe(-2 * MAX + 5000)
})
