import type { Kind, Objects } from '../../../core/kinds.ts'
import type { MailKind } from '../../../core/mail-kinds.ts'
import type { EventWithObject } from '../../../engine/history/view.ts'

/** A mail for a customer, which is never sent. See docs/contract/mail.md#mail. */
export type Mail = {
  readonly id: string
  readonly kind: MailKind
  readonly created: number
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly links: readonly Link[]
  /** The object that it is about. */
  readonly about: { readonly object: Kind; readonly id: string }
  readonly event: EventWithObject
}

/** A page that a mail leads to. */
export type Link = { readonly name: string; readonly url: string }

/** The parts of a mail that depend on its kind. */
export type Draft = {
  /** The customer's email address, or the one that was given for receipts. */
  readonly to: string | null
  /** The name in the greeting. */
  readonly name: string | null
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly links: readonly Link[]
  readonly about: Mail['about']
  /** Whether a request asked for it, so that it exists even if its kind is off. */
  readonly isRequested?: boolean
}

/** An event whose object has this kind. */
export type EventOf<K extends Kind> = Omit<EventWithObject, 'after'> & { readonly after: Objects[K] }
