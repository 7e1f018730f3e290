import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { rateLimited } from '../../src/core/errors.ts'
import { HeldBodies } from '../../src/http/held-bodies.ts'
import { createPaytwin, RequestRefused } from '../../src/index.ts'
import { newFolder } from '../places.ts'
import { open, subscribe } from './twin.ts'

test('it listens on its own port, and answers the same in this process', async () => {
  const [twin, other] = await Promise.all([open(), open()])
  expect(twin.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(twin.url).not.toBe(other.url)
  const { id } = await twin.post<{ id: string }>('/v1/customers', { email: 'ada@example.com' })
  const headers = { authorization: `Bearer ${twin.secretKey}` }
  const overSocket = await fetch(`${twin.url}/v1/customers/${id}`, { headers })
  const inProcess = await twin.fetch(`/v1/customers/${id}`)
  expect(await overSocket.json()).toEqual(await inProcess.json())
  expect((await other.fetch(`/v1/customers/${id}`)).status).toBe(404)
})

test('the globals of the process are not changed', async () => {
  const { Request: request, Response: response, fetch: fetched } = globalThis
  await open()
  expect([Request, Response, fetch]).toEqual([request, response, fetched])
})

test('a test creates the same objects and IDs each time, unless it has another seed', async () => {
  const make = async (seed?: number | string) => {
    const twin = await open({ seed })
    return (await subscribe(twin)).id
  }
  expect(await make()).toBe(await make(1))
  expect(await make('another')).not.toBe(await make())
})

test.each([
  ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00.000Z'],
  [1_769_853_600, '2026-01-31T10:00:00.000Z'],
  [new Date('2026-01-31T10:00:00.900Z'), '2026-01-31T10:00:00.000Z'],
  [undefined, '2026-01-01T00:00:00.000Z'],
] as const)('now: %s puts the clock at %s', async (now, shown) => {
  const twin = await open({ now })
  expect(twin.clock.now.toISOString()).toBe(shown)
})

test.each(['soon', Number.NaN, new Date('soon'), Date.now()])('%s is not a valid time', async (now) => {
  await expect(createPaytwin({ now })).rejects.toThrow(/is not a valid time/)
})

test('an empty seed is refused', async () => {
  await expect(createPaytwin({ seed: '' })).rejects.toThrow(/^seed must not be empty/)
})

test.each(['seed', 'secretKey', 'apiVersion'])('%s of another type is refused', async (option) => {
  for (const value of [{}, [], true, null])
    await expect(createPaytwin({ [option]: value })).rejects.toThrow(new RegExp(`^${option} must be text`))
})

test('an unknown option is refused', async () => {
  const options = { clock: '2026-01-31T10:00:00Z' }
  await expect(createPaytwin(options as object)).rejects.toThrow(
    new TypeError(
      "createPaytwin has no option 'clock'. Valid options: seed, now, fixtures, secretKey, dialect, apiVersion, strictParams, rateLimit",
    ),
  )
})

test('a given key is used', async () => {
  const secretKey = 'sk_test_ChosenBeforehandChosenBefore'
  const twin = await open({ secretKey })
  expect(twin.secretKey).toBe(secretKey)
  expect((await twin.fetch('/v1/customers')).status).toBe(200)
  const other = await twin.merchants.create({ secretKey: 'sk_test_123' })
  expect(other.secretKey).toBe('sk_test_123')
  expect((await other.fetch('/v1/customers')).status).toBe(200)
  await expect(createPaytwin({ secretKey: 'sk_live_no' })).rejects.toThrow(RequestRefused)
})

test('it loads fixtures from several files, or reports what is wrong', async () => {
  const customers = { customers: [{ ref: 'ada', email: 'ada@example.com' }] }
  const cards = { payment_methods: [{ ref: 'ada', customer: 'ada', test_id: 'pm_card_visa' }] }
  const twin = await open({ fixtures: [customers, cards] })
  expect(await twin.get('/v1/customers')).toMatchObject({ data: [{ email: 'ada@example.com' }] })
  await expect(createPaytwin({ fixtures: { custmers: [] } })).rejects.toMatchObject({
    name: 'RequestRefused',
    status: 400,
    message: expect.stringContaining('fixtures 1: custmers'),
  })
  const more = await twin.loadFixtures({ customers: [{ ref: 'bob' }] })
  expect(more.counts).toEqual({ customer: 1 })
})

test('an unknown parameter is an error, unless strictParams is false', async () => {
  const twin = await open()
  const misspelt = { emial: 'ada@example.com' }
  await expect(twin.post('/v1/customers', misspelt)).rejects.toThrow(RequestRefused)
  const lenient = await open({ strictParams: false })
  expect(await lenient.post('/v1/customers', misspelt)).toMatchObject({ email: null })
})

test('requests beyond rateLimit are refused', async () => {
  const twin = await open({ rateLimit: 1 })
  const statuses = await Promise.all([1, 2, 3].map(async () => (await twin.fetch('/v1/customers')).status))
  expect(statuses).toContain(429)
})

test.each([0, -1, 1.5, Number.NaN, null, '10', Symbol('ten')])(
  'rateLimit: %o is refused',
  async (rateLimit) => {
    const options = { rateLimit } as object
    await expect(createPaytwin(options)).rejects.toThrow(/^rateLimit must be a whole number/)
  },
)

test.each([
  [{ dialect: 'x' }, 'dialect must be paytwin or stripe. Omit it for paytwin'],
  [{ dialect: null }, 'dialect must be paytwin or stripe. Omit it for paytwin'],
  [{ strictParams: 'no' }, 'strictParams must be true or false. Omit it for true'],
])('%o is refused', async (options, message) => {
  await expect(createPaytwin(options as object)).rejects.toThrow(new TypeError(message))
})

test('reset restores the first state, with the same key and IDs', async () => {
  const twin = await open({ fixtures: { customers: [{ ref: 'ada', email: 'ada@example.com' }] } })
  const { id, url, secretKey } = twin
  const first = await subscribe(twin)
  await twin.clock.advance('1mo')
  await twin.faults.add('decline')
  await twin.webhooks.create()
  await twin.trigger('customer.created')
  await twin.webhooks.settled()
  const other = await twin.merchants.create()
  await twin.reset()
  expect(twin).toMatchObject({ id, url, secretKey })
  expect(twin.clock.now.toISOString()).toBe('2026-01-01T00:00:00.000Z')
  expect(await twin.faults.list()).toEqual([])
  expect(twin.webhooks.inbox).toEqual([])
  expect((await other.fetch('/v1/customers')).status).toBe(401)
  expect(await twin.get('/v1/customers')).toMatchObject({ data: [{ email: 'ada@example.com' }] })
  expect((await subscribe(twin)).id).toBe(first.id)
})

test('a closed sandbox refuses every call, and closing it again has no effect', async () => {
  const twin = await createPaytwin()
  await fetch(`${twin.url}/_paytwin/health`)
  const closing = twin.close()
  expect(twin.close()).toBe(closing)
  await closing
  await expect(fetch(`${twin.url}/_paytwin/health`)).rejects.toThrow('fetch failed')
  await expect(twin.fetch('/v1/customers')).rejects.toThrow('This sandbox is closed')
  await expect(twin.clock.advance('1d')).rejects.toThrow('This sandbox is closed')
  await expect(twin.events.waitFor('invoice.paid')).rejects.toThrow('This sandbox is closed')
})

/** A body whose rest arrives some time after the client began to read it. */
function slowBody(restMs: number): { readonly body: ReadableStream; readonly begun: Promise<void> } {
  let begin = (): void => undefined
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const parts = ['{"name":', '"Ada"}']
  const pull = async (body: ReadableStreamDefaultController) => {
    begin()
    if (parts.length === 1) await delay(restMs)
    body.enqueue(Buffer.from(parts.shift() ?? ''))
    if (parts.length === 0) body.close()
  }
  return { body: new ReadableStream({ pull }, { highWaterMark: 0 }), begun }
}

test('closing answers the requests in progress, in this process and over a socket', async () => {
  const twin = await createPaytwin()
  const init = {
    method: 'POST',
    headers: { authorization: `Bearer ${twin.secretKey}`, 'content-type': 'application/json' },
    duplex: 'half',
  } as const
  const bodies = [slowBody(200), slowBody(300)] as const
  const requests = [
    twin.fetch('/v1/customers', { ...init, body: bodies[0].body }),
    fetch(`${twin.url}/v1/customers`, { ...init, body: bodies[1].body }),
  ]
  // A body is read when its connection is established. In a few turns of the event loop its first part arrives, however busy the
  // machine is.
  await Promise.all(bodies.map(({ begun }) => begun))
  for (let turn = 0; turn < 30; turn += 1) await setImmediate()
  await twin.close()
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual([201, 201])
})

test('closing does not wait for a request that never ends', async () => {
  const twin = await createPaytwin()
  const headers = { 'content-type': 'application/json' }
  const body = new ReadableStream()
  const aborted = new AbortController()
  const request = twin.fetch('/v1/customers', {
    ...{ method: 'POST', headers, body, duplex: 'half' as const },
    signal: aborted.signal,
  })
  await twin.close()
  aborted.abort()
  await expect(request).rejects.toThrow('aborted')
})

test.each([
  ['an aborted call', 'This operation was aborted'],
  ['a refused call', 'Too many requests'],
])('%s cancels its body, even if the body stalls, and no longer counts', async (call, why) => {
  const twin = await open()
  const [added, removed] = [vi.spyOn(HeldBodies.prototype, 'add'), vi.spyOn(HeldBodies.prototype, 'remove')]
  onTestFinished(() => void vi.restoreAllMocks())
  const isCanceled = vi.fn()
  const body = new ReadableStream({
    start: (stalled) => stalled.enqueue(new Uint8Array(10_000)),
    cancel: isCanceled,
  })
  const aborted = new AbortController()
  if (call === 'a refused call')
    added.mockImplementation((_, bytes) => {
      if (bytes < 8_192) throw rateLimited()
    })
  const init = { method: 'POST', body, duplex: 'half' as const, signal: aborted.signal }
  const answered = twin.fetch('/v1/customers', init).then(
    (response) => response.text(),
    (error: Error) => error.message,
  )
  // Until the chunk has been counted, which adds to what every write reserves.
  while (added.mock.calls.length < 2) await setImmediate()
  if (call === 'an aborted call') aborted.abort()
  expect(await answered).toContain(why)
  expect(isCanceled).toHaveBeenCalled()
  await setImmediate()
  const sum = (spied: typeof added) => spied.mock.calls.reduce((all, [, bytes]) => all + bytes, 0)
  expect(sum(removed)).toBe(call === 'an aborted call' ? 10_000 : 8_192)
})

test('closing interrupts running work', async () => {
  const twin = await createPaytwin()
  await twin.webhooks.create({ handler: () => new Promise<Response>(() => {}) })
  await twin.post('/v1/customers')
  await twin.close()
})

test('it is closed at the end of a block that uses it', async () => {
  let url = ''
  {
    await using twin = await createPaytwin()
    url = twin.url
  }
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

test('nothing is written to disk', async () => {
  const folder = newFolder()
  const program = `require(process.argv[1]).createPaytwin().then(async (twin) => {
    await twin.post('/v1/customers')
    await twin.snapshots.save('a')
    await twin.close()
  })`
  const library = resolve(import.meta.dirname, '../../dist/library.cjs')
  const places = { HOME: folder, TMPDIR: folder, XDG_CACHE_HOME: folder }
  execFileSync(process.execPath, ['-e', program, library], {
    cwd: folder,
    env: { ...process.env, ...places },
  })
  expect(readdirSync(folder)).toEqual([])
})
