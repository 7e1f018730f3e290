import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { keyResolutionUnavailable, rateLimited } from '../../src/core/errors.ts'
import { HeldBodies } from '../../src/http/held-bodies.ts'
import { readInSteps } from '../../src/http/read-turn.ts'
import { subscribe } from '../scenarios/story.ts'
import { type Body, clientOf, startTwin, type Twin, type TwinResponse } from '../twin.ts'
import { startStripe } from './stripe/sdk.ts'
import { anotherMerchant, asOperator, expectUnauthenticated } from './support.ts'

let twin: Twin
beforeEach(async () => {
  twin = await startTwin()
})
afterEach(() => twin.close())

/** Takes so long that a turn has time for one. */
function work(): void {
  const end = performance.now() + 12
  while (performance.now() < end);
}

/** Uses the time of this turn. */
const spendTurn = (used = twin) => used.sandbox.engine.reads.run({}, work)

/** Sends a request when the time of the turn is used, and acts while it waits for the next one. */
function whileItWaits(
  send: () => TwinResponse | Promise<TwinResponse>,
  happen: () => unknown,
): TwinResponse | Promise<TwinResponse> {
  const { reads } = twin.sandbox.engine
  const { next } = reads
  vi.spyOn(reads, 'next').mockImplementationOnce(async (owner) => {
    await happen()
    await Reflect.apply(next, reads, [owner])
  })
  spendTurn()
  return send()
}

/** Makes each read of a customer take a whole turn, and reports them by name. */
function slowCustomers(): string[] {
  const read: string[] = []
  const { objects } = twin.sandbox.engine.store
  const { get } = objects
  vi.spyOn(objects, 'get').mockImplementation(function (this: typeof objects, ...given) {
    const found = Reflect.apply(get, this, given)
    if (given[0] === 'customer') {
      work()
      read.push((found as Body | undefined)?.name)
    }
    return found
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return read
}

test('a read that waits for the jobs that are due counts against the limits', async () => {
  const { engine } = twin.sandbox
  const [added, removed] = [vi.spyOn(HeldBodies.prototype, 'add'), vi.spyOn(HeldBodies.prototype, 'remove')]
  onTestFinished(() => void vi.restoreAllMocks())
  vi.spyOn(engine.time, 'isOverdue').mockReturnValueOnce(true)
  const counted: number[] = []
  vi.spyOn(engine, 'runDueJobs').mockImplementationOnce(async () => {
    await turn()
    counted.push(added.mock.calls.length - removed.mock.calls.length)
  })
  await twin.get('/v1/customers')
  expect(counted).toEqual([1])
  expect(removed.mock.calls).toEqual(added.mock.calls)
})

test('a read for which there is no room runs no jobs', async () => {
  const { engine } = twin.sandbox
  onTestFinished(() => void vi.restoreAllMocks())
  const run = vi.spyOn(engine, 'runDueJobs').mockRejectedValue(new Error('nobody handles this'))
  vi.spyOn(engine.time, 'isOverdue').mockReturnValue(true)
  vi.spyOn(HeldBodies.prototype, 'add').mockImplementation(() => {
    throw rateLimited()
  })
  expect((await twin.request('GET', '/v1/customers')).status).toBe(429)
  expect(run).not.toHaveBeenCalled()
})

describe('reads that arrive together', () => {
  const named = async (client: Twin, name: string) => {
    const { id } = await client.post('/v1/customers', { name })
    return () => client.get(`/v1/customers/${id}`)
  }

  test('run in turns of limited time, in which merchants take turns, and timers and writes run in between', async () => {
    const { secretKey } = await anotherMerchant(twin)
    const other = clientOf(twin.sandbox, secretKey)
    const reads = [
      await named(twin, 'a1'),
      await named(twin, 'a2'),
      await named(twin, 'a3'),
      await named(twin, 'a4'),
      await named(twin, 'a5'),
      await named(other, 'b1'),
    ]
    const read = slowCustomers()
    // The requests above may have used the time of this turn.
    await turn()
    setTimeout(() => read.push('timer'))
    const written = other.post('/v1/products', { name: 'Tea' }).then(() => read.push('write'))
    await Promise.all([...reads.map((send) => send()), written])
    const [timer, write] = [read.indexOf('timer'), read.indexOf('write')]
    const made = read.filter((name) => name !== 'timer' && name !== 'write')
    expect(made.filter((name) => name !== 'b1')).toEqual(['a1', 'a2', 'a3', 'a4', 'a5'])
    // The first read runs at once if its turn has time, and else waits with the others.
    expect([1, 2]).toContain(made.indexOf('b1'))
    expect(timer).toBeLessThan(4)
    expect(write).toBeLessThan(7)
  })

  test('send their responses before others are made', async () => {
    const reads = [await named(twin, '1'), await named(twin, '2'), await named(twin, '3')]
    const order = slowCustomers()
    await Promise.all(reads.map((send) => send().then(({ name }) => order.push(`sent ${name}`))))
    expect(order).toEqual(['1', 'sent 1', '2', 'sent 2', '3', 'sent 3'])
  })

  test('run in turns too when they have waited for the jobs of a live clock', async () => {
    await twin.close()
    let wall = Date.UTC(2026, 0, 1)
    twin = await startTwin({ clock: 'live', wall: () => wall })
    await subscribe(twin)
    const reads = [await named(twin, '1'), await named(twin, '2'), await named(twin, '3')]
    wall = Date.UTC(2026, 2, 1)
    await twin.get('/v1/customers?limit=1')
    wall = Date.UTC(2026, 4, 1)
    const order = slowCustomers()
    const responses = reads.map((send) => send().then(({ name }) => order.push(`sent ${name}`)))
    await Promise.all(responses)
    expect(order.slice(-6)).toEqual(['1', 'sent 1', '2', 'sent 2', '3', 'sent 3'])
  })
})

describe('a read that waits for its turn', () => {
  const operate = (method: string, path: string, body?: Body) => asOperator(twin)(method, path, body)

  test('is refused if its key was revoked', async () => {
    const { body } = await operate('POST', 'keys')
    const client = clientOf(twin.sandbox, body.secret)
    const response = await whileItWaits(
      () => client.request('GET', '/v1/customers'),
      () => operate('POST', `keys/${body.id}/revoke`),
    )
    expectUnauthenticated(response)
  })

  test('is refused if its merchant was deleted', async () => {
    const { merchant, secretKey } = await anotherMerchant(twin)
    const client = clientOf(twin.sandbox, secretKey)
    const response = await whileItWaits(
      () => client.request('GET', '/v1/customers'),
      () => operate('DELETE', `merchants/${merchant.id}`),
    )
    expectUnauthenticated(response)
  })

  test('reads the state that replaced the earlier one', async () => {
    await operate('POST', 'snapshots', { name: 'empty' })
    await twin.post('/v1/customers')
    const response = await whileItWaits(
      () => twin.request('GET', '/v1/customers'),
      () => operate('POST', 'snapshots/empty/restore'),
    )
    expect(response.body.data).toEqual([])
  })

  test.each([
    ['is not served if its connection was closed', { req: { socket: { destroyed: true } } }, 429],
    ['is served if its connection is open', { req: { socket: { destroyed: false } } }, 200],
    ['is served if it has no connection, as in the test library', { destroy: () => undefined }, 200],
  ])('%s', async (_what, outgoing, status) => {
    const { app, engine } = twin.sandbox
    const { id } = await twin.post('/v1/customers')
    const get = vi.spyOn(engine.store.objects, 'get')
    spendTurn()
    const headers = { Authorization: `Bearer ${twin.secretKey}` }
    const response = await app.request(`/v1/customers/${id}`, { headers }, { outgoing })
    expect(response.status).toBe(status)
    expect(get.mock.calls.length > 0).toBe(status === 200)
  })

  test('counts against the limit of bodies of its merchant', async () => {
    const { secretKey } = await anotherMerchant(twin)
    const other = clientOf(twin.sandbox, secretKey)
    spendTurn()
    const reads = Array.from({ length: 4_097 }, () => twin.request('GET', '/v1/customers/cus_unknown'))
    const ofOther = other.request('GET', '/v1/customers')
    const statuses = (await Promise.all(reads)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
    expect((await ofOther).status).toBe(200)
    expect((await twin.request('GET', '/v1/customers')).status).toBe(200)
  })

  test('has run when the sandbox is closed', async () => {
    spendTurn()
    const response = twin.request('GET', '/v1/customers')
    await turn()
    await twin.close()
    expect((await response).status).toBe(200)
  })
})

describe('a read of many steps', () => {
  /** Reads in ten steps of a turn each, and acts in the second of them. @returns the number of its steps, and its error */
  async function readThrough({ env, check = () => undefined, act }: Step) {
    let steps = 0
    function* read() {
      for (; steps < 10; steps += 1) {
        work()
        if (steps === 1) act()
        yield
      }
    }
    const services = { engine: twin.sandbox.engine, bodies: new HeldBodies() }
    const error = await readInSteps(services, { owner: {}, env, check }, read()).catch((thrown) => thrown)
    expect(services.bodies.bytes).toBe(0)
    return { steps, code: error?.code }
  }
  type Step = { env?: unknown; check?: () => void; act: () => void }

  test('ends when its connection was closed', async () => {
    const socket = { destroyed: false }
    const act = () => {
      socket.destroyed = true
    }
    const read = await readThrough({ env: { outgoing: { req: { socket } } }, act })
    expect(read).toEqual({ steps: 1, code: 'rate_limit' })
  })

  test('ends when its check fails, and else reads everything', async () => {
    let isRevoked = false
    const check = () => {
      if (isRevoked) throw keyResolutionUnavailable()
    }
    const revoke = () => {
      isRevoked = true
    }
    expect(await readThrough({ check, act: revoke })).toEqual({
      steps: 1,
      code: null,
    })
    expect(await readThrough({ act: () => undefined })).toEqual({ steps: 10, code: undefined })
  })
})

test('few long reads of an owner are in progress at a time, and all end', async () => {
  const services = { engine: twin.sandbox.engine, bodies: new HeldBodies() }
  let [inProgress, most, ended] = [0, 0, 0]
  function* read() {
    inProgress += 1
    most = Math.max(most, inProgress)
    for (let step = 0; step < 3; step += 1) {
      spendTurn()
      yield
    }
    inProgress -= 1
    ended += 1
  }
  const refuse = () => {
    throw keyResolutionUnavailable()
  }
  const begin = (owner: object, check: () => void = () => undefined) =>
    readInSteps(services, { owner, env: undefined, check }, read())
  const owner = {}
  const reads = Array.from({ length: 20 }, () => begin(owner))
  const refused = begin(owner, refuse).catch((error) => error.code)
  const ofOther = begin({}).then(() => ended)
  const later = Array.from({ length: 20 }, () => begin(owner))
  await Promise.all([...reads, ...later])
  expect(await refused).toBe(keyResolutionUnavailable().code)
  expect(await ofOther).toBeLessThan(10)
  expect(most).toBe(5)
  expect(ended).toBe(41)
  expect(services.bodies.bytes).toBe(0)
})

describe('waits for a turn', () => {
  const waits = async (
    used: Twin,
    url: string,
    { status = 200, headers, ...request }: RequestInit & { readonly status?: number } = {},
  ) => {
    const send = () =>
      used.sandbox.app.request(url, { ...request, headers: { Host: 'localhost', ...headers } })
    // The code of a page is loaded at its first request.
    expect((await send()).status).toBe(status)
    await turn()
    const next = vi.spyOn(used.sandbox.engine.reads, 'next')
    spendTurn(used)
    expect((await send()).status).toBe(status)
    return next.mock.calls.length > 0
  }

  test.each([
    ['_paytwin/events', true],
    ['_paytwin/overview', true],
    ['_paytwin/search?kind=customer&query=a', true],
    ['_paytwin/health', false],
  ])('a request of the operator, but no health check: %s', async (path, expected) => {
    const Authorization = `Bearer ${twin.sandbox.adminToken}`
    expect(await waits(twin, `http://localhost/${path}`, { headers: { Authorization } })).toBe(expected)
  })

  test.each([
    ['/v1/nothing', 404],
    ['/v1/customers?limit=x', 400],
  ])('a request of a merchant before it is parsed: %s', async (path, status) => {
    const headers = { Authorization: `Bearer ${twin.secretKey}` }
    expect(await waits(twin, `http://localhost${path}`, { status, headers })).toBe(true)
  })

  test('a refusal, before it is logged', async () => {
    expect(await waits(twin, 'http://localhost/v1/customers', { status: 401 })).toBe(true)
    const headers = { Authorization: `Bearer ${twin.secretKey}`, 'X-API-Version': 'none' }
    expect(await waits(twin, 'http://localhost/v1/customers', { status: 400, headers })).toBe(true)
  })

  test('a request of a stranger before it is parsed', async () => {
    expect(await waits(twin, 'http://localhost/v1/oauth/authorize?a=1', { status: 400 })).toBe(true)
  })

  test('a webhook that the inbox receives', async () => {
    await twin.post('/v1/webhook_endpoints', { url: 'http://localhost:9/', enabled_events: ['*'] })
    const webhook = { method: 'POST', body: '{}', status: 400 }
    expect(await waits(twin, `http://localhost/inbox/${twin.sandbox.merchant.settings.id}`, webhook)).toBe(
      true,
    )
  })

  /** A merchant with Stripe's API, one of whose customers has an open invoice. */
  async function openInvoice() {
    const { stripe, twin: ofStripe, close } = await startStripe()
    onTestFinished(close)
    const { id: customer } = await stripe.customers.create()
    await stripe.invoiceItems.create({ customer, amount: 500, currency: 'usd' })
    const draft = await stripe.invoices.create({ customer, pending_invoice_items_behavior: 'include' })
    const invoice = await stripe.invoices.finalizeInvoice(draft.id)
    return { stripe, ofStripe, customer, invoice }
  }

  test('each page that customers open without a key', async () => {
    const { stripe, ofStripe, customer, invoice } = await openInvoice()
    const { hosted_invoice_url, invoice_pdf } = invoice
    const product_data = { name: 'Tea' }
    const { url } = await stripe.checkout.sessions.create({
      mode: 'payment',
      success_url: 'http://localhost/done',
      line_items: [{ quantity: 1, price_data: { currency: 'usd', unit_amount: 500, product_data } }],
    })
    await stripe.billingPortal.configurations.create({ features: { invoice_history: { enabled: true } } })
    const portal = await stripe.billingPortal.sessions.create({ customer })
    for (const page of [hosted_invoice_url, invoice_pdf, url, portal.url])
      expect(await waits(ofStripe, String(page))).toBe(true)
  })

  test('a form of a page, in the line of its merchant', async () => {
    const { ofStripe, invoice } = await openInvoice()
    const { app, engine, merchant } = ofStripe.sandbox
    const submit = () =>
      app.request(
        String(invoice.hosted_invoice_url),
        { method: 'POST', headers: { Host: 'localhost', Origin: 'http://localhost' } },
        { incoming: Readable.from([Buffer.from('number=4')]) },
      )
    // The code of a page is loaded at its first request.
    expect((await submit()).status).toBe(200)
    const next = vi.spyOn(engine.reads, 'next')
    spendTurn(ofStripe)
    expect((await submit()).status).toBe(200)
    expect(next).toHaveBeenCalled()
    expect(next.mock.calls.every(([owner]) => owner === merchant)).toBe(true)
  })
})
