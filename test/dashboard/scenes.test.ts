import { afterAll, beforeAll, expect, test } from 'vitest'
import { INVISIBLE } from '../../src/text/display.ts'
import { asOperator } from '../http/support.ts'
import { clientOf, startTwin, type Twin } from '../twin.ts'
import { plain, type SignedIn, signIn, url, visit } from './support.ts'

let twin: Twin
let browser: SignedIn
beforeAll(async () => {
  twin = await startTwin({ url })
  browser = await signIn(twin)
})
afterAll(() => twin.close())

const operator = (method: string, path: string, body?: unknown) => asOperator(twin)(method, path, body)
const look = async (path: string) => (await visit(twin, path, { headers: { cookie: browser.cookie } })).text()
const listed = async (path: string) => (await operator('GET', path)).body.data

test('a shipped fixtures file is loaded with a click, and its objects are linked', async () => {
  expect((await browser.show('/scenes')).text).toContain('tour.json')
  const { status, text } = await browser.send('/scenes/fixtures', { shipped: 'tour.json' })
  expect(status).toBe(200)
  expect(plain(text)).toContain('3 customers')
  expect(text).toMatch(/<td>ada<\/td><td><a class="id" href="\/dashboard\/mer_\w+\/customers\/cus_/)
  expect((await twin.get('/v1/customers')).data).toHaveLength(3)
})

test('pasted fixtures are loaded, also with more than 10,000 bytes, and mistakes are shown with their place', async () => {
  const content = JSON.stringify({
    customers: Array.from({ length: 200 }, (_, index) => ({ ref: `c${index}`, name: '<b>x</b>'.repeat(9) })),
  })
  expect(content.length).toBeGreaterThan(10_000)
  const { text } = await browser.send('/scenes/fixtures', { content })
  expect(plain(text)).toContain('200 customers')
  const wrong = await browser.send('/scenes/fixtures', { content: '{\n  "customers": [,]\n}' })
  expect(wrong.status).toBe(400)
  expect(plain(wrong.text)).toContain('pasted.json')
  expect(plain(wrong.text)).toContain('2:')
  const unknown = await browser.send('/scenes/fixtures', { content: '{"custommers": []}' })
  expect([unknown.status, plain(unknown.text)]).toEqual([400, expect.stringContaining('custommers')])
  // A space takes three bytes of a form's limit if it is percent-encoded.
  const large = await browser.send('/scenes/fixtures', { content: `{}${' '.repeat(4_194_303)}` })
  expect([large.status, plain(large.text)]).toEqual([400, expect.stringContaining('4,194,305 bytes')])
})

/** Begins with characters that reverse the order of what follows, or control a terminal. */
const HOSTILE = '\u202ecod\u001b[31m\u009b'
const escaped = String.raw`\u202ecod\u001b[31m\u009b`

test('a notice about a hostile file shows its control characters as escapes', async () => {
  const content = JSON.stringify({ [HOSTILE]: [1] })
  const { status, text } = await browser.send('/scenes/fixtures', { content })
  expect(status).toBe(400)
  expect(text).toContain(escaped)
  expect(text.replaceAll('\n', '').match(INVISIBLE)).toBeNull()
})

test('the names of keys and merchants do not reorder the text beside them', async () => {
  const { body: other } = await operator('POST', 'merchants', { name: HOSTILE })
  await operator('POST', 'keys', { merchant: other.id, name: HOSTILE })
  const text = await look(`/dashboard/${other.id}/scenes`)
  expect(text.match(/<title>.*<\/title>/)?.[0]).toBe(`<title>Scenes · ${escaped} · paytwin</title>`)
  expect(text).toContain(`</code> <bdi>${HOSTILE}</bdi><small>`)
  expect(text).toContain(`<bdi>${HOSTILE}</bdi></a><small>`)
  await operator('DELETE', `merchants/${other.id}`)
})

test('faults are added for the merchant or for all, and removed', async () => {
  const { text } = await browser.send('/scenes/faults', {
    kind: 'latency',
    percent: '50',
    count: '3',
    route: '/v1/<b>',
    ms: '20',
  })
  expect(plain(text)).toContain('The fault is active.')
  expect(plain(text)).toContain('latency /v1/&lt;b&gt; 20 ms 50 % of the time 3 left')
  await browser.send('/scenes/faults', {
    kind: 'decline',
    percent: '',
    count: '',
    route: '',
    ms: '5',
    all: '1',
  })
  const [first, second] = await listed('faults')
  expect(first).toMatchObject({
    kind: 'latency',
    rate: 0.5,
    remaining: 3,
    ms: 20,
    merchant: twin.sandbox.merchant.settings.id,
  })
  expect(second).toMatchObject({ kind: 'decline', rate: 1, remaining: null, merchant: null })
  for (const { id } of [first, second]) await browser.send(`/scenes/remove-fault/${id}`, {})
  expect(await listed('faults')).toEqual([])
  const wrong = await browser.send('/scenes/faults', { kind: 'latency', percent: 'half' })
  expect([wrong.status, plain(wrong.text)]).toEqual([400, expect.stringContaining('rate')])
})

test('snapshots are saved, restored and deleted', async () => {
  const before = (await twin.get('/v1/customers?limit=100')).data.length
  expect(plain((await browser.send('/scenes/snapshots', { name: 'before.1' })).text)).toContain('before.1')
  await twin.post('/v1/customers', { name: 'After' })
  expect(plain((await browser.send('/scenes/restore/before.1', {})).text)).toContain(
    'The snapshot was restored.',
  )
  expect((await twin.get('/v1/customers?limit=100')).data).toHaveLength(before)
  expect(plain((await browser.show('/scenes/compare/before.1')).text)).toContain('No object differs')
  const { id } = await twin.post('/v1/customers', { name: 'After' })
  const { text } = await browser.show('/scenes/compare/before.1')
  expect(plain(text)).toContain('customer 1 0 0')
  expect(text).toContain(`/customers/${id}`)
  await browser.send('/scenes/delete-snapshot/before.1', {})
  expect(await listed('snapshots')).toEqual([])
  expect((await browser.send('/scenes/snapshots', { name: '../x' })).status).toBe(400)
  expect((await browser.send('/scenes/restore/none', {})).status).toBe(404)
})

test('a new key is shown once, works, and can be revoked', async () => {
  const { text, headers } = await browser.send('/scenes/keys', { name: 'Shop <i>', type: 'secret' })
  const [secret = ''] = /sk_test_\w+(?=<\/pre>)/.exec(text) ?? []
  expect(headers.get('cache-control')).toBe('no-store')
  const shop = clientOf(twin.sandbox, secret)
  expect((await shop.request('GET', '/v1/customers')).status).toBe(200)
  const scenes = await browser.show('/scenes')
  expect(scenes.text).toContain('Shop &lt;i&gt;')
  expect(scenes.text).not.toContain(secret)
  const [key] = await listed('keys')
  expect(plain((await browser.send(`/scenes/revoke-key/${key.id}`, {})).text)).toContain(
    'The key was revoked.',
  )
  expect((await shop.request('GET', '/v1/customers')).status).toBe(401)
})

test.each(['paytwin', 'stripe'])(
  'a merchant with the dialect %s is made, shown and deleted',
  async (dialect) => {
    const { text } = await browser.send('/scenes/merchants', {
      name: `Shop ${dialect}`,
      dialect,
      clock: '2027-01-01T00:00',
    })
    expect(text).toContain('2027-01-01 00:00')
    expect(text).toContain('The merchant was created.')
    expect(text).toContain(
      `<option value="${(await listed('merchants')).at(-1).id}" selected="">Shop ${dialect}</option>`,
    )
    const made = (await listed('merchants')).at(-1)
    expect(made).toMatchObject({ name: `Shop ${dialect}`, dialect })
    await browser.send(`/scenes/delete-merchant/${made.id}`, {})
    expect((await listed('merchants')).map(({ id }: { id: string }) => id)).not.toContain(made.id)
  },
)

test('a reset begins anew', async () => {
  await twin.post('/v1/customers', { name: 'Gone' })
  const { text } = await browser.send('/scenes/reset', {})
  expect(text).toContain('<h1>Overview</h1>')
  expect((await listed('merchants')).length).toBe(1)
})

test.each(['/scenes/nonsense', '/scenes/constructor', '/scenes/keys/a/b'])(
  'the form %s does not exist',
  async (path) => {
    expect((await browser.send(path, {})).status).toBe(404)
  },
)
