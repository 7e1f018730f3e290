/** @jsxImportSource hono/jsx */
import type { Scope } from '../../core/oauth.ts'
import { formActionOf } from '../../core/redirect-uri.ts'
import type { AuthorizationRequest } from '../../engine/access/oauth-authorization.ts'
import { escapeControls } from '../../text/display.ts'
import { cardPage } from '../html/document.tsx'
import { sentence } from '../html/sentence.ts'

/** paytwin: with more merchants, the page shows a drop-down list. */
const MAX_SHOWN_MERCHANTS = 6

type Merchant = { readonly id: string; readonly name: string }

/** Makes the consent page. @param given.nonce - identifies the page in its form; @param given.action - the path of the form */
export function consentPage(given: {
  readonly asked: AuthorizationRequest
  readonly nonce: string
  readonly merchants: readonly Merchant[]
  readonly action: string
}): Response {
  const { asked, nonce, merchants, action } = given
  const { app, redirect_uri, scope } = asked
  return cardPage(200, {
    title: `Authorize ${app.name}`,
    // Browsers also apply form-action to the redirect after the form.
    formAction: `'self' ${formActionOf(redirect_uri)}`,
    content: (
      <>
        <h1>
          <strong>{app.name}</strong> requests access to your account
        </h1>
        <form method="post" action={action}>
          <h2>The app will be able to</h2>
          <Abilities scope={scope} />
          <fieldset>
            <legend>Account</legend>
            <Merchants merchants={merchants} />
          </fieldset>
          <input type="hidden" name="nonce" value={nonce} />
          {/* The Enter key presses the first button. */}
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
          You will be redirected to <b>{originOf(redirect_uri)}</b>. This is a sandbox: no real money moves.
          The request expires after ten minutes.
        </p>
      </>
    ),
  })
}

/** Makes the page that shows an error. */
export const errorPage = (reason: string): Response =>
  cardPage(400, {
    title: 'Invalid authorization request',
    content: (
      <>
        <h1>The authorization request is invalid</h1>
        <p>{sentence(reason)}</p>
        <p class="faint">
          This request granted no access. Go back to the app and try again. If the error occurs again, contact
          the developer of the app.
        </p>
      </>
    ),
  })

/** Makes the page that redirects a browser to the app. */
export function redirectPage(address: string): Response {
  return cardPage(303, {
    headers: { Location: address },
    title: 'Redirecting to the app',
    content: (
      <p>
        Redirecting to <a href={address}>{originOf(address)}</a>.
      </p>
    ),
  })
}

function Abilities({ scope }: { scope: Scope }) {
  const canWrite = scope === 'read_write'
  return (
    <ul>
      <li>see customers, payments, subscriptions, invoices and events</li>
      {canWrite ? (
        <li>create and change them: charge, refund, subscribe, cancel</li>
      ) : (
        <li class="not">not create or change them</li>
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
          <option key={id} value={id}>
            {escapeControls(`${name} (${id})`)}
          </option>
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

/** Returns the origin of a uri such as `https://app.example`; the scheme of a mobile app's uri. */
function originOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? `${protocol}//${host}` : protocol
}
