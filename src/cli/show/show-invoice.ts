import type { InvoiceTimeline } from '../../client/types.ts'
import { formatInstant } from '../../core/calendar.ts'
import { attemptNumber } from '../../core/dunning.ts'
import { isOpen } from '../../core/invoice-status.ts'
import { formatAmount } from '../../core/money.ts'
import { showTimeline } from '../commands/timeline.ts'
import type { Column, Output } from './output.ts'
import {
  asOfText,
  customerText,
  type Invoice,
  invoiceStatusText,
  metadataText,
  presentFields,
} from './show-text.ts'

type Line = Invoice['lines']['data'][number]

const LINE_COLUMNS: readonly Column<Line>[] = [
  { title: 'LINE', cell: ({ description }) => description },
  { title: 'AMOUNT', cell: ({ amount, currency }) => formatAmount(amount, currency) },
  { title: 'PRICE', cell: ({ price }) => price ?? '–' },
]

const REASONS: Readonly<Record<Invoice['billing_reason'], string>> = {
  subscription_create: 'first period of the subscription',
  subscription_cycle: 'renewal of the subscription',
  subscription_update: 'change of the subscription',
  manual: 'created manually',
}

/** Prints an invoice with its amounts, status and lines, then its timeline. See docs/contract/command-line.md#timelines. */
export function showInvoice(out: Output, shown: InvoiceTimeline, { all }: { all: boolean }): void {
  const { related, timeline, currency, ...invoice } = shown
  const money = (amount: number) => formatAmount(amount, currency)
  out.fields(
    presentFields([
      ['invoice', { text: invoice.id, colour: 'bold' }],
      ['as of', asOfText(timeline)],
      ['number', invoice.number ?? ''],
      ['status', invoiceStatusText(invoice.status)],
      ['total', money(invoice.total)],
      ['paid', money(invoice.amount_paid)],
      ['credited', creditedText(shown)],
      ['amount due', isOpen(invoice) ? money(invoice.amount_remaining) : ''],
      ['attempts', attemptsText(shown)],
      ['due date', invoice.due_date === null ? '' : formatInstant(invoice.due_date)],
      ['customer', customerText(related.customer)],
      ['subscription', subscriptionText(shown)],
      ['reason', REASONS[invoice.billing_reason]],
      ['period', `${formatInstant(invoice.period_start)} – ${formatInstant(invoice.period_end)}`],
      ['description', invoice.description ?? ''],
      ['metadata', metadataText(invoice.metadata)],
    ]),
  )
  out.line()
  out.table(LINE_COLUMNS, invoice.lines.data, 'No lines.')
  out.line()
  showTimeline(out, { timeline, name: () => '', ofInvoice: true, all })
}

function attemptsText({
  attempt_count,
  next_payment_attempt,
  collection_method,
  timeline,
}: InvoiceTimeline): string {
  if (collection_method === 'send_invoice' && attempt_count === 0) return ''
  const next = next_payment_attempt === null ? '' : `, next at ${formatInstant(next_payment_attempt)}`
  return `${attemptNumber(attempt_count, timeline.max_attempts)}${next}`
}

function subscriptionText({ subscription, related }: InvoiceTimeline): string {
  const known = related.subscriptions.data.find(({ id }) => id === subscription)
  return [subscription ?? '', known?.status ?? ''].filter(Boolean).join('  ')
}

/** Formats the amounts that credit notes credited; empty if there are none. */
function creditedText({
  pre_payment_credit_notes_amount: pre,
  post_payment_credit_notes_amount: post,
  currency,
}: Pick<
  InvoiceTimeline,
  'pre_payment_credit_notes_amount' | 'post_payment_credit_notes_amount' | 'currency'
>): string {
  return pre + post === 0 ? '' : formatAmount(pre + post, currency)
}
