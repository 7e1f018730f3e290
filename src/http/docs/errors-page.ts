import { html } from 'hono/html'
import { type CodePage, ERROR_CODES, type ErrorCode } from '../error-codes.ts'
import type { Json } from '../json.ts'
import { refusalsOf } from '../openapi/refusals.ts'
import type { Description } from '../openapi.ts'
import type { Registered } from '../route.ts'
import type { Markup, PageContent } from './layout.ts'

/** What each code means, under an anchor of its name: where `doc_url` leads. See docs/contract/errors.md#codes. */
export function errorsPage({ examples, tags }: Description): PageContent {
  const routes = tags.flatMap((tag) => tag.routes)
  const codes = Object.entries(ERROR_CODES) as [ErrorCode, CodePage][]
  return {
    title: 'Errors · paytwin',
    name: 'errors',
    body: html`<h1>Errors</h1>
<p class="lead">Every refusal has the same form: an error with a type, a code for programs, a message for people, and the parameter that is to blame.</p>
<ul class="plain">${codes.map(([code]) => html`<li><a href="#${code}"><code>${code}</code></a></li>`)}
<li><a href="#authentication">No code: authentication</a></li></ul>
${codes.map(([code, page]) => codeSection(code, page, { routes, errors: examples.errors }))}
<section id="authentication">
<h2>No code: authentication</h2>
<p>401, <code>authentication_error</code></p>
<p>A request without a key that opens is told so, and nothing more: not whether the key once existed. When keys cannot be resolved for a while, the message says to try again; the key is not to blame then.</p>
${['401_invalid_key', '401_keys_unavailable'].map((name) => exampleOf(examples.errors.get(name)))}
</section>`,
  }
}

type Around = { readonly routes: readonly Registered[]; readonly errors: ReadonlyMap<string, Json> }

function codeSection(code: ErrorCode, { type, means, param, remedy }: CodePage, { routes, errors }: Around) {
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
