import type Stripe from 'stripe'
import type { CheckoutResult } from '../../../src/engine/resources/checkout-payment.ts'
import { recoverCheckoutSession } from '../../../src/engine/resources/checkout-session.ts'
import {
  type CheckoutSubmission,
  changeCheckout,
  completeCheckout,
} from '../../../src/engine/resources/checkout-submission.ts'
import type { StripeTwin } from './sdk.ts'

export const SUCCESS = { success_url: 'https://shop.example/done?session={CHECKOUT_SESSION_ID}' }

const CARD = { number: '4242424242424242', exp_month: 12, exp_year: 2040 }

/** What a customer submits: the number of another test card, or another payment method. */
type Submission = CheckoutSubmission & { readonly number?: string }

const CONTEXT = { id: 'req_test', idempotency_key: null }

/** Submits the page of a session, as its form does. */
export function submit(
  { twin: { sandbox } }: StripeTwin,
  id: string,
  { number, ...given }: Submission = {},
): Promise<CheckoutResult> {
  const card = given.payment_method === undefined ? { ...CARD, ...(number && { number }) } : undefined
  const submission = { email: 'ada@example.com', name: 'Ada Lovelace', card, ...given }
  return sandbox.engine.command(sandbox.merchant, CONTEXT, (unit) => completeCheckout(unit, id, submission))
}

/** Changes quantities or the promotion code of a session, as its page does. */
export const change = ({ twin: { sandbox } }: StripeTwin, id: string, given: CheckoutSubmission) =>
  sandbox.engine.command(sandbox.merchant, CONTEXT, (unit) => changeCheckout(unit, id, given))

/** Opens a session in place of an expired one, as its recovery url does. */
export const recover = ({ twin: { sandbox } }: StripeTwin, id: string) =>
  sandbox.engine.command(sandbox.merchant, CONTEXT, (unit) => recoverCheckoutSession(unit, id))

/** Completes or fails the authentication of the intent that a session waits for, as its page does. */
export async function authenticate(
  sdk: StripeTwin,
  result: CheckoutResult,
  outcome: 'succeed' | 'fail',
): Promise<void> {
  if (result.result !== 'requires_action') throw new Error(`expected an action, not ${result.result}`)
  const { kind, object } = result.intent
  await sdk.stripe.rawRequest('POST', `/v1/test_helpers/${kind}s/${object.id}/settle`, { outcome })
}

/** Returns the types of the events that a step emits. */
export async function eventsOf(stripe: Stripe, step: () => Promise<unknown>): Promise<string[]> {
  const [before] = (await stripe.events.list({ limit: 1 })).data
  await step()
  const { data } = await stripe.events.list({ limit: 100, ...(before && { ending_before: before.id }) })
  return data.map(({ type }) => type).reverse()
}
