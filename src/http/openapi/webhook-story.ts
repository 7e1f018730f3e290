import type { Recorder } from './recorder.ts'

/** Records webhook endpoints and their deliveries. */
export async function recordWebhooks(recorder: Recorder): Promise<void> {
  const path = '/v1/webhook_endpoints'
  const url = 'http://localhost:3000/webhooks'
  const endpoint = await recorder.post(path, { url, enabled_events: ['invoice.*', 'customer.created'] })
  await recorder.get(`${path}?limit=1`)
  await recorder.get(`${path}/${endpoint.id}`)
  await recorder.post(`${path}/${endpoint.id}`, { description: 'The shop' })
  await recorder.post('/v1/customers', { name: 'Grace Hopper' })
  const [event] = (await recorder.get('/v1/events?limit=1')).data
  await recorder.post(`/v1/events/${event.id}/resend`, { webhook_endpoint: endpoint.id })
  await recorder.get(`${path}/${endpoint.id}/deliveries?limit=1`)
  await recorder.delete(`${path}/${endpoint.id}`)
  const own = await recorder.post('/_paytwin/webhooks', { url, description: 'The shop' })
  await recorder.get('/_paytwin/webhooks?limit=1')
  await recorder.post('/v1/customers', { name: 'Alan Turing' })
  const [newest] = (await recorder.get('/_paytwin/events?limit=1')).data
  await recorder.post(`/_paytwin/events/${newest.id}/resend`)
  await recorder.get(`/_paytwin/webhooks/${own.id}/deliveries?limit=1`)
  await recorder.get(`/_paytwin/webhooks/deliveries?events[]=${newest.id}&limit=1`)
  const [delivery] = (await recorder.get(`/_paytwin/webhooks/${own.id}/deliveries?limit=1`)).data
  await recorder.get(`/_paytwin/webhooks/deliveries/${delivery.id}`)
  await recorder.post('/_paytwin/webhooks/retry', { all: true })
  await recorder.post(`/_paytwin/webhooks/${own.id}/resend`)
  await recorder.refused('post', `/inbox/${own.merchant_id}`, { body: { id: newest.id, type: newest.type } })
  const [received] = (await recorder.get('/_paytwin/webhooks/received?limit=1')).data
  await recorder.get(`/_paytwin/webhooks/received/${received.id}`)
  await recorder.delete(`/_paytwin/webhooks/${own.id}`)
}
