import { type RawBuilder, sql } from 'kysely'
import { IS_LOOSE } from './read-ahead.ts'
import { arg, type Statements } from './statements.ts'

/** The SQL for a subscription that has not ended, with the text of the index. */
export const HAS_NOT_ENDED = sql<boolean>`status <> 'canceled' and status <> 'incomplete_expired'`

/** The SQL for a schedule that is not over, with the text of the index. */
export const IS_NOT_OVER = sql<boolean>`status not in ('canceled', 'completed', 'released')`

/** Returns the currency of the customer's newest subscription that has not ended, or else schedule that is not over; null without any. */
export function billedCurrency(statements: Statements, customer: string): string | null {
  const row = statements
    .named<{ currency: string | null }>('billed currency', (db) => ({
      compile: () =>
        sql`select coalesce(
          (select currency from subscription indexed by subscription_not_ended where customer = ${arg('customer')}
            and ${HAS_NOT_ENDED} order by seq desc limit 1),
          (select phases ->> '$[0].currency' from subscription_schedule
            indexed by subscription_schedule_unfinished where customer = ${arg('customer')}
            and ${IS_NOT_OVER} order by seq desc limit 1)) as currency`.compile(db),
    }))
    .get({ customer })
  return row?.currency ?? null
}

/** Reports whether a customer has a pending item that belongs to no subscription. */
export function hasLooseItems(statements: Statements, customer: string): boolean {
  const found = statements
    .named('has loose items', (db) => ({
      compile: () =>
        sql`select 1 from invoice_item where customer = ${arg('customer')} and ${IS_LOOSE} limit 1`.compile(
          db,
        ),
    }))
    .get({ customer })
  return found !== undefined
}

/** Reports whether a customer has a paid invoice or a successful charge. The invoice of a successful charge is paid. */
export function hasPaid(statements: Statements, customer: string): boolean {
  const found = statements
    .named('has paid', (db) => ({
      compile: () =>
        sql`select 1 where exists (select 1 from invoice where customer = ${arg('customer')} and status = 'paid')
          or exists (select 1 from charge where customer = ${arg('customer')}
            and status = 'succeeded' and invoice is null)`.compile(db),
    }))
    .get({ customer })
  return found !== undefined
}

const idsWhere =
  (kind: 'subscription' | 'subscription_schedule', index: string, condition: RawBuilder<boolean>) =>
  (statements: Statements, customer: string): string[] =>
    statements
      .named<{ id: string }>(`ids of ${kind} of customer`, (db) => ({
        compile: () =>
          sql`select id from ${sql.table(kind)} indexed by ${sql.ref(index)}
            where customer = ${arg('customer')} and ${condition} order by seq`.compile(db),
      }))
      .all({ customer })
      .map(({ id }) => id)

/** Lists the ids of a customer's subscriptions that have not ended, oldest first. */
export const idsOfPresentSubscriptions = idsWhere('subscription', 'subscription_not_ended', HAS_NOT_ENDED)

/** Lists the ids of a customer's schedules that have not started, oldest first. Those that are over without it are left out. */
export const idsOfWaitingSchedules = idsWhere(
  'subscription_schedule',
  'subscription_schedule_unfinished',
  sql<boolean>`${IS_NOT_OVER} and subscription is null`,
)
