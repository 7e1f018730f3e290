import { finalizeByHand } from '../../core/billing/by-hand.ts'
import { finalizeAsPlanned } from '../../core/billing/draft-invoice.ts'
import { Change } from '../../core/change.ts'
import type { Invoice } from '../../core/invoice.ts'
import { eventOfObject } from '../history/object-events.ts'
import { apply } from '../machine/apply.ts'
import { awaitsWebhooks } from '../machine/stored-advance.ts'
import type { UnitOfWork } from '../machine/unit.ts'
import { decide } from './invoice.ts'
import { nextActionOf } from './invoice-update.ts'

/**
 * Finalizes a draft at its planned instant, with the usage that was reported in the meantime. While a webhook endpoint
 * refuses its invoice.created, the draft waits longer.
 * See docs/contract/invoices.md#drafts-that-advance.
 */
export function finalizePlanned(unit: UnitOfWork, id: string): void {
  const draft = unit.need('invoice', id)
  const until = laterInstant(unit, draft)
  if (until === null) {
    decide(unit, id, finalizeAsPlanned)
    return
  }
  const change = new Change()
  change.update('invoice', draft, (waiting) => ({ ...waiting, next_payment_attempt: until }))
  apply(unit, change, unit.clockOf(draft.test_clock))
}

/** Returns when a draft is finalized if its invoice.created is not accepted; null for now. A rehearsal does not wait for that. */
function laterInstant(unit: UnitOfWork, draft: Invoice): number | null {
  if (unit.request?.isRehearsal) return null
  const { draftSeconds, acceptanceSeconds } = unit.rules
  if (draftSeconds === null || unit.merchant.endpoints.receiving('invoice.created').length === 0) return null
  const clock = unit.clockOf(draft.test_clock)
  // Otherwise a clock jumps while webhooks are being sent, so that the result would depend on their speed.
  const isPaced = clock.mode === 'live' || awaitsWebhooks(clock)
  const latest = draft.created + acceptanceSeconds
  if (!isPaced || clock.instant >= latest) return null
  const event = eventOfObject(unit, unit.merchant, { kind: 'invoice', id: draft.id, type: 'invoice.created' })
  const isRefused = event !== undefined && unit.store.deliveries.isRefused(event.id)
  return isRefused ? Math.min(clock.instant + draftSeconds, latest) : null
}

/**
 * Finalizes a draft on request.
 * @param auto_advance - whether it is charged automatically; by default as the draft
 * @throws ApiError resource_missing; invalid_state_transition
 */
export function finalizeWith(
  unit: UnitOfWork,
  id: string,
  { auto_advance }: { auto_advance?: boolean | undefined },
): Invoice {
  decide(unit, id, (change, account, invoice, subscription) => {
    const next_payment_attempt = nextActionOf(unit, invoice, auto_advance)
    const isSame = next_payment_attempt === invoice.next_payment_attempt
    const draft = isSame
      ? invoice
      : change.update('invoice', invoice, (before) => ({ ...before, next_payment_attempt }))
    finalizeByHand(change, account, draft, subscription)
  })
  return unit.need('invoice', id)
}
