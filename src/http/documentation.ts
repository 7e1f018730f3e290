import type { Hono } from 'hono'
import { NEWEST_API_VERSION } from '../core/api-version.ts'
import { routeMissing } from '../core/errors.ts'
import { requestId } from '../engine/machine/ids.ts'
import { checkHost } from './admin/guard.ts'
import type { AdminServices, Documentation } from './admin/services.ts'
import { errorBody, type Headers, json, knownError } from './respond.ts'

/** Stands for the daemon's URL in the documentation, which is made before the URL is known. */
export const URL_PLACEHOLDER = 'http://daemon.invalid'

/** Headers of the pages and their files. They load only the daemon's own style, icon and script of the search. */
const PAGE_HEADERS: Headers = {
  'Content-Security-Policy': "default-src 'none'; img-src 'self'; script-src 'self'; style-src 'self'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

const encoder = new TextEncoder()

/** Registers the OpenAPI document and the pages of the documentation. They are read at the first request. */
export function documentationRoutes(app: Hono, services: AdminServices): void {
  let read: Promise<Documentation> | undefined
  const documentation = () => {
    read ??= services.documentation()
    // After a failure, the next request tries again.
    read.catch(() => {
      read = undefined
    })
    return read
  }
  // Encoding a large page takes milliseconds, and the requests need no key.
  const bodies = new Map<string, Uint8Array<ArrayBuffer>>()
  app.on(
    'GET',
    [
      '/openapi.json',
      '/docs',
      '/docs/',
      '/docs/:name',
      '/dashboard/style.css',
      '/dashboard/script.js',
      '/dashboard/live.js',
    ],
    async (c) => {
      const headers = { 'Request-Id': requestId(), 'X-API-Version': NEWEST_API_VERSION }
      try {
        checkHost(c, services)
        const { method } = c.req
        const path = c.req.path === '/docs/' ? '/docs' : c.req.path
        const pages = method === 'GET' ? await documentation() : {}
        const text = Object.hasOwn(pages, path) ? pages[path] : undefined
        if (text === undefined) throw routeMissing(method, c.req.path)
        const url = services.url()
        const key = `${url} ${path}`
        const body = bodies.get(key) ?? new Uint8Array(encoder.encode(text.replaceAll(URL_PLACEHOLDER, url)))
        bodies.set(key, body)
        const length = { 'Content-Length': String(body.length) }
        return new Response(body, { headers: { ...headers, ...headersOf(path), ...length } })
      } catch (error) {
        const known = knownError(services, error, `${c.req.method} ${c.req.path}`)
        return json(known.status, errorBody(known, services.url()), headers)
      }
    },
  )
}

/** Types by the ending of a path. A page has no ending. */
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

function headersOf(path: string): Headers {
  if (path === '/openapi.json') return { 'Content-Type': 'application/json' }
  const [, ending = ''] = path.split('.')
  return { 'Content-Type': TYPES[ending] ?? 'text/html; charset=utf-8', ...PAGE_HEADERS }
}
