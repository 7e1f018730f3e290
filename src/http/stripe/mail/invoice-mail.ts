import { amountText } from '../hosted/amount.ts'
import { dateText } from '../hosted/date-text.ts'
import { invoicePdfUrl, invoiceUrl } from '../present/hosted-pages.ts'
import { latestInvoiceLinks } from './latest-invoice.ts'
import type { Draft, EventOf, Link } from './mail.ts'

type InvoiceEvent = EventOf<'invoice'>

/**
 * Composes the mail with a sent invoice. A draft that a request finalizes is mailed only if it is the invoice of a
 * subscription. Other invoices are mailed when a request sends them.
 */
export function invoiceMail(event: InvoiceEvent): Draft | null {
  const { entry, after: invoice, view } = event
  const isRequested = entry.type === 'invoice.sent'
  const isAutomatic = entry.request === null || invoice.subscription !== null
  if (invoice.collection_method !== 'send_invoice' || invoice.amount_due === 0) return null
  if (!isRequested && !isAutomatic) return null
  const due = invoice.due_date === null ? '' : `, due on ${dateText(invoice.due_date)}`
  return {
    ...common(event),
    isRequested,
    subject: `New invoice from ${view.merchant.name} ${numberOf(event)}`,
    paragraphs: [`${view.merchant.name} sent you an invoice of ${amountOf(event)}${due}.`],
    links: [payLink(event, 'View and pay the invoice'), pdfLink(event)],
  }
}

export const reminderMail = (event: InvoiceEvent): Draft => ({
  ...common(event),
  subject: `Your invoice from ${event.view.merchant.name} ${numberOf(event)} is due soon`,
  paragraphs: [`Your invoice of ${amountOf(event)} is due on ${dueDateOf(event)}.`],
  links: [payLink(event, 'View and pay the invoice'), pdfLink(event)],
})

export const overdueMail = (event: InvoiceEvent): Draft => ({
  ...common(event),
  subject: `Your invoice from ${event.view.merchant.name} ${numberOf(event)} is overdue`,
  paragraphs: [`Your invoice of ${amountOf(event)} was due on ${dueDateOf(event)} and is not paid.`],
  links: [payLink(event, 'View and pay the invoice'), pdfLink(event)],
})

/**
 * Composes the mail about a failed payment; none for the first payment of a subscription, whose failure the customer has seen.
 */
export function failureMail(event: InvoiceEvent): Draft | null {
  const { after: invoice, view } = event
  if (!isRenewal(event)) return null
  const charge = invoice.charge === null ? undefined : view.get('charge', invoice.charge)
  const next =
    invoice.next_payment_attempt === null
      ? []
      : [`The payment is tried again on ${dateText(invoice.next_payment_attempt)}.`]
  return {
    ...common(event),
    subject: `Your payment of ${amountOf(event)} to ${view.merchant.name} failed`,
    paragraphs: [
      [
        `Your payment of ${amountOf(event)} for the invoice ${numberOf(event)} failed.`,
        charge?.failure_message ?? '',
        ...next,
      ]
        .filter((sentence) => sentence !== '')
        .join(' '),
    ],
    links: [payLink(event, 'Pay with another card')],
  }
}

/** Composes the mail about a payment that waits for the customer's authentication. */
export function actionMail(event: InvoiceEvent): Draft | null {
  if (!isRenewal(event)) return null
  return {
    ...common(event),
    subject: `Confirm your payment of ${amountOf(event)} to ${event.view.merchant.name}`,
    paragraphs: [
      `Your bank asks you to confirm your payment of ${amountOf(event)} for the invoice ${numberOf(event)}.`,
    ],
    links: [payLink(event, 'Confirm the payment')],
  }
}

/** Composes the mail about a renewal, whose invoice does not exist yet. */
export function upcomingMail(event: InvoiceEvent): Draft | null {
  const { after: preview, view } = event
  const subscription =
    preview.subscription === null ? undefined : view.get('subscription', preview.subscription)
  if (!subscription) return null
  return {
    ...common(event),
    subject: `Your subscription to ${view.merchant.name} renews soon`,
    paragraphs: [
      `Your subscription to ${view.merchant.name} renews on ${dateText(subscription.current_period_end)}. The payment is ${amountOf(event)}.`,
    ],
    links: latestInvoiceLinks(view, subscription),
    about: { object: 'subscription', id: subscription.id },
  }
}

function common({ after: invoice, view }: InvoiceEvent): Pick<Draft, 'to' | 'name' | 'about'> {
  const customer = view.get('customer', invoice.customer)
  return {
    to: customer?.email ?? null,
    name: customer?.name ?? null,
    about: { object: 'invoice', id: invoice.id },
  }
}

/** Reports whether an invoice bills a subscription while its customer is absent. */
const isRenewal = ({ after: { subscription, billing_reason } }: InvoiceEvent): boolean =>
  subscription !== null && billing_reason !== 'subscription_create'

const amountOf = ({ after: { amount_due, currency } }: InvoiceEvent): string =>
  amountText(amount_due, currency)

const numberOf = ({ after: { number } }: InvoiceEvent): string => `#${number}`

const dueDateOf = ({ after: { due_date, created } }: InvoiceEvent): string => dateText(due_date ?? created)

const payLink = ({ view, after }: InvoiceEvent, name: string): Link => ({
  name,
  url: invoiceUrl(view, after.id),
})

const pdfLink = ({ view, after }: InvoiceEvent): Link => ({
  name: 'Download the PDF',
  url: invoicePdfUrl(view, after.id),
})
