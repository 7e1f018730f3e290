import type { CustomerTimeline, TimelineJob } from '../../client/types.ts'
import { formatInstant } from '../../core/calendar.ts'
import { isOpen } from '../../core/invoice-status.ts'
import { formatAmount } from '../../core/money.ts'
import { methodText } from '../../core/payment-method.ts'
import { namerOf } from '../../timeline/drawing.ts'
import type { Namer } from '../../timeline/note.ts'
import { costText } from '../../timeline/price-texts.ts'
import { showTimeline } from '../commands/timeline.ts'
import type { Column, Output } from './output.ts'
import {
  amountDueText,
  asOfText,
  type Field,
  type Invoice,
  metadataText,
  type PaymentMethod,
  presentFields,
  type Subscription,
  shortNextText,
  statusText,
} from './show-text.ts'

/**
 * Prints a customer with its subscriptions, payment methods and open invoices, then its timeline.
 * See docs/contract/command-line.md#timelines.
 */
export function showCustomer(out: Output, shown: CustomerTimeline, { all }: { all: boolean }): void {
  const { related, timeline } = shown
  const name = namerOf(related)
  const open = related.invoices.data.filter(isOpen)
  out.fields(presentFields(fieldsOf(shown)))
  const subscriptions = related.subscriptions.data.toReversed()
  section(out, 'Subscriptions', subscriptionColumns(name, timeline.upcoming.data), subscriptions)
  section(out, 'Payment methods', methodColumns(defaultOf(shown)), related.payment_methods.data)
  section(out, 'Open invoices', INVOICE_COLUMNS, open)
  out.line()
  showTimeline(out, { timeline, name, all })
}

function fieldsOf(shown: CustomerTimeline): Field[] {
  const { id, related, timeline } = shown
  const head: Field[] = [
    ['customer', { text: id, colour: 'bold' }],
    ['as of', asOfText(timeline)],
  ]
  if ('deleted' in shown) return [...head, ['status', { text: 'deleted', colour: 'red' }]]
  const due = amountDueText(related)
  return [
    ...head,
    ['name', shown.name ?? ''],
    ['email', shown.email ?? ''],
    ['amount due', due === '' ? 'nothing' : { text: due, colour: shown.delinquent ? 'red' : 'yellow' }],
    ['delinquent', shown.delinquent ? 'yes' : ''],
    ['test clock', shown.test_clock ?? ''],
    ['description', shown.description ?? ''],
    ['metadata', metadataText(shown.metadata)],
  ]
}

/** Prints a table below a title, or nothing if there are no rows. */
function section<Row>(
  out: Output,
  title: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  if (rows.length === 0) return
  out.line()
  out.line({ text: title, colour: 'bold' })
  out.table(columns, rows, '')
}

const defaultOf = (shown: CustomerTimeline): string | null =>
  'deleted' in shown ? null : shown.invoice_settings.default_payment_method

const subscriptionColumns = (name: Namer, upcoming: readonly TimelineJob[]): Column<Subscription>[] => [
  { title: 'ID', cell: ({ id }) => `${name(id)}${id}` },
  { title: 'STATUS', cell: ({ status }) => statusText(status) },
  { title: 'AMOUNT', cell: (subscription) => costText(subscription) },
  {
    title: 'NEXT',
    cell: ({ id }) => shortNextText(upcoming.filter(({ subscription }) => subscription === id)),
  },
]

const methodColumns = (preferred: string | null): Column<PaymentMethod>[] => [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'TYPE', cell: (method) => methodText(method) },
  { title: 'DEFAULT', cell: ({ id }) => (id === preferred ? 'default' : '–') },
]

const INVOICE_COLUMNS: readonly Column<Invoice>[] = [
  { title: 'NUMBER', cell: ({ number }) => number ?? '–' },
  {
    title: 'AMOUNT DUE',
    cell: ({ amount_remaining, currency }) => formatAmount(amount_remaining, currency),
  },
  { title: 'NEXT', cell: (invoice) => nextOf(invoice) },
  { title: 'ID', cell: ({ id }) => id },
]

function nextOf({ next_payment_attempt, due_date }: Invoice): string {
  if (next_payment_attempt !== null) return `${formatInstant(next_payment_attempt)}  retry`
  return due_date === null ? '–' : `${formatInstant(due_date)}  due date`
}
