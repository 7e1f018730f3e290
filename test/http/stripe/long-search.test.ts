import { afterAll, beforeAll, expect, test } from 'vitest'
import { currentView, type Search, type SearchClause } from '../../../src/engine/history/view.ts'
import { leastWithin } from '../../processor-time.ts'
import { clientOf, startTwin, type Twin } from '../../twin.ts'
import { asOperator } from '../support.ts'

const CUSTOMERS = 60
const PRODUCTS = 60
/** The maximum processor time of one step, in milliseconds. Other requests wait for it. */
const MAX_STEP_MS = 20

let twin: Twin
let found: string
const texts = Array.from({ length: 50 }, (_, key) => [`key${key}`, `${'é'.repeat(490)}${key}`])
const metadata = Object.fromEntries(texts)
const parts = Array.from({ length: 10 }, (_, key) => ({ key: `key${key}`, part: `é${key}x` }))
const query = parts.map(({ key, part }) => `metadata["${key}"]~"${part}"`).join(' OR ')
const path = `/v1/customers/search?query=${encodeURIComponent(query)}`

beforeAll(async () => {
  twin = await startTwin({ dialect: 'stripe' })
  const create = async (given: unknown) =>
    (await twin.post('/v1/customers', { metadata: given, email: 'ada@example.com' })).id
  found = await create({ key0: 'é0x' })
  for (let index = 1; index < CUSTOMERS; index += 1) await create(metadata)
  // Texts with runs of capitals and other alphabets take longest to search.
  const long = 'aA'.repeat(2_499)
  for (let index = 0; index < PRODUCTS; index += 1)
    await twin.post('/v1/products', { name: `é${long}`, description: `ü${long}` })
})
afterAll(() => twin.close())

test('a search through long texts lets other requests run, and finds what matches', async () => {
  const ended: string[] = []
  const search = twin.get(path).then((result) => {
    ended.push('search')
    return result
  })
  await twin.get('/v1/customers?limit=1').then(() => ended.push('list'))
  const { data } = await search
  expect(data.map(({ id }: { id: string }) => id)).toEqual([found])
  expect(ended).toEqual(['list', 'search'])
})

const inMetadata = ({ key, part }: { key: string; part: string }, isNegated: boolean): SearchClause => ({
  operand: { metadata: key },
  comparison: { contains: part },
  isNegated,
})

const inText = (column: string): SearchClause => ({
  operand: { column },
  comparison: { contains: 'zzz' },
  isNegated: false,
})

test.each<[string, 'customer' | 'product', Search]>([
  ['by metadata', 'customer', { joined: 'or', clauses: parts.map((each) => inMetadata(each, false)) }],
  [
    'by an email address and metadata',
    'customer',
    {
      joined: 'and',
      clauses: [
        { operand: { column: 'email' }, comparison: { same: 'ada@example.com' }, isNegated: false },
        ...parts.slice(1).map((each) => inMetadata(each, true)),
        inMetadata({ key: 'key0', part: 'é0x' }, false),
      ],
    },
  ],
  [
    'by long texts',
    'product',
    { joined: 'or', clauses: parts.flatMap(() => [inText('name'), inText('description')]) },
  ],
])('no step of a search %s or of its count takes long', async (_, kind, search) => {
  const { engine, merchant } = twin.sandbox
  const view = currentView({ ...engine, url: engine.url, merchant: merchant.settings })
  expect(await leastMaximum(() => view.search(kind, search, { limit: 10 }))).toBeLessThan(MAX_STEP_MS)
  expect(await leastMaximum(() => view.countFound(kind, search, 10))).toBeLessThan(MAX_STEP_MS)
})

/** Returns the processor time of the longest step in milliseconds, in the try in which it was shortest. */
const leastMaximum = (begin: () => Generator<void, unknown>): Promise<number> =>
  leastWithin(MAX_STEP_MS, async () => {
    let most = 0
    for (const steps = begin(); ; ) {
      const before = process.cpuUsage()
      const { done } = steps.next()
      const { user, system } = process.cpuUsage(before)
      most = Math.max(most, (user + system) / 1_000)
      if (done) return most
    }
  })

test('a search during which its key is revoked is refused', async () => {
  const operate = asOperator(twin)
  const { body: key } = await operate('POST', 'keys')
  const search = clientOf(twin.sandbox, key.secret).request('GET', path)
  await operate('POST', `keys/${key.id}/revoke`)
  expect((await search).status).toBe(401)
})

test('a search during which the state is replaced starts over', async () => {
  const search = twin.request('GET', path)
  await asOperator(twin)('POST', 'reset')
  const { status, body } = await search
  expect([status, body.data]).toEqual([200, []])
})
