import { html } from 'hono/html'
import { type CodePage, ERROR_CODES, type ErrorCode } from '../error-codes.ts'
import type { Json } from '../json.ts'
import { refusalsOf } from '../openapi/refusals.ts'
import type { Description } from '../openapi.ts'
import type { Registered } from '../route.ts'
import type { Markup, PageContent } from './layout.ts'

/** Makes the page of error codes. Each code has an anchor of its name, which `doc_url` points to. See docs/contract/errors.md#codes. */
export function errorsPage({ examples, tags }: Description): PageContent {
  const routes = tags.flatMap((tag) => tag.routes)
  const codes = Object.entries(ERROR_CODES) as [ErrorCode, CodePage][]
  return {
    title: 'Errors · paytwin',
    name: 'errors',
    body: html`<h1>Errors</h1>
<p class="lead">Every error has the same form: a type, a code for programs, a message for people, and the parameter that caused it.</p>
<ul class="plain">${codes.map(([code]) => html`<li><a href="#${code}"><code>${code}</code></a></li>`)}
<li><a href="#authentication">No code: authentication</a></li></ul>
${codes.map(([code, page]) => codeSection(code, page, { routes, errors: examples.errors }))}
<section id="authentication">
<h2>No code: authentication</h2>
<p>401, <code>authentication_error</code></p>
<p>The key is missing or invalid. The message never reveals whether a key once existed. If keys cannot be resolved at the moment, the message says to retry; the key itself may be valid.</p>
${['401_invalid_key', '401_keys_unavailable'].map((name) => exampleOf(examples.errors.get(name)))}
</section>`,
  }
}

type Context = { readonly routes: readonly Registered[]; readonly errors: ReadonlyMap<string, Json> }

function codeSection(code: ErrorCode, { type, means, param, remedy }: CodePage, { routes, errors }: Context) {
  const statuses = statusesOf(code, routes)
  return html`<section id="${code}">
<h2><code>${code}</code></h2>
<p>${statuses.length > 0 ? `${statuses.join(' or ')}, ` : ''}<code>${type}</code></p>
<p>${means} ${remedy}</p>
<p class="faint">param: ${param}.</p>
${statuses.map((status) => exampleOf(errors.get(`${status}_${code}`)))}
</section>`
}

const statusesOf = (code: ErrorCode, routes: readonly Registered[]): number[] => [
  ...new Set(
    routes.flatMap((route) =>
      [...refusalsOf(route)].filter(([, codes]) => codes.includes(code)).map(([status]) => status),
    ),
  ),
]

const exampleOf = (body: Json | undefined): Markup | '' =>
  body ? html`<details><summary>Example</summary><pre>${JSON.stringify(body, null, 2)}</pre></details>` : ''
