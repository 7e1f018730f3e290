/** @jsxImportSource hono/jsx */
import type { Child } from 'hono/jsx'
import { formActionOf } from '../../../core/redirect-uri.ts'
import { cardPage } from '../../html/document.tsx'

/** What the page of an authentication shows. */
export type Shown = {
  /** The name of the merchant. */
  readonly merchant: string
  /** The amount to pay with its currency; null where a card is only saved. */
  readonly amount: string | null
  /** The card, such as `visa …3220`. */
  readonly card: string
  /** Where the browser goes afterwards; null for nowhere. */
  readonly return_url: string | null
}

/** Makes the page on which the customer completes or fails an authentication. */
export const authenticationPage = ({ merchant, amount, card, return_url }: Shown): Response =>
  cardPage(200, {
    title: 'Authenticate',
    // Browsers also apply form-action to the redirect after the form.
    formAction: return_url === null ? "'self'" : `'self' ${formActionOf(return_url)}`,
    content: (
      <>
        <h1>{amount === null ? 'Authenticate your card' : 'Authenticate your payment'}</h1>
        <p>
          {amount === null ? (
            <>
              <strong>{merchant}</strong> saves your card <strong>{card}</strong> for later payments.
            </>
          ) : (
            <>
              <strong>{merchant}</strong> charges <strong>{amount}</strong> to your card{' '}
              <strong>{card}</strong>.
            </>
          )}
        </p>
        <form method="post">
          <div class="actions stacked">
            <button type="submit" name="outcome" value="succeed" class="primary">
              Complete authentication
            </button>
            <button type="submit" name="outcome" value="fail">
              Fail authentication
            </button>
          </div>
        </form>
        <p class="faint">
          This page stands in for the 3D Secure page of a bank. It is a sandbox: no real money moves.
          {return_url === null ? null : (
            <>
              {' '}
              You will return to <b>{new URL(return_url).origin}</b>.
            </>
          )}
        </p>
      </>
    ),
  })

/** Makes the page after an authentication, or for one that has ended before. */
export const endedPage = (title: string, text: Child, link: string | null): Response =>
  cardPage(200, {
    title,
    content: (
      <>
        <h1>{title}</h1>
        <p>{text}</p>
        {link === null ? null : (
          <p>
            <a href={link}>Return to {new URL(link).origin}</a>
          </p>
        )}
      </>
    ),
  })

/** Makes the page that redirects a browser to the return_url. */
export function returnPage(address: string): Response {
  const response = cardPage(303, {
    title: 'Returning',
    content: (
      <p>
        Returning to <a href={address}>{new URL(address).origin}</a>.
      </p>
    ),
  })
  response.headers.set('Location', address)
  return response
}

/** Makes the page for a request that is refused. */
export const refusedPage = (status: number, reason: string): Response =>
  cardPage(status, {
    title: 'The page cannot be shown',
    content: (
      <>
        <h1>The page cannot be shown</h1>
        <p>{/[.!?]$/.test(reason) ? reason : `${reason}.`}</p>
        <p class="faint">Nothing was changed.</p>
      </>
    ),
  })
