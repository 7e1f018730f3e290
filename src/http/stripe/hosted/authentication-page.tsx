/** @jsxImportSource hono/jsx */
import { Token } from './form-token.tsx'
import { Alert, hostedPage, type PageOf } from './frame.tsx'

/** The content of the page of an authentication. */
type Shown = {
  readonly of: PageOf
  /** The token of its form. */
  readonly token: string
  readonly alert: string | null
  /** The amount to pay with its currency; null if a card is only saved. */
  readonly amount: string | null
  /** The card, such as `Visa •••• 3220`; null if it was removed. */
  readonly card: string | null
  /** The address that the browser opens afterwards; null for none. */
  readonly return_url: string | null
}

/** Makes the page on which the customer completes or fails an authentication. */
export const authenticationPage = ({ of, token, alert, amount, card, return_url }: Shown): Response => {
  const name =
    card === null ? null : (
      <>
        {' '}
        <strong>{card}</strong>
      </>
    )
  return hostedPage({
    of,
    title: 'Authenticate',
    leadsAway: return_url !== null,
    content: (
      <section class="card">
        <h1>{amount === null ? 'Authenticate your card' : 'Authenticate your payment'}</h1>
        {alert === null ? null : <Alert>{alert}</Alert>}
        <p>
          {amount === null ? (
            <>
              <strong>{of.merchant}</strong> saves your card{name} for later payments.
            </>
          ) : (
            <>
              <strong>{of.merchant}</strong> charges <strong>{amount}</strong> to your card{name}.
            </>
          )}
        </p>
        <form method="post" class="stacked">
          <Token value={token} />
          <button type="submit" name="outcome" value="succeed" class="primary">
            Complete authentication
          </button>
          <button type="submit" name="outcome" value="fail">
            Fail authentication
          </button>
        </form>
        <p class="faint">
          This page stands in for the 3D Secure page of a bank.
          {return_url === null ? null : (
            <>
              {' '}
              You will return to <b>{new URL(return_url).origin}</b>.
            </>
          )}
        </p>
      </section>
    ),
  })
}
