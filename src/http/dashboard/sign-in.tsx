/** @jsxImportSource hono/jsx */
import { cardPage } from '../html/document.tsx'
import { sentence } from '../html/sentence.ts'

/** Makes the page for a browser that is not signed in. */
export const signInPage = (): Response =>
  cardPage(401, {
    title: 'Open the dashboard',
    content: (
      <>
        <h1>Open the dashboard</h1>
        <p>The dashboard opens with a link that works once. To get one, run this command:</p>
        <pre>paytwin open</pre>
        <Documentation />
      </>
    ),
  })

/** Makes the page for a link that cannot be opened. */
export const usedLinkPage = (): Response =>
  cardPage(401, {
    title: 'The link does not work',
    content: (
      <>
        <h1>The link does not work any more</h1>
        <p>A link opens the dashboard once, within an hour. To get another, run this command:</p>
        <pre>paytwin open</pre>
        <Documentation />
      </>
    ),
  })

/** Makes the page for a request that may not come from the dashboard. */
export const refusedPage = (status: number, reason: string): Response =>
  cardPage(status, {
    title: 'The request was refused',
    content: (
      <>
        <h1>The request was refused</h1>
        <p>{sentence(reason)}</p>
        <p class="faint">Nothing was changed.</p>
      </>
    ),
  })

const Documentation = () => (
  <p class="faint">
    The <a href="/docs">documentation of the API</a> is open to everybody.
  </p>
)
