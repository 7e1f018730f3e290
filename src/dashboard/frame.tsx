/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import { DASHBOARD_PATH } from '../http/dashboard/access.ts'
import { Brand, filePage } from '../http/html/document.tsx'
import type { PageContext } from './context.ts'
import { FormToken } from './form-token.tsx'
import { TimeBar } from './time-bar.tsx'

const FILES = {
  style: `${DASHBOARD_PATH}/style.css`,
  script: `${DASHBOARD_PATH}/script.js`,
  icon: '/docs/favicon.svg',
}

/** The sections in the navigation. */
const SECTIONS = [
  { name: '', title: 'Overview' },
  { name: 'customers', title: 'Customers' },
  { name: 'subscriptions', title: 'Subscriptions' },
  { name: 'invoices', title: 'Invoices' },
  { name: 'payments', title: 'Payments' },
  { name: 'events', title: 'Events' },
  { name: 'mail', title: 'Mail' },
  { name: 'webhooks', title: 'Webhooks' },
  { name: 'requests', title: 'Requests' },
  { name: 'clocks', title: 'Clocks' },
  { name: 'scenes', title: 'Scenes' },
] as const

type Framed = {
  readonly title: string
  readonly content: Child
  readonly status?: number
  /** Without the script, the browser reloads the page after this time. */
  readonly refreshSeconds?: number | undefined
  /** The url of the stream of changes that live.js applies to the page. */
  readonly live?: string | undefined
  /** Whether live.js also reads the page again every two seconds, for changes that are no events. */
  readonly polls?: boolean
  /** The id of a clock: live.js reloads the page when the clock no longer advances. */
  readonly endsWithAdvance?: string
}

/** Makes a page: the navigation, the merchant, the clock, and the content. */
export function framed(
  context: PageContext,
  { title, content, status = 200, refreshSeconds, live, polls = false, endsWithAdvance }: Framed,
): Response {
  const { base, section, merchant, version } = context
  return filePage(status, {
    files: FILES,
    title: `${title} · ${merchant.name}`,
    formAction: "'self'",
    refreshSeconds,
    content: (
      <>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href={base}>
            <Brand />
          </a>
          <MerchantChooser {...context} />
          <search class="find">
            <form method="get" action={`${base}/find`}>
              <input
                type="search"
                name="id"
                aria-label="Find a name, email, number or ID"
                placeholder="Name, email, number, ID"
                maxlength={200}
                required
              />
            </form>
          </search>
          {/* The script shows it. */}
          <button type="button" class="quiet" id="live" aria-pressed="true" hidden>
            Live
          </button>
          <SignOut {...context} />
        </header>
        <nav class="sections" aria-label="Sections">
          <ul>
            {SECTIONS.map(({ name, title: label }) => (
              <li>
                <a
                  href={name === '' ? base : `${base}/${name}`}
                  aria-current={name === section ? 'page' : undefined}
                >
                  {label}
                </a>
              </li>
            ))}
          </ul>
          <p class="foot">
            <a href="/docs">API reference</a>
            <small>paytwin {version}</small>
          </p>
        </nav>
        <div class="body">
          <TimeBar {...context} />
          <main
            id="content"
            tabindex={-1}
            data-live={live}
            data-poll={polls ? '' : undefined}
            data-ends={endsWithAdvance}
          >
            <h1>{title}</h1>
            {content}
          </main>
        </div>
      </>
    ),
  })
}

function MerchantChooser({ merchants, merchant }: PageContext) {
  if (merchants.length === 1) return <p class="merchant">{merchant.name}</p>
  return (
    <form class="merchant" method="get" action={DASHBOARD_PATH}>
      <select name="merchant" aria-label="Merchant">
        {merchants.map(({ id, name }) => (
          <option value={id} selected={id === merchant.id}>
            {name}
          </option>
        ))}
      </select>
      <button type="submit">Switch</button>
    </form>
  )
}

const SignOut = ({ formToken }: PageContext) => (
  <form class="sign-out" method="post" action={`${DASHBOARD_PATH}/sign-out`}>
    <FormToken value={formToken} />
    <button type="submit" class="quiet">
      Sign out
    </button>
  </form>
)

/** Makes the page for a daemon without merchants. */
export const withoutMerchants = (): Response =>
  filePage(200, {
    files: FILES,
    title: 'No merchants',
    content: (
      <main class="alone">
        <h1>There are no merchants</h1>
        <p>
          Create one with <code>paytwin merchants create --name NAME</code>, then reload this page.
        </p>
      </main>
    ),
  })
