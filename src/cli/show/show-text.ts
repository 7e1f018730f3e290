import type { Related, Timeline, TimelineJob } from '../../client/types.ts'
import { formatInstant } from '../../core/calendar.ts'
import { attemptNumber } from '../../core/dunning.ts'
import { formatAmount } from '../../core/money.ts'
import { jobName } from '../../timeline/job-texts.ts'
import { statusColour } from '../../timeline/subscription.ts'
import type { Span } from './output.ts'

export type Subscription = Related['subscriptions']['data'][number]
export type Invoice = Related['invoices']['data'][number]
export type PaymentMethod = Related['payment_methods']['data'][number]

/** A field to print; `presentFields` omits those without a value. */
export type Field = readonly [name: string, value: Span | undefined]
export const presentFields = (fields: readonly Field[]): (readonly [string, Span])[] =>
  fields.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const]))

/** Formats a customer with its name and email address, as far as they are known. */
export function customerText(customer: Related['customer']): string {
  if ('deleted' in customer) return `${customer.id}  deleted`
  const { id, name, email } = customer
  return [id, [name, email && `<${email}>`].filter(Boolean).join(' ')].filter(Boolean).join('  ')
}

export const statusText = (status: string): Span => ({ text: status, colour: statusColour(status) })

const INVOICE_COLOURS = {
  paid: 'green',
  open: 'yellow',
  uncollectible: 'red',
  void: 'dim',
  draft: 'cyan',
} as const
export const invoiceStatusText = (status: Invoice['status']): Span => ({
  text: status,
  colour: INVOICE_COLOURS[status],
})

/** Formats the amount due: `20.00 USD + 5.00 EUR`; empty if nothing is due. */
export const amountDueText = ({ owed }: Related): string =>
  owed.map(({ amount, currency }) => formatAmount(amount, currency)).join(' + ')

/** Formats the next due job: `2026-03-31T10:00:00Z  renewal, 20.00 USD`. */
export function nextText({ upcoming, max_attempts }: Timeline): string {
  const [next] = upcoming.data
  if (!next) return ''
  const { due, kind, amount, currency, attempt } = next
  const cost = amount === null || currency === null ? '' : `, ${formatAmount(amount, currency)}`
  const which = attempt === null ? '' : `, attempt ${attemptNumber(attempt, max_attempts)}`
  return `${formatInstant(due)}  ${jobName(kind)}${cost}${which}`
}

/** Formats the next due job without its amount: `2026-03-31T10:00:00Z  renewal`. */
export const shortNextText = ([next]: readonly TimelineJob[]): string =>
  next ? `${formatInstant(next.due)}  ${jobName(next.kind)}` : '–'

/** Formats metadata: `plan=pro team=blue`. */
export const metadataText = (metadata: Readonly<Record<string, string>>): string =>
  Object.entries(metadata)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ')

/** Formats the instant of a past view; empty for the present. */
export const asOfText = ({ now, as_of }: { now: number; as_of: number }): string =>
  as_of === now ? '' : `${formatInstant(as_of)} (in the past)`
