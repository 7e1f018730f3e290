import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Registered } from '../../src/http/route.ts'
import { isLong } from '../long.ts'
import { leastProcessorTime } from '../processor-time.ts'
import { type Body, startTwin } from '../twin.ts'
import { type Place, Places, put } from './places.ts'
import { openPlayed, type Played, type Sent } from './played.ts'
import { FORM, toForm } from './support.ts'

/**
 * The allowed processor time of a request in milliseconds, in addition to three times the time for reading it. Quadratic work
 * takes seconds.
 */
const ALLOWED_MS = 50

const KIB = 1_024
/** The last is just below the size limit of bodies on /v1. */
const BODIES = [KIB, 64 * KIB, 1_000 * KIB]
/** The request line and headers are limited to 16 KiB. */
const HEADERS = [KIB, 15 * KIB]

/** Characters with a meaning in patterns, encodings, numbers and paths, and one that JSON writes as six. */
const CHARACTERS = [
  '*',
  'a',
  '[',
  ']',
  '%',
  ' ',
  '.',
  '\\',
  '1',
  '&',
  '"',
  '/',
  '_',
  '\n',
  '-',
  ':',
  '=',
  '\u0001',
]

vi.setConfig({ testTimeout: isLong ? 3_600_000 : 180_000 })
afterAll(() => vi.resetConfig())

let played: Played
let places: Places
beforeAll(async () => {
  played = await openPlayed()
  // The description comes from a separate sandbox.
  const twin = await startTwin()
  places = new Places((await twin.request('GET', '/openapi.json', undefined, { Host: 'localhost' })).body)
  await twin.close()
})
afterAll(() => played.sandbox.close())

async function send({ path, init }: Sent): Promise<void> {
  const response = await played.sandbox.app.request(path, init)
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) await response.body?.cancel()
  else await response.text()
}

type Attack = {
  readonly name: string
  readonly sent: Sent
  /** The time for reading its body, in milliseconds. */
  readonly reading?: number
}

/** Sends requests. @returns those that took too long in the best of three runs */
async function slowOnes(attacks: Iterable<Attack> | AsyncIterable<Attack>): Promise<string[]> {
  const slow: string[] = []
  for await (const { name, sent, reading = 0 } of attacks) {
    const allowed = ALLOWED_MS + 3 * reading
    const taken = await leastProcessorTime(() => send(sent), allowed)
    if (taken > allowed) slow.push(`${name}: ${taken.toFixed(0)} ms, ${allowed.toFixed(0)} allowed`)
  }
  return slow
}

/**
 * Returns the characters to try at a place: all of them in a long run. In the suite, the first two, which have most effects, or one of
 * them in a long text, and the others in turn, so that each is tried at many places.
 */
let turn = 0
function* charactersFor(size: number): Generator<string> {
  if (isLong) return yield* CHARACTERS
  turn += 1
  const frequent = CHARACTERS.slice(0, 2)
  const inTurn = CHARACTERS[turn % CHARACTERS.length] ?? '*'
  const most = size < 64 * KIB ? frequent : size < 1_000 * KIB ? [frequent[turn % 2] ?? '*'] : []
  yield* new Set([...most, inTurn])
}

type Encoding = (params: unknown) => { readonly type: string; readonly body: string }
const asJson: Encoding = (params) => ({ type: 'application/json', body: JSON.stringify(params) })
const asForm: Encoding = (params) => ({ type: FORM['Content-Type'], body: toForm(params as Body) })

/** Alternates in the suite, so that each character has both; both in a long run. */
const encodings = (): Encoding[] => {
  if (isLong) return [asJson, asForm]
  return [Math.floor(turn / CHARACTERS.length) % 2 === 0 ? asJson : asForm]
}

/** Repeats a character so that the encoded text has a size. */
const textOf = (character: string, size: number, encode: Encoding): string => {
  const encoded = encode({ a: character.repeat(100) }).body.length / 100
  return character.repeat(Math.floor(size / encoded))
}

const withBody = ({ path, init }: Sent, { type, body }: ReturnType<Encoding>): Sent => ({
  path,
  init: { ...init, body, headers: { ...init.headers, 'Content-Type': type } },
})

const routeAt = (method: string, path: string): Registered => {
  const found = played.sandbox.routes.find((route) => route.method === method && route.path === path)
  if (!found) throw new Error(`there is no ${method} ${path}`)
  return found
}

/** Measures the time for reading bodies, with a parameter that is ignored. */
class Reading {
  readonly #known = new Map<string, number>()

  async of(character: string, value: string, encode: Encoding): Promise<number> {
    const key = `${character} ${value.length} ${encode === asJson}`
    const body = encode({ zebra: value })
    const known =
      this.#known.get(key) ?? (await leastProcessorTime(() => send(withBody(this.#ignoring(), body))))
    this.#known.set(key, known)
    return known
  }

  #ignoring = (): Sent => played.requestTo(routeAt('post', '/v1/customers'))
}

/** Returns the places for a text in a body. The longest text is sent only to one of the routes that share a parameter in the suite. */
function* placesFor(size: number): Generator<[Registered, Place]> {
  const seen = new Set<string>()
  for (const route of played.sandbox.routes) {
    for (const place of places.inBody(route)) {
      const name = place.join('.')
      if (isLong || size < 1_000 * KIB || !seen.has(name)) yield [route, place]
      seen.add(name)
    }
  }
}

async function* bodies(size: number): AsyncGenerator<Attack> {
  const reading = new Reading()
  for (const [route, place] of placesFor(size)) {
    const original = played.requestTo(route)
    for (const character of charactersFor(size)) {
      for (const encode of encodings()) {
        const value = textOf(character, size, encode)
        const params = put(JSON.parse(original.init.body ?? '{}'), place, value)
        const name = `${route.method} ${route.path}, ${place.join('.')}: ${size} bytes of '${character}'`
        const sent = withBody(original, encode(params))
        yield { name, sent, reading: await reading.of(character, value, encode) }
      }
    }
  }
}

test.each(BODIES)('a text of %i bytes is answered quickly in every parameter of every body', async (size) => {
  expect(await slowOnes(bodies(size))).toEqual([])
})

function* queries(size: number): Generator<Attack> {
  for (const route of played.sandbox.routes) {
    const { path, init } = played.requestTo(route)
    const [plain = ''] = path.split('?')
    for (const place of places.inQuery(route)) {
      for (const character of charactersFor(size)) {
        const value = textOf(character, size, asForm)
        const name = `${route.method} ${route.path}, ${place.join('.')}: ${size} bytes of '${character}'`
        yield { name, sent: { path: `${plain}?${toForm(put({}, place, value) as Body)}`, init } }
      }
    }
  }
}

test.each(HEADERS)(
  'a text of %i bytes is answered quickly in every parameter of every query',
  async (size) => {
    expect(await slowOnes(queries(size))).toEqual([])
  },
)

function* paths(size: number): Generator<Attack> {
  for (const route of played.sandbox.routes.filter(({ path }) => path.includes(':'))) {
    const { init } = played.requestTo(route)
    for (const character of charactersFor(size)) {
      const encoded = encodeURIComponent(character)
      const id = encoded.repeat(Math.floor(size / encoded.length))
      const name = `${route.method} ${route.path}: ${size} bytes of '${character}'`
      yield { name, sent: { path: route.path.replaceAll(/:\w+/g, id), init } }
    }
  }
}

test.each(HEADERS)('a text of %i bytes is answered quickly for the id of every path', async (size) => {
  expect(await slowOnes(paths(size))).toEqual([])
})

/** Headers that the application reads, each with prefixes that lead to further parsing. */
const READ_HEADERS: Readonly<Record<string, readonly string[]>> = {
  Authorization: ['', 'Bearer ', 'Basic ', 'Bearer sk_test_', 'Bearer oat_test_'],
  Cookie: ['', 'paytwin_consent_0='],
  'X-API-Version': [''],
  'Idempotency-Key': [''],
  'Content-Type': [''],
  'Content-Encoding': [''],
  Accept: [''],
  'Last-Event-ID': ['', 'evt_'],
  Host: ['', '['],
  Origin: [''],
}

function* headers(size: number): Generator<Attack> {
  const routes = [
    routeAt('get', '/v1/events'),
    routeAt('post', '/v1/customers'),
    routeAt('post', '/v1/oauth/token'),
    routeAt('post', '/v1/oauth/authorize/decision'),
    routeAt('get', '/_paytwin/events'),
  ]
  for (const route of routes) {
    const { path, init } = played.requestTo(route)
    for (const [header, beginnings] of Object.entries(READ_HEADERS)) {
      for (const beginning of beginnings) {
        for (const character of [...charactersFor(size)].filter((one) => one !== '\n')) {
          const value = `${beginning}${character.repeat(size)}x`
          const name = `${route.method} ${path}, ${header}: ${beginning} and ${size} bytes of '${character}'`
          yield { name, sent: { path, init: { ...init, headers: { ...init.headers, [header]: value } } } }
        }
      }
    }
  }
}

test.each(HEADERS)('a text of %i bytes is answered quickly in every header that is read', async (size) => {
  expect(await slowOnes(headers(size))).toEqual([])
})

/** Parameter names made of one repeated part. */
const PIECES = ['a', '[', ']', '[]', '[a]', '.', '%', ' ']

function* names(size: number): Generator<Attack> {
  const original = played.requestTo(routeAt('post', '/v1/customers'))
  for (const encode of [asJson, asForm]) {
    for (const piece of PIECES) {
      for (const end of isLong ? ['', '[', ']', 'b'] : ['', 'b']) {
        const name = `a${piece.repeat(Math.floor(size / piece.length))}${end}`
        const body = encode === asJson ? JSON.stringify({ [name]: '1' }) : `${name}=1`
        const sent = withBody(original, { type: encode({}).type, body })
        yield { name: `${size} bytes of '${piece}' and '${end}' in a name`, sent, reading: ALLOWED_MS }
      }
    }
  }
}

test.each(BODIES)('a name of a parameter of %i bytes is answered quickly', async (size) => {
  expect(await slowOnes(names(size))).toEqual([])
})

/** A MiB of names, each different, at places that are checked in different ways. */
function* manyNames(): Generator<Attack> {
  const pairs = Array.from({ length: 90_000 }, (_, n) => [`k${n}`, ''] as const)
  const many = Object.fromEntries(pairs)
  const bodies = { zebra: { zebra: many }, metadata: { metadata: many }, items: { items: many }, top: many }
  const encoded = [asJson, asForm].flatMap((encode) =>
    Object.entries(bodies).map(([place, body]) => ({ place, ...encode(body) })),
  )
  for (const path of ['/v1/customers', '/v1/subscriptions', '/v1/oauth/token']) {
    const original = played.requestTo(routeAt('post', path))
    for (const { place, ...body } of encoded)
      yield { name: `${path}, ${body.type}: 90,000 names in ${place}`, sent: withBody(original, body) }
    const lists = { type: 'application/json', body: JSON.stringify({ items: Array(340_000).fill([]) }) }
    yield { name: `${path}: a list of 340,000 lists`, sent: withBody(original, lists) }
    const nested = Array.from({ length: 500 }, (_, at) => `zz[${at}]${'[1000]'.repeat(14)}=1`).join('&')
    yield { name: `${path}: nested indexes`, sent: withBody(original, { ...asForm({}), body: nested }) }
    for (const piece of ['a&', '[]&', 'a[]&', 'a[b]=&', '&'])
      yield {
        name: `${path}: a MiB of '${piece}'`,
        sent: withBody(original, { ...asForm({}), body: piece.repeat(Math.floor(1_048_576 / piece.length)) }),
      }
  }
}

test('many names of parameters are refused quickly', async () => {
  expect(await slowOnes(manyNames())).toEqual([])
})

/** A MiB of nested values that are slow to parse. */
const NESTED: Readonly<Record<string, string>> = {
  'objects with names of their own': repeated((at) => `{"${at}a":1}`),
  'objects with an index': repeated(() => '{"9999":1}'),
  lists: repeated(() => '[]'),
  'objects in objects': repeated((at) => `{"${at}a":{}}`),
}

function repeated(entryOf: (at: number) => string): string {
  const count = Math.floor(1_000_000 / (entryOf(99_999).length + 1))
  return Array.from({ length: count }, (_, at) => entryOf(at)).join()
}

/** Bodies of a MiB at the inbox, which needs no key: complete, without an end, and without commas. */
function bodiesOfStrangers(): [name: string, body: string][] {
  const nested = Object.entries(NESTED).flatMap(([name, entries]): [string, string][] => [
    [`a list of ${name}`, `[${entries}]`],
    [`an event with ${name}`, `{"id":"evt_1","data":[${entries}]}`],
    [`an event with ${name}, without its end`, `{"id":"evt_1","data":[${entries}`],
  ])
  const pieces = ['[', '[]', '{}'].map((piece): [string, string] => [
    `a MiB of '${piece}'`,
    `[${piece.repeat(1_000_000 / piece.length)}]`,
  ])
  return [...nested, ...pieces]
}

function* webhooks(): Generator<Attack> {
  const path = `/inbox/${played.sandbox.merchant.settings.id}`
  const signature = `t=${Math.floor(played.sandbox.engine.wall() / 1_000)},v1=abc`
  for (const headers of [{}, { 'Paytwin-Signature': signature }]) {
    for (const [name, body] of bodiesOfStrangers()) {
      const init = { method: 'POST', headers: { Host: 'localhost', ...headers }, body }
      yield { name: `${name}, with ${Object.keys(headers).length} signatures`, sent: { path, init } }
    }
  }
}

test('large webhooks of strangers are kept quickly', async () => {
  expect(await slowOnes(webhooks())).toEqual([])
})
