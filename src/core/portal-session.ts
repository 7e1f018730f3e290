/** What happens after the step of a flow. */
export type FlowCompletion =
  | { readonly type: 'portal_homepage' }
  | { readonly type: 'hosted_confirmation'; readonly custom_message: string | null }
  | { readonly type: 'redirect'; readonly return_url: string }

/** The discount that a flow applies: a coupon by its id in the API, or a promotion code. */
export type FlowDiscount = { readonly coupon: string | null; readonly promotion_code: string | null }

/** The only step of a session with a flow. */
export type FlowStep =
  | { readonly type: 'customer_update' }
  | { readonly type: 'payment_method_update' }
  | { readonly type: 'subscription_cancel'; readonly subscription: string }
  | { readonly type: 'subscription_update'; readonly subscription: string }
  | {
      readonly type: 'subscription_update_confirm'
      readonly subscription: string
      readonly item: {
        readonly id: string
        readonly price: string | null
        readonly quantity: number | null
      }
      /** null if the flow leaves the discounts unchanged. */
      readonly discounts: readonly FlowDiscount[] | null
    }
export type FlowType = FlowStep['type']

export type Flow = { readonly step: FlowStep; readonly after_completion: FlowCompletion }

/** A session of the customer portal. Times are in Unix seconds. See docs/contract/customer-portal.md#sessions. */
export type PortalSession = {
  readonly id: string
  readonly created: number
  readonly customer: string
  readonly configuration: string
  readonly return_url: string | null
  readonly locale: string | null
  /** null for the whole portal. */
  readonly flow: Flow | null
  /** Whether the step of the flow is completed. Not part of the API's object. */
  readonly is_flow_done: boolean
  /** When its page can no longer be used, on the customer's clock. Not part of the API's object. */
  readonly expires_at: number
}

/** The time that a session waits for its first visit, and for each further visit, in seconds. Source: Stripe's documentation. */
export const FIRST_VISIT_SECONDS = 5 * 60
const VISIT_SECONDS = 60 * 60

export const isExpired = ({ expires_at }: PortalSession, now: number): boolean => now >= expires_at

/** A visit is recorded only if it extends the session by more than this time, in seconds. */
const MIN_EXTENSION_SECONDS = 60

/** Returns a session after a visit at an instant, which extends it. */
export function visited(session: PortalSession, now: number): PortalSession {
  const expires_at = now + VISIT_SECONDS
  return expires_at < session.expires_at + MIN_EXTENSION_SECONDS ? session : { ...session, expires_at }
}
