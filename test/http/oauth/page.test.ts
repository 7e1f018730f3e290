import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Body, startTwin, type Twin } from '../../twin.ts'
import { anotherMerchant, asOperator, expectRefusal, FORM, invalid, toForm, unknown } from '../support.ts'
import {
  exchange,
  grants,
  grantsNothing,
  makeApp,
  opens,
  PKCE,
  paramsOf,
  REDIRECT_URI,
  VERIFIER,
} from './support.ts'

const HOST = { Host: 'localhost:4242' }
const OWN = { ...HOST, Origin: 'http://localhost:4242' }
const DECISION = '/v1/oauth/authorize/decision'

let twin: Twin
let app: Body
let wall: number
let merchant: string
beforeEach(async () => {
  wall = Date.UTC(2026, 0, 31, 10)
  twin = await startTwin({ wall: () => wall })
  app = await makeApp(twin)
  merchant = twin.sandbox.merchant.settings.id
})
afterEach(() => twin.close())

type Shown = { readonly status: number; readonly headers: Headers; readonly html: string }

const look = async (path: string, init: RequestInit = {}): Promise<Shown> => {
  const response = await twin.sandbox.app.request(path, { headers: HOST, ...init })
  const { status, headers } = response
  return { status, headers, html: await response.text() }
}

const asking = (params: Body = {}): Body => ({
  response_type: 'code',
  client_id: app.client_id,
  redirect_uri: REDIRECT_URI,
  state: 'af0ifjsldkj',
  ...params,
})
const show = (params: Body | string = {}): Promise<Shown> =>
  look(`/v1/oauth/authorize?${typeof params === 'string' ? params : new URLSearchParams(asking(params))}`)

const nonceOf = ({ html }: Shown): string => /name="nonce" value="(\w+)"/.exec(html)?.[1] ?? ''
const cookieOf = ({ headers }: Shown): string => headers.get('Set-Cookie')?.split(';')[0] ?? ''

/** Submits the form of the page as a browser does. */
const decide = (page: Shown, form: Body, headers: Record<string, string> = {}): Promise<Shown> =>
  look(DECISION, {
    method: 'POST',
    body: toForm({ nonce: nonceOf(page), ...form }),
    headers: { ...FORM, ...OWN, Cookie: cookieOf(page), ...headers },
  })
const approve = (page: Shown, headers?: Record<string, string>) =>
  decide(page, { decision: 'approve', merchant }, headers)

/** Checks an error page, without a redirect. */
function expectPageRefusal({ status, headers, html }: Shown, words: RegExp): void {
  expect(status).toBe(400)
  expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  expect(headers.get('Location')).toBeNull()
  expect(html).toMatch(words)
  expect(html).not.toMatch(/<form|http-equiv| href=/i)
}

describe('the page', () => {
  test('shows the app, the requested scope and the merchant', async () => {
    const { html, status } = await show({ scope: 'read_write' })
    expect(status).toBe(200)
    expect(html).toContain('<strong>Ledgerly</strong> requests access to your account')
    expect(html).toContain('create and change them: charge, refund, subscribe, cancel')
    expect(html).toContain('<b>https://app.example</b>')
    expect(html).toContain(`value="${merchant}" required="" checked=""`)
    expect((await show()).html).toContain('not create or change them')
  })

  test('lists several merchants, with none selected', async () => {
    const { merchant: other } = await anotherMerchant(twin)
    const { html } = await show()
    for (const id of [merchant, other.id])
      expect(html).toContain(`type="radio" name="merchant" value="${id}"`)
    expect(html).not.toContain('checked=')
    for (let count = 0; count < 5; count += 1) await anotherMerchant(twin)
    const { html: many } = await show()
    expect(many).not.toContain('type="radio"')
    expect(many.match(/<option value="mer_/g)).toHaveLength(7)
  })

  test('runs and loads nothing, and cannot be cached or framed', async () => {
    const page = await show()
    expect(page.html).toMatch(/^<!doctype html><html lang="en">/)
    expect(page.html).not.toMatch(/<script|<link|<img|<iframe| on\w+="|url\(|@import|javascript:/i)
    const { headers } = page
    const [, hash] = /style-src '(sha256-[^']+)'/.exec(headers.get('Content-Security-Policy') ?? '') ?? []
    expect(headers.get('Content-Security-Policy')).toBe(
      `default-src 'none'; style-src '${hash}'; base-uri 'none'; form-action 'self' https://app.example; frame-ancestors 'none'`,
    )
    expect(headers.get('X-Frame-Options')).toBe('DENY')
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(headers.get('Request-Id')).toMatch(/^req_/)
    expect(headers.get('X-API-Version')).toBe('2026-03-09')
  })

  test('gives its browser a cookie that no other site sends and no script reads', async () => {
    const cookie = (await show()).headers.get('Set-Cookie')
    expect(cookie).toMatch(
      /^paytwin_consent_[0-9a-f]{12}=[A-Za-z0-9]{32}; Max-Age=600; Path=\/v1\/oauth\/authorize; HttpOnly; SameSite=Strict$/,
    )
  })

  test('escapes its values', async () => {
    const name = `<img src=x onerror="alert('1')">&`
    app = await makeApp(twin, { name })
    await asOperator(twin)('POST', 'merchants', { name })
    const { html } = await show()
    expect(html).not.toContain('<img')
    expect(html.match(/&lt;img src=x onerror=&quot;alert\(&#39;1&#39;\)&quot;&gt;&amp;/g)).toHaveLength(3)
  })

  test('lists merchants with the control characters of their names as escapes', async () => {
    const name = 'Shop\u202e'
    for (let count = 0; count < 6; count += 1) await asOperator(twin)('POST', 'merchants', { name })
    const { html } = await show()
    expect(html).toContain(String.raw`>Shop\u202e (mer_`)
    expect(html).not.toContain('\u202e')
  })

  test('shows the scheme of a mobile app, and allows its form to redirect there', async () => {
    const uri = 'com.ledgerly.app:/done'
    app = await makeApp(twin, { redirect_uris: [uri] })
    const page = await show({ redirect_uri: uri })
    expect(page.html).toContain('<b>com.ledgerly.app:</b>')
    expect(page.headers.get('Content-Security-Policy')).toContain("form-action 'self' com.ledgerly.app:;")
    expect((await approve(page)).headers.get('Location')).toMatch(
      /^com\.ledgerly\.app:\/done\?code=oac_test_/,
    )
  })

  test('ignores and lists unknown parameters', async () => {
    const { status, headers } = await show({ prompt: 'login', nonce: 'x' })
    expect(status).toBe(200)
    expect(headers.get('Paytwin-Ignored-Params')).toBe('prompt,nonce')
  })

  test('is not shown to other hosts and origins', async () => {
    const path = `/v1/oauth/authorize?${new URLSearchParams(asking())}`
    for (const headers of [
      { Host: 'evil.example' },
      { Host: 'localhost.evil.example' },
      { ...HOST, Origin: 'https://evil.example' },
    ]) {
      const response = await grantsNothing(twin, () =>
        twin.request('GET', path, undefined, { Authorization: '', ...headers }),
      )
      expectRefusal(response, invalid('Host'))
    }
  })

  test('is there for GET alone', async () => {
    const path = '/v1/oauth/authorize'
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expectRefusal(await twin.request(method, path, {}, HOST), unknown(null))
    }
    expectRefusal(await twin.request('GET', DECISION, undefined, HOST), unknown(null))
  })
})

describe('a request that names no app of its own', () => {
  test.each([
    'https://app.example/callback/',
    'https://app.example/Callback',
    'https://APP.example/callback',
    'HTTPS://app.example/callback',
    'http://app.example/callback',
    'https://app.example:443/callback',
    'https://app.example:8443/callback',
    'https://app.example/callback?x=1',
    'https://app.example/callback?',
    'https://app.example/callback#x',
    'https://app.example/callback#',
    'https://app.example/callback/../callback',
    'https://app.example/./callback',
    'https://app.example//callback',
    'https://app.example/%63allback',
    'https://app.example/callback%00',
    'https://app.example/callback%23',
    'https://app.example',
    'https://app.example/',
    'https://user@app.example/callback',
    'https://app.example@evil.example/callback',
    'https://app.example.evil.example/callback',
    'https://evil.example/callback',
    'https://evil.example/https://app.example/callback',
    '//app.example/callback',
    '/callback',
    ' https://app.example/callback',
    'https://app.example/callback\n',
    'javascript:alert(1)//https://app.example/callback',
    'http://127.0.0.1/callback',
  ])('is sent nowhere: %j', async (redirect_uri) => {
    for (const more of [{}, { response_type: 'token' }, { scope: 'admin' }]) {
      const page = await grantsNothing(twin, () => show({ redirect_uri, ...more }))
      expectPageRefusal(page, /redirect_uri is not registered for this app/)
    }
  })

  test('is not redirected if the app is unknown, or the redirect_uri is another app’s', async () => {
    expectPageRefusal(await show({ client_id: 'app_unknown' }), /No such app/)
    const other = await makeApp(twin, { redirect_uris: ['https://other.example/callback'] })
    expectPageRefusal(
      await show({ client_id: other.client_id }),
      /redirect_uri is not registered for this app/,
    )
  })

  test.each([
    ['without a client_id', { client_id: '' }, 'client_id'],
    ['without a redirect_uri', { redirect_uri: '' }, 'redirect_uri'],
  ])('is sent nowhere %s', async (_, params, name) => {
    expectPageRefusal(await show(params), new RegExp(`Missing required parameter: ${name}`))
  })

  test('is sent nowhere when it names two', async () => {
    const once = String(new URLSearchParams(asking()))
    for (const more of ['redirect_uri=https://evil.example', `client_id=${app.client_id}`]) {
      expectPageRefusal(await show(`${once}&${more}`), /is repeated/)
    }
    expectPageRefusal(await show(''), /Missing required parameter: client_id/)
  })

  test('shows the error without allowing markup into the page', async () => {
    const { html } = await show({ client_id: '<script>alert(1)</script>' })
    expect(html).not.toContain('<script')
    expect(html).toContain('&lt;script&gt;')
  })

  test('shows the error with its control characters as escapes', async () => {
    const { html } = await show({ client_id: 'app\u202e\u009b' })
    expect(html).toContain(String.raw`app\u202e\u009b`)
    expect(html).not.toMatch(/[\u202e\u009b]/)
  })
})

describe('a request with an error that is reported to the app', () => {
  test.each<[string, Body, string]>([
    ['an unknown scope', { scope: 'admin' }, 'invalid_scope'],
    ['a known scope and an unknown one', { scope: 'read_only admin' }, 'invalid_scope'],
    ['another response_type', { response_type: 'token' }, 'unsupported_response_type'],
    ['an id token', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['no response_type', { response_type: '' }, 'invalid_request'],
    ['a challenge in plain text', { ...PKCE, code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge without a method', { code_challenge: PKCE.code_challenge }, 'invalid_request'],
    ['a method without a challenge', { code_challenge_method: 'S256' }, 'invalid_request'],
    ['a challenge that is too short', { ...PKCE, code_challenge: 'short' }, 'invalid_request'],
  ])('has %s', async (_, params, error) => {
    const { status, headers } = await grantsNothing(twin, () => show(params))
    expect(status).toBe(303)
    const location = headers.get('Location') ?? ''
    expect(location.startsWith(`${REDIRECT_URI}?error=${error}&`)).toBe(true)
    const { error_description, ...rest } = paramsOf(location)
    expect(rest).toEqual({ error, state: 'af0ifjsldkj' })
    expect(error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
  })

  test('has a parameter twice', async () => {
    const once = String(new URLSearchParams(asking({ scope: 'read_only' })))
    for (const name of ['scope', 'state', 'response_type', 'code_challenge']) {
      const { headers } = await show(`${once}&${name}=x&${name}=y`)
      expect(paramsOf(headers.get('Location') ?? '').error).toBe('invalid_request')
    }
  })
})

describe('a decision', () => {
  test('to approve redirects the browser with a valid code', async () => {
    const page = await show({ ...PKCE, scope: 'read_write' })
    const { status, headers } = await approve(page)
    expect(status).toBe(303)
    const { code, ...rest } = paramsOf(headers.get('Location') ?? '')
    expect(rest).toEqual({ state: 'af0ifjsldkj' })
    expect(headers.get('Cache-Control')).toBe('no-store')
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(headers.get('Paytwin-Now')).toBe(String(twin.sandbox.merchant.clock.now))
    expect(headers.get('Set-Cookie')).toBe(
      `${cookieOf(page).split('=')[0]}=; Max-Age=0; Path=/v1/oauth/authorize; HttpOnly; SameSite=Strict`,
    )
    const { body } = await exchange(twin, app, code ?? '', { code_verifier: VERIFIER })
    expect(body).toMatchObject({ scope: 'read_write', merchant_id: merchant })
    expect(await opens(twin, body)).toBe(true)
  })

  test('is for the merchant that was chosen', async () => {
    const { merchant: other } = await anotherMerchant(twin)
    const { headers } = await decide(await show(), { decision: 'approve', merchant: other.id })
    const { body } = await exchange(twin, app, paramsOf(headers.get('Location') ?? '').code ?? '')
    expect(body.merchant_id).toBe(other.id)
  })

  test.each<[Body]>([[{ decision: 'deny' }], [{ decision: 'deny', merchant: '' }]])(
    'to deny sends the browser back without one: %j',
    async (form) => {
      const { status, headers } = await decide(await show(), form)
      expect(status).toBe(303)
      expect(headers.get('Location')).toBe(`${REDIRECT_URI}?error=access_denied&state=af0ifjsldkj`)
      expect(grants(twin)).toMatchObject({ authorizations: [{ status: 'denied', code: null }], tokens: [] })
    },
  )

  test('without a state returns none', async () => {
    const page = await show({ state: '' })
    expect((await approve(page)).headers.get('Location')).toMatch(/\?code=oac_test_\w{32}$/)
  })

  test('keeps the query that the app’s address has', async () => {
    const uri = 'https://app.example/callback?from=paytwin&x=%20'
    app = await makeApp(twin, { redirect_uris: [uri] })
    const { headers } = await approve(await show({ redirect_uri: uri }))
    expect(headers.get('Location')?.startsWith(`${uri}&code=`)).toBe(true)
  })

  test.each<[string, Body, RegExp]>([
    ['none', {}, /Missing required parameter: decision/],
    ['an unknown one', { decision: 'perhaps', merchant: 'x' }, /Invalid value for decision/],
    ['an approval for nobody', { decision: 'approve' }, /Choose the merchant/],
    ['an approval for an unknown merchant', { decision: 'approve', merchant: 'mer_x' }, /No such merchant/],
  ])('is refused: %s', async (_, form, words) => {
    const page = await show()
    expectPageRefusal(await grantsNothing(twin, () => decide(page, form)), words)
    expect((await approve(page)).status).toBe(303)
  })

  test('is final, approved or denied', async () => {
    for (const first of ['approve', 'deny']) {
      const page = await show()
      expect((await decide(page, { decision: first, merchant })).status).toBe(303)
      for (const second of ['approve', 'deny']) {
        const again = await grantsNothing(twin, () => decide(page, { decision: second, merchant }))
        expectPageRefusal(again, /already been decided/)
      }
    }
  })

  test('sent ten times at once counts once', async () => {
    const page = await show()
    const responses = await Promise.all(Array.from({ length: 10 }, () => approve(page)))
    expect(responses.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(9)
  })

  test('must be made within ten minutes of the wall clock', async () => {
    const [first, second] = [await show(), await show()]
    await twin.advance({ by: '1y' })
    wall += 599_000
    expect((await approve(first)).status).toBe(303)
    wall += 1_000
    expectPageRefusal(await grantsNothing(twin, () => approve(second)), /has expired/)
  })

  test('is made on several pages of one browser, each with its cookie', async () => {
    const [first, second] = [await show({ state: 'first' }), await show({ state: 'second' })]
    const both = { Cookie: `${cookieOf(first)}; ${cookieOf(second)}` }
    expect(paramsOf((await approve(first, both)).headers.get('Location') ?? '').state).toBe('first')
    expect(paramsOf((await approve(second, both)).headers.get('Location') ?? '').state).toBe('second')
  })
})

describe('a forged decision', () => {
  const forged = (page: Shown, headers: Record<string, string>) =>
    grantsNothing(twin, () => approve(page, headers))

  test.each([
    'https://evil.example',
    'http://localhost',
    'http://localhost:4243',
    'http://127.0.0.1:4242',
    'http://localhost:4242.evil.example',
    'null',
    '',
  ])('of the origin %j is refused', async (Origin) => {
    const page = await show()
    const { status, headers, html } = await forged(page, { Origin })
    expect([status, headers.get('Location')]).toEqual([400, null])
    expect(JSON.parse(html).error).toMatchObject({ code: 'parameter_invalid', param: 'Host' })
    expect((await approve(page)).status).toBe(303)
  })

  test('of another host is refused', async () => {
    const headers = { Host: 'evil.example', Origin: 'http://evil.example' }
    expect((await forged(await show(), headers)).status).toBe(400)
  })

  test('without an origin is refused', async () => {
    const page = await show()
    const { Origin, ...headers } = { ...FORM, ...OWN, Cookie: cookieOf(page) }
    const body = toForm({ nonce: nonceOf(page), decision: 'approve', merchant })
    const response = await grantsNothing(twin, () => look(DECISION, { method: 'POST', body, headers }))
    expectPageRefusal(response, /must come from the consent page/)
  })

  test('without the cookie, or with another page’s, is refused', async () => {
    const [page, others] = [await show(), await show()]
    const name = cookieOf(page).split('=')[0]
    for (const Cookie of [
      '',
      `${name}=`,
      `${name}=${'x'.repeat(32)}`,
      cookieOf(others),
      `${name}=${cookieOf(others).split('=')[1]}`,
    ]) {
      expectPageRefusal(await forged(page, { Cookie }), /was not shown to this browser/)
    }
  })

  test('without a nonce, or with another one, is refused', async () => {
    const page = await show()
    for (const nonce of ['x'.repeat(32), nonceOf(page).slice(1), cookieOf(page).split('=')[1]]) {
      const response = await grantsNothing(twin, () => decide(page, { nonce, decision: 'approve', merchant }))
      expectPageRefusal(response, /was not shown to this browser/)
    }
    const response = await grantsNothing(twin, () =>
      decide(page, { nonce: '', decision: 'approve', merchant }),
    )
    expectPageRefusal(response, /Missing required parameter: nonce/)
  })

  test('with a nonce and a cookie of two pages, each valid, is refused', async () => {
    const [mine, theirs] = [await show(), await show()]
    const stolen = { Cookie: cookieOf(mine) }
    expectPageRefusal(await forged(theirs, stolen), /was not shown to this browser/)
    expect((await approve(mine)).status).toBe(303)
    expect((await approve(theirs)).status).toBe(303)
  })
})
