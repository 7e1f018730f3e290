import type { Transitions } from './transitions.ts'

export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void', 'uncollectible'] as const
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number]
export type InvoiceEvent = 'finalize' | 'pay' | 'void' | 'mark_uncollectible'

/**
 * An invoice with a zero total becomes open too: invoice.finalized shows that status. See
 * docs/contract/invoices.md#status.
 */
export const INVOICE_TRANSITIONS: Transitions<InvoiceStatus, InvoiceEvent> = {
  draft: { finalize: 'open' },
  open: { pay: 'paid', void: 'void', mark_uncollectible: 'uncollectible' },
  uncollectible: { pay: 'paid', void: 'void' },
  paid: {},
  void: {},
}

/** The facts about each status. Other code reads these facts and does not compare statuses. See docs/contract/invoices.md#status. */
const STATUS_FACTS: Readonly<
  Record<
    InvoiceStatus,
    {
      readonly isDraft: boolean
      readonly isOpen: boolean
      readonly isBilled: boolean
      readonly isCreditable: boolean
    }
  >
> = {
  draft: { isDraft: true, isOpen: false, isBilled: true, isCreditable: false },
  open: { isDraft: false, isOpen: true, isBilled: true, isCreditable: true },
  paid: { isDraft: false, isOpen: false, isBilled: true, isCreditable: true },
  void: { isDraft: false, isOpen: false, isBilled: false, isCreditable: false },
  uncollectible: { isDraft: false, isOpen: false, isBilled: false, isCreditable: false },
}

type WithStatus = { readonly status: InvoiceStatus }

/** Reports whether an invoice is not finalized: its lines can change, and it can be deleted. */
export const isDraft = ({ status }: WithStatus): boolean => STATUS_FACTS[status].isDraft

/** Reports whether an invoice waits for its payment. */
export const isOpen = ({ status }: WithStatus): boolean => STATUS_FACTS[status].isOpen

/** Reports whether an invoice bills its lines: it was not voided or marked uncollectible. */
export const isBilled = ({ status }: WithStatus): boolean => STATUS_FACTS[status].isBilled

/** Reports whether a credit note can be issued for an invoice. See docs/contract/credit-notes.md#creating. */
export const isCreditable = ({ status }: WithStatus): boolean => STATUS_FACTS[status].isCreditable
