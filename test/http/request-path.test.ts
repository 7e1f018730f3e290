import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { cookieOf } from '../../src/http/cookies.ts'
import { pathOf } from '../../src/http/request-path.ts'
import { startTwin } from '../twin.ts'

const of = (path: string) => pathOf(new Request(`http://localhost${path}`))

test.each([
  ['/v1/customers?limit=1', '/v1/customers'],
  ['/v1/customers/a%20b%C3%A9', '/v1/customers/a bé'],
  ['/v1/customers/a%2Fb%25', '/v1/customers/a%2Fb%25'],
  ['/v1/customers/%zz?a=%zz', '/v1/customers/%25zz'],
  ['/v1/customers/a%20%e2%?b', '/v1/customers/a%2520%25e2%25'],
])('the path of %s is %s', (given, path) => {
  expect(of(given)).toBe(path)
})

describe('parts that cannot be decoded', () => {
  /** Counts how often texts are decoded while a request is served. */
  async function decodedDuring(serve: () => Promise<Response>): Promise<{ times: number; status: number }> {
    const decoders = (['decodeURI', 'decodeURIComponent'] as const).map((name) => vi.spyOn(globalThis, name))
    try {
      const { status } = await serve()
      return { status, times: decoders.reduce((sum, { mock }) => sum + mock.calls.length, 0) }
    } finally {
      for (const decoder of decoders) decoder.mockRestore()
    }
  }

  const parts = '%e2%'.repeat(3_800)

  test.each([
    ['GET', `/v1/customers/${parts}`],
    ['GET', `/v1/${parts}`],
    ['GET', `/i/mer_1/in_1/${parts}`],
    ['GET', `/${parts}/in_1/${parts}`.slice(0, 15_000)],
    ['GET', `/dashboard/${parts}`],
    ['GET', `/docs/${parts}`],
    ['POST', `/_paytwin/merchants/${parts}`],
    ['GET', `/v1/oauth/authorize/${parts}`],
  ])('of a path are not decoded one by one, case %# with %s', async (method, path) => {
    for (const dialect of ['paytwin', 'stripe'] as const) {
      const twin = await startTwin({ dialect })
      onTestFinished(() => twin.close())
      const headers = { Host: 'localhost', Authorization: `Bearer ${twin.secretKey}` }
      const { status, times } = await decodedDuring(async () =>
        twin.sandbox.app.request(path, { method, headers }),
      )
      expect([400, 401, 403, 404]).toContain(status)
      expect(times).toBeLessThan(100)
    }
  })

  test('of a cookie are not decoded', async () => {
    const twin = await startTwin()
    onTestFinished(() => twin.close())
    const headers = { Host: 'localhost', Cookie: `x=${parts}; paytwin=${parts}` }
    const { times } = await decodedDuring(async () => twin.sandbox.app.request('/dashboard', { headers }))
    expect(times).toBeLessThan(100)
  })
})

test.each([
  [undefined, undefined],
  ['', undefined],
  ['b=1', undefined],
  ['ab=1; b; a', undefined],
  ['a=1', '1'],
  ['b=2;a=1=2 ; a=3', '1=2'],
  ['a=%e2%', '%e2%'],
])('the cookie a of %s is %s', (header, value) => {
  expect(cookieOf(header, 'a')).toBe(value)
})
