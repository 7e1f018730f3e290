import { expect, onTestFinished, test, vi } from 'vitest'
import { metadata } from '../../src/http/fields.ts'
import { refuseTooMany, VALUE_BYTES } from '../../src/http/form.ts'
import { HeldBodies } from '../../src/http/held-bodies.ts'
import { HeldBody } from '../../src/http/held-body.ts'
import { WAITING_BYTES } from '../../src/http/read-turn.ts'
import { paramsReader } from '../../src/http/request.ts'
import { contentOf, RequestContents, TOTAL_LENGTH } from '../../src/http/request-content.ts'
import { REQUESTS_KEPT } from '../../src/http/request-log.ts'
import { keptBytes } from '../kept-memory.ts'
import { startTwin } from '../twin.ts'
import { FORM } from './support.ts'

const repeat = (count: number, of: (index: number) => string, separator = ',') =>
  Array.from({ length: count }, (_, index) => of(index)).join(separator)
const list = (entry: (index: number) => string, count = 1_990) => `{"zz":[${repeat(count, entry)}]}`
const nested = (begin: string, end: string, depth = 13) => `${begin.repeat(depth)}1${end.repeat(depth)}`

/** Bodies that take much more memory when they are parsed than their length. The number differs for each request. */
const JSON_SHAPES: Readonly<Record<string, (request: number) => string>> = {
  'objects with an index': () => list(() => '{"20":1}'),
  'objects with a large index': () => list(() => '{"1000":1}'),
  'objects with a very large index': () => list(() => '{"9999":1}'),
  'objects with an index after a name that is replaced': () => list(() => '{"\\ud800":1,"1000":1}', 900),
  'empty objects': () => list(() => '{}'),
  'empty lists': () => list(() => '[]'),
  'nested lists': () => list(() => nested('[', ']')),
  'nested objects': () => list(() => nested('{"a":', '}')),
  'nested objects with an index': () => list(() => nested('{"1000":', '}'), 300),
  'objects with names of their own': (request) => list((at) => `{"${request}_${at}":1}`),
  'many names': (request) => `{"zz":{${repeat(1_990, (at) => `"${request}_${at}":1.5`)}}}`,
  'many indexes': () => `{"zz":{${repeat(1_990, (at) => `"${at * 100_000}":1`)}}}`,
  texts: (request) => list((at) => `"${request}${at}"`),
}
const FORM_SHAPES: typeof JSON_SHAPES = {
  'objects with a large index': () => repeat(1_990, (at) => `zz[${at}][1000]=1`, '&'),
  'encoded brackets': () => repeat(1_990, (at) => `zz%5B${at}%5D%5b1000%5d=1`, '&'),
  'nested objects with an index': () => repeat(500, (at) => `zz[${at}]${'[1000]'.repeat(14)}=1`, '&'),
  'names of their own': (request) => repeat(1_990, (at) => `${request}_${at}[${at}]=1`, '&'),
}

/** Reads the parameters of a request. @returns them, and the bytes that count for them */
async function read(text: string, type: string, method = 'POST') {
  let counted = text.length
  const isBody = method === 'POST'
  const headers: Record<string, string> = { 'content-type': type }
  const path = '/v1/customers'
  const url = isBody ? path : `${path}?${text}`
  const req = { method, path, url, header: (name: string) => headers[name], param: () => '' }
  const count = (bytes: number) => {
    counted += bytes
  }
  const reader = paramsReader({ req }, async () => text, { count })
  return { given: await reader(), counted }
}

const JSON_TYPE = 'application/json'
const cases = [
  ...Object.entries(JSON_SHAPES).map(([name, shape]) => [`JSON: ${name}`, JSON_TYPE, 'POST', shape] as const),
  ...Object.entries(FORM_SHAPES).flatMap(([name, shape]) => [
    [`a form: ${name}`, FORM['Content-Type'], 'POST', shape] as const,
    [`a query: ${name}`, '', 'GET', shape] as const,
  ]),
]

test.each(cases)(
  'parameters take no more memory than counts for them: %s',
  async (_, type, method, shape) => {
    const requests = 10
    const kept: unknown[] = []
    let counted = 0
    const add = async () => {
      for (let request = 0; request < requests; request += 1) {
        const known = await read(shape(request), type, method)
        kept.push(known.given)
        counted += known.counted
      }
    }
    expect(await keptBytes(add)).toBeLessThan(counted)
    expect(kept).toHaveLength(requests)
  },
)

test('checked metadata takes little memory, whatever its keys are', async () => {
  const kept: unknown[] = []
  const add = () => {
    for (let number = 0; number < 1_000; number += 1) kept.push(metadata.parse(JSON.parse('{"1000":"x"}')))
  }
  expect(await keptBytes(add)).toBeLessThan(1_000_000)
  expect(kept[0]).toEqual({ 1000: 'x' })
})

/** The objects of 60 such bodies take more than the test allows. */
const LOGGED = ['objects with a large index', 'nested objects', 'objects with names of their own']

test.each(LOGGED)('the request log takes little memory: %s', async (name) => {
  const shape = JSON_SHAPES[name]
  if (!shape) throw new Error(`there is no shape '${name}'`)
  const contents = new RequestContents(REQUESTS_KEPT)
  const fill = async () => {
    for (let request = 0; request < 60; request += 1) {
      const { given } = await read(shape(request), JSON_TYPE)
      contents.add(contentOf({ body: given, idempotencyKey: undefined, text: '{}', isSecret: false }))
    }
  }
  // A character takes up to two bytes.
  expect(await keptBytes(fill)).toBeLessThan(3 * TOTAL_LENGTH)
  expect(contents.get(59)).toBeDefined()
})

test('4,096 ordinary writes of a merchant can wait', async () => {
  const { sandbox, close } = await startTwin()
  onTestFinished(close)
  const services = { engine: sandbox.engine, bodies: new HeldBodies() }
  const subscription = {
    customer: 'cus_0001',
    currency: 'usd',
    collection_method: 'send_invoice',
    days_until_due: 30,
    items: Array.from({ length: 5 }, (_, at) => ({ price: `price_${at}`, quantity: at, metadata: { at } })),
    metadata: Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`key_${at}`, `value ${at}`])),
    expand: ['latest_invoice', 'customer'],
  }
  const text = JSON.stringify(subscription)
  const owner = {}
  for (let write = 0; write < 4_096; write += 1) {
    const held = new HeldBody(services, undefined, () => owner)
    held.reserve()
    held.add(text.length)
    held.addParsed(VALUE_BYTES * refuseTooMany(text, 'json'))
  }
  expect(services.bodies.bytes).toBeLessThan(2 ** 26)
})

test('what parameters take counts until the request is answered', async () => {
  const twin = await startTwin()
  onTestFinished(twin.close)
  const [added, removed] = [vi.spyOn(HeldBodies.prototype, 'add'), vi.spyOn(HeldBodies.prototype, 'remove')]
  onTestFinished(() => void vi.restoreAllMocks())
  const { merchant } = twin.sandbox
  // On a busy machine a request also waits for its turn, which counts apart.
  const sum = (calls: readonly (readonly [object, number])[]) =>
    calls.reduce(
      (total, [owner, bytes]) => (owner === merchant && bytes !== WAITING_BYTES ? total + bytes : total),
      0,
    )
  await twin.request('GET', '/v1/customers?limit=2&email=a')
  expect(sum(added.mock.calls)).toBe(0)
  await twin.request('GET', `/v1/customers?${repeat(100, (at) => `zz[${at}][1000]=1`, '&')}`)
  expect(sum(added.mock.calls)).toBe(300 * VALUE_BYTES)
  expect(sum(removed.mock.calls)).toBe(300 * VALUE_BYTES)
  vi.clearAllMocks()
  const body = `{"zz":[${repeat(100, () => '{"1000":1}')}]}`
  await twin.request('POST', '/v1/customers', body)
  expect(sum(added.mock.calls)).toBe(body.length + 202 * VALUE_BYTES)
  expect(sum(removed.mock.calls)).toBe(sum(added.mock.calls))
})
