import type { Recorder, ResponseBody } from './recorder.ts'

/** Records a subscription, its items, a change, a preview, and a cancellation that is withdrawn. */
export async function recordSubscriptions(
  recorder: Recorder,
  ada: ResponseBody,
  monthly: ResponseBody,
): Promise<void> {
  const subscription = await recorder.post('/v1/subscriptions', {
    customer: ada.id,
    currency: 'usd',
    default_payment_method: 'pm_card_visa',
    items: [{ price: monthly.id, quantity: 2 }],
  })
  const path = `/v1/subscriptions/${subscription.id}`
  await recorder.get(path)
  await recorder.get('/v1/subscriptions?limit=1')
  await recorder.get(`${path}/items`)
  await recorder.post(path, { items: [{ id: subscription.items.data[0].id, quantity: 3 }] })
  await recorder.post('/v1/invoices/create_preview', {
    subscription: subscription.id,
    subscription_details: {
      items: [{ id: subscription.items.data[0].id, quantity: 5 }],
      proration_behavior: 'always_invoice',
    },
  })
  await recorder.get(`/v1/invoices/${subscription.latest_invoice}`)
  await recorder.get(`/v1/invoices/${subscription.latest_invoice}/lines`)
  await recorder.delete(path, { cancel_at_period_end: true })
  await recorder.post(`${path}/resume`)
}

/** Records schedules: one that is released, one that is canceled, and one of an existing subscription. */
export async function recordSchedules(
  recorder: Recorder,
  ada: ResponseBody,
  monthly: ResponseBody,
): Promise<void> {
  const path = '/v1/subscription_schedules'
  const phase = (quantity: number, iterations: number) => ({
    items: [{ price: monthly.id, quantity }],
    iterations,
  })
  const schedule = await recorder.post(path, {
    customer: ada.id,
    start_date: 'now',
    default_settings: { default_payment_method: 'pm_card_visa' },
    phases: [phase(1, 3), phase(2, 9)],
  })
  await recorder.get(`${path}/${schedule.id}`)
  await recorder.get(`${path}?limit=1`)
  const [{ start_date }] = schedule.phases
  await recorder.post(`${path}/${schedule.id}`, {
    end_behavior: 'cancel',
    phases: [{ ...phase(1, 3), start_date }, phase(5, 9)],
  })
  await recorder.post(`${path}/${schedule.id}/release`, { preserve_cancel_date: true })
  const second = await recorder.post(path, {
    customer: ada.id,
    start_date: start_date + 86_400,
    phases: [phase(1, 1)],
  })
  await recorder.post(`${path}/${second.id}/cancel`)
}
