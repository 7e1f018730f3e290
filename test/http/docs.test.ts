import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, describe as group, test } from 'vitest'
import { pagesOf } from '../../src/build/pages/pages.ts'
import { render } from '../../src/build/pages/render.ts'
import { referenceOf } from '../../src/build/reference/reference.ts'
import { ERROR_CODES } from '../../src/http/error-codes.ts'
import { describe } from '../../src/http/openapi.ts'
import { leastProcessorTime } from '../processor-time.ts'
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
    const linked = linksOf(page).flatMap((link) => (isFile(link) ? [] : link.replace(/#.*/, '')))
    open.push(
      ...linked.filter((link) => link.startsWith('/docs') && !pages.has(link) && !open.includes(link)),
    )
  }
})
afterAll(() => twin.close())

const linksOf = (page: string): string[] =>
  [...page.matchAll(/ href="([^"]*)"/g)].map(([, link = '']) => link)
const isFile = (link: string): boolean => link.includes('.')
const anchorsOf = (page: string): Set<string> =>
  new Set([...page.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id))

const pageAt = (path: string): string => pages.get(path) ?? ''

group('the pages', () => {
  test('have one page for each resource of merchants and of the operator', () => {
    expect(
      [...pages.keys()].filter((path) => !/^.docs(\/errors|\/contract.*)?$/.test(path)).toSorted(),
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

  test('have one page for each page of the contract', () => {
    const files = readdirSync('docs/contract').map((file) =>
      file === 'README.md' ? '/docs/contract' : `/docs/contract-${file.replace('.md', '')}`,
    )
    expect([...pages.keys()].filter((path) => path.startsWith('/docs/contract')).toSorted()).toEqual(
      files.toSorted(),
    )
    expect(anchorsOf(pageAt('/docs/contract-invoices'))).toContain('retry-schedule')
    expect(linksOf(pageAt('/docs/contract-invoices'))).toContain('/docs/contract-subscriptions#final-action')
  })

  test('are encoded once, not for each request', async () => {
    const open = (method: string) => twin.sandbox.app.request('/openapi.json', { method, headers: HOST })
    await open('GET')
    // Encoding it takes 7 ms.
    for (const method of ['GET', 'HEAD'])
      expect(
        await leastProcessorTime(async () => {
          for (let n = 0; n < 100; n += 1) await open(method)
        }, 200),
      ).toBeLessThan(350)
  })

  test('begin at /docs/ too', async () => {
    const page = await twin.sandbox.app.request('/docs/', { headers: HOST })
    expect([page.status, await page.text()]).toEqual([200, pageAt('/docs')])
  })

  test('have a style sheet, an icon, and a script that searches all headings', async () => {
    const get = (name: string) => twin.sandbox.app.request(`/docs/${name}`, { headers: HOST })
    const files = await Promise.all(['style.css', 'favicon.svg', 'search.js'].map(get))
    const types = files.map(({ headers }) => headers.get('Content-Type'))
    expect(types).toEqual(['text/css; charset=utf-8', 'image/svg+xml', 'text/javascript; charset=utf-8'])
    const [, entries = ''] = /^const ENTRIES = (.*)$/m.exec((await files[2]?.text()) ?? '') ?? []
    const found = (JSON.parse(entries) as string[][]).filter((entry) =>
      entry.at(-1)?.includes('trial_period_days'),
    )
    expect(found.map(([title]) => title)).toContain('POST /v1/subscriptions')
    for (const [, path = ''] of JSON.parse(entries) as string[][]) {
      const [page = '', anchor] = path.split('#')
      expect(pages.has(page) && (anchor === undefined || anchorsOf(pageAt(page)).has(anchor)), path).toBe(
        true,
      )
    }
  })

  test('fold the routes of the operator', () => {
    const isOpen = (path: string) => /<details open>\s*<summary><h2>For the operator/.test(pageAt(path))
    expect([isOpen('/docs/customers'), isOpen('/docs/operator_keys')]).toEqual([false, true])
    expect(pageAt('/docs').match(/<details[^>]*>\s*<summary><h2>For the operator/g)).toHaveLength(2)
  })

  test('show every route, each under an anchor', () => {
    const all = [...pages.values()].join('\n').replaceAll('<wbr>', '')
    const plain = all.replaceAll(/<[^>]*>|&#39;/g, '')
    for (const { path, summary } of twin.sandbox.routes) {
      expect(all).toContain(`</span> ${path.replaceAll(/:(\w+)/g, '{$1}')}</code></h2>`)
      expect(plain).toContain(summary.replaceAll(/['`]/g, ''))
    }
  })

  test('have no broken links', () => {
    const broken = [...pages].flatMap(([path, page]) =>
      linksOf(page).filter((link) => {
        if (isFile(link)) return false
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

  test('load only the files of the daemon', async () => {
    const files = [
      '<link rel="icon" href="/docs/favicon.svg">',
      '<link rel="stylesheet" href="/docs/style.css">',
    ]
    const script = '<script src="/docs/search.js" defer></script>'
    for (const page of pages.values()) {
      const rest = [...files, script].reduce((text, file) => text.replace(file, ''), page)
      expect(rest).not.toMatch(/<script|<link|<img|<iframe|<form| src=| on\w+="|url\(|@import|javascript:/i)
      expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
      expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
    }
  })

  test('are forbidden to do more by their headers', async () => {
    const { headers } = await twin.sandbox.app.request('/docs', { headers: HOST })
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; img-src 'self'; script-src 'self'; style-src 'self'",
    )
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(headers.get('Request-Id')).toMatch(/^req_/)
  })

  test('escape their values', () => {
    const hostile = `<img src=x onerror="alert(1)">& <b>![x](javascript:1) [x](javascript:1)`
    const routes = twin.sandbox.routes.map((route) => ({ ...route, summary: hostile }))
    const document = describe({ routes, url: 'http://localhost', version: '0.0.0' })
    const page = pagesOf(referenceOf(document), 'http://localhost')['/docs/customers'] ?? ''
    expect(page).not.toMatch(/<img|<b>|href="javascript/)
    expect(page).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp; &lt;b&gt;')
  })

  test('show HTML in Markdown as text, and refuse links elsewhere', () => {
    const options = { top: 1, pathOf: (anchor: string) => (anchor === 'known' ? '/docs/known' : undefined) }
    const shown = render('# A\n\n<script>x</script>\n\n![p](x.png) <i>b</i> [k](#known)', options)
    expect(shown).not.toMatch(/<script|<img|<i>/)
    expect(shown).toContain('&lt;script&gt;')
    expect(shown).toContain('<a href="/docs/known">k</a>')
    for (const link of ['javascript:alert(1)', '#unknown', 'https://evil.example'])
      expect(() => render(`[x](${link})`, options)).toThrow(`the link ${link} leads nowhere`)
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
    for (const path of ['/docs/zebras', '/docs/customers/1', '/docs/customers/']) {
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
  })
})
