import type { EventType } from './kinds.ts'
import { MAIL_KINDS, type MailKind } from './mail-kinds.ts'

/** The events that can cause mail, with its kind. */
export const MAIL_EVENTS = {
  'invoice.finalized': 'invoice',
  'invoice.sent': 'invoice',
  'invoice.will_be_due': 'invoice_reminder',
  'invoice.overdue': 'invoice_reminder',
  'invoice.payment_failed': 'payment_failed',
  'invoice.payment_action_required': 'payment_action_required',
  'subscription.trial_will_end': 'trial_will_end',
  'invoice.upcoming': 'upcoming_renewal',
  'charge.succeeded': 'receipt',
  'charge.refunded': 'refund',
} as const satisfies { readonly [T in EventType]?: MailKind }
export type MailEvent = keyof typeof MAIL_EVENTS

/** The events that cause mail on request, whether its kind is on or off. */
const MAIL_ON_REQUEST: readonly MailEvent[] = ['invoice.sent', 'charge.succeeded']

/** The kinds that were on for the events after one, up to the next entry. */
type MailPeriod = {
  /** The number of the merchant's newest event when the setting was made. */
  readonly after: number
  readonly on: readonly MailKind[]
}

/**
 * A merchant's settings for mail, oldest first, or none for a merchant whose customers get no mail. Earlier settings are kept,
 * because mail is derived from events: whether an event caused mail depends on the setting at that time.
 */
export type MailSettings = readonly MailPeriod[]

/** Whether each kind is on; undefined leaves it unchanged. */
export type MailUpdate = { readonly [Kind in MailKind]?: boolean | undefined }

/** Returns the kinds that are on now. */
export const kindsOn = (settings: MailSettings): readonly MailKind[] => settings.at(-1)?.on ?? []

/** Reports whether a kind was on at an event. @param event - the number of the event */
export const wasOn = (settings: MailSettings, kind: MailKind, event: number): boolean =>
  settings.findLast(({ after }) => after < event)?.on.includes(kind) ?? false

/**
 * Changes which kinds are on, from the next event.
 * @param newest - the number of the merchant's newest event
 */
export function changedMails(settings: MailSettings, change: MailUpdate, newest: number): MailSettings {
  const before = kindsOn(settings)
  const on = MAIL_KINDS.filter((kind) => change[kind] ?? before.includes(kind))
  if (on.join() === before.join()) return settings
  return [...settings.filter(({ after }) => after < newest), { after: newest, on }]
}

/** Returns the types of the events that have ever caused mail of a merchant with these settings. */
export const typesWithMail = (settings: MailSettings): MailEvent[] =>
  (Object.keys(MAIL_EVENTS) as MailEvent[]).filter(
    (type) =>
      settings.length > 0 &&
      (MAIL_ON_REQUEST.includes(type) || settings.some(({ on }) => on.includes(MAIL_EVENTS[type]))),
  )
