import { html } from 'hono/html'
import { NEWEST_API_VERSION } from '../../core/api-version.ts'
import type { Tag } from '../openapi/tags.ts'
import type { Description } from '../openapi.ts'
import type { Markup, PageContent } from './layout.ts'

/** Makes the first page: how to call the API, and a list of the other pages. */
export const indexPage = ({ tags }: Description, url: string): PageContent => ({
  title: 'paytwin',
  name: '',
  body: html`<h1>paytwin</h1>
<p class="lead">A sandbox of a payments and recurring-billing service, with a clock that you control.</p>
<pre>export PAYTWIN_SECRET_KEY=sk_test_…
curl ${url}/v1/customers \\
  -u "$PAYTWIN_SECRET_KEY:" \\
  -d email=ada@example.com</pre>

<h2>How to call it</h2>
<dl>
${term('Keys', html`Send a secret key as <code>Authorization: Bearer</code>, or as the user of HTTP Basic with an empty password. Publishable keys are for browsers: they can retrieve and confirm one payment intent with its <code>client_secret</code>.`)}
${term('Bodies', html`JSON or form-encoded: <code>items[0][price]=…</code>, <code>metadata[plan]=pro</code>. Amounts are integers in the smallest currency unit. Times are Unix seconds.`)}
${term('Lists', html`Newest first. <code>limit</code> is 1 to 100, 10 by default. For the next page, set <code>starting_after</code> to the last id. For the previous page, set <code>ending_before</code> to the first.`)}
${term('Expansion', html`<code>expand[]=latest_invoice.payment_intent</code> shows objects in place of their ids, up to four levels deep. On lists the path begins with <code>data</code>.`)}
${term('Idempotency', html`A POST or DELETE with an <code>Idempotency-Key</code> can be retried: the answer is the same, and the action runs once.`)}
${term('Versions', html`<code>X-API-Version: ${NEWEST_API_VERSION}</code> selects a version. The default is the version of the merchant.`)}
${term('Responses', html`Every body has <code>livemode</code>, which is false. Every response has the headers <code>Request-Id</code> and <code>X-API-Version</code>. <code>Paytwin-Now</code> is the merchant's clock. <code>Paytwin-Ignored-Params</code> lists unknown parameters.`)}
${term('Errors', html`Errors have a <a href="/docs/errors">code</a>, and a <code>doc_url</code> that points to its explanation.`)}
</dl>

<h2>For merchants</h2>
${pageList(tags.filter(({ isOperators }) => !isOperators))}
<h2>For the operator</h2>
<p>These routes need the admin token of the daemon, as <code>Authorization: Bearer</code>.</p>
${pageList(tags.filter(({ isOperators }) => isOperators))}
<p>The OpenAPI document: <a href="/openapi.json">/openapi.json</a>.</p>`,
})

const term = (name: string, text: Markup): Markup => html`<div><dt>${name}</dt><dd>${text}</dd></div>`

const pageList = (tags: readonly Tag[]): Markup => html`<dl>${tags.map(pageTerm)}</dl>`

const pageTerm = ({ name, title, description }: Pick<Tag, 'name' | 'title' | 'description'>): Markup =>
  html`<div><dt><a href="/docs/${name}">${title}</a></dt><dd>${description}</dd></div>`
