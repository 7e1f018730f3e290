import type { ThreeDSecure } from './payment-settings.ts'

/** Which payment methods an intent accepts, as its request chose. */
export type MethodOptions = {
  /** null if the request lists the types itself. */
  readonly automatic_payment_methods: {
    readonly enabled: boolean
    readonly allow_redirects: 'always' | 'never'
  } | null
  /** The types that the request allows; null for all. */
  readonly allowed_payment_method_types: readonly string[] | null
  /** Where the customer returns after an authentication. */
  readonly return_url: string | null
  /** When to authenticate a card; absent for the default. It is shown, and has no effect. */
  readonly request_three_d_secure?: ThreeDSecure
}

/** The parameters of a payment intent that paytwin's own API does not have. */
export type PaymentOptions = MethodOptions & {
  readonly setup_future_usage: 'off_session' | 'on_session' | null
  readonly receipt_email: string | null
  readonly statement_descriptor: string | null
  readonly statement_descriptor_suffix: string | null
}

/** The options of an intent whose request names none. */
export const DEFAULT_METHOD_OPTIONS: MethodOptions = {
  automatic_payment_methods: { enabled: true, allow_redirects: 'always' },
  allowed_payment_method_types: null,
  return_url: null,
}

/** The payment options of an intent whose request names none. */
export const DEFAULT_PAYMENT_OPTIONS: PaymentOptions = {
  ...DEFAULT_METHOD_OPTIONS,
  setup_future_usage: null,
  receipt_email: null,
  statement_descriptor: null,
  statement_descriptor_suffix: null,
}
