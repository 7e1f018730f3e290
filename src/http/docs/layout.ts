import { html, raw } from 'hono/html'
import type { Tag } from '../openapi/tags.ts'
import { STYLE } from './style.ts'

/** Markup whose values have been escaped. */
export type Markup = ReturnType<typeof html>

export type PageContent = {
  readonly title: string
  /** The name of the page, such as customers in /docs/customers; empty for the first page. */
  readonly name: string
  readonly body: Markup
}

/** Makes a complete page: the content, then the list of all pages. */
export const layout = ({ title, name, body }: PageContent, tags: readonly Tag[]): string =>
  String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<header><a href="/docs">paytwin</a><a href="#pages">All pages</a></header>
<div class="page">
<main>
${body}
</main>
<nav id="pages" aria-label="Pages">
<h2>Start</h2>
<ul>
${link({ href: '/docs', name: '', text: 'How to call it' }, name)}
${link({ href: '/docs/errors', name: 'errors', text: 'Errors' }, name)}
<li><a href="/openapi.json">OpenAPI document</a></li>
</ul>
<h2>For merchants</h2>
<ul>${pagesOf(tags, { isOperators: false }, name)}</ul>
<h2>For the operator</h2>
<ul>${pagesOf(tags, { isOperators: true }, name)}</ul>
</nav>
</div>
</body>
</html>
`)

const pagesOf = (
  tags: readonly Tag[],
  { isOperators }: { isOperators: boolean },
  current: string,
): Markup[] =>
  tags
    .filter((tag) => tag.isOperators === isOperators)
    .map(({ name, title }) => link({ href: `/docs/${name}`, name, text: title }, current))

const link = ({ href, name, text }: { href: string; name: string; text: string }, current: string): Markup =>
  name === current
    ? html`<li><a href="${href}" aria-current="page">${text}</a></li>`
    : html`<li><a href="${href}">${text}</a></li>`
