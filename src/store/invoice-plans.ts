import { sql } from 'kysely'
import type { InvoicePlan } from '../core/invoice-plan.ts'
import type { Job } from '../core/jobs.ts'
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

/** Returns the job that finalizes a draft of a subscription next; undefined for none. */
export function nextFinalization(statements: Statements, subscription: string): Job | undefined {
  const row = statements
    .named<Pick<Job, 'object' | 'due'>>('next finalization', (db) => ({
      // Literals: a partial index applies only if its condition is visible in the statement.
      compile: () =>
        sql`select id as object, next_payment_attempt as due from invoice indexed by invoice_waiting
          where subscription = ${arg('subscription')}
            and status = 'draft' and next_payment_attempt is not null and deleted = 0
          order by next_payment_attempt, id limit 1`.compile(db),
    }))
    .get({ subscription })
  return row && { ...row, kind: 'invoice_finalization', subscription }
}
