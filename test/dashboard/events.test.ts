import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { asOperator } from '../http/support.ts'
import { makeCustomer, startTwin, type Twin } from '../twin.ts'
import { plain, type SignedIn, signIn, url } from './support.ts'

let twin: Twin
let browser: SignedIn
/** What the receiver answers. */
let status: number
beforeEach(async () => {
  status = 500
  twin = await startTwin({ url, send: async () => ({ status, body: '<b>broken</b>' }) })
  onTestFinished(() => twin.close())
  browser = await signIn(twin)
})

const typesOn = (page: string) => [...page.matchAll(/\/events\/evt_\w+">([\w.]+)</g)].map(([, type]) => type)
const linkOf = (page: string, text: string) =>
  new RegExp(`href="[^"]*(/\\w+\\?[^"]*)">${text}<`).exec(page)?.[1]?.replaceAll('&amp;', '&')

test('events are listed newest first, by type, in pages', async () => {
  for (let index = 0; index < 26; index += 1) await makeCustomer(twin)
  const first = await browser.show('/events')
  expect(typesOn(first.text)).toHaveLength(50)
  expect(typesOn(first.text)[0]).toBe('payment_method.attached')
  expect(typesOn((await browser.show(linkOf(first.text, 'Older'))).text)).toHaveLength(2)
  const { text } = await browser.show('/events?type=customer.created')
  expect(new Set(typesOn(text))).toEqual(new Set(['customer.created']))
  expect((await browser.show('/events?type=nonsense')).status).toBe(400)
})

test('an event has its payload, its former values and its cause', async () => {
  const { customer } = await makeCustomer(twin)
  await twin.post(`/v1/customers/${customer.id}`, { name: '<i>Ada</i> Lovelace' })
  const [event] = (await twin.get('/v1/events?limit=1')).data
  const { text } = await browser.show(`/events/${event.id}`)
  expect(text).toContain('&lt;i&gt;Ada&lt;/i&gt; Lovelace')
  expect(plain(text)).toContain('Former values { "name": "Ada" }')
  expect(plain(text)).toContain(`Caused by ${event.request.id}`)
  expect((await browser.show('/events/evt_none')).status).toBe(404)
})

test('webhooks have their deliveries, attempts and responses, and are sent again', async () => {
  const endpoint = (await asOperator(twin)('POST', 'webhooks', { url: 'http://127.0.0.1:9/hooks' })).body
  expect((await browser.show('/webhooks')).text).toContain('http://127.0.0.1:9/hooks')
  await makeCustomer(twin)
  const path = `/webhooks/${endpoint.id}`
  const shown = async () => plain((await browser.show(path)).text)
  await expect.poll(shown).toMatch(/customer\.created evt_\w+ Request and responses/)
  await expect.poll(shown).toMatch(/responded 500 in \d+ ms &lt;b&gt;broken&lt;\/b&gt;.* pending/)
  status = 200
  await browser.send(`${path}/retry`, {})
  await expect.poll(shown).toMatch(/responded 200 in \d+ ms .*succeeded/)
  await expect.poll(shown).not.toContain('pending')
  expect((await browser.show('/webhooks/we_none')).status).toBe(404)
})

test('a delivery has a page with its request and responses; all failed events are sent again, each once', async () => {
  const endpoint = (await asOperator(twin)('POST', 'webhooks', { url: 'http://127.0.0.1:9/hooks' })).body
  await makeCustomer(twin)
  const path = `/webhooks/${endpoint.id}`
  const deliveries = async () =>
    (await asOperator(twin)('GET', `webhooks/${endpoint.id}/deliveries`)).body.data
  await twin.advance({ by: '5d', await_webhooks: true })
  await expect
    .poll(async () => (await deliveries()).map(({ status }: { status: string }) => status))
    .toEqual(['failed', 'failed'])
  const [delivery] = await deliveries()
  const page = plain((await browser.show(`${path}/${delivery.id}`)).text)
  expect(page).toContain('Delivery of payment_method.attached')
  expect(page).toContain('responded 500 in')
  expect(page).toContain('&lt;b&gt;broken&lt;/b&gt;')
  expect(page).toContain(`"id": "${delivery.event}"`)
  expect((await browser.show(path)).text).toContain('Send all failed again')
  status = 200
  await browser.send(`${path}/resend-failed`, {})
  await expect
    .poll(
      async () =>
        (await deliveries()).filter(({ status }: { status: string }) => status === 'succeeded').length,
    )
    .toBe(2)
  await browser.send(`${path}/resend-failed`, {})
  expect(await deliveries()).toHaveLength(4)
})

test('the body of a delivery is in the dialect of the merchant', async () => {
  const stripe = await startTwin({ url, dialect: 'stripe', send: async () => ({ status: 200, body: '' }) })
  onTestFinished(() => stripe.close())
  const endpoint = (await asOperator(stripe)('POST', 'webhooks', { url: 'http://127.0.0.1:9/hooks' })).body
  await stripe.request('POST', '/v1/customers', { name: 'Ada' })
  const [{ id }] = (await asOperator(stripe)('GET', `webhooks/${endpoint.id}/deliveries`)).body.data
  const { body } = await asOperator(stripe)('GET', `webhooks/deliveries/${id}`)
  expect(JSON.parse(body.request_body)).toMatchObject({
    object: 'event',
    type: 'customer.created',
    data: { object: { invoice_settings: {} } },
  })
})

test('endpoints are created and deleted, and the built-in receiver shows its webhooks', async () => {
  const created = await browser.send('/webhooks', { url: 'http://localhost:3000/hooks' })
  expect(created.text).toMatch(/<pre data-secret="">whsec_/)
  const [endpoint] = (await asOperator(twin)('GET', 'webhooks')).body.data
  await browser.send(`/webhooks/${endpoint.id}/delete`, {})
  expect((await browser.show('/webhooks')).text).toContain('No endpoints.')
  expect(plain((await browser.send('/webhooks/inbox', {})).text)).toContain('No webhooks yet')
  expect((await browser.show('/webhooks')).text).not.toContain('Receive webhooks here')
  const { body: own } = await asOperator(twin)('GET', 'webhooks')
  await twin.sandbox.app.request(own.data[0].url, {
    method: 'POST',
    headers: { Host: 'localhost:4242' },
    body: '<i>odd</i>',
  })
  const list = await browser.show('/webhooks/inbox')
  expect(plain(list.text)).toContain('no event invalid')
  const received = /\/webhooks\/inbox\/rcv_\d+/.exec(list.text)?.[0]
  const page = (await browser.show(received)).text
  expect(page).toContain('&lt;i&gt;odd&lt;/i&gt;')
  expect(plain(page)).toContain('neither a Paytwin-Signature nor')
  expect((await browser.show('/webhooks/inbox/rcv_none')).status).toBe(404)
})

test('requests show their status, their errors and ignored parameters', async () => {
  await twin.request('POST', '/v1/customers', { name: 'Ada', nonsense: 1 })
  await twin.request('GET', '/v1/customers/cus_<none>')
  const text = plain((await browser.show('/requests')).text)
  expect(text).toMatch(/POST \/v1\/customers 201 ignored: nonsense \S+ \S+ sk_test_…\w{4}/)
  expect(text).toContain('404 resource_missing')
  const ignored = plain((await browser.show('/requests?ignored=true')).text)
  expect(ignored).toContain('ignored: nonsense')
  expect(ignored).not.toContain('resource_missing')
})

test('a request has a page with its curl command, its replay and its ignored parameters', async () => {
  const headers = { 'Idempotency-Key': 'twice' }
  await twin.request('POST', '/v1/customers', { name: 'Ada', nonsense: 1 }, headers)
  await twin.request('POST', '/v1/customers', { name: 'Ada', nonsense: 1 }, headers)
  await twin.request('GET', "/v1/customers?email='$(reboot)'%3Cb%3E&created[gt]=1")
  const links = [...(await browser.show('/requests')).text.matchAll(/\/requests\/req_\w+/g)]
  const [read, replay, first] = await Promise.all(
    links.map(async ([link]) => (await browser.show(link)).text),
  )
  expect(plain(replay ?? '')).toContain(
    'a replay: the response to an earlier request with the same key twice',
  )
  expect(plain(first ?? '')).toContain('Ignored parameters nonsense')
  expect(plain(first ?? '')).toContain('"nonsense": 1')
  expect(read).toContain('<h1>Request</h1>')
  expect(plain(read ?? '')).toContain('The request had no body')
  expect((await browser.show('/requests/req_none')).status).toBe(404)
})

test('a request has a page with its parameters, its response and a curl command with both', async () => {
  const card = { number: '4242424242424242', exp_month: 4, exp_year: 2030 }
  const { id } = await twin.post('/v1/payment_methods', { type: 'card', card })
  await twin.post('/v1/customers', { name: '<b>Ada</b>' })
  const [customer, method] = await Promise.all(
    [...(await browser.show('/requests')).text.matchAll(/\/requests\/req_\w+/g)].map(
      async ([link]) => (await browser.show(link)).text,
    ),
  )
  expect(method).not.toContain('4242424242424242')
  expect(plain(method ?? '')).toContain('"number": "[redacted]"')
  expect(plain(method ?? '')).toContain(`"id": "${id}"`)
  expect(plain(method ?? '')).toContain('Put the secret in place of [redacted]')
  expect(customer).toContain('&quot;name&quot;: &quot;&lt;b&gt;Ada&lt;/b&gt;&quot;')
  expect(customer).toContain('-d &#39;{&quot;name&quot;:&quot;&lt;b&gt;Ada&lt;/b&gt;&quot;}&#39;')
})

test('requests are filtered by the object that they name or have changed', async () => {
  const { id } = await twin.post('/v1/customers', { name: 'Ada' })
  await twin.get(`/v1/customers/${id}`)
  await twin.get(`/v1/invoices?customer=${id}&limit=1`)
  const text = plain((await browser.show(`/requests?object=${id}`)).text)
  expect(text.match(/(GET|POST) \/v1/g)).toEqual(['GET /v1', 'GET /v1', 'POST /v1'])
  expect(plain((await browser.show('/requests?object=cus_')).text)).toContain('No such requests')
})

test('events are filtered by their object, in pages', async () => {
  const { id } = await twin.post('/v1/customers', { name: 'Ada' })
  for (let change = 0; change < 51; change += 1)
    await twin.post(`/v1/customers/${id}`, { name: `Ada ${change}` })
  await twin.post('/v1/customers', { name: 'Another' })
  const { text } = await browser.show(`/events?object=${id}`)
  expect(plain(text).match(/customer\.\w+ cus_\w+/g)).toEqual(Array(50).fill(`customer.updated ${id}`))
  expect(text).not.toContain('data-live')
  const [, older = ''] = /href="[^"]*(\/events\?object=[^"]*after=[^"]*)">Older/.exec(text) ?? []
  const rest = await browser.show(older.replaceAll('&amp;', '&'))
  expect(plain(rest.text).match(/customer\.\w+ cus_\w+/g)).toEqual([
    `customer.updated ${id}`,
    `customer.created ${id}`,
  ])
  expect((await browser.show('/events?object=cus_none')).status).toBe(404)
})

test('an event is sent to an endpoint again', async () => {
  const { id } = (await asOperator(twin)('POST', 'webhooks', { url: 'http://127.0.0.1:9/again' })).body
  const customer = await twin.post('/v1/customers', { name: 'Ada' })
  const [event] = (await twin.get('/v1/events?limit=1')).data
  expect(event.data.object.id).toBe(customer.id)
  const { status, text } = await browser.send(`/webhooks/${id}/resend`, { event: event.id })
  expect(status).toBe(200)
  expect(text.split(`Send again: ${event.id}`)).toHaveLength(3)
  const page = await browser.show(`/events/${event.id}`)
  expect(page.text.split(`Send again: ${event.id}`)).toHaveLength(3)
  expect(plain(page.text)).toContain('to http://127.0.0.1:9/again')
  const ofCustomer = plain((await browser.show(`/customers/${customer.id}`)).text)
  expect(ofCustomer).toMatch(/customer.created pending \d http:\/\/127.0.0.1:9\/again/)
  expect(ofCustomer).toMatch(/customer.created req_\w+ evt_/)
  expect(ofCustomer).toContain('POST /v1/customers 201')
  expect((await browser.send(`/webhooks/${id}/resend`, { event: 'evt_none' })).status).toBe(404)
})

test('the search field at the top opens the object that it names', async () => {
  const { id } = await twin.post('/v1/customers', { name: 'Finder', email: 'f@example.com' })
  const { customer } = await makeCustomer(twin)
  await twin.post('/v1/invoiceitems', { customer: customer.id, amount: 500, currency: 'usd' })
  const draft = await twin.post('/v1/invoices', { customer: customer.id })
  const { number } = await twin.post(`/v1/invoices/${draft.id}/finalize`)
  const find = async (text: string) => (await browser.show(`/find?id=${encodeURIComponent(text)}`)).text
  for (const text of [id, 'f@example.com', 'finder']) expect(await find(text)).toContain('<h1>Finder</h1>')
  expect(await find(number)).toContain(`<h1>Invoice ${number}</h1>`)
  await twin.post('/v1/customers', { name: 'Finder', email: 'second@example.com' })
  expect(await find('finder')).toContain('2 matching customers')
  expect(await find('in_none')).toContain('No such invoice')
  const none = await find('<b>')
  expect([none.includes('Nothing matches.'), none.includes('&lt;b&gt;')]).toEqual([true, true])
})
