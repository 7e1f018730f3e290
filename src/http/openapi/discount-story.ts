import type { Recorder, ResponseBody } from './recorder.ts'

/** Records coupons, promotion codes and discounts. */
export async function recordDiscounts(recorder: Recorder, monthly: ResponseBody): Promise<void> {
  const coupon = await recorder.post('/v1/coupons', {
    id: 'SPRING',
    name: 'Spring offer',
    percent_off: 25,
    duration: 'repeating',
    duration_in_months: 3,
  })
  const path = `/v1/coupons/${coupon.id}`
  await recorder.post(path, { metadata: { season: 'spring' } })
  await recorder.get(path)
  await recorder.get('/v1/coupons?limit=1')
  const code = await recorder.post('/v1/promotion_codes', {
    coupon: coupon.id,
    code: 'SPRING26',
    max_redemptions: 100,
  })
  await recorder.get(`/v1/promotion_codes/${code.id}`)
  await recorder.get('/v1/promotion_codes?limit=1')
  const { id: customer } = await recorder.post('/v1/customers', {
    name: 'Mary Somerville',
    coupon: coupon.id,
  })
  const subscription = await recorder.post('/v1/subscriptions', {
    customer,
    currency: 'usd',
    default_payment_method: 'pm_card_visa',
    items: [{ price: monthly.id }],
    discounts: [{ promotion_code: code.id }],
  })
  await recorder.delete(`/v1/subscriptions/${subscription.id}/discount`)
  await recorder.delete(`/v1/customers/${customer}/discount`)
  await recorder.post(`/v1/promotion_codes/${code.id}`, { active: false })
  const unused = await recorder.post('/v1/coupons', { amount_off: 500, currency: 'usd', duration: 'once' })
  await recorder.delete(`/v1/coupons/${unused.id}`)
}
