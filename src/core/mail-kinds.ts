/** The kinds of mail for customers. See docs/contract/mail.md#kinds. */
export const MAIL_KINDS = [
  'invoice',
  'invoice_reminder',
  'payment_failed',
  'payment_action_required',
  'trial_will_end',
  'upcoming_renewal',
  'receipt',
  'refund',
] as const
export type MailKind = (typeof MAIL_KINDS)[number]
