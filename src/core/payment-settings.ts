/** When a card is authenticated with 3D Secure. The value has no effect, because the test card decides. */
export const THREE_D_SECURE = ['any', 'automatic', 'challenge'] as const
export type ThreeDSecure = (typeof THREE_D_SECURE)[number]

/** The payment settings of a subscription that a request chose. They are shown, and have no effect. */
export type PaymentSettings = {
  /** null if the request did not list them. */
  readonly payment_method_types: readonly 'card'[] | null
  /** null if the request did not choose it. */
  readonly request_three_d_secure: ThreeDSecure | null
  /** Whether taxes are calculated. Every tax is zero, as of an account without tax registrations. */
  readonly automatic_tax?: true
}

export const NO_PAYMENT_SETTINGS: PaymentSettings = {
  payment_method_types: null,
  request_three_d_secure: null,
}

/** Changes the given settings. */
export const withPaymentSettings = (
  known: PaymentSettings | null,
  given: Partial<PaymentSettings> = {},
): PaymentSettings | null =>
  Object.keys(given).length === 0 ? known : { ...(known ?? NO_PAYMENT_SETTINGS), ...given }
