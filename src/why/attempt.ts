import { attemptNumber, daysOf } from '../core/dunning.ts'
import type { Invoice } from '../core/invoice.ts'
import { attemptsIn, type Facts, lastStep, type Step } from './facts.ts'
import { listed, money } from './sentence.ts'

/** Names an invoice with its total: `invoice A-0002 (20.00 USD)`, `the draft invoice (20.00 USD)`. */
export const invoiceText = (invoice: Invoice): string =>
  `${invoice.number === null ? 'the draft invoice' : `invoice ${invoice.number}`} (${money(invoice.total, invoice)})`

/** Formats the number of a scheduled attempt: `attempt 2 of 5`; `attempt 1` where no retry follows it. */
export const attemptText = (facts: Facts, invoice: Invoice, attempt: number): string =>
  `attempt ${attemptNumber(attempt, isRetried(facts, invoice) ? attemptsIn(facts) : null)}`

/** Reports whether the failed first attempt of an invoice is retried. */
export const isRetried = ({ rules }: Facts, { billing_reason }: Invoice): boolean =>
  rules.retriesFirstPayment || billing_reason !== 'subscription_create'

/** Describes the merchant's retry schedule: `1, 3, 5 and 7 days after the first attempt`. */
export const retryDaysText = ({ retries }: Facts): string => {
  const days = daysOf(retries)
  return `${listed(days)} day${days.length === 1 && days[0] === 1 ? '' : 's'} after the first attempt`
}

/** Reports whether a step is an attempt on the retry schedule rather than a payment by request. */
export const isScheduled = ({ replaced }: Step): boolean => replaced !== null && 'attempt_count' in replaced

/** The newest failed payment of an invoice. */
export const lastFailure = (facts: Facts, { id }: Pick<Invoice, 'id'>): Step | undefined =>
  lastStep(facts, id, 'invoice.payment_failed')

/**
 * Describes a failed payment: `attempt 2 of 5 failed (insufficient_funds)`. One that waits for its customer has no decline code.
 * @param paying - the name of the invoice, where the sentence has not named it
 */
export function failureText(facts: Facts, failure: Step, paying = ''): string {
  const after = failure.after as Invoice
  const what = isScheduled(failure) ? attemptText(facts, after, after.attempt_count) : 'a payment by request'
  const whose = paying === '' ? '' : ` to pay ${paying}`
  const outcome =
    failure.decline === null
      ? 'required an action by the customer, such as an authentication'
      : `failed (${failure.decline})`
  return `${what}${whose} ${outcome}`
}

/** Describes how an invoice was paid, as a verb phrase: `was paid with attempt 2 of 5`. */
export function paymentText(facts: Facts, step: Step): string {
  const paid = step.after as Invoice
  if (paid.amount_due === 0) return 'was paid without a payment, because nothing was due'
  return isScheduled(step)
    ? `was paid with ${attemptText(facts, paid, paid.attempt_count)}`
    : 'was paid by a request'
}
