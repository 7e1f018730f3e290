import type { Prospect } from '../client/types.ts'

/** What each kind of job is called in output. */
export const JOB_TEXTS: Readonly<Record<Prospect['kind'], string>> = {
  payment_retry: 'retry',
  invoice_due: 'invoice due',
  cancellation: 'ends',
  incomplete_expiry: 'expires',
  pause_end: 'collection goes on',
  trial_end: 'trial ends',
  renewal: 'renewal',
  refund_settlement: 'refund settles',
  webhook_retry: 'webhook is sent again',
}
