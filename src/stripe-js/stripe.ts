import { type Answer, Api, intentOf, sandboxUrl } from './api.ts'
import { FormElements, groupOf } from './elements.ts'
import { authenticate, leaveFor, withResult } from './leaving.ts'
import { MISSING_METHODS, missingMethod } from './missing.ts'
import type {
  ConfirmOptions,
  PaymentIntentResult,
  PaymentMethodResult,
  SetupIntentResult,
  StripeError,
  StripeJs,
} from './types.ts'

type Params = Readonly<Record<string, unknown>>
type Result = PaymentIntentResult & SetupIntentResult

/** Creates the object of Stripe.js that sends its requests to the sandbox. */
export function stripeOf(key: string): StripeJs {
  if (!/^pk_test_\w+$/.test(key))
    throw new Error(
      'Expected a publishable key of the sandbox, such as pk_test_123: keys create --publishable',
    )
  const api = new Api(key)
  const known: StripeJs = {
    elements: (options = {}) => new FormElements(options),
    confirmPayment: (options) => confirmForms(api, options),
    confirmSetup: (options) => confirmForms(api, options),
    confirmCardPayment: (secret, data, options) => confirmCard(api, secret, { data, options }),
    confirmCardSetup: (secret, data, options) => confirmCard(api, secret, { data, options }),
    retrievePaymentIntent: async (secret) => resultOf(secret, await api.retrieve(secret)),
    retrieveSetupIntent: async (secret) => resultOf(secret, await api.retrieve(secret)),
    handleNextAction: ({ clientSecret }) => continueIntent(api, clientSecret),
    handleCardAction: (secret) => continueIntent(api, secret),
    createPaymentMethod: (options) => createPaymentMethod(api, options),
    redirectToCheckout: ({ sessionId }) => leaveFor(`${sandboxUrl()}/c/pay/${sessionId}`),
  }
  const missing = MISSING_METHODS.map((name) => [name, () => refuse(name)] as const)
  return Object.assign(Object.fromEntries(missing), known)
}

function refuse(name: string): never {
  throw missingMethod(name)
}

/** Confirms an intent with the card in the forms, and opens the return_url. */
async function confirmForms(
  api: Api,
  { elements, clientSecret, confirmParams = {}, redirect = 'always' }: ConfirmOptions,
): Promise<Result> {
  const forms = elements && groupOf(elements)
  const secret = clientSecret ?? forms?.clientSecret
  if (typeof secret !== 'string')
    throw new Error('Expected clientSecret, or elements that were created with one')
  const error = forms?.check()
  if (error) return { error }
  const { return_url, payment_method_data, ...params } = confirmParams
  if (redirect === 'always' && return_url === undefined)
    throw new Error("Expected confirmParams.return_url, or redirect: 'if_required'")
  const method = forms ? methodOf(forms, payment_method_data as Params | undefined) : payment_method_data
  const leaves = redirect === 'always' ? return_url : undefined
  const answer = await api.confirm(secret, { ...params, payment_method_data: method, return_url: leaves })
  return settle(api, { secret, answer, leaves })
}

type CardConfirmation = {
  readonly data: Params | undefined
  readonly options: { readonly handleActions?: boolean } | undefined
}

/** Confirms an intent with one card: an element, a token, or a payment method. Stays on the page unless there is a return_url. */
async function confirmCard(
  api: Api,
  secret: string,
  { data = {}, options: { handleActions = true } = {} }: CardConfirmation,
): Promise<Result> {
  const { payment_method, ...params } = data
  const method = typeof payment_method === 'object' ? cardMethodOf(payment_method as Params) : {}
  if (method.error) return { error: method.error }
  const chosen =
    typeof payment_method === 'object' ? { payment_method_data: method.data } : { payment_method }
  const answer = await api.confirm(secret, { ...params, ...chosen })
  return handleActions ? settle(api, { secret, answer }) : resultOf(secret, answer)
}

/** Reads `{ card: element | { token }, billing_details }`. */
function cardMethodOf({ card, ...details }: Params): { data?: object; error?: StripeError | undefined } {
  if (typeof card === 'object' && card !== null && 'token' in card)
    return { data: { ...details, type: 'card', card } }
  const forms = groupOf(card)
  const error = forms.check()
  return error ? { error } : { data: methodOf(forms, details) }
}

const methodOf = (forms: FormElements, details: Params = {}): object => ({
  ...details,
  type: 'card',
  card: forms.card(),
  billing_details: { ...forms.billingDetails(), ...(details.billing_details as object | undefined) },
})

async function createPaymentMethod(
  api: Api,
  { elements, params = {}, type: _, ...given }: Params,
): Promise<PaymentMethodResult> {
  const data = elements ? { ...(params as Params), card: elements } : given
  const method = cardMethodOf(data)
  if (method.error) return { error: method.error }
  const answer = await api.send('POST', 'payment_methods', method.data ?? {})
  return answer.error ? { error: answer.error } : { paymentMethod: answer.object }
}

async function continueIntent(api: Api, secret: string): Promise<Result> {
  return settle(api, { secret, answer: await api.retrieve(secret) })
}

type Settling = {
  readonly secret: string
  readonly answer: Answer
  /** The URL that the browser opens after the intent is confirmed; undefined to stay. */
  readonly leaves?: string | undefined
}

/** Lets the customer authenticate if that is required, and leaves the page once the intent is confirmed. */
async function settle(api: Api, { secret, answer, leaves }: Settling): Promise<Result> {
  if (answer.error) return { error: answer.error }
  const settled = await authenticate(api, secret, answer.object)
  if (leaves !== undefined && settled.object) return leaveFor(withResult(leaves, secret))
  return resultOf(secret, settled)
}

function resultOf(secret: string, { object, error }: Answer): Result {
  if (error) return { error }
  return intentOf(secret).kind === 'payment_intent' ? { paymentIntent: object } : { setupIntent: object }
}
