import type { Invoice } from '../core/invoice.ts'
import { isOpen } from '../core/invoice-status.ts'
import type { Subscription } from '../core/subscription.ts'
import { currentIndex, isOver } from '../core/subscription-schedule.ts'
import { factsOf, hasEnded } from '../core/subscription-status.ts'
import { invoiceText } from './attempt.ts'
import type { Facts } from './facts.ts'
import { openCause } from './invoice-causes.ts'
import { nextSentences } from './next.ts'
import { detail, instant, type Sentence, statusSentence, statusSince } from './sentence.ts'
import { causeOfStatus, stepToStatus } from './subscription-causes.ts'

/** Explains a subscription: its status, its open invoices, and its jobs. */
export function whySubscription(subscription: Subscription, facts: Facts): Sentence[] {
  return [
    statusOf(subscription, facts),
    ...endingDetails(subscription),
    ...collectionDetails(subscription),
    ...scheduleDetails(subscription, facts),
    ...openInvoices(facts),
    ...nextSentences(subscription, facts),
  ]
}

function statusOf(subscription: Subscription, facts: Facts): Sentence {
  const { status } = subscription
  const step = stepToStatus(subscription, facts)
  if (!step)
    return statusSentence(
      `The subscription is ${status}; what led to that is older than its newest ${facts.steps.length} events.`,
      'subscriptions.md#status',
    )
  const cause = causeOfStatus(subscription, step, facts)
  return statusSince('subscription', status, { since: step.created, cause })
}

function endingDetails(subscription: Subscription): Sentence[] {
  const { cancel_at, cancel_at_period_end, canceled_at, schedule } = subscription
  if (hasEnded(subscription) || cancel_at === null) return []
  const how = cancel_at_period_end ? 'at the end of the current period' : 'at that instant'
  const by =
    schedule === null
      ? `a request at ${instant(canceled_at ?? cancel_at)} set it to cancel ${how}`
      : 'its schedule ends then'
  const kept = factsOf(subscription).isPaused ? ' While it is paused, that does not happen by itself.' : ''
  return [
    detail(
      `A cancellation is planned for ${instant(cancel_at)}: ${by}.${kept}`,
      'subscriptions.md#canceling',
      {
        at: cancel_at,
        object: schedule,
      },
    ),
  ]
}

const HELD_BACK = {
  keep_as_draft: 'stay drafts',
  mark_uncollectible: 'are marked uncollectible at once',
  void: 'are voided at once',
} as const

function collectionDetails(subscription: Subscription): Sentence[] {
  const { pause_collection, pending_update, latest_invoice, newest_invoice } = subscription
  const sentences: Sentence[] = []
  if (pause_collection) {
    const until =
      pause_collection.resumes_at === null
        ? 'until a request resumes it'
        : `until ${instant(pause_collection.resumes_at)}`
    sentences.push(
      detail(
        `Collection is paused ${until}: the invoices of new periods ${HELD_BACK[pause_collection.behavior]}.`,
        'subscriptions.md#pausing-collection',
        { at: pause_collection.resumes_at },
      ),
    )
  }
  if (pending_update)
    sentences.push(
      detail(
        `An update waits for the payment of its invoice until ${instant(pending_update.expires_at)}; the items stay as they were until then.`,
        'proration.md#pending-updates',
        { at: pending_update.expires_at, object: pending_update.invoice },
      ),
    )
  if (latest_invoice === null && newest_invoice !== null)
    sentences.push(
      detail(
        'Its latest_invoice is null, because none of its invoices was paid yet.',
        'subscriptions.md#latest-invoice',
        {
          object: newest_invoice,
        },
      ),
    )
  return sentences
}

function scheduleDetails({ schedule: id }: Subscription, facts: Facts): Sentence[] {
  const schedule = id === null ? undefined : facts.get('subscription_schedule', id)
  if (!schedule || isOver(schedule)) return []
  const place = `phase ${currentIndex(schedule) + 1} of ${schedule.phases.length}`
  return [
    detail(`A schedule manages it, and is in ${place}.`, 'schedules.md#managed-subscriptions', {
      object: schedule.id,
    }),
  ]
}

/** paytwin: how many open invoices have a sentence. A subscription that is never paid has one for each period. */
const MAX_INVOICES = 10

/** Writes the sentences about the newest open invoices of a subscription, and one about all older ones. */
function openInvoices(facts: Facts): Sentence[] {
  const open = facts.invoices.filter(isOpen)
  const older = open.slice(MAX_INVOICES)
  const [oldest] = older.slice(-1)
  const sentences = open.slice(0, MAX_INVOICES).map((invoice) => openInvoice(invoice, facts))
  if (!oldest) return sentences
  const what =
    older.length === 1 ? 'One older invoice is open' : `Besides, ${older.length} older invoices are open`
  const text = `${what}${oldest.finalized_at === null ? '' : `, the oldest since ${instant(oldest.finalized_at)}`}.`
  return [
    ...sentences,
    detail(text, 'invoices.md#outstanding-invoices', { at: oldest.finalized_at, object: oldest.id }),
  ]
}

/** Writes the sentence about an open invoice of a subscription. */
function openInvoice(invoice: Invoice, facts: Facts): Sentence {
  const { text, rule } = openCause(invoice, facts)
  return detail(`Invoice ${invoiceText(invoice).slice('invoice '.length)} is open: ${text}.`, rule, {
    at: invoice.finalized_at,
    object: invoice.id,
  })
}
