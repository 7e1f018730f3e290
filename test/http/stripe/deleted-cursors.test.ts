import { expect, test } from 'vitest'
import { errorOf, stripeOfFile } from './sdk.ts'

const sdk = stripeOfFile()
const { stripe } = sdk

test('a loop over coupons or test clocks deletes them all', async () => {
  for (let n = 0; n < 5; n += 1) {
    await stripe.coupons.create({ percent_off: 5 })
    await stripe.testHelpers.testClocks.create({ frozen_time: 1_769_853_600 })
  }
  for await (const { id } of stripe.coupons.list({ limit: 2 })) await stripe.coupons.del(id)
  const { testClocks } = stripe.testHelpers
  for await (const { id } of testClocks.list({ limit: 2 })) await testClocks.del(id)
  expect((await stripe.coupons.list()).data).toEqual([])
  expect((await testClocks.list()).data).toEqual([])
})

test('a deleted test clock keeps its place in both directions', async () => {
  const { testClocks } = stripe.testHelpers
  const made: string[] = []
  for (let n = 0; n < 3; n += 1) made.push((await testClocks.create({ frozen_time: 1_769_853_600 })).id)
  const [oldest = '', middle = '', newest = ''] = made
  await testClocks.del(middle)
  const idsOf = async (params: object) => (await testClocks.list(params)).data.map(({ id }) => id)
  expect(await idsOf({ starting_after: middle })).toEqual([oldest])
  expect(await idsOf({ ending_before: middle })).toEqual([newest])
  expect(await errorOf(testClocks.list({ starting_after: 'clock_unknown' }))).toMatchObject({
    code: 'resource_missing',
    param: 'starting_after',
  })
})

test('a cursor names the newest coupon with its id', async () => {
  for (const id of ['A', 'B', 'C']) await stripe.coupons.create({ id, percent_off: 5 })
  const after = async (id: string) =>
    (await stripe.coupons.list({ starting_after: id })).data.map((each) => each.id)
  await stripe.coupons.del('B')
  expect(await after('B')).toEqual(['A'])
  await stripe.coupons.create({ id: 'B', percent_off: 5 })
  expect(await after('B')).toEqual(['C', 'A'])
  expect(await errorOf(stripe.coupons.list({ starting_after: 'D' }))).toMatchObject({
    code: 'resource_missing',
    param: 'starting_after',
  })
})

test('promotion codes are found by the newest coupon with an id, also a deleted one', async () => {
  const coupon = 'CODES'
  const redeemable = () => stripe.coupons.create({ id: coupon, percent_off: 5 })
  const found = async () => (await stripe.promotionCodes.list({ coupon })).data.map(({ id }) => id)
  await redeemable()
  const { id: first } = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } })
  await stripe.coupons.del(coupon)
  expect(await found()).toEqual([first])
  await redeemable()
  const { id: second } = await stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon } })
  expect(await found()).toEqual([second])
})
