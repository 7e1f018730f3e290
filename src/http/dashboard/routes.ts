import type { Context, Hono } from 'hono'
import { type ApiError, parameterInvalid } from '../../core/errors.ts'
import { MAX_FIXTURE_BYTES } from '../../core/fixture-limits.ts'
import { checkHost } from '../admin/guard.ts'
import type { AdminServices } from '../admin/services.ts'
import { formOf, refuseTooMany } from '../form.ts'
import { readBody } from '../request.ts'
import { knownError } from '../respond.ts'
import { DASHBOARD_PATH, type OpenSession } from './access.ts'
import { endsOf } from './connection.ts'
import { OperatorApi } from './operator-api.ts'

/** paytwin: the maximum size of a form. Pasted fixtures may be larger. */
const MAX_FORM_BYTES = 10_000
const MAX_FIXTURES_FORM_BYTES = 3 * MAX_FIXTURE_BYTES

/**
 * Registers the dashboard. Only a browser with a session gets its pages, and only its own forms change anything.
 * See docs/contract/operator.md#dashboard.
 */
export function dashboardRoutes(app: Hono, services: AdminServices): void {
  // A browser at the root is sent to the dashboard. Other clients get the usual 404.
  app.get('/', (c, next) => {
    const isBrowser = c.req.header('accept')?.includes('text/html') === true
    return isBrowser ? Promise.resolve(c.redirect(DASHBOARD_PATH)) : next()
  })
  app.on(['GET', 'POST'], [DASHBOARD_PATH, `${DASHBOARD_PATH}/*`], async (c) => {
    try {
      checkHost(c, services)
      return await serve(c, services, app)
    } catch (error) {
      const { status, message } = knownError(services, error, `${c.req.method} ${c.req.path}`)
      const { refusedPage } = await signIn()
      return refusedPage(status, message)
    }
  })
}

async function serve(
  c: Context,
  { access, dashboard, adminToken }: AdminServices,
  app: Hono,
): Promise<Response> {
  const session = access.sessionOf(c.req.header('cookie'))
  const path = partsOf(c.req.path)
  const query = () => new URL(c.req.url).searchParams
  // A browser or another program may request a link before the user opens it.
  if (path[0] === 'open' && c.req.header('sec-purpose')?.startsWith('prefetch')) return notPrefetched()
  if (c.req.method === 'GET' && path[0] === 'open')
    return open(access.open(query().get('code') ?? '', endsOf(c)), session)
  if (session === undefined) return (await signIn()).signInPage()
  const isPost = c.req.method === 'POST'
  const isFixtures = path[1] === 'scenes' && path[2] === 'fixtures'
  const maxBytes = isFixtures ? MAX_FIXTURES_FORM_BYTES : MAX_FORM_BYTES
  const form = formOf(isPost ? await readForm(c, maxBytes) : '')
  if (session.signal.aborted) return (await signIn()).signInPage()
  if (isPost && !access.isFormToken(session, form.get('token') ?? '')) throw foreignForm()
  if (isPost && path[0] === 'sign-out') return redirectTo({ 'Set-Cookie': access.end(session) })
  const pages = await dashboard()
  const response = await pages({
    method: isPost ? 'POST' : 'GET',
    path,
    query: query(),
    form,
    formToken: access.formToken(session),
    lastEventId: c.req.header('last-event-id'),
    signal: session.signal,
    api: new OperatorApi(app, adminToken, session.signal),
  })
  // What still waited was refused, or its result is not this browser's any more.
  return session.signal.aborted ? (await signIn()).signInPage() : response
}

/** Responds to a link: with the cookie of a new session, if the code was valid. */
async function open(cookie: string | undefined, session: OpenSession | undefined): Promise<Response> {
  if (cookie !== undefined) return redirectTo({ 'Set-Cookie': cookie })
  // A browser that opens its link again is already signed in.
  return session === undefined ? (await signIn()).usedLinkPage() : redirectTo({})
}

/** Responds to a prefetch without a page, so that browsers request the link again when it is opened. */
const notPrefetched = (): Response =>
  new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } })

const redirectTo = (headers: Readonly<Record<string, string>>): Response =>
  new Response(null, {
    status: 303,
    headers: {
      Location: DASHBOARD_PATH,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      ...headers,
    },
  })

/** Reads the body of a form. Forms of other origins are refused before, and a form without an origin here. @throws ApiError */
async function readForm(c: Context, maxBytes: number): Promise<string> {
  if (c.req.header('origin') === undefined) throw foreignForm()
  const text = await readBody(c, maxBytes)
  refuseTooMany(text, 'form')
  return text
}

const foreignForm = (): ApiError =>
  parameterInvalid(
    'token',
    'The form is not from this dashboard, or its page is too old. Go back, reload the page, and try again.',
  )

/** Splits a path: `/dashboard/mer_1/events` is [`mer_1`, `events`]. A part that cannot be decoded stays as it is. */
const partsOf = (path: string): string[] =>
  path
    .slice(DASHBOARD_PATH.length)
    .split('/')
    .filter((part) => part !== '')
    .map((part) => {
      try {
        return decodeURIComponent(part)
      } catch {
        return part
      }
    })

/** Loads the pages at the first use, to keep the start fast. */
const signIn = () => import('./sign-in.tsx')
