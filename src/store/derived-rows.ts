import type { CreditNote } from '../core/credit-note.ts'
import type { Kind, Objects } from '../core/kinds.ts'
import type { Subscription } from '../core/subscription.ts'
import { updateLineCredits } from './invoice-credits.ts'
import { addFormerOwner, isMovable } from './ownership.ts'
import type { Statements } from './statements.ts'
import { updateUses } from './subscription-uses.ts'

type Movable = Objects['payment_method' | 'payment_intent']

/** A written object. `before` is undefined for a new one. */
type Written<K extends Kind> = {
  readonly merchant: number
  readonly seq: number
  readonly before: Objects[K] | undefined
  readonly after: Objects[K]
}

/** Updates the rows of other tables that follow from what an object holds or from whom it moves. */
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
  } else if (isMovable(kind)) {
    const [old, now] = [before as Movable | undefined, after as Movable]
    addFormerOwner(statements, { merchant, kind, object: seq }, old, now)
  }
}
