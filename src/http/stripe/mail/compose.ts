import type { Kind } from '../../../core/kinds.ts'
import { MAIL_EVENTS, type MailEvent, wasOn } from '../../../core/mail.ts'
import type { EventWithObject } from '../../../engine/history/view.ts'
import { receiptMail, refundMail } from './charge-mail.ts'
import {
  actionMail,
  failureMail,
  invoiceMail,
  overdueMail,
  reminderMail,
  upcomingMail,
} from './invoice-mail.ts'
import { letter } from './letter.ts'
import type { Draft, EventOf, Mail } from './mail.ts'
import { trialMail } from './subscription-mail.ts'

type Compose = (event: EventWithObject) => Draft | null

/** Uses a composer for events of one kind of object. */
const ofKind =
  <K extends Kind>(compose: (event: EventOf<K>) => Draft | null): Compose =>
  (event) =>
    compose(event as EventOf<K>)

const COMPOSERS: Readonly<Record<MailEvent, Compose>> = {
  'invoice.finalized': ofKind<'invoice'>(invoiceMail),
  'invoice.sent': ofKind<'invoice'>(invoiceMail),
  'invoice.will_be_due': ofKind<'invoice'>(reminderMail),
  'invoice.overdue': ofKind<'invoice'>(overdueMail),
  'invoice.payment_failed': ofKind<'invoice'>(failureMail),
  'invoice.payment_action_required': ofKind<'invoice'>(actionMail),
  'invoice.upcoming': ofKind<'invoice'>(upcomingMail),
  'subscription.trial_will_end': ofKind<'subscription'>(trialMail),
  'charge.succeeded': ofKind<'charge'>(receiptMail),
  'charge.refunded': ofKind<'charge'>(refundMail),
}

const isMailEvent = (type: string): type is MailEvent => Object.hasOwn(MAIL_EVENTS, type)

/**
 * Derives the mail that an event caused from the event and the objects at that time; null for none. Nothing of it is stored.
 * See docs/contract/mail.md#derivation.
 */
export function mailOf(event: EventWithObject): Mail | null {
  const { type, number, created } = event.entry
  if (!isMailEvent(type)) return null
  const { mails, name } = event.view.merchant
  const kind = MAIL_EVENTS[type]
  const draft = mails.length === 0 ? null : COMPOSERS[type](event)
  if (draft === null || draft.to === null) return null
  if (!draft.isRequested && !wasOn(mails, kind, number)) return null
  const { to, subject, links, about } = draft
  return {
    id: mailId(event.id),
    kind,
    created,
    to,
    subject: subject.replaceAll(/\s+/g, ' '),
    text: letter(draft, name),
    links,
    about,
    event,
  }
}

/** Returns the id of the mail that an event caused: `evt_1` → `mail_1`. */
export const mailId = (event: string): string => event.replace(/^evt_/, 'mail_')

/** Returns the id of the event that caused a mail. */
export const eventOfMail = (mail: string): string => mail.replace(/^mail_/, 'evt_')
