import { createPaytwin } from 'paytwin'

// Everything that could keep a process alive: a connection, a stream, an unanswered webhook, and no call of close().
const twin = await createPaytwin()
const headers = { authorization: `Bearer ${twin.secretKey}`, accept: 'text/event-stream' }
await fetch(`${twin.url}/v1/customers`, { headers })
const stream = await fetch(`${twin.url}/v1/events`, { headers })
await twin.webhooks.create({ handler: () => new Promise(() => {}) })
await twin.webhooks.create({ url: 'http://127.0.0.1:9/' })
await twin.post('/v1/customers')
await stream.body.cancel()
console.log('forgotten')
