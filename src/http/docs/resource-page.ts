import { html } from 'hono/html'
import type { ErrorCode } from '../error-codes.ts'
import type { Example } from '../openapi/examples.ts'
import { refTo } from '../openapi/json-schema.ts'
import { paramsSchema } from '../openapi/parameters.ts'
import { refusalsOf } from '../openapi/refusals.ts'
import type { Tag } from '../openapi/tags.ts'
import { type Description, templateOf } from '../openapi.ts'
import type { Registered } from '../route.ts'
import { curl } from './curl.ts'
import { fieldList, partsExplainedWith, typeOf } from './fields.ts'
import type { Markup, PageContent } from './layout.ts'

/** Example answers of up to this many lines are shown open. */
const SHORT_ANSWER_LINES = 16

/** Makes the page of a resource: its routes, its object, and nested objects. */
export function resourcePage(tag: Tag, description: Description, url: string): PageContent {
  const objects = [tag.component, ...partsExplainedWith(tag.component, description), ...tag.beside].filter(
    // One that is either of several is explained as these are.
    (name) => description.schemas[name]?.properties,
  )
  return {
    title: `${tag.title} · paytwin`,
    name: tag.name,
    body: html`<h1>${tag.title}</h1>
<p class="lead">${tag.description}</p>
<ul class="routes">${tag.routes.map(contentsLine)}
${objects.map(objectLine)}</ul>
${tag.routes.map((route) => routeSection(route, tag, description, url))}
${objects.map((name) => objectSection(name, description))}`,
  }
}

const contentsLine = (route: Registered): Markup =>
  html`<li><a class="route" href="#${anchorOf(route)}">${routeName(route)}</a><span class="faint">${route.summary}</span></li>`

const objectLine = (name: string): Markup => html`<li><a href="#${name}">The ${name} object</a></li>`

const routeName = ({ method, path }: Registered): Markup =>
  html`<code><span class="method ${method}">${method.toUpperCase()}</span> ${steps(templateOf(path))}</code>`

/** Allows a line break before each slash of a path. */
const steps = (path: string): Markup[] =>
  path.split(/(?<=.)(?=\/)/).map((step, index) => (index === 0 ? html`${step}` : html`<wbr>${step}`))

const anchorOf = ({ method, path }: Registered): string =>
  `${method}${templateOf(path).replaceAll(/[{}]/g, '').replaceAll(/[/_]+/g, '-')}`

function routeSection(route: Registered, tag: Tag, description: Description, url: string): Markup {
  const { schemas, examples } = description
  const example = examples.successes.get(`${route.method} ${route.path}`)
  const stream = examples.streams.get(`${route.method} ${route.path}`)
  const params = paramsSchema(route, { tag, schemas, example })
  const hasParams = Object.keys(params.properties ?? {}).length > 0
  return html`<section id="${anchorOf(route)}">
<h2 class="route">${routeName(route)}</h2>
<p>${route.summary}${audienceText(route)}</p>
${hasParams ? html`<h3>Parameters</h3>${fieldList(params, description, { marksRequired: true })}` : ''}
<h3>Answer</h3>
<p>${route.status ?? 200}, ${route.isPage ? html`in HTML` : typeOf(refTo(route.returns.name), description)}${route.streams ? html`; with <code>Accept: text/event-stream</code> a live stream of events` : ''}. ${errorText(route)}</p>
${example ? exampleMarkup(curl(route, example, url), example) : ''}
${stream ? html`<details><summary>A stream</summary><pre>${stream}</pre></details>` : ''}
</section>`
}

const audienceText = ({ audience }: Registered): string => {
  if (audience === 'public') return ' Also accepts publishable keys.'
  if (audience === 'app') return ' Authenticates the app with client_id and client_secret.'
  return audience === 'everybody' ? ' Needs no key.' : ''
}

/** Error codes of every route. */
const EVERYWHERE: ReadonlySet<ErrorCode> = new Set([
  'parameter_invalid',
  'parameter_unknown',
  'idempotency_key_reuse',
])

/** Lists the error codes that are specific to a route. */
function errorText(route: Registered): Markup | '' {
  const codes = [...refusalsOf(route)]
    .filter(([status]) => status !== 401 && status < 429)
    .flatMap(([, named]) => named)
    .filter((code) => !EVERYWHERE.has(code))
  const links = codes.map(
    (code, index) => html`${index === 0 ? '' : ', '}<a href="/docs/errors#${code}">${code}</a>`,
  )
  return links.length === 0 ? '' : html`Error codes: ${links}.`
}

function exampleMarkup(command: string, { status, body }: Example): Markup {
  const text = JSON.stringify(body, null, 2)
  const answer = html`<summary>Answer: ${status}</summary><pre>${text}</pre>`
  return html`<pre>${command}</pre>
${
  text.split('\n').length <= SHORT_ANSWER_LINES
    ? html`<details open>${answer}</details>`
    : html`<details>${answer}</details>`
}`
}

function objectSection(name: string, description: Description): Markup | '' {
  const schema = description.schemas[name]
  if (!schema?.properties) return ''
  return html`<section id="${name}">
<h2>The ${name} object</h2>
<p>${schema.description ?? ''}</p>
${fieldList(schema, description)}
</section>`
}
