import type { Hono } from 'hono'
import { NEWEST_API_VERSION } from '../core/api-version.ts'
import { routeMissing } from '../core/errors.ts'
import { requestId } from '../engine/ids.ts'
import { checkHost } from './admin/guard.ts'
import type { AdminServices } from './admin/services.ts'
import type { Documentation } from './docs/documentation.ts'
import { errorBody, type Headers, json, jsonText, knownError } from './respond.ts'
import type { Registered } from './route.ts'

/** Headers of the pages. They run no script and load nothing. */
const PAGE_HEADERS: Headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/**
 * Registers the OpenAPI document and the pages of the documentation. Both are made from the routes at the first request, and
 * the code for it is loaded only then.
 */
export function documentationRoutes(app: Hono, site: AdminServices, routes: readonly Registered[]): void {
  let made: Promise<Documentation> | undefined
  const documentation = () => {
    made ??= import('./docs/documentation.ts').then(({ makeDocumentation }) =>
      makeDocumentation(site, routes),
    )
    // After a failure, the next request tries again.
    made.catch(() => {
      made = undefined
    })
    return made
  }
  const serve = (path: string, answer: (docs: Documentation, name: string) => Page | undefined) =>
    app.get(path, async (c) => {
      const headers = { 'Request-Id': requestId(), 'X-API-Version': NEWEST_API_VERSION }
      try {
        checkHost({ host: c.req.header('host'), origin: c.req.header('origin') }, site.allowedHosts)
        const isKnown = c.req.method === 'GET'
        const page = isKnown ? answer(await documentation(), c.req.param('name') ?? '') : undefined
        if (!page) throw routeMissing(c.req.method, c.req.path)
        return 'json' in page
          ? jsonText(200, page.json, headers)
          : new Response(page.html, { headers: { ...headers, ...PAGE_HEADERS } })
      } catch (error) {
        const known = knownError(site, error, `${c.req.method} ${c.req.path}`)
        return json(known.status, errorBody(known, site.url()), headers)
      }
    })
  // A browser at the root is sent to the documentation. Other clients get the usual 404.
  app.get('/', (c, next) => {
    const isBrowser = c.req.header('accept')?.includes('text/html') === true
    return isBrowser ? Promise.resolve(c.redirect('/docs')) : next()
  })
  serve('/openapi.json', ({ text }) => ({ json: text }))
  serve('/docs', ({ pages }) => ({ html: pages.index() }))
  serve('/docs/errors', ({ pages }) => ({ html: pages.errors() }))
  serve('/docs/:name', ({ pages }, name) => {
    const html = pages.resource(name)
    return html === undefined ? undefined : { html }
  })
}

type Page = { readonly json: string } | { readonly html: string }
