import { sql } from 'kysely'
import type { InvoicePlan } from '../core/invoice-plan.ts'
import { arg, type Statements } from './statements.ts'

type PlanRow = Omit<InvoicePlan, 'overdue' | 'notices' | 'deleted'> & {
  readonly overdue: number
  readonly notices: string | null
  readonly deleted: number
}

/** Lists the plans of a subscription's invoices with a planned attempt, oldest first. */
export const invoicePlans = (statements: Statements, subscription: string): InvoicePlan[] =>
  statements
    .named<PlanRow>('invoice plans', (db) => ({
      compile: () =>
        sql`select id, status, subscription, next_payment_attempt, due_date, overdue, notices, test_clock, deleted
          from invoice where subscription = ${arg('subscription')} and next_payment_attempt is not null
          order by seq`.compile(db),
    }))
    .all({ subscription })
    .map((row) => ({
      ...row,
      overdue: row.overdue === 1,
      notices: row.notices === null ? null : JSON.parse(row.notices),
      deleted: row.deleted === 1,
    }))
