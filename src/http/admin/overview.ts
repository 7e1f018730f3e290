import * as z from 'zod'
import { SECONDS_PER_DAY } from '../../core/calendar.ts'
import { type Overview, overviewOf } from '../../engine/resources/overview.ts'
import { deferred } from '../deferred.ts'
import { turnToRead } from '../read-turn.ts'
import { type OverviewShape, overviewSchema } from '../schemas/overview.ts'
import { theMerchant } from './merchant.ts'
import type { AddRoute } from './services.ts'

const showParams = deferred(() => z.object({ merchant: z.string().optional() }))

/** Registers the route for the counts and sums of a merchant. */
export function overviewRoutes(add: AddRoute): void {
  add(
    {
      method: 'get',
      path: 'overview',
      summary: 'Counts the objects of a merchant by status, and sums its payments by day.',
      params: showParams,
      returns: overviewSchema,
      errors: { 400: ['parameter_missing'], 404: ['resource_missing'] },
    },
    async ({ c, services, params }) => {
      const merchant = theMerchant(services.engine, params.merchant)
      await turnToRead(services, merchant, c.env)
      return presentOverview(merchant.settings.id, overviewOf(services.engine, merchant))
    },
  )
}

const presentOverview = (merchant_id: string, overview: Overview): OverviewShape => ({
  object: 'overview',
  customers: overview.customers,
  subscriptions: Object.fromEntries(overview.subscriptions.map(({ status, count }) => [status, count])),
  invoices: Object.fromEntries(overview.invoices.map(({ status, count }) => [status, count])),
  payments: { since: overview.since, has_more: overview.isCut, days: daysOf(overview) },
  livemode: false,
  merchant_id,
})

type Day = OverviewShape['payments']['days'][number]

/** Combines the successful and the failed charges of a day and currency. */
function daysOf({ charges }: Overview): Day[] {
  const days = new Map<string, Day>()
  for (const { day, currency, status, amount, count } of charges) {
    const key = `${day} ${currency}`
    const known = days.get(key) ?? {
      start: day * SECONDS_PER_DAY,
      currency,
      succeeded: 0,
      succeeded_count: 0,
      failed: 0,
      failed_count: 0,
    }
    const own =
      status === 'succeeded'
        ? { succeeded: amount, succeeded_count: count }
        : { failed: amount, failed_count: count }
    days.set(key, { ...known, ...own })
  }
  return [...days.values()]
}
