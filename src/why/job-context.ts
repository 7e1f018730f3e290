import type { FutureJob } from '../core/future-job.ts'
import type { Invoice } from '../core/invoice.ts'
import type { Facts } from './facts.ts'

/** The facts for a sentence about a job. */
export type JobContext = {
  readonly facts: Facts
  /** The projected jobs that follow it. */
  readonly following: readonly FutureJob[]
  /** The id of the explained object. */
  readonly subject: string
}

/** Finds the invoice of a job. */
export const invoiceOf = ({ object }: FutureJob, { facts }: JobContext): Invoice | undefined =>
  facts.invoices.find(({ id }) => id === object)
