import * as z from 'zod'
import { MAX_DUE_DAYS, type NoticeKind, TRIAL_DAYS, UPCOMING_DAYS } from '../core/notices.ts'
import { deferred } from './deferred.ts'

const dueDays = (least: number) => z.int().min(least).max(MAX_DUE_DAYS).nullable().optional()

/** Descriptions of the settings. */
export const NOTICE_TEXTS: Readonly<Record<NoticeKind, string>> = {
  invoice_upcoming:
    'The days before a renewal at which invoice.upcoming is emitted: 3, 7, 15, 30 or 45; null for no event.',
  trial_will_end:
    'The days before the end of a trial at which subscription.trial_will_end is emitted: 3; null for no event.',
  invoice_will_be_due:
    'The days before the due date of a sent invoice at which invoice.will_be_due is emitted: 1 to 3650; null for no event.',
  invoice_overdue:
    'The days after the due date of a sent invoice at which invoice.overdue is emitted: 0 to 3650; null for no event.',
}

/** The parameters of a merchant's settings for notices. See docs/contract/notices.md#settings. */
export const noticeSettings = deferred(() =>
  z.object({
    invoice_upcoming: z.literal(UPCOMING_DAYS).nullable().optional().describe(NOTICE_TEXTS.invoice_upcoming),
    trial_will_end: z.literal(TRIAL_DAYS).nullable().optional().describe(NOTICE_TEXTS.trial_will_end),
    invoice_will_be_due: dueDays(1).describe(NOTICE_TEXTS.invoice_will_be_due),
    invoice_overdue: dueDays(0).describe(NOTICE_TEXTS.invoice_overdue),
  }),
)
