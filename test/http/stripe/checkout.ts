import type { CheckoutResult } from '../../../src/engine/resources/checkout-payment.ts'
import {
  type CheckoutSubmission,
  completeCheckout,
} from '../../../src/engine/resources/checkout-submission.ts'
import type { StripeTwin } from './sdk.ts'

/** Submits the page of a session, as its form does. */
export async function submit(
  { twin: { sandbox } }: StripeTwin,
  id: string,
  given: CheckoutSubmission = {},
): Promise<CheckoutResult> {
  const submission = { email: 'ada@example.com', name: 'Ada Lovelace', ...CARD, ...given }
  const context = { id: 'req_test', idempotency_key: null }
  return sandbox.engine.command(sandbox.merchant, context, (unit) => completeCheckout(unit, id, submission))
}

/** The number of a test card. */
const CARD = { card: { number: '4242424242424242', exp_month: 12, exp_year: 2040 } }

export const cardOf = (number: string): CheckoutSubmission => ({ card: { ...CARD.card, number } })
