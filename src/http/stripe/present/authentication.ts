import type { View } from '../../../engine/history/view.ts'
import { authenticationPath } from './hosted-pages.ts'

/** The next action of a customer who must authenticate on a page of paytwin. */
export type NextAction =
  | { type: 'redirect_to_url'; redirect_to_url: { return_url: string; url: string } }
  | { type: 'use_stripe_sdk'; use_stripe_sdk: { type: 'three_d_secure_redirect'; stripe_js: string } }

/**
 * Presents the pending authentication of an intent: a redirect if the intent has a return_url, otherwise the form for
 * Stripe.js, which also contains the address of the page.
 */
export function nextActionOf(view: View, id: string, return_url: string | null): NextAction {
  const url = `${view.url}${authenticationPath(view, id)}`
  return return_url === null
    ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect', stripe_js: url } }
    : { type: 'redirect_to_url', redirect_to_url: { return_url, url } }
}
