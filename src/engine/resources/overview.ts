import { SECONDS_PER_DAY } from '../../core/calendar.ts'
import { type ChargeTotal, MAX_SUMMED_CHARGES, type StatusTotal } from '../../store/totals.ts'
import type { Engine } from '../machine/engine.ts'
import type { MerchantState } from '../machine/merchant-state.ts'

/** paytwin: the days of payments in an overview, today included. */
const OVERVIEW_DAYS = 30

/** The counts and sums of a merchant. */
export type Overview = {
  readonly customers: number
  readonly subscriptions: readonly StatusTotal[]
  readonly invoices: readonly StatusTotal[]
  /** The first second of the first day of payments. */
  readonly since: number
  readonly charges: readonly ChargeTotal[]
  /** Whether older charges of these days are left out. */
  readonly isCut: boolean
}

/** Counts the objects of a merchant, and sums its payments of the last 30 days of its main clock. */
export function overviewOf({ store }: Engine, { settings, clock }: MerchantState): Overview {
  const { ordinal: merchant } = settings
  const { totals } = store
  const today = Math.floor(clock.now / SECONDS_PER_DAY)
  const since = (today - OVERVIEW_DAYS + 1) * SECONDS_PER_DAY
  const charges = totals.chargesByDay({ merchant, since })
  return {
    customers: totals.customers(merchant),
    subscriptions: totals.byStatus('subscription', merchant),
    invoices: totals.byStatus('invoice', merchant),
    since,
    charges,
    isCut: charges.reduce((sum, { count }) => sum + count, 0) === MAX_SUMMED_CHARGES,
  }
}
