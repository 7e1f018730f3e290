/** @jsxImportSource hono/jsx */
import { createHash } from 'node:crypto'
import type { Child } from 'hono/jsx'
import type { Scope } from '../../core/oauth.ts'
import { formActionOf } from '../../core/redirect-uri.ts'
import type { Asked } from '../../engine/oauth-authorization.ts'
import { STYLE } from './style.ts'

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')
/** paytwin: of more merchants one is chosen from a list that folds. */
const MAX_SHOWN_MERCHANTS = 6

type Merchant = { readonly id: string; readonly name: string }

/** The page that asks. @param given.nonce - what its form proves itself with; @param given.action - where that goes */
export function consentPage(given: {
  readonly asked: Asked
  readonly nonce: string
  readonly merchants: readonly Merchant[]
  readonly action: string
}): Response {
  const { asked, nonce, merchants, action } = given
  const { app, redirect_uri, scope } = asked
  return page(200, {
    title: `Let ${app.name} in?`,
    // Browsers apply it to where the form leads in the end, too.
    formAction: `'self' ${formActionOf(redirect_uri)}`,
    content: (
      <>
        <h1>
          <strong>{app.name}</strong> asks for access to your account
        </h1>
        <form method="post" action={action}>
          <h2>It will be able to</h2>
          <Abilities scope={scope} />
          <fieldset>
            <legend>Whose account?</legend>
            <Merchants merchants={merchants} />
          </fieldset>
          <input type="hidden" name="nonce" value={nonce} />
          {/* The first button is what the Enter key presses. */}
          <div class="actions">
            <button type="submit" name="decision" value="deny" formnovalidate>
              Deny
            </button>
            <button type="submit" name="decision" value="approve" class="primary">
              Approve
            </button>
          </div>
        </form>
        <p class="faint">
          Then you go back to <b>{placeOf(redirect_uri)}</b>. This is a sandbox: no real money moves. The
          request stays open for ten minutes.
        </p>
      </>
    ),
  })
}

/** The page that says why there is nothing to ask. */
export const refusalPage = (reason: string): Response =>
  page(400, {
    title: 'This request cannot be shown',
    content: (
      <>
        <h1>This does not work</h1>
        <p>{/[.!?]$/.test(reason) ? reason : `${reason}.`}</p>
        <p class="faint">
          Nothing was granted, and you were not sent anywhere. Go back to the app and begin again. If it
          happens again, the app sends its merchants to a wrong address.
        </p>
      </>
    ),
  })

/** What goes along while a browser is sent back to the app. */
export function leavingPage(address: string): Response {
  const response = page(303, {
    title: 'Back to the app',
    content: (
      <p>
        You go back to <a href={address}>{placeOf(address)}</a>.
      </p>
    ),
  })
  response.headers.set('Location', address)
  return response
}

function Abilities({ scope }: { scope: Scope }) {
  const canWrite = scope === 'read_write'
  return (
    <ul>
      <li>see customers, payments, subscriptions, invoices and events</li>
      {canWrite ? (
        <li>create and change them: charge, refund, subscribe, cancel</li>
      ) : (
        <li class="not">but not to create or change any of it</li>
      )}
    </ul>
  )
}

function Merchants({ merchants }: { merchants: readonly Merchant[] }) {
  if (merchants.length > MAX_SHOWN_MERCHANTS) {
    return (
      <select name="merchant" required aria-label="Merchant">
        <option value="">Choose a merchant</option>
        {merchants.map(({ id, name }) => (
          <option key={id} value={id}>{`${name} (${id})`}</option>
        ))}
      </select>
    )
  }
  return (
    <div class="merchants">
      {merchants.map(({ id, name }) => (
        <label key={id}>
          <input type="radio" name="merchant" value={id} required checked={merchants.length === 1} />
          <span>{name}</span>
          <small>{id}</small>
        </label>
      ))}
    </div>
  )
}

/** `https://app.example`, or the scheme of an app on the phone. */
function placeOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? `${protocol}//${host}` : protocol
}

function page(
  status: 200 | 303 | 400,
  { title, content, formAction = "'none'" }: { title: string; content: Child; formAction?: string },
): Response {
  const markup = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {/* With no-referrer, which the header says, browsers would send the form without the Origin that it must have. */}
        <meta name="referrer" content="same-origin" />
        <title>{`${title} · paytwin`}</title>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the style is ours, and quotes are quotes in it */}
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      </head>
      <body>
        <main>
          <p class="brand">
            paytwin <span>sandbox</span>
          </p>
          {content}
        </main>
      </body>
    </html>
  )
  return new Response(`<!doctype html>${String(markup)}`, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
      'X-Frame-Options': 'DENY',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
  })
}
