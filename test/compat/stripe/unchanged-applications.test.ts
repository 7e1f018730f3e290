import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort, paytwin, temporaryFolder } from '../../cli/executable.ts'

/** Applications as they are in production: none of their lines names paytwin. */
let folder: ReturnType<typeof temporaryFolder>
beforeAll(() => {
  folder = temporaryFolder()
  symlinkSync(join(import.meta.dirname, '../node_modules'), join(folder.path, 'node_modules'))
})
afterAll(() => folder.remove())

const KEY = 'sk_test_123'

/** Runs a file of an application with `paytwin run`. @returns the JSON values that it prints, one a line */
async function run(
  file: string,
  code: string,
  { options = [], command = [process.execPath] }: { options?: string[]; command?: string[] } = {},
): Promise<unknown[]> {
  writeFileSync(join(folder.path, file), code)
  const flags = ['--dialect', 'stripe', '--secret-key', KEY, '--clock', '2026-01-31T10:00:00Z', ...options]
  const { status, stdout, stderr } = await paytwin(['run', ...flags, '--', ...command, file], {
    cwd: folder.path,
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe("Stripe's library for Node", () => {
  test('reaches the sandbox from an ES module, with both of its HTTP clients', async () => {
    const lines = await run(
      'app.mjs',
      `
      import Stripe from 'stripe'
      const print = (value) => console.log(JSON.stringify(value))
      const key = process.env.STRIPE_SECRET_KEY
      const stripe = new Stripe(key)
      const customer = await stripe.customers.create({ email: 'ada@example.com' })
      print([customer.object, customer.email])
      const fetching = new Stripe(key, { httpClient: Stripe.createFetchHttpClient() })
      print((await fetching.customers.list()).data.map(({ id }) => id === customer.id))
      print(await stripe.customers.retrieve('cus_none').catch(({ type, statusCode }) => [type, statusCode]))
      const file = { data: Buffer.from('hello'), name: 'a.txt' }
      const refused = ({ statusCode, message }) => [statusCode, message.split('.com')[0]]
      print(await stripe.files.create({ purpose: 'dispute_evidence', file }).catch(refused))
      print(await stripe.oauth.token({ grant_type: 'authorization_code', code: 'x' }).catch(refused))
      const publishable = new Stripe(process.env.STRIPE_PUBLISHABLE_KEY)
      print(await publishable.customers.list().catch(({ type }) => type))`,
    )
    expect(lines).toEqual([
      ['customer', 'ada@example.com'],
      [true],
      ['StripeInvalidRequestError', 404],
      [404, 'paytwin does not know POST /v1/files.stripe'],
      [404, 'paytwin does not know POST /v1/connect.stripe'],
      'StripePermissionError',
    ])
  })

  test('reaches the sandbox from CommonJS, and keeps its connection', async () => {
    const lines = await run(
      'app.cjs',
      `
      const https = require('https')
      const httpAgent = new https.Agent({ keepAlive: true, maxSockets: 1 })
      const stripe = require('stripe')(process.env.STRIPE_SECRET_KEY, { httpAgent })
      const ports = new Set()
      const { request } = https
      https.request = (...given) => request(...given).on('response', ({ socket }) => ports.add(socket.localPort))
      const main = async () => {
        for (let index = 0; index < 3; index += 1) await stripe.products.create({ name: 'P' })
        console.log(JSON.stringify([(await stripe.products.list()).data.length, ports.size]))
      }
      main()`,
    )
    expect(lines).toEqual([[3, 1]])
  })

  test('leaves other hosts and other ways to call it as they are', async () => {
    const lines = await run(
      'others.mjs',
      `
      import { createServer } from 'node:http'
      import https, { get } from 'node:https'
      const print = (value) => console.log(JSON.stringify(value))
      const authorization = 'Bearer ' + process.env.STRIPE_SECRET_KEY
      const statusOf = (send) => new Promise((resolve, reject) => {
        send((response) => response.resume().on('end', () => resolve(response.statusCode))).on('error', ({ code }) => resolve(code))
      })
      const headers = { authorization, host: 'api.stripe.com' }
      print(await statusOf((done) => get('https://api.stripe.com/v1/customers', { headers }, done)))
      print(await statusOf((done) => https.get({ host: 'api.stripe.com', path: '/v1/customers', headers }, done)))
      print(await statusOf((done) => https.get(new URL('https://API.stripe.com:443/v1/customers'), done)))
      print((await fetch(new Request('https://api.stripe.com/v1/customers', { headers: { authorization } }))).status)
      const body = new URLSearchParams({ email: 'ada@example.com' })
      print((await fetch(new URL('https://api.stripe.com/v1/customers'), { method: 'POST', headers: { authorization }, body })).status)
      const server = createServer((request, response) => response.end('other')).listen(0, '127.0.0.1', async () => {
        const { port } = server.address()
        print(await (await fetch('http://127.0.0.1:' + port)).text())
        print(await statusOf((done) => https.get({ host: '127.0.0.1', port, path: '/' }, done)))
        server.close()
      })`,
    )
    expect(lines).toEqual([200, 200, 401, 200, 200, 'other', 'EPROTO'])
  })

  test('sends nothing to Stripe by unusual spellings, and opens no connection to it', async () => {
    const lines = await run(
      'spellings.mjs',
      `
      import dns from 'node:dns'
      import http from 'node:http'
      import http2 from 'node:http2'
      import https from 'node:https'
      import tls from 'node:tls'
      const print = (value) => console.log(JSON.stringify(value))
      const headers = { authorization: 'Bearer ' + process.env.STRIPE_SECRET_KEY }
      const statusOf = (get, ...given) => new Promise((resolve) => {
        get(...given, (response) => response.resume().on('end', () => resolve(response.statusCode))).on('error', ({ message }) => resolve(message))
      })
      const path = '/v1/customers'
      print((await fetch('https://api.stripe.com./v1/customers', { headers })).status)
      print(await statusOf(https.get, { host: 'api.stripe.com.', path, headers }))
      print(await statusOf(https.get, { hostname: '', host: 'api.stripe.com', path, headers }))
      print(await statusOf(http.get, { host: 'api.stripe.com', path, headers }))
      const real = new URL('https://api.stripe.com/v1/customers')
      class Other {}
      for (const name of ['href', 'protocol', 'hostname', 'pathname', 'search', 'hash'])
        Object.defineProperty(Other.prototype, name, { get: () => real[name] })
      print(await statusOf(https.get, new Other(), { headers }))
      print(await statusOf(https.get, { host: 'api.stripe.com', path: '@127.0.0.1:1/v1/customers', headers }))
      const refused = (emitter) => new Promise((resolve) => emitter.on('error', ({ message }) => resolve(message.split(':')[0])))
      print(await refused(http2.connect('https://api.stripe.com')))
      print(await refused(tls.connect(443, 'API.stripe.com.')))
      dns.lookup('127.0.0.1', (error, address) => print(address))`,
    )
    const [fetched, dotted, empty, plain, other, named, ...connections] = lines
    expect([fetched, dotted, empty, plain, other]).toEqual([200, 200, 200, 200, 200])
    expect(named).toBe(404)
    expect(connections).toEqual([
      'paytwin did not connect to api.stripe.com',
      'paytwin did not connect to API.stripe.com.',
      '127.0.0.1',
    ])
  })
  test('sends nothing to a proxy, however the application sets one', async () => {
    const lines = await run(
      'proxies.mjs',
      `
      import http from 'node:http'
      import net from 'node:net'
      import tls from 'node:tls'
      import { HttpsProxyAgent } from 'https-proxy-agent'
      import Stripe from 'stripe'
      import { ProxyAgent, request, setGlobalDispatcher } from 'undici'
      const print = (value) => console.log(JSON.stringify(value))
      const key = process.env.STRIPE_SECRET_KEY
      const seen = []
      const proxy = net.createServer((socket) => {
        socket.on('error', () => {}).on('data', (data) => {
          seen.push(data.toString('latin1').split('\\n')[0].trim())
          socket.end('HTTP/1.1 502 Bad Gateway\\r\\ncontent-length: 0\\r\\n\\r\\n')
        })
      })
      await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
      const { port } = proxy.address()
      const address = 'http://127.0.0.1:' + port
      const headers = { authorization: 'Bearer ' + key }
      const listOf = (stripe) => stripe.customers.list().then(({ object }) => object, ({ message }) => message)
      const failed = ({ message, cause }) => (cause ?? { message }).message.split(':')[0]

      // For all requests of fetch, as NODE_USE_ENV_PROXY does too.
      const before = await fetch('https://api.stripe.com/v1/customers', { headers })
      print([before.status, before.headers.get('content-type'), before.url.endsWith('/v1/customers'), (await before.json()).object])
      setGlobalDispatcher(new ProxyAgent(address))
      print(await listOf(new Stripe(key, { httpClient: Stripe.createFetchHttpClient() })))
      const made = await fetch('https://api.stripe.com/v1/customers', { method: 'POST', headers, body: new URLSearchParams({ name: 'Ada' }) })
      print([made.status, (await made.json()).name])
      const abort = new AbortController()
      abort.abort()
      print(await fetch('https://api.stripe.com/v1/customers', { headers, signal: abort.signal }).catch(({ name }) => name))
      print(await listOf(new Stripe(key, { httpAgent: new HttpsProxyAgent(address) })))
      const path = 'https://api.stripe.com/v1/customers'
      print(await new Promise((resolve) => http.get({ host: '127.0.0.1', port, path, headers }, (response) => response.resume().on('end', () => resolve(response.statusCode)))))

      // These are not redirected.
      print(await request('https://api.stripe.com/v1/customers', { headers }).catch(failed))
      print(await request('http://api.stripe.com./v1/customers', { headers }).catch(failed))
      const connect = http.request({ host: '127.0.0.1', port, method: 'CONNECT', path: 'api.stripe.com:443' })
      print(await new Promise((resolve) => connect.on('error', (error) => resolve(failed(error))).end()))
      const tunnel = net.connect(port, '127.0.0.1')
      const secure = tls.connect({ socket: tunnel, servername: 'files.stripe.com' })
      print(await new Promise((resolve) => secure.on('error', (error) => resolve(failed(error)))))
      tunnel.destroy()
      print(seen)

      // The proxy works for other hosts.
      await fetch('http://example.invalid/other').catch(() => {})
      print(seen)
      proxy.close()`,
    )
    const refused = 'paytwin did not connect to api.stripe.com'
    expect(lines).toEqual([
      [200, 'application/json', true, 'list'],
      'list',
      [200, 'Ada'],
      'AbortError',
      'list',
      200,
      refused,
      'paytwin did not connect to api.stripe.com.',
      refused,
      'paytwin did not connect to files.stripe.com',
      [],
      ['CONNECT example.invalid:80 HTTP/1.1'],
    ])
  })
})

test('an application gets its webhooks at its own URL, signed with its secret, and dates of the clock', async () => {
  const port = await freePort()
  const lines = await run(
    'server.mjs',
    `
    import { createServer } from 'node:http'
    import Stripe from 'stripe'
    const stripe = new Stripe(process.env.STRIPE_SECRET_KEY)
    const day = (time) => new Date(time).toISOString().slice(0, 10)
    const print = (...values) => console.log(JSON.stringify(values))
    const server = createServer(async (request, response) => {
      const body = (await request.setEncoding('utf8').toArray()).join('')
      const { STRIPE_WEBHOOK_SECRET: secret } = process.env
      const event = stripe.webhooks.constructEvent(body, request.headers['stripe-signature'], secret)
      print(event.type, day(event.created * 1000), day(Date.now()))
      response.end()
    })
    const advance = (by) => fetch(process.env.PAYTWIN_URL + '/_paytwin/clock/advance', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + process.env.PAYTWIN_ADMIN_TOKEN, 'content-type': 'application/json' },
      body: JSON.stringify({ by, await_webhooks: true }),
    })
    server.listen(${port}, '127.0.0.1', async () => {
      await stripe.customers.create({})
      await advance('1mo')
      await stripe.products.create({ name: 'P' })
      await advance('1d')
      class Later extends Date {}
      const now = new Date()
      print(day(Date.now()), day(now), Date().slice(4, 15), day(new Later()), day(0))
      print(now.constructor === Date, now instanceof Date, new Later() instanceof Later, Date.length)
      server.close()
    })`,
    { options: ['--shift-date', '--forward-to', `127.0.0.1:${port}/webhooks`] },
  )
  expect(lines).toEqual([
    ['customer.created', '2026-01-31', '2026-01-31'],
    ['product.created', '2026-02-28', '2026-02-28'],
    ['2026-03-01', '2026-03-01', 'Mar 01 2026', '2026-03-01', '1970-01-01'],
    [true, true, true, 7],
  ])
})

test('Python calls the sandbox and verifies a webhook, with its standard library', async () => {
  const port = await freePort()
  const code = `
import hashlib, hmac, json, os, threading, urllib.parse, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

class Webhooks(BaseHTTPRequestHandler):
    def do_POST(self):
        payload = self.rfile.read(int(self.headers["Content-Length"]))
        header = dict(part.split("=", 1) for part in self.headers["Stripe-Signature"].split(","))
        signed = header["t"].encode() + b"." + payload
        secret = os.environ["STRIPE_WEBHOOK_SECRET"].encode()
        valid = hmac.compare_digest(hmac.new(secret, signed, hashlib.sha256).hexdigest(), header["v1"])
        event = json.loads(payload)
        print(json.dumps([event["object"], event["type"], event["data"]["object"]["email"], valid]), flush=True)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", ${port}), Webhooks)
receiving = threading.Thread(target=server.handle_request)
receiving.start()
request = urllib.request.Request(
    os.environ["STRIPE_API_BASE"] + "/v1/customers",
    data=urllib.parse.urlencode({"email": "ada@example.com"}).encode(),
    headers={"Authorization": "Bearer " + os.environ["STRIPE_API_KEY"]},
)
with urllib.request.urlopen(request) as response:
    customer = json.load(response)
receiving.join()
print(json.dumps([response.status, customer["object"]]))
`
  const lines = await run('app.py', code, {
    options: ['--forward-to', `127.0.0.1:${port}/webhooks`],
    command: ['python3'],
  })
  expect(lines).toEqual([
    ['event', 'customer.created', 'ada@example.com', true],
    [200, 'customer'],
  ])
})
