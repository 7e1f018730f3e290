import type { Recorder, ResponseBody } from './recorder.ts'

/** Records meters and the usage of a customer. */
export async function recordUsage(recorder: Recorder, ada: ResponseBody): Promise<void> {
  const path = '/v1/billing/meters'
  const meter = await recorder.post(path, {
    display_name: 'API calls',
    event_name: 'api_calls',
    default_aggregation: { formula: 'sum' },
  })
  await recorder.post(`${path}/${meter.id}`, { display_name: 'Calls of the API' })
  await recorder.get(`${path}/${meter.id}`)
  await recorder.get(`${path}?limit=1`)
  const event = await recorder.post('/v1/billing/meter_events', {
    event_name: 'api_calls',
    payload: { stripe_customer_id: ada.id, value: '25' },
  })
  const day = event.timestamp - (event.timestamp % 86_400)
  const span = `customer=${ada.id}&start_time=${day}&end_time=${day + 86_400}`
  await recorder.get(`${path}/${meter.id}/event_summaries?${span}&value_grouping_window=day`)
  await recorder.post('/v1/billing/meter_event_adjustments', {
    event_name: 'api_calls',
    type: 'cancel',
    cancel: { identifier: event.identifier },
  })
  await recorder.post(`${path}/${meter.id}/deactivate`)
  await recorder.post(`${path}/${meter.id}/reactivate`)
}
