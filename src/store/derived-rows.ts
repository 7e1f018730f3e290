import type { CreditNote } from '../core/credit-note.ts'
import type { Kind, Objects } from '../core/kinds.ts'
import type { Subscription } from '../core/subscription.ts'
import { updateLineCredits } from './invoice-credits.ts'
import type { Statements } from './statements.ts'
import { updateUses } from './subscription-uses.ts'

/** A written object. `before` is undefined for a new one. */
type Written<K extends Kind> = {
  readonly merchant: number
  readonly seq: number
  readonly before: Objects[K] | undefined
  readonly after: Objects[K]
}

/** Updates the rows of other tables that follow from the nested values of an object. */
export function updateDerivedRows<K extends Kind>(
  statements: Statements,
  kind: K,
  { merchant, seq, before, after }: Written<K>,
): void {
  if (kind === 'subscription') {
    const [old, now] = [before as Subscription | undefined, after as Subscription]
    updateUses(statements, { merchant, subscription: seq }, old?.items ?? [], now.items)
  } else if (kind === 'credit_note') {
    updateLineCredits(statements, merchant, before as CreditNote | undefined, after as CreditNote)
  }
}
