import { Change } from '../../core/change.ts'
import { assert } from '../../core/errors.ts'
import type { Invoice } from '../../core/invoice.ts'
import type { InvoiceItem } from '../../core/invoice-item.ts'
import { apply } from '../machine/apply.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { updateDraft } from './draft-discounts.ts'

/**
 * Changes of invoice items, and of the draft that they are on, which are written together. All lines of a draft are one value, so to write it
 * for each of 250 items would take 250 times as long and as much disk space.
 */
export class ItemChanges {
  readonly unit: UnitOfWork
  readonly change = new Change()
  #draft: { readonly stored: Invoice; readonly latest: Invoice } | null = null

  constructor(unit: UnitOfWork) {
    this.unit = unit
  }

  /** Returns an item after the changes so far. */
  latestItem(item: InvoiceItem): InvoiceItem {
    return this.change.latest('invoice_item', item)
  }

  /** Returns an invoice after the changes so far. */
  latestInvoice(invoice: Invoice): Invoice {
    return this.#draft?.stored.id === invoice.id ? this.#draft.latest : invoice
  }

  /** Changes the draft. Its discount amounts and its total are computed after the last change. */
  changeDraft(invoice: Invoice, rule: (draft: Invoice) => Invoice): void {
    const { stored, latest } = this.#draft ?? { stored: invoice, latest: invoice }
    assert(stored.id === invoice.id, `the items are on one draft, not on ${stored.id} and ${invoice.id}`)
    this.#draft = { stored, latest: rule(latest) }
  }

  /**
   * Writes the changes.
   * @param testClock - the clock that the items follow; null for the merchant's main clock
   * @throws ApiError amount_too_large when the total of the draft exceeds the largest amount
   */
  apply(testClock: string | null): void {
    if (this.#draft) {
      const { stored, latest } = this.#draft
      updateDraft(this.unit, this.change, stored, () => latest)
    }
    apply(this.unit, this.change, this.unit.clockOf(testClock))
  }
}

/** Changes one item, and writes the change. */
export function changeItem(unit: UnitOfWork, work: (items: ItemChanges) => InvoiceItem): InvoiceItem {
  const items = new ItemChanges(unit)
  const item = work(items)
  items.apply(item.test_clock)
  return item
}
