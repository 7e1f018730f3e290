import type { SubscriptionTimeline } from '../../client/types.ts'
import { formatInstant } from '../../core/calendar.ts'
import { formatAmount } from '../../core/money.ts'
import { methodText } from '../../core/payment-method.ts'
import { costText, unitPriceText } from '../../timeline/price-texts.ts'
import { showTimeline } from '../commands/timeline.ts'
import type { Column, Output } from './output.ts'
import {
  amountDueText,
  asOfText,
  customerText,
  metadataText,
  nextText,
  presentFields,
  type Subscription,
  statusText,
} from './show-text.ts'

type Item = Subscription['items']['data'][number]

const ITEM_COLUMNS: readonly Column<Item>[] = [
  { title: 'QUANTITY', cell: ({ quantity }) => (quantity === null ? 'metered' : String(quantity)) },
  {
    title: 'UNIT PRICE',
    cell: ({ price }) => (price ? unitPriceText(price) : '–'),
  },
  { title: 'PRICE', cell: ({ price }) => price?.id ?? '–' },
  { title: 'NAME', cell: ({ price }) => price?.nickname ?? '–' },
]

/** Prints a subscription with its status, amounts and items, then its timeline. See docs/contract/command-line.md#timelines. */
export function showSubscription(out: Output, shown: SubscriptionTimeline, { all }: { all: boolean }): void {
  const { related, timeline, description, metadata, ...subscription } = shown
  out.fields(
    presentFields([
      ['subscription', { text: subscription.id, colour: 'bold' }],
      ['as of', asOfText(timeline)],
      ['status', statusText(subscription.status)],
      ['ends', endText(shown)],
      ['collection', pauseText(shown)],
      ['customer', customerText(related.customer)],
      ['amount', costText(shown)],
      ['period', span(subscription.current_period_start, subscription.current_period_end)],
      ['trial', trialText(shown)],
      ['schedule', subscription.schedule ?? ''],
      ['payment method', paymentMethodText(shown)],
      ['latest invoice', latestText(shown)],
      ['amount due', amountDueText(related)],
      ['next', nextText(timeline)],
      ['description', description ?? ''],
      ['metadata', metadataText(metadata)],
    ]),
  )
  out.line()
  out.table(ITEM_COLUMNS, subscription.items.data, 'No items.')
  out.line()
  showTimeline(out, { timeline, name: () => '', all })
}

const span = (start: number, end: number): string => `${formatInstant(start)} – ${formatInstant(end)}`

function endText({ ended_at, cancel_at, cancel_at_period_end, cancellation_details }: Subscription): string {
  if (ended_at !== null)
    return [formatInstant(ended_at), cancellation_details.reason].filter(Boolean).join('  ')
  if (cancel_at_period_end)
    return `at the end of the period${cancel_at === null ? '' : `, ${formatInstant(cancel_at)}`}`
  return cancel_at === null ? '' : formatInstant(cancel_at)
}

function pauseText({ pause_collection, collection_method, days_until_due }: Subscription): string {
  const sent =
    collection_method === 'send_invoice' ? `invoices are sent, due after ${days_until_due ?? 0} d` : ''
  if (!pause_collection) return sent
  const { behavior, resumes_at } = pause_collection
  return `paused (${behavior})${resumes_at === null ? '' : ` until ${formatInstant(resumes_at)}`}`
}

const trialText = ({ trial_start, trial_end }: Subscription): string =>
  trial_start === null || trial_end === null ? '' : span(trial_start, trial_end)

/**
 * Describes the subscription's own payment method, or else the customer's default. See
 * docs/contract/subscriptions.md#attempted-payment-method.
 */
function paymentMethodText({
  default_payment_method,
  collection_method,
  related,
}: SubscriptionTimeline): string {
  if (collection_method === 'send_invoice') return ''
  const { payment_methods, customer } = related
  const ofCustomer = 'deleted' in customer ? null : customer.invoice_settings.default_payment_method
  for (const id of [default_payment_method, ofCustomer]) {
    const method = payment_methods.data.find((each) => each.id === id)
    if (method) return `${methodText(method)}  ${method.id}`
  }
  return 'none'
}

function latestText({ latest_invoice, related }: SubscriptionTimeline): string {
  const invoice = related.invoices.data.find(({ id }) => id === latest_invoice)
  if (!invoice) return ''
  const { number, status, total, currency, id } = invoice
  return [number ?? '', status, formatAmount(total, currency), id].join('  ')
}
