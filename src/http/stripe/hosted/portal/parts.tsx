/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import { formatDate } from '../../../../core/calendar.ts'
import { dateText } from '../date-text.ts'
import { Alert, hostedPage } from '../frame.tsx'
import { leadsAway, type Portal } from './portal.ts'

export const Day = ({ at }: { at: number }) => <time datetime={formatDate(at)}>{dateText(at)}</time>

/** The link to the site of the merchant, if the session has a return_url. */
export const Return = ({ portal: { session, of } }: { portal: Portal }) =>
  session.return_url === null ? null : (
    <p>
      <a href={session.return_url}>Return to {of.merchant}</a>{' '}
      <span class="faint">({new URL(session.return_url).host})</span>
    </p>
  )

/** Makes a page with one step of the portal. A link leads back to the overview or, from a flow, to the merchant. */
export const stepPage = (
  portal: Portal,
  { title, alert, content }: { title: string; alert?: string | undefined; content: Child },
): Response =>
  hostedPage({
    of: portal.of,
    title,
    leadsAway: leadsAway(portal),
    content: (
      <>
        <section class="card">
          <h1>{title}</h1>
          {alert === undefined ? null : (
            <div class="field">
              <Alert>{alert}</Alert>
            </div>
          )}
          {content}
        </section>
        {portal.step === null ? (
          <p>
            <a href={portal.path}>Go back</a>
          </p>
        ) : (
          <Return portal={portal} />
        )}
      </>
    ),
  })
