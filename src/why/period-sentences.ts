import type { FutureJob } from '../core/future-job.ts'
import { formatAmount } from '../core/money.ts'
import { methodText } from '../core/payment-method.ts'
import type { Subscription } from '../core/subscription.ts'
import type { Facts } from './facts.ts'
import type { JobContext } from './job-context.ts'
import { instant, next, type Sentence } from './sentence.ts'

const TRIAL_CONSEQUENCES: Readonly<Record<string, string>> = {
  cancel: 'the subscription is canceled',
  pause: 'the subscription is paused',
}

/** Writes the sentence about a renewal or the end of a trial: the amount, and how it will be collected. */
export function beginsPeriodSentence(job: FutureJob, { facts, subject }: JobContext): Sentence {
  const { due, kind, consequence, period, object } = job
  const about = { at: due, object: object === subject ? null : object }
  const begin = kind === 'trial_end' ? 'the trial ends' : 'the subscription renews'
  if (consequence !== null)
    return next(
      `At ${instant(due)}, ${begin}; without a payment method ${TRIAL_CONSEQUENCES[consequence] ?? consequence}, as trial_settings says.`,
      'subscriptions.md#trials',
      about,
    )
  const subscription = facts.get('subscription', object)
  const until = period === null ? '' : ` until ${instant(period.end)}`
  const amount =
    job.amount === null || job.currency === null ? '' : ` of ${formatAmount(job.amount, job.currency)}`
  const { text, rule } = collection(job, subscription, facts)
  return next(
    `At ${instant(due)}, ${begin} and a period${until} begins. Its invoice${amount}${usageText(job)} ${text}.${balanceText(job, subscription, facts)}`,
    rule ?? (kind === 'trial_end' ? 'subscriptions.md#trials' : 'subscriptions.md#renewal'),
    about,
  )
}

/** Says that usage can still change the amount. */
function usageText({ usage_amount, currency }: FutureJob): string {
  if (usage_amount === null || currency === null) return ''
  return usage_amount === 0
    ? ', plus usage,'
    : `, with ${formatAmount(usage_amount, currency)} of usage so far,`
}

/** Says how the invoice of a period will be collected, and by which rule if the rule of renewals does not apply. */
function collection(
  { uncollected, due }: FutureJob,
  subscription: Subscription | undefined,
  facts: Facts,
): { readonly text: string; readonly rule?: string } {
  if (uncollected !== null) {
    const isPaused = subscription?.pause_collection != null
    const why = isPaused
      ? 'because collection is paused'
      : `because the subscription is ${subscription?.status}`
    const how = { draft: 'stays a draft', void: 'is voided', uncollectible: 'is marked uncollectible' }[
      uncollected
    ]
    return {
      text: `${how}, ${why}`,
      rule: isPaused ? 'subscriptions.md#pausing-collection' : 'subscriptions.md#dunning',
    }
  }
  const isSent = subscription?.collection_method === 'send_invoice'
  const done = isSent ? 'sent to the customer' : `charged automatically${chargedText(subscription, facts)}`
  const { draftSeconds } = facts.rules
  if (draftSeconds === null) return { text: `is ${done}` }
  return {
    text: `is a draft until ${instant(due + draftSeconds)}, when it is finalized and ${done}`,
    rule: 'invoices.md#drafts-that-advance',
  }
}

/** Says which payment method is charged. See docs/contract/subscriptions.md#attempted-payment-method. */
function chargedText(subscription: Subscription | undefined, facts: Facts): string {
  if (!subscription) return ''
  const customer = facts.get('customer', subscription.customer)
  const [method] = [subscription.default_payment_method, customer?.default_payment_method]
    .flatMap((id) => (id == null ? [] : (facts.get('payment_method', id) ?? [])))
    .filter((each) => each.customer === subscription.customer)
  return method ? ` to ${methodText(method)}` : ', which fails as long as there is no payment method'
}

/** Says how the customer's balance will change the amount. */
function balanceText(
  { amount, currency }: FutureJob,
  subscription: Subscription | undefined,
  facts: Facts,
): string {
  if (amount === null || currency === null || !subscription) return ''
  const balance = facts.get('customer', subscription.customer)?.balances[currency] ?? 0
  if (balance === 0) return ''
  const due = Math.max(0, amount + balance)
  return balance < 0
    ? ` The customer's credit of ${formatAmount(-balance, currency)} reduces the amount due to ${formatAmount(due, currency)}.`
    : ` The customer's balance of ${formatAmount(balance, currency)} is added, so ${formatAmount(due, currency)} is due.`
}
