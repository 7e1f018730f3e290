/** The choices of days before a renewal. See docs/contract/notices.md#settings. */
export const UPCOMING_DAYS = [3, 7, 15, 30, 45] as const
/** The days before the end of a trial. */
export const TRIAL_DAYS = 3
/** The maximum number of days before or after a due date. */
export const MAX_DUE_DAYS = 3650

/** The notices about a subscription, and those about an invoice. */
export const SUBSCRIPTION_NOTICES = ['invoice_upcoming', 'trial_will_end'] as const
export const INVOICE_NOTICES = ['invoice_will_be_due', 'invoice_overdue'] as const
export const NOTICE_KINDS = [...SUBSCRIPTION_NOTICES, ...INVOICE_NOTICES] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** A merchant's settings: the days between each notice and the instant that it announces or reports; null for no notice. */
export type NoticeDays = Readonly<Record<NoticeKind, number | null>>

/** No notices: the settings of a new merchant. */
export const NO_NOTICES: NoticeDays = {
  invoice_upcoming: null,
  trial_will_end: null,
  invoice_will_be_due: null,
  invoice_overdue: null,
}

/** When the notices of an object are due, in Unix seconds; null for those that are not due, or were sent. */
export type SubscriptionNotices = Readonly<Record<(typeof SUBSCRIPTION_NOTICES)[number], number | null>>
export type InvoiceNotices = Readonly<Record<(typeof INVOICE_NOTICES)[number], number | null>>

/** Returns an object without one of its notices, because it was sent or does not apply. */
export const withoutNotice = <Notices, T extends { readonly notices: Notices | null }>(
  object: T,
  kind: keyof Notices,
): T => (object.notices === null ? object : { ...object, notices: { ...object.notices, [kind]: null } })
