import { Change } from '../../src/core/change.ts'
import type { EventType, Objects } from '../../src/core/kinds.ts'
import { apply } from '../../src/engine/machine/apply.ts'
import type { Twin } from '../twin.ts'

/** Kinds with metadata that a test enlarges. */
type Large =
  | 'customer'
  | 'dispute'
  | 'invoice'
  | 'invoice_item'
  | 'refund'
  | 'subscription'
  | 'webhook_endpoint'

/** Gives an object metadata that the API would refuse. @param given.length - in characters, of one value */
export async function enlarge(
  twin: Twin,
  kind: Large,
  id: string,
  {
    length = 1_500_000,
    letter = 'x',
    event,
  }: { readonly length?: number; readonly letter?: string; readonly event?: EventType } = {},
): Promise<void> {
  const { engine, merchant } = twin.sandbox
  await engine.command(merchant, null, (unit) => {
    const change = new Change()
    const found: Objects[typeof kind] = unit.need(kind, id)
    const metadata = { large: letter.repeat(length) }
    change.update(kind, found, (before) => ({ ...before, metadata }), event)
    apply(unit, change)
  })
}
