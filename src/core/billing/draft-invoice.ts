import type { Change } from '../change.ts'
import type { Invoice } from '../invoice.ts'
import { withoutRetries } from '../invoice-plan.ts'
import type { Subscription } from '../subscription.ts'
import { type Account, updateDelinquency } from './account.ts'
import { daysUntilDueOf } from './by-hand.ts'
import { issue } from './collect.ts'
import { recordFirstAttempt } from './first-attempt.ts'

/**
 * Finalizes a draft at its planned instant, and attempts to charge it. A failure makes an active subscription past_due.
 * The draft of a deleted customer stays a draft.
 * See docs/contract/invoices.md#drafts-that-advance.
 */
export function finalizeAsPlanned(
  change: Change,
  account: Account,
  draft: Invoice,
  subscription: Subscription | null,
): void {
  if (account.customer.deleted) {
    change.update('invoice', draft, withoutRetries)
    return
  }
  const collected = issue(change, account, draft, { daysUntilDue: daysUntilDueOf(draft, subscription) })
  if (subscription) recordFirstAttempt(change, account, subscription, collected)
  updateDelinquency(change, account)
}
