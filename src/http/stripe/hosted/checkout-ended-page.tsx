/** @jsxImportSource hono/jsx */
import {
  type CheckoutSession,
  checkoutFactsOf,
  recoverableUntil,
  successUrlOf,
} from '../../../core/checkout-session.ts'
import { checkoutPath } from '../../checkout-session.ts'
import { hostedPage, messagePage, type PageOf } from './frame.tsx'

/** Makes the page of a session that is complete or has expired. */
export function endedCheckoutPage(of: PageOf, session: CheckoutSession): Response {
  if (checkoutFactsOf(session).isComplete) {
    const href = successUrlOf(session)
    return messagePage({
      of,
      title: 'You are all done here',
      text: 'This checkout is complete. It cannot be paid a second time.',
      link: { href, text: `Continue to ${new URL(href).origin}` },
    })
  }
  const { cancel_url } = session.settings
  const until = recoverableUntil(session)
  const isRecoverable = until !== null && of.now < until
  return hostedPage({
    of,
    title: 'This checkout has expired',
    content: (
      <section class="card">
        <h1>This checkout has expired</h1>
        <p>
          {isRecoverable
            ? 'Nothing was charged. You can start again with the same items.'
            : 'Nothing was charged. Go back to the shop to start again.'}
        </p>
        {isRecoverable ? (
          <form method="post" action={checkoutPath(session.id)}>
            <button type="submit" class="primary">
              Start again
            </button>
          </form>
        ) : null}
        {cancel_url === null ? null : (
          <p>
            <a href={cancel_url} rel="noreferrer">
              Back to {new URL(cancel_url).origin}
            </a>
          </p>
        )}
      </section>
    ),
  })
}
