import * as z from 'zod'
import { LAST_RETRY_DAY, MAX_RETRIES } from '../core/dunning.ts'
import { deferred } from './deferred.ts'

export const RETRY_SCHEDULE_TEXT =
  'The retries of failed payments: smart, or the days after the first failure, ascending. Only merchants with the dialect stripe can choose them.'

const days = deferred(() =>
  z
    .array(z.int().min(1).max(LAST_RETRY_DAY))
    .min(1)
    .max(MAX_RETRIES)
    .refine((given) => given.every((day, index) => index === 0 || day > (given[index - 1] ?? 0)), {
      error: 'expected ascending days',
    }),
)

/** The parameter of a merchant's retry schedule. See docs/contract/invoices.md#retry-schedule. */
export const retrySchedule = deferred(() =>
  z.union([z.literal('smart'), days()], {
    error: `expected smart, or 1 to ${MAX_RETRIES} ascending days from 1 to ${LAST_RETRY_DAY}`,
  }),
)
