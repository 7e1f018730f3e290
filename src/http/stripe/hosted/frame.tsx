/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import { styledPage, styleSheet } from '../../html/document.tsx'
import { sentence } from '../../html/sentence.ts'
import { Time } from '../../html/time.tsx'
import { HOSTED_STYLE } from './style.ts'

const STYLE = styleSheet(HOSTED_STYLE)

/** The merchant and the time that a page shows. */
export type PageOf = {
  /** The name of the merchant. */
  readonly merchant: string
  /** The time of the customer's clock, in Unix seconds. */
  readonly now: number
}

type HostedPage = {
  readonly title: string
  readonly content: Child
  readonly status?: number
  /** null on a page that must not reveal a merchant. */
  readonly of: PageOf | null
  /** A narrow page has one card; a wide page is as wide as its content. */
  readonly width?: 'narrow' | 'wide'
  /** Whether a form of the page can lead to another site. */
  readonly leadsAway?: boolean
}

/**
 * Makes a page that customers of a merchant see. It shows that it belongs to a sandbox, and the time of the clock. It needs no
 * script and no other file.
 */
export function hostedPage({
  title,
  content,
  status = 200,
  of,
  width = 'narrow',
  leadsAway = false,
}: HostedPage): Response {
  return styledPage(status, {
    title: of === null ? title : `${title} · ${of.merchant}`,
    style: STYLE,
    // Browsers also apply form-action to all redirects after the form, and the merchant's site may redirect to further sites.
    formAction: leadsAway ? "'self' http: https:" : "'self'",
    content: (
      <>
        <header class="sandbox">
          <p>
            <strong class="mark">TEST MODE</strong>{' '}
            <span class="reason">paytwin sandbox, no real money moves</span>
          </p>
          {of === null ? null : (
            <p>
              <Time at={of.now} /> UTC
            </p>
          )}
        </header>
        <main class={width}>
          {of === null ? null : <p class="merchant">{of.merchant}</p>}
          {content}
        </main>
      </>
    ),
  })
}

/** A message that screen readers announce at once. */
export const Alert = ({ children }: { children: string }) => (
  <p class="alert" role="alert">
    {sentence(children)}
  </p>
)

/** A message about a change. @param props.isGood - whether it says that something succeeded */
export const Notice = ({ children, isGood = false }: { children?: Child; isGood?: boolean }) => (
  <p class={isGood ? 'notice good' : 'notice'} role="status">
    {children}
  </p>
)

/** Makes a page with a message, and a link to another address if there is one. */
export const messagePage = ({
  of,
  title,
  text,
  link,
}: {
  of: PageOf
  title: string
  text: Child
  link?: { href: string; text: string } | null
}): Response =>
  hostedPage({
    of,
    title,
    content: (
      <section class="card">
        <h1>{title}</h1>
        <p>{text}</p>
        {link ? (
          <p>
            <a class="button" href={link.href}>
              {link.text}
            </a>
          </p>
        ) : null}
      </section>
    ),
  })

/** Makes the page that redirects a browser to an address after a form. */
export function leavingPage(of: PageOf, address: string): Response {
  // Headers can have only characters of Latin-1, so the address is encoded.
  const { href, origin } = new URL(address)
  const response = hostedPage({
    of,
    title: 'Returning',
    status: 303,
    content: (
      <section class="card">
        <p>
          Returning to <a href={href}>{origin}</a>.
        </p>
      </section>
    ),
  })
  response.headers.set('Location', href)
  return response
}

/** Redirects a browser to another page of paytwin. @param path - of the page, on the host that the browser uses */
export const redirectTo = (path: string): Response =>
  new Response(null, {
    status: 303,
    headers: { Location: path, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
  })

/** Makes the page for a request that is refused. It shows nothing of any merchant. */
export const refusedPage = (status: number, reason: string): Response =>
  hostedPage({
    of: null,
    title: 'The page cannot be shown',
    status,
    content: (
      <section class="card">
        <h1>The page cannot be shown</h1>
        <p>{sentence(reason)}</p>
        <p class="faint">Nothing was changed.</p>
      </section>
    ),
  })
