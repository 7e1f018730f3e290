import { type Answer, type Api, intentOf } from './api.ts'
import type { ApiObject, StripeError } from './types.ts'

const POLL_MS = 100

type NextAction = {
  readonly redirect_to_url?: { readonly url: string }
  readonly use_stripe_sdk?: { readonly stripe_js: string }
}

/** Opens another page in the browser. The promise never settles, as that of Stripe.js does not. */
export function leaveFor(url: string): Promise<never> {
  window.location.assign(url)
  return new Promise(() => undefined)
}

/** Appends the parameters that Stripe.js appends to the return_url of a confirmed intent. */
export function withResult(return_url: string, clientSecret: string): string {
  const { kind, id } = intentOf(clientSecret)
  const url = new URL(return_url, window.location.href)
  url.searchParams.append(kind, id)
  url.searchParams.append(`${kind}_client_secret`, clientSecret)
  url.searchParams.append('redirect_status', 'succeeded')
  return url.href
}

/**
 * Lets the customer authenticate an intent that requires it: in place of this page if the intent has a return_url, otherwise in a
 * second window, while this page waits.
 * @returns the intent afterwards, or why the authentication failed
 */
export async function authenticate(api: Api, clientSecret: string, intent: ApiObject): Promise<Answer> {
  if (!intent.next_action) return { object: intent }
  const { redirect_to_url, use_stripe_sdk } = intent.next_action as NextAction
  if (redirect_to_url) return leaveFor(redirect_to_url.url)
  const page = use_stripe_sdk?.stripe_js ?? ''
  const opened = window.open(page, 'paytwin-authentication', 'popup,width=480,height=640')
  if (!opened) return { error: failure(`The browser blocked the window of the authentication: ${page}`) }
  for (;;) {
    // Read before the intent: a decision that had no effect when the window was closed is dropped.
    const { closed } = opened
    const answer = await api.retrieve(clientSecret)
    if (answer.error) return answer
    if (!answer.object.next_action) {
      opened.close()
      return afterAction(answer.object, clientSecret)
    }
    if (closed) return { error: failure('The customer closed the window of the authentication.') }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** Returns the intent after the customer's decision, or the error of a failed one. */
function afterAction(intent: ApiObject, clientSecret: string): Answer {
  const last = (intent.last_payment_error ?? intent.last_setup_error) as StripeError | null | undefined
  return last ? { error: { ...last, [intentOf(clientSecret).kind]: intent } } : { object: intent }
}

const failure = (message: string): StripeError => ({
  type: 'invalid_request_error',
  code: 'payment_intent_authentication_failure',
  message,
})
