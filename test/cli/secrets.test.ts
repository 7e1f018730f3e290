import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Body } from '../twin.ts'
import { paytwin, type RunningDaemon, startDaemon, temporaryFolder } from './executable.ts'

const REDIRECT_URI = 'https://app.example/callback'
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const CARD = '4000056655665556'

const folder = temporaryFolder()
const data = join(folder.path, 'data')
/** Every secret that was created or returned, by its description. */
const secrets: Record<string, string> = { 'a card number': CARD, 'a code verifier': VERIFIER }
/** What the command line printed, but for where a secret is shown this once. */
let printed = ''
/** The last requests with their bodies. */
let shownRequests = ''
let daemon: RunningDaemon
let receiver: Server

type Init = { method?: string; headers?: Record<string, string>; form?: Body; body?: unknown }

async function ask(path: string, { method = 'POST', headers = {}, form, body }: Init = {}): Promise<Body> {
  const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
  const response = await fetch(daemon.url + path, {
    method,
    headers: {
      authorization: `Bearer ${secrets['the first key']}`,
      ...(method !== 'GET' && { 'content-type': type }),
      ...headers,
    },
    ...(form && { body: new URLSearchParams(form) }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: 'manual',
  })
  const text = await response.text()
  return { status: response.status, ...(text.startsWith('{') && JSON.parse(text)) }
}

const operate = (path: string, body: unknown = {}) =>
  ask(`/_paytwin/${path}`, { body, headers: { authorization: `Bearer ${secrets['the admin token']}` } })

const run = async (...args: string[]) => {
  const { stdout, stderr } = await paytwin([...args, '--data', data])
  printed += stdout + stderr
}

beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(500).end('no'))
  }).listen(0, '127.0.0.1')
  daemon = await startDaemon(['--data', data, '--clock', '2026-01-31T10:00:00Z', '--log-level', 'trace'])
  secrets['the first key'] = daemon.secret_key ?? ''
  secrets['the admin token'] = readFileSync(join(data, 'admin-token'), 'utf8').trim()
  await tellStory()
  await misplace()
  await run('keys', 'list')
  await run('requests', 'list', '-n', '100')
  await showRequests()
  await run('apps', 'list')
  await run('oauth', 'list')
  await run('webhooks', 'list')
  // Not as JSON: an intent, which events show as the API does, has a client_secret for every caller that can read the intent.
  await run('events', 'list', '-n', '100')
  await run('snapshots', 'save', 'all')
  await run('status')
  await run('logs')
  // The write-ahead log is searched too.
  await daemon.stop('SIGKILL')
}, 60_000)
afterAll(() => {
  receiver.close()
  folder.remove()
})

/** Creates keys, apps, codes, tokens, endpoints, cards and intents, and repeats each request with its idempotency key. */
async function tellStory(): Promise<void> {
  secrets['a key'] = (await operate('keys', { name: 'CI' })).secret
  secrets['a chosen key'] = (await operate('keys', { secret: `sk_test_${'chosen'.repeat(6)}` })).secret
  const revoked = await operate('keys')
  secrets['a revoked key'] = revoked.secret
  await operate(`keys/${revoked.id}/revoke`)

  const app = await operate('apps', { name: 'Ledgerly', redirect_uris: [REDIRECT_URI] })
  secrets['a client secret'] = app.client_secret
  secrets['a rotated client secret'] = (await operate(`apps/${app.id}/rotate_secret`)).client_secret
  const basic = Buffer.from(`${app.client_id}:${secrets['a rotated client secret']}`).toString('base64')
  secrets['a client’s proof'] = basic
  const asked = { client_id: app.client_id, redirect_uri: REDIRECT_URI, state: 'state' }
  const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' }
  const { id } = await ask('/v1/oauth/authorizations', { body: { ...asked, ...pkce } })
  const approved = await ask(`/v1/oauth/authorizations/${id}/approve`, { body: {} })
  const code = new URL(approved.redirect_to).searchParams.get('code') ?? ''
  secrets['a code'] = code
  const token = (form: Body) =>
    ask('/v1/oauth/token', {
      form,
      headers: { authorization: `Basic ${basic}`, 'idempotency-key': 'tokens' },
    })
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }
  const first = await token({ ...exchange, code_verifier: VERIFIER })
  secrets['an access token'] = first.access_token
  secrets['a refresh token'] = first.refresh_token
  const second = await token({ grant_type: 'refresh_token', refresh_token: first.refresh_token })
  secrets['a later access token'] = second.access_token
  secrets['a later refresh token'] = second.refresh_token
  const revoke = { token: second.access_token }
  await ask('/v1/oauth/revoke', { form: revoke, headers: { authorization: `Basic ${basic}` } })
  // The second use of a code is a replay, which revokes its tokens.
  await token({ ...exchange, code_verifier: VERIFIER })

  const { port } = receiver.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/webhooks`
  for (let time = 0; time < 2; time += 1) {
    const again = { 'idempotency-key': 'endpoint' }
    const endpoint = await ask('/v1/webhook_endpoints', {
      headers: again,
      body: { url, enabled_events: ['*'] },
    })
    secrets['a webhook secret'] ??= endpoint.secret
  }
  const card = { number: CARD, exp_month: 4, exp_year: 2030, cvc: '987' }
  for (let time = 0; time < 2; time += 1) {
    await ask('/v1/payment_methods', { headers: { 'idempotency-key': 'card' }, body: { type: 'card', card } })
    const intent = await ask('/v1/payment_intents', {
      headers: { 'idempotency-key': 'intent' },
      body: { amount: 500, currency: 'usd', payment_method: 'pm_card_visa', confirm: true },
    })
    secrets['a client_secret of an intent'] ??= intent.client_secret
  }
  await ask('/v1/test_helpers/clock/advance', { body: { by: '1d' } })
}

/** Shows all requests with their bodies, as JSON, and some as text. */
async function showRequests(): Promise<void> {
  const authorization = `Bearer ${secrets['the admin token']}`
  const ask = async (path: string) =>
    (await fetch(`${daemon.url}/_paytwin/${path}`, { headers: { authorization } })).json()
  for (let after = ''; ; ) {
    const { data, has_more } = (await ask(`requests?limit=100${after}`)) as {
      data: Body[]
      has_more: boolean
    }
    for (const { id } of data) {
      const shown = await ask(`requests/${id}`)
      shownRequests += JSON.stringify(shown)
    }
    if (!has_more) break
    after = `&starting_after=${data.at(-1)?.id}`
  }
  printed += shownRequests
  for (const line of printed.match(/req_\w+/g)?.slice(0, 3) ?? []) await run('requests', 'show', line)
}

/** Secrets that have no recognizable form. They are searched for only after their intended use. */
const SHAPELESS = new Set(['a card number', 'a code verifier', 'a client’s proof'])

/** Each secret where it does not belong. */
async function misplace(): Promise<void> {
  for (const [what, secret] of Object.entries(secrets)) {
    if (SHAPELESS.has(what)) continue
    const encoded = encodeURIComponent(secret)
    for (const path of [
      `/v1/customers/${encoded}`,
      `/v1/${encoded}`,
      `/${encoded}`,
      `/v1/customers?limit=${encoded}`,
      `/v1/customers?zebra=${encoded}`,
      `/v1/customers?${encoded}=1`,
      `/v1/customers?starting_after=${encoded}`,
      `/v1/events?type=${encoded}`,
      `/v1/customers?expand[]=${encoded}`,
      `/v1/oauth/authorize?client_id=${encoded}`,
      `/_paytwin/health?nonce=${encoded}`,
      `/docs/${encoded}`,
    ])
      await ask(path, { method: 'GET' })
    await ask('/v1/customers', { method: 'GET', headers: { authorization: `Bearer ${secret}` } })
    await ask('/v1/customers', { method: 'GET', headers: { authorization: secret } })
    await ask('/v1/customers', { method: 'GET', headers: { 'x-api-version': secret } })
    await ask('/v1/customers', { body: { invoice_prefix: secret } })
    await ask('/v1/customers', { body: { [secret]: 1, email: { [secret]: secret } } })
    await ask('/v1/customers', { form: { [secret]: '1' } })
    await ask('/v1/subscriptions', { body: { customer: secret, currency: secret, items: [] } })
    await ask('/v1/payment_methods/pm_card_visa/attach', { body: { customer: secret } })
    await ask('/v1/webhook_endpoints', { body: { url: `ftp://${secret}`, enabled_events: [secret] } })
    await ask('/v1/oauth/token', { form: { grant_type: secret, code: secret, refresh_token: secret } })
    await operate('keys', { merchant: secret })
    await operate('snapshots', { name: secret.slice(0, 64) + secret })
    await operate('snapshots/none/restore', { secret })
    await ask(`/_paytwin/keys/${encoded}/revoke`, { headers: { authorization: `Bearer ${secret}` } })
  }
}

/** Everything that is on disk, each file with its content. */
const files = (): [string, Buffer][] =>
  readdirSync(data, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(data, name)).isFile())
    .map((name) => [name, readFileSync(join(data, name))])

/** The plain secret and its common encodings. */
const spellings = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('hex'),
  Buffer.from(secret).toString('base64').replace(/=+$/, '').slice(0, -1),
]

const holds = (content: Buffer | string, secret: string): boolean =>
  spellings(secret).some((spelling) => content.includes(spelling))

describe('no secret', () => {
  test('is missing from this test', () => {
    expect(Object.entries(secrets).filter(([, secret]) => (secret ?? '').length < 16)).toEqual([])
    expect(new Set(Object.values(secrets)).size).toBe(Object.keys(secrets).length)
    const found = files().map(([name]) => name)
    for (const name of ['paytwin.db', 'paytwin.db-wal', 'daemon.log', 'daemon.json', 'snapshots/all.db'])
      expect(found).toContain(name)
    // Proves that the search works: the stored hash of a key is found, in the database, because a save empties its log.
    const hash = createHash('sha256')
      .update(secrets['the first key'] ?? '')
      .digest()
    expect(
      files()
        .filter(([, content]) => content.includes(hash))
        .map(([name]) => name),
    ).toContain('paytwin.db')
    expect(daemon.log()).toContain('/v1/customers')
    for (const kept of ['"exp_year":2030', 'client_secret', '"grant_type":"authorization_code"', 'whsec_…'])
      expect(shownRequests).toContain(kept)
  })

  test('is in any file of the data folder, except the admin token in its own file', () => {
    const found = files().flatMap(([name, content]) =>
      Object.entries(secrets)
        .filter(([, secret]) => holds(content, secret))
        .map(([what]) => `${what} in ${name}`),
    )
    expect(found).toEqual(['the admin token in admin-token'])
  })

  test('is in the output of the daemon or a command', () => {
    const found = Object.entries(secrets).filter(([, secret]) => holds(daemon.log() + printed, secret))
    expect(found.map(([what]) => what)).toEqual([])
  })
})

test('only the owner can access the files and folders', () => {
  expect(wrongModes(data)).toEqual([])
})

/** Lists the files that do not have the mode 0600, and the folders that do not have 0700. */
const wrongModes = (path: string): string[] =>
  ['.', ...readdirSync(path, { recursive: true, encoding: 'utf8' })]
    .map((name) => ({ name, stats: statSync(join(path, name)) }))
    .filter(({ stats }) => (stats.mode & 0o777) !== (stats.isDirectory() ? 0o700 : 0o600))
    .map(({ name, stats }) => `${name} ${(stats.mode & 0o777).toString(8)}`)

test.each(['000', '277', '777'])(
  'only the owner can access the files and folders with the umask %s',
  async (umask) => {
    const other = join(folder.path, `umask-${umask}`)
    const before = process.umask(umask)
    try {
      const started = await startDaemon(['--data', other])
      await paytwin(['snapshots', 'save', 'a', '--data', other])
      await started.stop()
    } finally {
      process.umask(before)
    }
    expect(existsSync(join(other, 'snapshots', 'a.db'))).toBe(true)
    expect(wrongModes(other)).toEqual([])
  },
)
