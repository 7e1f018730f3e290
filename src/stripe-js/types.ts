/** An intent or a payment method, as a browser sees it. */
export type ApiObject = {
  readonly id: string
  readonly status: string
  readonly [field: string]: unknown
}

/** An error in the form of Stripe.js: of the API, of a form that is not complete, or of the connection. */
export type StripeError = {
  readonly type: string
  readonly code?: string
  readonly message?: string
  readonly [field: string]: unknown
}

/** The result of a method: an object, or an error. A declined payment has the intent in its error. */
export type PaymentIntentResult = { readonly paymentIntent?: ApiObject; readonly error?: StripeError }
export type SetupIntentResult = { readonly setupIntent?: ApiObject; readonly error?: StripeError }
export type PaymentMethodResult = { readonly paymentMethod?: ApiObject; readonly error?: StripeError }

type Fields = Readonly<Record<string, unknown>>

/** A form of paytwin in the place of an element of Stripe. */
export type StripeElement = {
  /** Shows the form. @throws Error if there is no such element on the page */
  mount(target: string | HTMLElement): void
  unmount(): void
  destroy(): void
  focus(): void
  blur(): void
  clear(): void
  update(options: Fields): StripeElement
  collapse(): StripeElement
  on(event: string, handler: (event: never) => unknown): StripeElement
  once(event: string, handler: (event: never) => unknown): StripeElement
  off(event: string, handler?: (event: never) => unknown): StripeElement
}

/** The elements of one form. */
export type StripeElements = {
  /** Creates a form. @throws Error for a type of element that paytwin does not have */
  create(type: string, options?: Fields): StripeElement
  getElement(type: unknown): StripeElement | null
  update(options: Fields): Promise<void>
  fetchUpdates(): Promise<{ readonly error?: undefined }>
  /** Checks whether the forms are complete, and shows their errors. */
  submit(): Promise<{ readonly selectedPaymentMethod?: string; readonly error?: StripeError }>
  on(event: string, handler: () => unknown): void
}

/** The options of confirmPayment and confirmSetup. */
export type ConfirmOptions = {
  readonly elements?: StripeElements
  /** The client secret of the intent. Default: that of `elements`. */
  readonly clientSecret?: string
  readonly confirmParams?: Fields & { readonly return_url?: string }
  /** When a confirmed intent opens `return_url`: always by default. */
  readonly redirect?: 'always' | 'if_required'
}

type CardData = Fields & { readonly payment_method?: unknown; readonly return_url?: string }
type CardOptions = { readonly handleActions?: boolean }

/** The methods of Stripe.js that paytwin has. All others throw an error that names them. */
export type StripeJs = {
  elements(options?: Fields & { readonly clientSecret?: string }): StripeElements
  confirmPayment(options: ConfirmOptions): Promise<PaymentIntentResult>
  confirmSetup(options: ConfirmOptions): Promise<SetupIntentResult>
  confirmCardPayment(
    clientSecret: string,
    data?: CardData,
    options?: CardOptions,
  ): Promise<PaymentIntentResult>
  confirmCardSetup(clientSecret: string, data?: CardData, options?: CardOptions): Promise<SetupIntentResult>
  retrievePaymentIntent(clientSecret: string): Promise<PaymentIntentResult>
  retrieveSetupIntent(clientSecret: string): Promise<SetupIntentResult>
  createPaymentMethod(options: Fields): Promise<PaymentMethodResult>
  /** Lets the customer authenticate, if the intent requires it. */
  handleNextAction(options: {
    readonly clientSecret: string
  }): Promise<PaymentIntentResult | SetupIntentResult>
  handleCardAction(clientSecret: string): Promise<PaymentIntentResult>
  /** Opens the page of a Checkout session. */
  redirectToCheckout(options: { readonly sessionId: string }): Promise<never>
}

/**
 * Creates the object that `@stripe/stripe-js` resolves to; null outside of a browser.
 * @param publishableKey - a publishable key of the sandbox: `pk_test_…`
 */
export type LoadStripe = {
  (publishableKey: string, options?: Fields): Promise<StripeJs | null>
  setLoadParameters(parameters: Fields): void
}

/** The function that Stripe's script defines as `window.Stripe`. */
export type StripeConstructor = {
  (publishableKey: string, options?: Fields): StripeJs
  readonly version: string
}
