import { sql } from 'kysely'
import type { Subscription } from '../core/subscription.ts'
import { arg, type Statements } from './statements.ts'

/** Leaves the items that wait for a subscription to the next manual invoice. @returns the number of items */
export const releaseItems = (statements: Statements, subscription: string): number =>
  statements
    .named('release items', (db) =>
      db
        .updateTable('invoice_item')
        .set({ billed_with: null })
        .where('billed_with', '=', arg<string>('subscription')),
    )
    .runWith(null, subscription).changes

/**
 * Marks the invoice items that correct the current period of a subscription. Those on drafts are among them: they may be taken off.
 * Older ones are not read.
 * @returns the number of items
 */
export const markReplacedItems = (
  statements: Statements,
  { id, current_period_start }: Pick<Subscription, 'id' | 'current_period_start'>,
): number =>
  statements
    .named('mark replaced items', (db) => ({
      compile: () =>
        sql`update invoice_item set proration = json_set(proration, '$.is_replaced', json('true'))
          where subscription = ${arg('subscription')} and proration is not null
          and seq > coalesce((select seq from invoice_item where subscription = ${arg('subscription')} and proration is not null
            and created < ${arg('cycle')} order by seq desc limit 1), 0)
          and proration ->> '$.cycle' = ${arg('cycle')} and proration ->> '$.is_replaced' is null`.compile(
          db,
        ),
    }))
    .runWith(id, id, current_period_start, current_period_start).changes
