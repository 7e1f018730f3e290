import { afterAll, beforeAll, expect, describe as group, test } from 'vitest'
import { Pages } from '../../src/http/docs/pages.ts'
import { ERROR_CODES } from '../../src/http/error-codes.ts'
import { describe } from '../../src/http/openapi.ts'
import { startTwin, type Twin } from '../twin.ts'
import { expectRefusal, invalid, unknown } from './support.ts'

const HOST = { Host: 'localhost:4242' }

let twin: Twin
const pages = new Map<string, string>()
beforeAll(async () => {
  twin = await startTwin()
  const open = ['/docs']
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const response = await twin.sandbox.app.request(path, { headers: HOST })
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
    const page = await response.text()
    pages.set(path, page)
    const linked = linksOf(page).map((link) => link.replace(/#.*/, ''))
    open.push(
      ...linked.filter((link) => link.startsWith('/docs') && !pages.has(link) && !open.includes(link)),
    )
  }
})
afterAll(() => twin.close())

const linksOf = (page: string): string[] =>
  [...page.matchAll(/ href="([^"]*)"/g)].map(([, link = '']) => link)
const anchorsOf = (page: string): Set<string> =>
  new Set([...page.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id))

const pageAt = (path: string): string => pages.get(path) ?? ''

group('the pages', () => {
  test('are shown to a browser at the root, but not to other clients', async () => {
    const open = (accept: string) => twin.sandbox.app.request('/', { headers: { ...HOST, accept } })
    const shown = await open('text/html,application/xhtml+xml,*/*;q=0.8')
    expect([shown.status, shown.headers.get('location')]).toEqual([302, '/docs'])
    expect((await open('*/*')).status).toBe(404)
  })

  test('have one page for each resource of merchants and of the operator', () => {
    expect(
      [...pages.keys()].filter((path) => path !== '/docs' && path !== '/docs/errors').toSorted(),
    ).toEqual(
      [
        ...new Set(
          twin.sandbox.routes.map(({ path }) =>
            path.startsWith('/_paytwin/')
              ? `/docs/operator_${path.split('/')[2]}`
              : `/docs/${path.replace('/test_helpers', '').split('/')[2]}`,
          ),
        ),
      ].toSorted(),
    )
  })

  test('show every route, each under an anchor', () => {
    const all = [...pages.values()].join('\n').replaceAll('<wbr>', '')
    for (const { path, summary } of twin.sandbox.routes) {
      expect(all).toContain(`</span> ${path.replaceAll(/:(\w+)/g, '{$1}')}</code></h2>`)
      expect(all).toContain(summary)
    }
  })

  test('have no broken links', () => {
    const broken = [...pages].flatMap(([path, page]) =>
      linksOf(page).filter((link) => {
        if (link === '/openapi.json') return false
        const [target = '', anchor] = link.split('#')
        const led = pages.get(target === '' ? path : target)
        return led === undefined || (anchor !== undefined && !anchorsOf(led).has(anchor))
      }),
    )
    expect(broken).toEqual([])
  })

  test('use each anchor once', () => {
    for (const page of pages.values()) {
      const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })

  test('run and load nothing', () => {
    for (const page of pages.values()) {
      expect(page).not.toMatch(/<script|<link|<img|<iframe|<form| src=| on\w+="|url\(|@import|javascript:/i)
      expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
      expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
    }
  })

  test('are forbidden to do more by their headers', async () => {
    const { headers } = await twin.sandbox.app.request('/docs', { headers: HOST })
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(headers.get('Content-Security-Policy')).toBe("default-src 'none'; style-src 'unsafe-inline'")
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Request-Id')).toMatch(/^req_/)
  })

  test('escape their values', () => {
    const hostile = `<img src=x onerror="alert('1')">&`
    const routes = twin.sandbox.routes.map((route) => ({ ...route, summary: hostile }))
    const description = describe({ routes, url: 'http://localhost', version: '0.0.0' })
    const page = new Pages(description, 'http://localhost').resource('customers')
    expect(page).not.toContain('<img')
    expect(page).toContain('&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;')
  })
})

group('a resource', () => {
  test('shows its fields, parameters and a request to try', () => {
    const page = pageAt('/docs/subscriptions')
    expect(page).toContain('<h1>Subscriptions</h1>')
    expect(page).toContain('<code>current_period_end</code>')
    expect(page).toContain('<code>trial_period_days</code>')
    expect(page).toMatch(
      /curl http:\/\/localhost\/v1\/subscriptions \\\n {2}-u &quot;\$PAYTWIN_SECRET_KEY:&quot; \\\n/,
    )
    expect(page).toMatch(/-d &#39;items\[0\]\[price\]=price_\w+&#39;/)
  })

  test('links to its error codes', () => {
    expect(pageAt('/docs/subscriptions')).toContain('href="/docs/errors#unsupported_psp_capability"')
  })
})

group('/docs/errors', () => {
  test.each(Object.keys(ERROR_CODES))('explains %s', (code) => {
    expect(anchorsOf(pageAt('/docs/errors'))).toContain(code)
  })

  test.each<[code: string, method: string, path: string, body?: unknown]>([
    ['resource_missing', 'GET', '/v1/customers/cus_unknown'],
    ['resource_missing', 'GET', '/v1/zebras'],
    ['resource_missing', 'GET', '/zebras'],
    ['parameter_missing', 'POST', '/v1/refunds', {}],
    ['parameter_invalid', 'GET', '/v1/customers?limit=0'],
    ['amount_invalid', 'POST', '/v1/payment_intents', { amount: 0, currency: 'usd' }],
    ['amount_too_large', 'POST', '/v1/payment_intents', { amount: 1e8, currency: 'usd' }],
    ['payment_not_initialized', 'POST', '/v1/payment_intents', { amount: 1, currency: 'usd', confirm: true }],
    [
      'expired_card',
      'POST',
      '/v1/payment_intents',
      { amount: 1, currency: 'usd', confirm: true, payment_method: 'pm_card_chargeDeclinedExpiredCard' },
    ],
  ])('is where the doc_url of %s leads: %s %s', async (code, method, path, body) => {
    const refused = await twin.request(method, path, body)
    expect(refused.body.error.code).toBe(code)
    const { pathname, hash } = new URL(refused.body.error.doc_url)
    const page = await twin.sandbox.app.request(pathname, { headers: HOST })
    expect(page.status).toBe(200)
    const section = (await page.text()).split(`<section id="${hash.slice(1)}">`)[1]
    expect(section).toContain(`<code>${code}</code>`)
    expect(section).toContain(`<code>${refused.body.error.type}</code>`)
  })
})

group('a page is refused', () => {
  test('for an unknown name', async () => {
    for (const path of ['/docs/zebras', '/docs/customers/1', '/docs/']) {
      expectRefusal(await twin.request('GET', path, undefined, HOST), unknown(null))
    }
  })

  test('to other hosts and origins', async () => {
    expectRefusal(await twin.request('GET', '/docs', undefined, { Host: 'evil.example' }), invalid('Host'))
    const headers = { ...HOST, Origin: 'https://evil.example' }
    expectRefusal(await twin.request('GET', '/docs/errors', undefined, headers), invalid('Host'))
  })

  test('for other methods', async () => {
    expectRefusal(await twin.request('POST', '/docs', {}, HOST), unknown(null))
    expect((await twin.request('HEAD', '/docs', undefined, HOST)).status).toBe(404)
  })
})
