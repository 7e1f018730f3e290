import { html } from 'hono/html'
import { NEWEST_API_VERSION } from '../../core/api-version.ts'
import type { Tag } from '../openapi/tags.ts'
import type { Description } from '../openapi.ts'
import type { Markup, PageContent } from './layout.ts'

/** How to call the API, and where the rest is explained. */
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
${term('Keys', html`A secret key goes in as <code>Authorization: Bearer</code>, or as the user of HTTP Basic with an empty password. Publishable keys are for browsers, which may show and confirm one payment intent with its <code>client_secret</code>.`)}
${term('Bodies', html`JSON and forms are the same: <code>items[0][price]=…</code>, <code>metadata[plan]=pro</code>. Amounts are integers in the smallest currency unit, times are Unix seconds.`)}
${term('Lists', html`The newest first, ten at a time, up to a hundred with <code>limit</code>. Go on with <code>starting_after</code> the last id, back with <code>ending_before</code> the first.`)}
${term('Whole objects', html`<code>expand[]=latest_invoice.payment_intent</code> shows objects in place of their ids, four levels deep; on lists the path begins with <code>data.</code>`)}
${term('Repeating', html`A POST or DELETE with an <code>Idempotency-Key</code> can be sent again: it answers the same, and nothing happens twice.`)}
${term('Versions', html`<code>X-API-Version: ${NEWEST_API_VERSION}</code> asks for a version; without it the merchant's own is used.`)}
${term('What answers carry', html`<code>livemode</code> in every body, false here. <code>Request-Id</code> and <code>X-API-Version</code> in every header; <code>Paytwin-Now</code>, the merchant's clock; <code>Paytwin-Ignored-Params</code>, the names that nobody knows.`)}
${term('Errors', html`Refusals have a <a href="/docs/errors">code</a>, and a <code>doc_url</code> that leads to it.`)}
</dl>

<h2>For merchants</h2>
${pageList(tags.filter(({ isOperators }) => !isOperators))}
<h2>For the operator</h2>
<p>With the daemon's admin token, as <code>Authorization: Bearer</code>.</p>
${pageList(tags.filter(({ isOperators }) => isOperators))}
<p>The same for programs: <a href="/openapi.json">/openapi.json</a>.</p>`,
})

const term = (name: string, text: Markup): Markup => html`<div><dt>${name}</dt><dd>${text}</dd></div>`

const pageList = (tags: readonly Tag[]): Markup => html`<dl>${tags.map(pageTerm)}</dl>`

const pageTerm = ({ name, title, description }: Pick<Tag, 'name' | 'title' | 'description'>): Markup =>
  html`<div><dt><a href="/docs/${name}">${title}</a></dt><dd>${description}</dd></div>`
