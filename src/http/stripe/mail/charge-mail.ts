import { amountText } from '../hosted/amount.ts'
import { dateText } from '../hosted/date-text.ts'
import { methodName } from '../hosted/method-name.ts'
import { invoiceUrl, receiptUrl } from '../present/hosted-pages.ts'
import type { Draft, EventOf, Link } from './mail.ts'

type ChargeEvent = EventOf<'charge'>

/** Composes the receipt of a payment. The address that the payment names takes precedence over that of its customer. */
export function receiptMail(event: ChargeEvent): Draft {
  const { after: charge, view } = event
  const { merchant } = view
  const receipt_email = view.get('payment_intent', charge.payment_intent)?.options?.receipt_email ?? null
  const method =
    charge.payment_method === null ? undefined : view.get('payment_method', charge.payment_method)
  const by = method ? ` with ${methodName(method)}` : ''
  return {
    ...common(event, receipt_email),
    isRequested: receipt_email !== null,
    subject: `Your receipt from ${merchant.name}`,
    paragraphs: [
      `You paid ${amountText(charge.amount, charge.currency)} to ${merchant.name} on ${dateText(charge.created)}${by}.`,
    ],
    links: [receiptLink(event), ...invoiceLinks(event)],
  }
}

/** Composes the receipt of a refund. */
export function refundMail(event: ChargeEvent): Draft {
  const { after: charge, entry, view } = event
  const { amount_refunded: before } = { amount_refunded: 0, ...entry.replaced }
  const amount = charge.amount_refunded - before
  const receipt_email = view.get('payment_intent', charge.payment_intent)?.options?.receipt_email ?? null
  return {
    ...common(event, receipt_email),
    subject: `Your refund from ${view.merchant.name}`,
    paragraphs: [
      `${view.merchant.name} refunded ${amountText(amount, charge.currency)} of your payment of ${amountText(charge.amount, charge.currency)} on ${dateText(charge.created)}.`,
    ],
    links: [receiptLink(event)],
  }
}

function common(
  { after: charge, view }: ChargeEvent,
  receipt_email: string | null,
): Pick<Draft, 'to' | 'name' | 'about'> {
  const customer = charge.customer === null ? undefined : view.get('customer', charge.customer)
  return {
    to: receipt_email ?? customer?.email ?? null,
    name: customer?.name ?? null,
    about: { object: 'charge', id: charge.id },
  }
}

const receiptLink = ({ view, after }: ChargeEvent): Link => ({
  name: 'View the receipt',
  url: receiptUrl(view, after.id),
})

const invoiceLinks = ({ view, after: { invoice } }: ChargeEvent): Link[] =>
  invoice === null ? [] : [{ name: 'View the invoice', url: invoiceUrl(view, invoice) }]
