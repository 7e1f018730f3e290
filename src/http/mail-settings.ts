import * as z from 'zod'
import { kindsOn, type MailSettings } from '../core/mail.ts'
import { MAIL_KINDS, type MailKind } from '../core/mail-kinds.ts'
import { deferred } from './deferred.ts'

/** Descriptions of the settings. */
export const MAIL_TEXTS: Readonly<Record<MailKind, string>> = {
  invoice:
    'Invoices whose collection_method is send_invoice, when they are finalized by themselves. An invoice that is sent by a request is always mailed.',
  invoice_reminder: 'Reminders of sent invoices that will be due or are overdue.',
  payment_failed: 'Failed payments of subscriptions, after the first invoice.',
  payment_action_required: 'Payments of subscriptions that need an authentication, after the first invoice.',
  trial_will_end: 'Ends of trials.',
  upcoming_renewal: 'Upcoming renewals.',
  receipt: 'Receipts of payments. A payment with a receipt_email always has one.',
  refund: 'Receipts of refunds.',
}

export const MAILS_TEXT = 'Which mail customers get. Only with the dialect stripe.'

/** The parameters of a merchant's settings for mail. See docs/contract/mail.md#settings. */
export const mailSettings = deferred(() =>
  z.object(
    Object.fromEntries(
      MAIL_KINDS.map((kind) => [kind, z.boolean().optional().describe(MAIL_TEXTS[kind])]),
    ) as Record<MailKind, z.ZodOptional<z.ZodBoolean>>,
  ),
)

/** Presents a merchant's current settings for mail; null if its customers get none. */
export function presentMails(settings: MailSettings): Record<MailKind, boolean> | null {
  if (settings.length === 0) return null
  const on = kindsOn(settings)
  return Object.fromEntries(MAIL_KINDS.map((kind) => [kind, on.includes(kind)])) as Record<MailKind, boolean>
}
