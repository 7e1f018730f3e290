import type { Invoice } from '../core/invoice.ts'
import { isDraft, isOpen } from '../core/invoice-status.ts'
import type { Objects } from '../core/kinds.ts'
import type { CancellationReason, Subscription } from '../core/subscription.ts'
import type { SubscriptionStatus } from '../core/subscription-status.ts'
import { failureText, invoiceText, paymentText } from './attempt.ts'
import { type Facts, type Step, stepsOf, togetherWith } from './facts.ts'
import { type Cause, instant } from './sentence.ts'

/** Finds the newest step that changed the status of a subscription, or created it. */
export const stepToStatus = ({ id }: Subscription, facts: Facts): Step | undefined =>
  stepsOf(facts, id).findLast(
    ({ type, replaced }) => type === 'subscription.created' || (replaced !== null && 'status' in replaced),
  )

/** A change of a status: the subscription after it, the step, and the steps of the same moment. */
type Move = {
  readonly subscription: Subscription
  readonly step: Step
  readonly from: SubscriptionStatus | null
  readonly together: readonly Step[]
  readonly facts: Facts
}

/** Says what caused the present status. */
export function causeOfStatus(subscription: Subscription, step: Step, facts: Facts): Cause {
  const from = (step.replaced as { status?: SubscriptionStatus } | null)?.status ?? null
  const move = { subscription, step, from, together: togetherWith(facts, step), facts }
  return CAUSES[subscription.status](move)
}

const FIRST = 'subscriptions.md#creating'

/** The cause of each status. */
const CAUSES: Readonly<Record<SubscriptionStatus, (move: Move) => Cause>> = {
  trialing: ({ subscription: { trial_end } }) => ({
    text: `it has a trial${trial_end === null ? '' : ` that ends at ${instant(trial_end)}`}`,
    rule: 'subscriptions.md#trials',
  }),
  active: (move) => {
    if (move.from === 'trialing') return afterTrial(move)
    if (move.from === 'paused') return resumed(move)
    return move.from === null ? activeAtOnce(move) : recovered(move)
  },
  incomplete: (move) => {
    const failure = found(move, 'invoice.payment_failed')
    if (failure) return failed(move, failure)
    return {
      text: 'its first invoice has to be paid before it becomes active',
      rule: 'subscriptions.md#payment-behavior',
    }
  },
  past_due: (move) => {
    const failure = found(move, 'invoice.payment_failed')
    if (failure) return failed(move, failure, move.from === 'trialing' ? 'its trial ended and ' : '')
    return dueDatePassed(move)
  },
  unpaid: (move) => afterLastAttempt(move, 'mark_unpaid'),
  paused: () => ({
    text: 'its trial ended without a payment method, and trial_settings says to pause it then',
    rule: 'subscriptions.md#trials',
  }),
  canceled: (move) => {
    const { cancellation_reason } = move.subscription
    return ENDINGS[cancellation_reason ?? 'cancellation_requested'](move)
  },
  incomplete_expired: expired,
}

const ENDINGS: Readonly<Record<CancellationReason, (move: Move) => Cause>> = {
  payment_failed: (move) => afterLastAttempt(move, 'cancel'),
  payment_method_missing: () => ({
    text: 'its trial ended without a payment method, and trial_settings says to cancel it then',
    rule: 'subscriptions.md#trials',
  }),
  cancellation_requested: requestedEnd,
}

/** Finds the newest step of a type at the moment of the change, and the invoice after it. */
const found = (
  { together, subscription }: Move,
  ...types: readonly Step['type'][]
): (Step & { readonly after: Invoice }) | undefined =>
  together.findLast(
    (step): step is Step & { after: Invoice } =>
      types.includes(step.type) && (step.after as Objects['invoice']).subscription === subscription.id,
  )

const failed = ({ facts }: Move, failure: Step & { readonly after: Invoice }, begin = ''): Cause => ({
  text: begin + failureText(facts, failure, invoiceText(failure.after)),
  rule: 'subscriptions.md#dunning',
  object: failure.after.id,
})

function activeAtOnce(move: Move): Cause {
  const { subscription, facts } = move
  const paid = found(move, 'invoice.paid')
  if (paid)
    return {
      text: `its first ${invoiceText(paid.after)} ${paymentText(facts, paid)}`,
      rule: FIRST,
      object: paid.after.id,
    }
  if (subscription.collection_method === 'send_invoice')
    return {
      text: 'its invoices are sent, so it is active before they are paid',
      rule: 'subscriptions.md#sent-invoices',
    }
  return { text: 'nothing had to be paid when it was created', rule: FIRST }
}

/** Says what happened to the first invoice after a trial. */
function afterTrial(move: Move): Cause {
  const { subscription, facts } = move
  const begin = 'its trial ended'
  const paid = found(move, 'invoice.paid')
  if (paid)
    return {
      text: `${begin} and ${invoiceText(paid.after)} ${paymentText(facts, paid)}`,
      rule: 'subscriptions.md#trials',
      object: paid.after.id,
    }
  const held = found(move, 'invoice.voided', 'invoice.marked_uncollectible')
  const made = found(move, 'invoice.created')
  const now = made && facts.get('invoice', made.after.id)
  if (held || (now && isDraft(now) && subscription.pause_collection))
    return {
      text: `${begin} while collection was paused, so its invoice was held back`,
      rule: 'subscriptions.md#pausing-collection',
      ...(made && { object: made.after.id }),
    }
  if (now && isDraft(now))
    return {
      text: `${begin}; the invoice of the first period is a draft and is not charged yet`,
      rule: 'invoices.md#drafts-that-advance',
      object: now.id,
    }
  if (subscription.collection_method === 'send_invoice')
    return {
      text: `${begin} and its invoices are sent, so it is active before they are paid`,
      rule: 'subscriptions.md#sent-invoices',
    }
  return { text: `${begin} and its first period began`, rule: 'subscriptions.md#trials' }
}

const resumed = (move: Move): Cause => {
  const paid = found(move, 'invoice.paid')
  return {
    text: `a request resumed it, and a new period began${paid ? ` whose ${invoiceText(paid.after)} ${paymentText(move.facts, paid)}` : ''}`,
    rule: 'subscriptions.md#resuming',
    ...(paid && { object: paid.after.id }),
  }
}

const CLOSED: Readonly<Record<string, string>> = {
  'invoice.voided': 'was voided',
  'invoice.marked_uncollectible': 'was marked uncollectible',
}

/** Says which invoice was the last outstanding one. */
function recovered(move: Move): Cause {
  const { from, facts } = move
  const step = found(move, 'invoice.paid', 'invoice.voided', 'invoice.marked_uncollectible')
  const rest = from === 'incomplete' ? '' : ', so no invoice is outstanding any more'
  if (!step) return { text: 'none of its invoices is outstanding any more', rule: 'subscriptions.md#dunning' }
  const how = CLOSED[step.type] ?? paymentText(facts, step)
  return {
    text: `${invoiceText(step.after)} ${how}${rest}`,
    rule: 'subscriptions.md#dunning',
    object: step.after.id,
  }
}

function dueDatePassed({ step, facts }: Move): Cause {
  const late = facts.invoices.find(
    (invoice) => isOpen(invoice) && invoice.due_date !== null && invoice.due_date === step.created,
  )
  return {
    text: `${late ? `the due date of ${invoiceText(late)}` : 'the due date of an invoice'} passed without a payment`,
    rule: 'subscriptions.md#sent-invoices',
    ...(late && { object: late.id }),
  }
}

function afterLastAttempt(move: Move, action: 'cancel' | 'mark_unpaid'): Cause {
  const failure = found(move, 'invoice.payment_failed')
  const what = failure
    ? failureText(move.facts, failure, invoiceText(failure.after))
    : 'the last attempt to collect an invoice failed'
  return {
    text: `${what}, no retry was left, and the merchant's dunning_final_action was ${action}`,
    rule: 'subscriptions.md#final-action',
    ...(failure && { object: failure.after.id }),
  }
}

function expired(move: Move): Cause {
  const { step, facts, subscription } = move
  const marked = found(move, 'invoice.marked_uncollectible')
  const failure = found(move, 'invoice.payment_failed')
  const rule = 'subscriptions.md#incomplete-subscriptions'
  if (marked)
    return {
      text: `a request marked its first ${invoiceText(marked.after)} uncollectible before it was paid`,
      rule,
      object: marked.after.id,
    }
  if (step.request !== null) {
    const voided = found(move, 'invoice.voided')
    return {
      text: 'a request voided its first invoice before it was paid',
      rule,
      ...(voided && { object: voided.after.id }),
    }
  }
  if (failure && failure.after.next_payment_attempt === null)
    return {
      text: `${failureText(facts, failure, `its first ${invoiceText(failure.after)}`)}, and no retry was left`,
      rule,
      object: failure.after.id,
    }
  const { incompleteSeconds } = facts.rules
  return {
    text:
      incompleteSeconds === null
        ? `its first invoice was not paid before its first period ended at ${instant(subscription.current_period_end)}`
        : `its first invoice was not paid within ${incompleteSeconds / 3600} hours`,
    rule,
  }
}

/** Says how a requested cancellation came into force. */
function requestedEnd({ subscription, step, together, facts }: Move): Cause {
  const { cancel_at_period_end, canceled_at, cancel_at } = subscription
  const completed = together.find(({ type }) => type === 'subscription_schedule.completed')
  if (completed)
    return {
      text: 'the last phase of its schedule ended, and its end_behavior is cancel',
      rule: 'schedules.md#when-a-schedule-ends',
      object: completed.after.id,
    }
  if (step.request !== null) {
    const { deleted = false } = facts.get('customer', subscription.customer) ?? {}
    return {
      text: deleted ? 'a request canceled it or deleted its customer' : 'a request canceled it immediately',
      rule: deleted ? 'customers.md#deleting-a-customer' : 'subscriptions.md#canceling',
    }
  }
  const asked = canceled_at === null ? 'a request' : `a request at ${instant(canceled_at)}`
  const when = cancel_at_period_end ? 'the end of its period' : `${instant(cancel_at ?? step.created)}`
  return { text: `${asked} had set it to cancel at ${when}`, rule: 'subscriptions.md#canceling' }
}
