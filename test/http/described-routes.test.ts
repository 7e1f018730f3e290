import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FOREIGN_PUBLIC_ROUTES } from '../../src/http/app.ts'
import { type Body, startTwin, type Twin } from '../twin.ts'
import { FORM } from './support.ts'

const HOST = { Host: 'localhost:4242' }
const METHODS = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'] as const

let twin: Twin
let paths: Record<string, Body>
beforeAll(async () => {
  twin = await startTwin()
  paths = (await twin.request('GET', '/openapi.json', undefined, HOST)).body.paths
})
afterAll(() => twin.close())

/** Sends a plain request with all permissions. The ids in the path are unknown. */
async function ask(method: string, path: string, body?: string) {
  const token = path.startsWith('/_paytwin') ? twin.sandbox.adminToken : twin.secretKey
  const response = await twin.sandbox.app.request(path.replaceAll(/{\w+}/g, 'unknown_1'), {
    method,
    headers: { ...HOST, Authorization: `Bearer ${token}`, ...(body !== undefined && FORM) },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  return { status: response.status, isUnrecognized: text.includes('Unrecognized request URL'), text }
}

/** Returns whether the document has a method for a path, also as an id in another path. */
const described = (path: string, method: string): boolean =>
  Object.entries(paths).some(
    ([template, methods]) =>
      method.toLowerCase() in methods && new RegExp(`^${template.replaceAll(/{\w+}/g, '[^/]+')}$`).test(path),
  )

describe('the application', () => {
  test('returns whatever the document names', async () => {
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods).map((name) => name.toUpperCase())) {
        // Only a route refuses an unreadable body, and it does so before any action.
        const response = await ask(method, path, method === 'GET' ? undefined : '{')
        expect(response, `${method} ${path}`).toMatchObject({ isUnrecognized: false })
        if (method !== 'GET') expect([400, 401], `${method} ${path}`).toContain(response.status)
      }
    }
  })

  test('has no other methods on these paths', async () => {
    // CORS preflights of the routes that accept publishable keys, also in another dialect: a preflight names no merchant.
    const foreign = FOREIGN_PUBLIC_ROUTES.map(([, path]) => path.replaceAll(/:(\w+)/g, '{$1}'))
    const isPreflight = (method: string, path: string) =>
      method === 'OPTIONS' &&
      (foreign.includes(path) ||
        Object.values<Body>(paths[path] ?? {}).some(({ security }) =>
          security.some((scheme: Body) => 'publishable' in scheme),
        ))
    for (const path of Object.keys(paths)) {
      for (const method of METHODS.filter((name) => !described(path, name) && !isPreflight(name, path))) {
        const { status, text } = await ask(method, path)
        expect(status, `${method} ${path}`).toBe(404)
        expect(JSON.parse(text).error, `${method} ${path}`).toMatchObject({
          code: 'resource_missing',
          param: null,
        })
      }
    }
  })

  test.each([
    '/v1',
    '/v1/',
    '/v1/zebras',
    '/v1/customers/',
    '/v1//customers',
    '/v1/customers/unknown_1/zebras',
    '/v1/test_helpers',
    '/_paytwin',
    '/_paytwin/zebras',
    '/_paytwin/status/',
    '/openapi',
    '/openapi.json/',
    '/',
  ])('has no %s', async (path) => {
    for (const method of METHODS) {
      const { status, text } = await ask(method, path)
      expect(status, method).toBe(404)
      expect(JSON.parse(text)).toMatchObject({
        error: { type: 'invalid_request_error', code: 'resource_missing', param: null },
        livemode: false,
      })
    }
  })
})
