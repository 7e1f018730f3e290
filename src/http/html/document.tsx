/** @jsxImportSource hono/jsx */
import { createHash } from 'node:crypto'
import type { Child } from 'hono/jsx'
import { escapeControls } from '../../text/display.ts'
import { CARD_STYLE } from './card.ts'

/** The files that a page loads from the daemon. */
export type PageFiles = { readonly style: string; readonly script: string; readonly icon: string }

export type PageContent = {
  readonly title: string
  readonly content: Child
  /** The sources of the CSP's form-action. The default allows no forms. */
  readonly formAction?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A style sheet within a page, which the page's policy allows by its hash. */
export type StyleSheet = { readonly text: string; readonly hash: string }

/** @param text - a constant, because it is not escaped */
export const styleSheet = (text: string): StyleSheet => ({
  text,
  hash: createHash('sha256').update(text).digest('base64'),
})

const CARD = styleSheet(CARD_STYLE)

/** Makes a page with one card: the consent page, errors, and other single steps. */
export const cardPage = (status: number, { content, ...page }: PageContent): Response =>
  styledPage(status, {
    ...page,
    style: CARD,
    content: (
      <main>
        <p class="brand">
          <Brand />
        </p>
        {content}
      </main>
    ),
  })

/** Makes a page that needs no other file. Its policy allows no script, and only its own style. */
export const styledPage = (
  status: number,
  { style, ...page }: PageContent & { style: StyleSheet },
): Response =>
  document(status, {
    ...page,
    sources: `style-src 'sha256-${style.hash}'`,
    head: (
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the style is a constant, and escaping would break its quotes
      <style dangerouslySetInnerHTML={{ __html: style.text }} />
    ),
  })

/** Makes a page that loads its style and script from the daemon. Its policy allows no inline script or style. */
export const filePage = (
  status: number,
  { files, refreshSeconds, ...page }: PageContent & { files: PageFiles; refreshSeconds?: number | undefined },
): Response =>
  document(status, {
    ...page,
    sources: "style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'",
    head: (
      <>
        {refreshSeconds === undefined ? null : (
          <noscript>
            <meta http-equiv="refresh" content={String(refreshSeconds)} />
          </noscript>
        )}
        <link rel="icon" href={files.icon} />
        <link rel="stylesheet" href={files.style} />
        <script type="module" src={files.script} />
      </>
    ),
  })

/** Makes a fragment of a page, which the script of the page inserts. */
export const fragment = (content: Child): Response =>
  new Response(String(content), {
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store', ...PROTECTION },
  })

const PROTECTION = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
}

/** The name of the program, with the label that this is a sandbox. */
export const Brand = () => (
  <>
    paytwin <span class="mark">test mode</span>
  </>
)

/** Makes the document of every page. hono's JSX escapes all texts and attributes. */
function document(
  status: number,
  {
    title,
    content,
    head,
    sources,
    formAction = "'none'",
    headers = {},
  }: PageContent & { head: Child; sources: string },
): Response {
  const markup = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {/* Overrides the Referrer-Policy header: with no-referrer, browsers submit the form with Origin: null. */}
        <meta name="referrer" content="same-origin" />
        {/* A title can contain a merchant's name, and no element that isolates it. */}
        <title>{escapeControls(`${title} · paytwin`)}</title>
        {head}
      </head>
      <body>{content}</body>
    </html>
  )
  return new Response(`<!doctype html>${String(markup)}`, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; ${sources}; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
      'Cache-Control': 'no-store',
      ...PROTECTION,
      ...headers,
    },
  })
}
