import { isDraft } from '../../../core/invoice-status.ts'
import type { Subscription } from '../../../core/subscription.ts'
import type { View } from '../../../engine/history/view.ts'
import { invoiceUrl } from '../present/hosted-pages.ts'
import type { Link } from './mail.ts'

/** Returns the link to the page of a subscription's latest invoice. A draft has no page, so it has no link. */
export function latestInvoiceLinks(view: View, { latest_invoice }: Subscription): Link[] {
  const invoice = latest_invoice === null ? undefined : view.get('invoice', latest_invoice)
  if (!invoice || isDraft(invoice)) return []
  return [{ name: 'View your latest invoice', url: invoiceUrl(view, invoice.id) }]
}
