import { html, raw } from 'hono/html'

/** A link in the navigation. */
export type Link = { readonly path: string; readonly title: string }

/** The pages in the navigation. */
export type Groups = {
  readonly start: readonly Link[]
  readonly merchants: readonly Link[]
  readonly operator: readonly Link[]
  readonly contract: readonly Link[]
}

/** Makes a complete page: the content, then links to all pages. The script adds a search. @param body - HTML */
export function layout(
  { path, title }: Link,
  body: string,
  { start, merchants, operator, contract }: Groups,
): string {
  const opened = (pages: readonly Link[]) => raw(pages.some((page) => page.path === path) ? ' open' : '')
  const links = (pages: readonly Link[]) =>
    html`<ul>
${pages.map(
  (
    page,
  ) => html`<li><a href="${page.path}"${raw(page.path === path ? ' aria-current="page"' : '')}>${page.title}</a></li>
`,
)}</ul>`
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · paytwin</title>
<link rel="icon" href="/docs/favicon.svg">
<link rel="stylesheet" href="/docs/style.css">
<script src="/docs/search.js" defer></script>
</head>
<body>
<header><a href="/docs">paytwin</a><a href="#all-pages">All pages</a></header>
<div class="page">
<main>
${raw(body)}</main>
<nav id="all-pages" aria-label="Pages">
<h2>Start</h2>
${links(start)}
<h2>For merchants</h2>
${links(merchants)}
<details${opened(operator)}>
<summary><h2>For the operator</h2></summary>
${links(operator)}
</details>
<details${opened(contract)}>
<summary><h2>The contract</h2></summary>
${links(contract)}
</details>
</nav>
</div>
</body>
</html>
`)
}
