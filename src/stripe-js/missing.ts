/** Names of Stripe.js, and what to use in their place. */
type Replacements = readonly (readonly [names: readonly string[], use: string])[]

const HOSTED =
  "a Checkout session with ui_mode 'hosted_page', and lead the browser to its url: there are no embedded pages"
const CARDS = 'confirmPayment, confirmSetup or a Checkout session: Elements have cards only'

/** The methods of Stripe.js that applications and libraries use, and that paytwin lacks. */
const METHODS: Replacements = [
  [
    ['createConfirmationToken'],
    'confirmPayment or confirmSetup with the elements, or createPaymentMethod and confirm the intent on your server',
  ],
  [['initCheckout', 'initEmbeddedCheckout', 'initCheckoutElementsSdk', 'initCheckoutFormSdk'], HOSTED],
  [['createEmbeddedCheckoutPage'], HOSTED],
  [['createToken', 'createSource', 'retrieveSource'], 'createPaymentMethod'],
  [['paymentRequest'], "the element 'payment': there are no wallets"],
  [['updatePaymentIntent'], 'paymentIntents.update on your server'],
  [['collectBankAccountForPayment', 'collectBankAccountForSetup', 'verifyMicrodepositsForPayment'], CARDS],
  [['confirmSepaDebitPayment', 'confirmSepaDebitSetup', 'confirmUsBankAccountPayment'], CARDS],
  [['confirmIdealPayment', 'confirmPayPalPayment', 'confirmKlarnaPayment'], CARDS],
]

const ADDRESS =
  'fields of your own, and pass the address as confirmParams.payment_method_data.billing_details, or a Checkout session with billing_address_collection'

const ELEMENTS: Replacements = [
  [['address', 'shippingAddress'], ADDRESS],
  [['paymentRequestButton'], "the element 'payment': there are no wallets"],
  [['iban', 'idealBank', 'epsBank', 'p24Bank', 'fpxBank', 'auBankAccount'], CARDS],
]

export const MISSING_METHODS: readonly string[] = METHODS.flatMap(([names]) => names)

/** Returns the error for a method that paytwin lacks, which says what to use instead. */
export const missingMethod = (name: string): Error =>
  new Error(`paytwin/stripe-js does not have ${name} yet. Use ${replacementOf(name, METHODS)}.`)

/** Returns the error for an element that paytwin does not have. @param known - the elements that it has */
export function missingElement(type: string, known: readonly string[]): Error {
  const use = replacementOf(type, ELEMENTS)
  const hint = use === undefined ? '' : ` Use ${use}.`
  return new Error(`paytwin/stripe-js has no element '${type}'. It has: ${known.join(', ')}.${hint}`)
}

const replacementOf = (name: string, replacements: Replacements): string | undefined =>
  replacements.find(([names]) => names.includes(name))?.[1]
